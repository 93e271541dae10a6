import Foundation
import RealmSwift
import TestKit
import Testing

/// Functions that are generic over Realm's protocols of collections, with each collection there is.
@Suite(.serialized) struct CollectionProtocolTests {
  private let fixture: PoundFixture

  init() throws { fixture = try PoundFixture() }

  // MARK: Objects

  /// Returns the answers of a collection of the three hounds, one a line.
  private func answers<C: RealmCollection>(of hounds: C) -> [String] where C.Element == Hound {
    let sortedByName = hounds.sorted(byKeyPath: "name", ascending: false)
    let heavy = hounds.filter("weight > %@", 15.0)
    let old = hounds.where { $0.age >= 5 }.sorted(by: \.age)
    let some = hounds.sorted(by: [SortDescriptor(keyPath: "age", ascending: false)])
    let byLeader = hounds.distinct(by: ["leader.name"])
    let byLeaderToo = hounds.distinct(by: [\.leader?.name])
    let oldest: Int? = hounds.max(ofProperty: "age")
    let youngest: Int? = hounds.min(of: \.age)
    let weight: Double = hounds.sum(ofProperty: "weight")
    let age: Double? = hounds.average(ofProperty: "age")
    let typed: Double? = hounds.average(of: \.age)
    return [
      "\(hounds.count) \(hounds.isEmpty) \(hounds.isInvalidated) \(hounds.isFrozen)",
      "\(hounds.realm === fixture.realm)",
      sortedByName.map(\.name).joined(separator: " "),
      heavy.map(\.name).joined(separator: " "),
      old.map(\.name).joined(separator: " "),
      some.map(\.name).joined(separator: " "),
      "\(byLeader.count) \(byLeaderToo.count)",
      "\(oldest ?? 0) \(youngest ?? 0) \(weight) \(age ?? 0) \(typed ?? 0)",
      "\(hounds.max(of: \.weight) ?? 0) \(hounds.sum(of: \.age))",
    ]
  }

  private static let expected = [
    "3 false false false", "true", "Cy Bo Ada", "Cy", "Cy Bo", "Bo Cy Ada", "1 1",
    "7 3 30.5 5.0 5.0", "20.0 15",
  ]

  /// The objects of the fixture that are not the leader.
  private var results: Results<Hound> {
    fixture.realm.objects(Hound.self).where { $0.leader != nil }
  }

  @Test func `a generic function asks the same of each collection of objects`() {
    let pound = fixture.pound
    #expect(answers(of: pound.hounds) == Self.expected)
    #expect(answers(of: pound.pack) == Self.expected)
    #expect(answers(of: results) == Self.expected)
    #expect(answers(of: fixture.leader.followers) == Self.expected)
    for any in anyCollections { #expect(answers(of: any) == Self.expected) }
    #expect(answers(of: AnyRealmCollection(AnyRealmCollection(results))) == Self.expected)
  }

  private var anyCollections: [AnyRealmCollection<Hound>] {
    let pound = fixture.pound
    return [
      AnyRealmCollection(pound.hounds), AnyRealmCollection(pound.pack),
      AnyRealmCollection(results), AnyRealmCollection(fixture.leader.followers),
    ]
  }

  /// Tells whether each hound is found where it is.
  private func findsEach<C: RealmCollection>(in hounds: C) -> Bool where C.Element == Hound {
    hounds.indices.allSatisfy { hounds.index(of: hounds[$0]) == $0 }
      && hounds.index(of: fixture.leader) == nil
  }

  @Test func `a generic function finds elements`() throws {
    #expect(findsEach(in: fixture.pound.hounds))
    #expect(findsEach(in: fixture.pound.pack))
    #expect(findsEach(in: results))
    #expect(findsEach(in: fixture.leader.followers))
    for any in anyCollections { #expect(findsEach(in: any)) }
    let unmanaged = PoundFixture.unmanaged()
    #expect(findsEach(in: unmanaged.hounds))
    #expect(findsEach(in: AnyRealmCollection(unmanaged.pack)))
  }

  /// Names in a frozen form, after the live collection has lost one, and in its live form again.
  private func namesAcrossFreezing<C: RealmCollection>(of hounds: C) throws -> [String]
  where C.Element == Hound {
    let frozen = hounds.freeze()
    let realm = try #require(hounds.realm)
    let isFrozen = frozen.isFrozen && frozen.realm?.isFrozen == true && !hounds.isFrozen
    let added = Hound(value: ["name": "Eli", "leader": fixture.leader] as [String: Any])
    try realm.write {
      realm.add(added)
      fixture.pound.hounds.append(added)
      fixture.pound.pack.insert(added)
    }
    defer { try? realm.write { realm.delete(added) } }
    let live = try #require(frozen.thaw())
    let all = [frozen.count, live.count, hounds.count].map { "\($0)" }
    return all + ["\(isFrozen) \(live == hounds) \(frozen.freeze() == frozen)"]
  }

  @Test func `a generic function freezes and thaws`() throws {
    let expected = ["3", "4", "4", "true true true"]
    #expect(try namesAcrossFreezing(of: fixture.pound.hounds) == expected)
    #expect(try namesAcrossFreezing(of: fixture.pound.pack) == expected)
    #expect(try namesAcrossFreezing(of: results) == expected)
    #expect(try namesAcrossFreezing(of: fixture.leader.followers) == expected)
    for any in anyCollections { #expect(try namesAcrossFreezing(of: any) == expected) }
  }

  // MARK: Values

  private func answers<C: RealmCollection>(ofNumbers numbers: C) -> [String]
  where C.Element == Int {
    let average: Double? = numbers.average()
    let sum = numbers.sum()
    let least = numbers.min()
    let large: ValueResults<Int> = numbers.where { $0 > 3 }
    return [
      numbers.sorted(ascending: true).map { "\($0)" }.joined(separator: " "),
      "\(least ?? 0) \(numbers.max() ?? 0) \(sum) \(average ?? 0)",
      "\(large.count) \(numbers.filter("SELF < %@", 5).count) \(numbers.distinct().count)",
      "\(numbers.index(of: 6) ?? -1) \(numbers.index(matching: "SELF == 2") ?? -1)",
    ]
  }

  @Test func `a generic function asks the same of each collection of values`() {
    let numbers = fixture.pound.numbers
    let expected = ["2 4 6", "2 6 12 4.0", "2 2 3", "2 1"]
    #expect(answers(ofNumbers: numbers) == expected)
    #expect(answers(ofNumbers: AnyRealmCollection(numbers)) == expected)
    #expect(answers(ofNumbers: numbers.where { $0 != 0 }) == expected)
    #expect(answers(ofNumbers: AnyRealmCollection(numbers.where { $0 != 0 })) == expected)
    let weights = AnyRealmCollection(fixture.pound.weights)
    #expect(weights.sum() == 4 && weights.min() == 1.5)
  }

  // MARK: Observation

  /// The sizes that an observer of a collection is told of, around one change.
  private func sizes<C: RealmCollection>(
    of hounds: C, on queue: DispatchQueue, around change: () throws -> Void
  ) rethrows -> [String] where C.Element == Hound {
    let heard = Sizes()
    let all = hounds.observe(on: queue) { heard.add("all", $0) }
    let named = hounds.observe(keyPaths: ["name"], on: queue) { heard.add("name", $0) }
    let typed = hounds.observe(keyPaths: [\Hound.age], on: queue) { heard.add("age", $0) }
    queue.sync {}
    try change()
    queue.sync {}
    for token in [all, named, typed] { token.invalidate() }
    return heard.lines.sorted()
  }

  @Test(.timeLimit(.minutes(1))) func `a generic function observes`() throws {
    let queue = DispatchQueue(label: "hounds")
    let first = try #require(fixture.pound.hounds.first)
    func grow() throws { try fixture.realm.write { first.age += 1 } }
    let expected = [
      "age initial 3", "age update 3 1", "all initial 3", "all update 3 1", "name initial 3",
    ]
    #expect(try sizes(of: fixture.pound.hounds, on: queue, around: grow) == expected)
    #expect(try sizes(of: fixture.pound.pack, on: queue, around: grow) == expected)
    #expect(try sizes(of: results, on: queue, around: grow) == expected)
    #expect(try sizes(of: fixture.leader.followers, on: queue, around: grow) == expected)
    for any in anyCollections {
      #expect(try sizes(of: any, on: queue, around: grow) == expected)
    }
  }
}

/// The reports of observers of collections, from any thread.
private final class Sizes: @unchecked Sendable {
  private let lock = NSLock()
  private var all: [String] = []

  var lines: [String] { lock.withLock { all } }

  func add(_ name: String, _ change: RealmCollectionChange<some RealmCollection>) {
    let line =
      switch change {
      case .initial(let hounds): "\(name) initial \(hounds.count)"
      case .update(let hounds, deletions: _, insertions: _, let modifications):
        "\(name) update \(hounds.count) \(modifications.count)"
      case .error(let error): "\(name) \(error)"
      }
    lock.withLock { all.append(line) }
  }
}
