import AtollChanges
import AtollQuery
import AtollSQLite
import AtollStorage
import AtollVocabulary
import Foundation
import Testing

/// Depths that a text can have, on a thread with the stack that Darwin gives threads: 512 KiB.
@Suite struct `texts of any depth` {
  /// Whatever of these is refused must be refused with a sentence; what is read must be answered.
  static let shapes: [(name: String, text: @Sendable (Int) -> String)] = [
    ("sums", { "1" + String(repeating: "+1", count: $0) + " == n" }),
    ("sums of properties", { "n" + String(repeating: "+n", count: $0) + " == 1" }),
    ("products", { "n" + String(repeating: " * 2", count: $0) + " == 1" }),
    ("signs", { "n == " + String(repeating: "-", count: $0) + "1" }),
    ("signed groups", { "n == " + String(repeating: "-(", count: $0) + "1" }),
    ("groups", { nested("(", "n == 1", ")", $0) }),
    ("groups of numbers", { nested("(", "n", ")", $0) + " == 1" }),
    ("sums to the right", { nested("(1 + ", "n", ")", $0) + " == 1" }),
    ("lists", { "n IN " + nested("{", "1", "}", $0) }),
    ("NOT", { String(repeating: "NOT ", count: $0) + "n == 1" }),
    ("NOT and groups", { nested("NOT (", "n == 1", ")", $0) }),
    ("AND and OR by turns", { nested("(n == 1 AND (n == 2 OR ", "n == 3", "))", $0) }),
    ("AND side by side", { "n == 1" + String(repeating: " AND n == 1", count: $0) }),
    ("OR side by side", { "n == 1" + String(repeating: " OR n == 1", count: $0) }),
    ("subqueries", { nested("SUBQUERY(es, $x, ", "n == 1", ").@count > 0", $0) }),
    ("ANY", { "ANY es.v == 1" + String(repeating: " AND ANY es.v == 1", count: $0) }),
    ("steps", { "one" + String(repeating: ".v", count: $0) + " == nil" }),
    ("DISTINCT", { "n == 1" + String(repeating: " DISTINCT(n) LIMIT(1)", count: $0) }),
    ("SORT", { "n == 1" + String(repeating: " SORT(n)", count: $0) }),
    ("openings", { String(repeating: "(", count: $0) }),
    ("braces", { "n IN " + String(repeating: "{", count: $0) }),
    ("everything", { nested("NOT (1 + (SUBQUERY(es, $x, ", "n == 1", ").@count) > 0)", $0) }),
    (
      "NOTs around subqueries",
      {
        String(repeating: "NOT (", count: 20)
          + nested("NOT (SUBQUERY(es, $x, ", "n == 1", ").@count > 0)", $0)
          + String(repeating: ")", count: 20)
      }
    ),
    ("aggregates", { "n + " + nested("(", "es.@count", ")", $0) + " > 1" }),
  ]

  @Test(
    arguments: shapes.indices, [1, 5, 8, 17, 33, 64, 99, 8000])
  func `issue 28.11: a predicate as text is answered or refused with a sentence`(
    shape: Int, depth: Int
  ) throws {
    let (name, text) = Self.shapes[shape]
    let store = try TestStore()
    try store.create(1)
    let classes = try store.file.classes
    let subject = store["Document"]
    let outcome = onSmallStack { () -> String in
      do {
        let scope = PredicateScope(subject: subject, classes: classes)
        let query = try PredicateParser.query(
          text(depth), from: StoreQuery(subject.id), in: scope)
        _ = PrintedPredicate(query.predicate, among: [:]).text
        _ = query.region
        return "\(try store.file.count(query))"
      } catch let error as StorageError {
        if case .sqlite = error { return "no sentence: \(error)" }
        return "\(error)"
      } catch {
        return "\(error)"
      }
    }
    #expect(!outcome.isEmpty, "\(name)")
    #expect(!outcome.hasPrefix("no sentence"), "\(name), \(depth): \(outcome.prefix(300))")
    if depth == 1, !["lists", "signed groups", "openings", "braces"].contains(name) {
      #expect(Int(outcome) != nil, "\(name): \(outcome)")
    }
  }

  @Test func `issue 28.11: one hundred numbers are added, and the hundred and first is refused`()
    throws
  {
    let store = try TestStore()
    try store.create(1)
    let subject = store["Document"]
    let scope = PredicateScope(subject: subject, classes: try store.file.classes)
    func count(_ terms: Int, _ result: Int) throws -> Int {
      let text = Array(repeating: "(id + 1 - 1) / 1", count: terms / 4).joined(separator: " + ")
      return try store.file.count(
        try PredicateParser.query(
          "\(text) == \(result)", from: StoreQuery(subject.id), in: scope))
    }
    #expect(try count(100, 25) == 1)
    #expect(try count(100, 26) == 0)
    let error = #expect(throws: PredicateTextError.self) { try count(104, 26) }
    #expect(error?.description.contains("at most 100 properties and numbers") == true)
  }
}

/// The result of `body`, which runs on a thread of its own with a stack of 512 KiB.
func onSmallStack(_ body: @escaping () -> String) -> String {
  final class Box: @unchecked Sendable { var result = "" }
  let (box, done) = (Box(), DispatchSemaphore(value: 0))
  nonisolated(unsafe) let body = body
  let thread = Thread {
    box.result = body()
    done.signal()
  }
  thread.stackSize = 512 << 10
  thread.start()
  done.wait()
  return box.result
}

private func nested(_ open: String, _ inside: String, _ close: String, _ depth: Int) -> String {
  String(repeating: open, count: depth) + inside + String(repeating: close, count: depth)
}
