import AtollEdit
import AtollInspect
import AtollStorage
import Testing

/// Lost values that are restored, and entries of the ledger that are dismissed.
@Suite struct RestoringTests {
  private let stores = EditedStores()

  /// Has two replicas write the same properties, neither having seen the other; answers the ledger's numbers in one.
  private func makeConflicts() throws -> [Int64] {
    try stores.make()
    try stores.make("b", with: [])
    try stores.exchange(from: "a", to: "b")
    for (name, value) in [("a", 1), ("b", 2)] {
      let editor = try stores.editor(name)
      defer { editor.close() }
      _ = try editor.write(
        edits(
          #""kind":"set","values":{"inhabitants":\#(value)}"#,
          #""kind":"put","path":"names","entry":"fr","value":"\#(value)""#))
    }
    try stores.exchange(from: "b", to: "a")
    let numbers = try stores.file { try $0.conflictNumbers() }
    #expect(numbers.count == 2)
    return numbers
  }

  @Test func `lost values are restored in one transaction, and taken back`() throws {
    let numbers = try makeConflicts()
    let editor = try stores.editor()
    defer { editor.close() }
    let held = try stores.lines()
    #expect(try stores.value("inhabitants") == "2")
    let outcome = try editor.restoreConflicts(numbers)
    #expect(outcome.edits == 2 && outcome.canUndo)
    #expect(try stores.value("inhabitants") == "1")
    #expect(try stores.value("names") == #"{"fr":"1","it":null}"#)
    #expect(try stores.file { try $0.conflictNumbers() } == [])
    _ = try editor.undo()
    #expect(try stores.lines() == held)
    #expect(try stores.file { try $0.conflictNumbers() } == [])
  }

  @Test func `an earlier value is restored from the log, and taken back`() throws {
    _ = try makeConflicts()
    let editor = try stores.editor()
    defer { editor.close() }
    let held = try stores.lines()
    let inspection = try Inspection(path: stores.path("a"))
    let writes = try inspection.why("City", key: "Bern", property: "inhabitants").writes
    inspection.close()
    #expect(writes.allSatisfy { $0.isRestorable })
    for write in writes {
      let text = #""kind":"restore","path":"inhabitants","changeset":"\#(write.hash.prefix(16))""#
      let outcome = try editor.write(edits(text))
      #expect(outcome.edits == 1)
      #expect(try stores.value("inhabitants") == write.value)
    }
    for _ in writes { _ = try editor.undo() }
    #expect(try stores.lines() == held)
    for (path, hash) in [
      ("inhabitants", String(repeating: "0", count: 64)), ("names", writes[0].hash),
      ("inhabitants", ""), ("inhabitants", "🏝️"),
    ] {
      let text = #""kind":"restore","path":"\#(path)","changeset":"\#(hash)""#
      #expect(throws: EditError.self) { try editor.write(edits(text)) }
    }
    #expect(try stores.lines() == held)
  }

  @Test func `entries are dismissed together, and leave the values alone`() throws {
    let numbers = try makeConflicts()
    let editor = try stores.editor()
    defer { editor.close() }
    let held = try stores.lines()
    #expect(try editor.dismissConflicts(numbers).edits == 2)
    #expect(!editor.canUndo)
    #expect(try stores.lines() == held)
    #expect(try stores.file { try $0.conflictNumbers() } == [])
  }

  @Test func `an entry that is not there leaves all as it is`() throws {
    let numbers = try makeConflicts()
    let editor = try stores.editor()
    defer { editor.close() }
    let held = try stores.lines()
    #expect(throws: StorageError.self) { try editor.restoreConflicts(numbers + [999]) }
    #expect(throws: StorageError.self) { try editor.dismissConflicts(numbers + [999]) }
    #expect(throws: EditError.wrongCount(0, limit: 10_000)) { try editor.dismissConflicts([]) }
    #expect(try stores.lines() == held)
    #expect(try stores.file { try $0.conflictNumbers() } == numbers)
  }
}
