import Foundation
import RealmSwift
import TestKit
import Testing

/// Access to any collection by name and by index, sectioned, and observed in an actor.
@Suite(.serialized) @MainActor struct CollectionAccessTests {
  private let fixture: PoundFixture

  init() throws { fixture = try PoundFixture() }

  private var anyCollections: [AnyRealmCollection<Hound>] {
    let pound = fixture.pound
    return [
      AnyRealmCollection(pound.hounds), AnyRealmCollection(pound.pack),
      AnyRealmCollection(fixture.realm.objects(Hound.self).where { $0.leader != nil }),
      AnyRealmCollection(fixture.leader.followers),
    ]
  }

  // MARK: By name and by index

  private func named<C: RealmCollection>(_ hounds: C) -> [String] where C.Element == Hound {
    [
      "\(hounds.value(forKey: "name") ?? "")",
      "\(hounds.value(forKeyPath: "leader.name") ?? "")",
      "\(hounds.value(forKeyPath: "@sum.age") ?? "") \(hounds.value(forKeyPath: "@count") ?? "")",
      "\(hounds.objects(at: [0, 2]).map(\.name))",
      "\(hounds.index(matching: "age > %@", 6) ?? -1)",
      "\(hounds.index(matching: { $0.age == 99 }) ?? -1)",
    ]
  }

  @Test func `elements are read by name and by index`() {
    let all = #"["Ada", "Bo", "Cy"]"#
    for hounds in anyCollections {
      let told = named(hounds).map {
        $0.replacing("Optional(", with: "").replacing(")", with: "")
      }
      #expect(
        told == [all, #"["Dux", "Dux", "Dux"]"#, "15.0 3", #"["Ada", "Cy"]"#, "1", "-1"])
    }
    #expect(named(fixture.pound.pack) == named(fixture.pound.hounds))
  }

  @Test func `a property of all elements is set by name`() throws {
    for (number, hounds) in anyCollections.enumerated() {
      try fixture.realm.write { hounds.setValue(number, forKey: "age") }
      let ages = fixture.pound.hounds.map(\.age)
      #expect(ages == [number, number, number])
    }
  }

  @Test func `values are read as themselves`() {
    let numbers = AnyRealmCollection(fixture.pound.numbers.where { $0 > 3 })
    #expect(numbers.value(forKey: "self") as? [Int] == [4, 6])
    #expect(numbers.value(forKeyPath: "@max.self") as? Int == 6)
    #expect(numbers.objects(at: [1]) == [6] && numbers.index(of: 2) == nil)
    #expect(numbers.index(matching: { $0 == 6 }) == 1)
    #expect(fixture.pound.numbers.index(matching: "SELF == 6") == 2)
    #expect(fixture.pound.weights.index(matching: { $0 == 2.5 }) != nil)
  }

  // MARK: Sections

  private func sections<C: RealmCollection>(_ hounds: C) -> [String] where C.Element == Hound {
    let byName = hounds.sectioned(by: \.name, ascending: false)
    let isOld = hounds.sectioned(
      by: { $0.age > 4 }, sortDescriptors: [SortDescriptor(keyPath: "age")])
    let byAge = hounds.sectioned(
      by: \.age, sortDescriptors: [SortDescriptor(keyPath: "age"), SortDescriptor(keyPath: "name")])
    return ["\(byName.allKeys)", "\(isOld.map(\.count))", "\(byAge.allKeys)"]
  }

  @Test func `any collection is sectioned`() {
    for hounds in anyCollections {
      #expect(sections(hounds) == [#"["Cy", "Bo", "Ada"]"#, "[1, 2]", "[3, 5, 7]"])
    }
    #expect(fixture.pound.pack.sectioned(by: \.age, sortDescriptors: ["age"]).count == 3)
  }

  // MARK: Actors

  private actor Listener {
    private(set) var heard: [String] = []
    private var tokens: [NotificationToken] = []

    func listen(_ hounds: ThreadSafe<AnyRealmCollection<Hound>>, keyPaths: [String]?) async {
      guard let hounds = hounds.wrappedValue else { return }
      tokens.append(
        hounds.observe(keyPaths: keyPaths, on: self) { listener, change in
          listener.hear(change)
        })
    }

    private func hear(_ change: RealmCollectionChange<AnyRealmCollection<Hound>>) {
      switch change {
      case .initial(let hounds): heard.append("initial \(hounds.count)")
      case .update(let hounds, deletions: _, insertions: let insertions, modifications: _):
        heard.append("update \(hounds.count) \(insertions)")
      case .error(let error): heard.append("\(error)")
      }
    }

    /// Waits until so much was heard.
    func wait(for count: Int) async {
      while heard.count < count { await Task.yield() }
    }
  }

  @Test(.timeLimit(.minutes(1))) func `an actor observes what another thread made`() async throws {
    let listener = Listener()
    let hounds = ThreadSafe(wrappedValue: AnyRealmCollection(fixture.leader.followers))
    await listener.listen(hounds, keyPaths: ["name"])
    await listener.wait(for: 1)
    try add("Eli")
    await listener.wait(for: 2)
    #expect(await listener.heard == ["initial 3", "update 4 [3]"])
  }

  private func add(_ name: String) throws {
    let realm = try Realm(configuration: fixture.realm.configuration)
    try realm.write {
      let leader = realm.object(ofType: Hound.self, forPrimaryKey: "Dux")
      realm.create(Hound.self, value: ["name": name, "leader": leader as Any] as [String: Any])
    }
  }

  // MARK: Threads

  /// The text of what a reference to a thing leads to on another thread.
  private func text<T: ThreadConfined>(
    of thing: T, _ describe: @escaping @Sendable (T) -> String
  ) async -> String where T: SendableMetatype {
    let reference = ThreadSafeReference(to: thing)
    let configuration = fixture.realm.configuration
    return await withCheckedContinuation { done in
      Thread.detachNewThread {
        let realm = try? Realm(configuration: configuration)
        let found = realm.flatMap { $0.resolve(reference) }
        done.resume(returning: found.map(describe) ?? "nothing")
        withExtendedLifetime(realm) {}
      }
    }
  }

  @Test(.timeLimit(.minutes(1))) func `whatever queries give goes to another thread`() async {
    let pound = fixture.pound
    let hounds = fixture.realm.objects(Hound.self)
    let ages = hounds.sectioned(by: \.age)
    #expect(await text(of: pound.hounds) { "\($0.count)" } == "3")
    #expect(await text(of: fixture.leader.followers) { "\($0.count)" } == "3")
    #expect(await text(of: pound.numbers.where { $0 > 3 }) { "\(Array($0))" } == "[4, 6]")
    #expect(await text(of: ages) { "\($0.allKeys)" } == "[3, 5, 7, 11]")
    #expect(await text(of: ages[3]) { "\($0.key) \($0.count)" } == "11 1")
    #expect(await text(of: AnyRealmCollection(pound.pack)) { "\($0.count)" } == "3")
    let projections = fixture.realm.objects(HoundProjection.self).sorted(by: \.name)
    #expect(await text(of: projections) { $0.map(\.title).joined() } == "AdaBoCyDux")
    #expect(await text(of: HoundProjection(projecting: fixture.leader)) { $0.title } == "Dux")
    #expect(await text(of: pound.byName) { "\($0.keys)" } == #"["Ada", "Bo", "Cy"]"#)
  }

  @Test func `what is frozen is frozen all the way, and thaws`() throws {
    func isFrozen<T: ThreadConfined>(_ thing: T) throws -> Bool {
      let frozen = thing.freeze()
      let thawed = try #require(frozen.thaw())
      return !thing.isFrozen && frozen.isFrozen && !thawed.isFrozen && !thing.isInvalidated
        && frozen.realm?.isFrozen == true && thawed.realm === thing.realm
    }
    let pound = fixture.pound
    let hounds = fixture.realm.objects(Hound.self)
    #expect(try isFrozen(pound) && isFrozen(pound.hounds) && isFrozen(pound.pack))
    #expect(try isFrozen(pound.byName) && isFrozen(hounds) && isFrozen(pound.numbers.distinct()))
    #expect(try isFrozen(hounds.sectioned(by: \.age)) && isFrozen(fixture.leader.followers))
    #expect(try isFrozen(hounds.sectioned(by: \.age)[0]))
    #expect(try isFrozen(fixture.realm.objects(HoundProjection.self)))
    #expect(try isFrozen(HoundProjection(projecting: fixture.leader)))
    for any in anyCollections { #expect(try isFrozen(any)) }
  }

  @Test func `a function that fetches is generic over classes`() {
    func fetch<T: RealmFetchable>(_ type: T.Type) -> Results<T> { fixture.realm.objects(type) }
    #expect(fetch(Hound.self).count == 4 && fetch(Pound.self).first?.name == "North")
  }
}

final class HoundProjection: Projection<Hound> {
  @Projected(\Hound.name) var title
}
