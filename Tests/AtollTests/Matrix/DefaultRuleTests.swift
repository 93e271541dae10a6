import Atoll
import Foundation
import StoreTestKit
import Synchronization
import Testing

/// Rules 12 to 14: what a property holds before it is given anything.
@Suite struct DefaultRuleTests {
  @Test(arguments: RuleCase.all)
  func `rule 12: the default is the mapping of the persisted type's, and is kept`(
    _ rule: RuleCase
  ) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let bearer = Bearer<M>()
      let first = bearer.value
      #expect(bearer.value == first)
      if let initial = M.initial { #expect(first == initial) }
      #expect(bearer.optional == nil)
      #expect(bearer.list.isEmpty && bearer.map.count == 0 && bearer.optionalMap.count == 0)
      let rules = try RuleStore<M>()
      try rules.store.write { rules.store.add(bearer) }
      #expect(bearer.value == first)
      #expect(try rules.reopened().value == first)
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.all)
  func `rule 12: an object that is created has the same defaults`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = try rules.create()
      if let initial = M.initial { #expect(bearer.value == initial) }
      #expect(bearer.value == bearer.value)
      #expect(bearer.optional == nil && bearer.list.isEmpty)
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.all)
  func `rule 12: a default that was first read by name is kept too`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let bearer = Bearer<M>()
      let first = try #require(bearer["value"] as? M.PersistedType)
      #expect(M.isStored(first, for: bearer.value))
    }
    try check(rule.type)
  }

  @Test func `rule 12: the default is made at the first read, and once`() {
    _ = LateBearer().value
    let before = Late.made
    let bearer = LateBearer()
    #expect(Late.made == before)
    _ = (bearer.value, bearer.value)
    #expect(Late.made == before + 1)
  }

  @Test func `rule 12: ids are random for each object, dates are now`() {
    #expect(Bearer<Box<UUID>>().value != Bearer<Box<UUID>>().value)
    #expect(Bearer<Box<ObjectId>>().value != Bearer<Box<ObjectId>>().value)
    #expect(abs(Bearer<Box<Date>>().value.value.timeIntervalSinceNow) < 60)
  }

  @Test func `rule 12: the mapped type's own default is not used`() {
    #expect(SelfWilledBearer().value == SelfWilled(value: 0))
    #expect(SelfWilled().value == 1)
  }

  @Test(arguments: RejectingCase.picky)
  func `rule 13: what rejects its default stops at the first read`(_ rule: RejectingCase) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [rule = rule as RejectingCase] in
      Misdeed.rule13(rule)
    }
    #expect(said(result, sentence(rule)))
  }

  @Test func `rule 13: what rejects its default stops a creation without it, and an addition`()
    async
  {
    let created = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try RuleStore<Picky<Int>>().create(["id": 1])
    }
    #expect(said(created, sentence(RejectingCase(Picky<Int>.self))))
    let added = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let rules = try RuleStore<Equatorial>()
      try rules.store.write { rules.store.add(Bearer<Equatorial>()) }
    }
    #expect(said(added, sentence(RejectingCase(Equatorial.self))))
  }

  @Test(arguments: RejectingCase.picky)
  func `rule 13: the throwing forms say the same, and an optional property is nil`(
    _ rule: RejectingCase
  ) throws {
    func check<M: RejectingSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      try rules.store.write {
        let errors = [
          #expect(throws: Store.Error.self) {
            try rules.store.create(checking: Bearer<M>.self, value: ["id": 1])
          },
          #expect(throws: Store.Error.self) {
            try rules.store.add(checking: Bearer<M>())
          },
        ]
        for error in errors { #expect(error?.message.contains(sentence(rule)) == true) }
      }
      #expect(rules.store.objects(Bearer<M>.self).isEmpty)
      #expect(Bearer<M>().optional == nil)
      let given = try rules.create(["value": M.sample])
      #expect(given.value == M.sample && given.optional == nil)
    }
    try check(rule.type)
  }

  /// Everything but the place.
  private func sentence(_ rule: RejectingCase) -> String {
    func text<M: RejectingSample>(_: M.Type) -> String {
      "Failed to default construct a \(M.self) using the default value for persisted type "
        + "\(M.PersistedType.self). This conversion must either succeed, the property must be "
        + "optional, or you must explicitly specify a default value for the property. "
        + "Property '\(Bearer<M>.className()).value'"
    }
    return text(rule.type)
  }

  @Test(arguments: PersistedSampleType.all)
  func `rule 14: with an explicit default the three operations work`(
    _ type: PersistedSampleType
  ) throws {
    func check<P: PersistedSample>(_: P.Type) throws {
      let folder = TemporaryStore([WithDefault<P>.self])
      let store = try folder.open()
      let object = WithDefault<P>()
      #expect(object.value == Picky())
      try store.write {
        store.add(object)
        #expect(store.create(WithDefault<P>.self, value: ["id": 1]).value == Picky())
      }
      #expect(object.value == Picky())
      #expect(object.$value.persistedValue == Picky<P>().persistableValue)
    }
    try check(type.type)
  }

  @Test func `rule 14: a required URL without a default stops, one with a default works`()
    async throws
  {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryStore([NeedsDefault.self])
      let store = try folder.open()
      try store.write { store.add(NeedsDefault()) }
    }
    #expect(said(result, "Failed to default construct a URL using the default value for persisted"))
    let folder = TemporaryStore([HasDefault.self])
    let store = try folder.open()
    try store.write {
      store.add(HasDefault())
      store.create(HasDefault.self)
    }
    #expect(store.objects(HasDefault.self).map(\.url) == [TrapFixtures.url, TrapFixtures.url])
  }
}

/// A mapped type with a default of its own.
struct SelfWilled: CustomPersistable {
  var value: Int
  init(value: Int = 1) { self.value = value }
  init(persistedValue: Int) { value = persistedValue }
  var persistableValue: Int { value }
}

final class SelfWilledBearer: Object {
  @Persisted var value: SelfWilled
}

/// A mapped type that counts how often it was made from what is stored.
struct Late: CustomPersistable {
  private static let count = Mutex(0)

  static var made: Int { count.withLock { $0 } }

  init(persistedValue: Int) { Self.count.withLock { $0 += 1 } }
  var persistableValue: Int { 0 }
}

final class LateBearer: Object {
  @Persisted var value: Late
}

final class WithDefault<P: PersistedSample>: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var value = Picky<P>()
}

// The uses that must stop the process; the closures of exit tests cannot be generic.
extension Misdeed {
  fileprivate static func rule13(_ rule: RejectingCase) {
    func commit<M: RejectingSample>(_: M.Type) { _ = Bearer<M>().value }
    commit(rule.type)
  }
}
