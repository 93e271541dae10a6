import Foundation
import RealmSwift
import TestKit
import Testing

/// Functions that are generic over maps.
@Suite(.serialized) struct KeyedCollectionTests {
  private let fixture: PoundFixture

  init() throws { fixture = try PoundFixture() }

  private func answers<M: RealmKeyedCollection>(of hounds: M) -> [String]
  where M.Key == String, M.Value == Hound? {
    let oldest: Int? = hounds.max(ofProperty: "age")
    let weight: Double = hounds.sum(ofProperty: "weight")
    let hasOld = hounds.contains { key, hound in key == "Bo" && hound?.age == 7 }
    return [
      "\(hounds.count) \(hounds.keys) \(hounds.isInvalidated) \(hounds.isFrozen) \(hasOld)",
      "\(hounds["Ada"]??.age ?? 0) \(hounds.values.compactMap { $0?.name })",
      "\(hounds.where { $0.age > 4 }.map(\.name)) \(hounds.filter("name == 'Cy'").count)",
      "\(hounds.sorted(byKeyPath: "age").map(\.name)) \(oldest ?? 0) \(weight)",
      "\(hounds.value(forKeyPath: "Cy.weight") ?? "") \(hounds.value(forKey: "Zoe") == nil)",
      "\(hounds.value(forKeyPath: "@max.age") ?? "") \(hounds.value(forKeyPath: "@count") ?? "")",
    ]
  }

  @Test func `a generic function asks a map of objects`() {
    #expect(
      answers(of: fixture.pound.byName) == [
        "3 [\"Ada\", \"Bo\", \"Cy\"] false false true", "3 [\"Ada\", \"Bo\", \"Cy\"]",
        "[\"Bo\", \"Cy\"] 1", "[\"Ada\", \"Cy\", \"Bo\"] 7 30.5", "20.0 true", "7 3",
      ])
    #expect(fixture.pound.value(forKeyPath: "byName.Ada.age") as? Int == 3)
  }

  private func change<M: RealmKeyedCollection>(_ scores: M) where M.Key == String, M.Value == Int {
    scores.updateValue(1, forKey: "a")
    scores["b"] = 2
    scores.setValue(3, forKey: "c")
    scores.setValue(4, forKey: "speed")
    scores.setValue(nil, forKey: "agility")
    scores.removeObject(for: "a")
  }

  private func answers<M: RealmKeyedCollection>(ofScores scores: M) -> [String]
  where M.Key == String, M.Value == Int {
    let average: Double? = scores.average()
    return [
      "\(scores.keys) \(scores.values)",
      "\(scores.min() ?? 0) \(scores.max() ?? 0) \(scores.sum()) \(average ?? 0)",
    ]
  }

  @Test func `a generic function changes a map, of a store or of none`() throws {
    let expected = ["[\"b\", \"c\", \"speed\"] [2, 3, 4]", "2 4 9 3.0"]
    let scores = fixture.pound.scores
    try fixture.realm.write { change(scores) }
    #expect(answers(ofScores: scores) == expected)
    #expect(scores.sorted().map { $0 } == [2, 3, 4] && scores.filter("SELF > 2").count == 2)
    let unmanaged = PoundFixture.unmanaged().scores
    change(unmanaged)
    #expect(answers(ofScores: unmanaged) == expected)
  }

  @Test func `a value that does not fit a map stops, with the key's place`() async {
    let exit = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      PoundFixture.unmanaged().scores.setValue("high", forKey: "speed")
    }
    let text = exit.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    #expect(text.contains("Setting an entry of a map: 'high' of type 'String' is no 'Int'."))
  }

  private func keys<M: RealmKeyedCollection>(
    of map: M, on queue: DispatchQueue, around change: () throws -> Void
  ) rethrows -> [String] {
    let heard = Lines()
    let token = map.observe(on: queue) { change in
      switch change {
      case .initial(let map): heard.add("initial \(map.count)")
      case .update(_, let deletions, let insertions, let modifications):
        heard.add("update \(deletions) \(insertions) \(modifications)")
      case .error(let error): heard.add("\(error)")
      }
    }
    queue.sync {}
    try change()
    queue.sync {}
    token.invalidate()
    return heard.all
  }

  @Test(.timeLimit(.minutes(1))) func `a generic function observes, freezes and thaws`() throws {
    let scores = fixture.pound.scores
    let heard = try keys(of: scores, on: DispatchQueue(label: "scores")) {
      try fixture.realm.write {
        scores["speed"] = 9
        scores["new"] = 1
        scores.removeObject(for: "agility")
      }
    }
    #expect(heard == ["initial 2", "update [\"agility\"] [\"new\"] [\"speed\"]"])
    let (frozen, live) = try frozenAndLive(scores)
    try fixture.realm.write { scores.removeAll() }
    #expect(frozen.count == 2 && live.count == 0 && live == scores)
  }

  private func frozenAndLive<T: ThreadConfined>(_ thing: T) throws -> (T, T) {
    let frozen = thing.freeze()
    return (frozen, try #require(frozen.thaw()))
  }
}

/// Lines that observers add, from any thread.
final class Lines: @unchecked Sendable {
  private let lock = NSLock()
  private var lines: [String] = []

  var all: [String] { lock.withLock { lines } }
  func add(_ line: String) { lock.withLock { lines.append(line) } }
}
