import Atoll
import AtollStorage
import Foundation
import StoreTestKit
import Synchronization
import Testing

/// Rules 1 to 8: what a mapping is.
@Suite struct DeclarationRuleTests {
  @Test(arguments: RuleCase.all)
  func `rule 1: a mapped type is got back from what it is stored as`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = try rules.create()
      for sample in M.samples {
        try rules.store.write { bearer.value = sample }
        #expect(bearer.value == sample)
      }
    }
    try check(rule.type)
  }

  @Test(arguments: RejectingCase.all)
  func `rule 1: a failable mapping may refuse a stored value`(_ rule: RejectingCase) throws {
    func check<M: RejectingSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = try rules.create(["optional": M.rejected])
      #expect(bearer.optional == nil)
      #expect(bearer.$optional.persistedValue != nil)
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.all)
  func `rule 3: a mapped type is no other mapping's persisted type`(_ rule: RuleCase) {
    #expect(!(rule.type is any _BuiltinPersistable.Type))
  }

  @Test(arguments: PersistedSampleType.all)
  func `rule 4: several mapped types share a persisted type, which is used itself too`(
    _ type: PersistedSampleType
  ) throws {
    func check<P: PersistedSample>(_: P.Type) throws {
      let folder = TemporaryStore([SharedBy<P>.self])
      let store = try folder.open()
      let (plain, boxed) = (P.samples[0], P.samples[1])
      let failable = try #require(FailableBox<P>.samples.last)
      let object = try store.write {
        store.create(
          SharedBy<P>.self, value: ["plain": plain, "boxed": boxed, "failable": failable])
      }
      #expect(object.plain == plain)
      #expect(object.boxed == Box(boxed))
      #expect(object.failable == failable)
    }
    try check(type.type)
  }

  @Test func `rule 4: several mapped types share an embedded class, which is used itself too`()
    throws
  {
    let folder = TemporaryStore([SharedPlaces.self, Location.self])
    let store = try folder.open()
    let object = try store.write {
      store.create(
        SharedPlaces.self, value: ["coordinate": [1, 2], "northern": [3, 4], "location": [5, 6]])
    }
    #expect(object.coordinate == Coordinate(latitude: 1, longitude: 2))
    #expect(object.northern.latitude == 3)
    #expect(object.location?.longitude == 6)
    try store.write { object.coordinate.latitude = 9 }
    #expect(object.northern.latitude == 3 && object.location?.latitude == 5)
  }

  @Test(arguments: RuleCase.all)
  func `rule 5: equal mapped values hash equally, stored and got back`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = try rules.create()
      for sample in M.samples {
        try rules.store.write { bearer.value = sample }
        #expect(bearer.value.hashValue == sample.hashValue)
        #expect(Set([bearer.value, sample]).count == 1)
      }
      #expect(Set(M.samples.map(\.hashValue)).count == M.samples.count)
    }
    try check(rule.type)
  }

  @Test func `rule 6: enums with raw values and option sets can be mapped`() throws {
    let folder = TemporaryStore([RawlyMapped.self])
    let store = try folder.open()
    let object = try store.write {
      store.create(
        RawlyMapped.self, value: ["days": 5, "level": "high", "levels": ["low", "high"]])
    }
    #expect(object.days == [.monday, .wednesday])
    #expect(object.level == .high)
    #expect(Array(object.levels) == [.low, .high])
    try store.write { object.days.insert(.tuesday) }
    #expect(object.$days.persistedValue == 7)
    #expect(Set([MappedDays.monday, [.monday], .tuesday]).count == 2)
  }

  @Test func `rule 7: without @Persisted a mapped property is not stored`() throws {
    let folder = TemporaryStore([HalfPersisted.self])
    let store = try folder.open()
    let object = HalfPersisted()
    object.forgotten = Box(5)
    object.kept = Box(5)
    try store.write { store.add(object) }
    let again = try #require(folder.open().objects(HalfPersisted.self).first)
    #expect(again.kept == Box(5))
    #expect(again.forgotten == Box(0))
    #expect(object.objectSchema.properties.map(\.name) == ["kept"])
  }

  @Test func `rule 8: conversions run at every read and every write`() throws {
    let folder = TemporaryStore([CountingBearer.self, Location.self])
    let store = try folder.open()
    let object = try store.write { store.create(CountingBearer.self) }
    for round in 1...3 {
      let before = Counted.conversions
      _ = object.scalar
      #expect(Counted.conversions.read == before.read + 1, "read \(round)")
      try store.write { object.scalar = Counted(7) }
      #expect(Counted.conversions.written > before.written, "write \(round)")
      let place = CountedPlace.read
      _ = object.place
      _ = object.place
      #expect(CountedPlace.read == place + 2)
    }
  }
}

final class SharedBy<P: PersistedSample>: Object {
  @Persisted(.either) var plain: P
  @Persisted(.either) var boxed: Box<P>
  @Persisted(.either) var failable: FailableBox<P>
}

final class SharedPlaces: Object {
  @Persisted(.either) var coordinate: Coordinate
  @Persisted(.either) var northern: Northern
  @Persisted(.either) var location: Location?
}

struct MappedDays: OptionSet, CustomPersistable {
  let rawValue: Int
  static let monday = MappedDays(rawValue: 1)
  static let tuesday = MappedDays(rawValue: 2)
  static let wednesday = MappedDays(rawValue: 4)

  init(rawValue: Int) { self.rawValue = rawValue }
  init(persistedValue: Int) { self.init(rawValue: persistedValue) }
  var persistableValue: Int { rawValue }
}

enum MappedLevel: String, FailableCustomPersistable {
  case low, high

  init?(persistedValue: String) { self.init(rawValue: persistedValue) }
  var persistableValue: String { rawValue }
}

final class RawlyMapped: Object {
  @Persisted(.either) var days: MappedDays
  @Persisted var level = MappedLevel.low
  @Persisted(.either) var levels: List<MappedLevel>
}

final class HalfPersisted: Object {
  @Persisted(.either) var kept: Box<Int>
  var forgotten = Box(0)
}

/// A mapped type that counts its conversions.
struct Counted: CustomPersistable {
  var value: Int
  private static let counts = Mutex((read: 0, written: 0))

  static var conversions: (read: Int, written: Int) { counts.withLock { $0 } }

  init(_ value: Int) { self.value = value }

  init(persistedValue: Int) {
    value = persistedValue
    Self.counts.withLock { $0.read += 1 }
  }

  var persistableValue: Int {
    Self.counts.withLock { $0.written += 1 }
    return value
  }
}

struct CountedPlace: CustomPersistable {
  var latitude: Double
  private static let count = Mutex(0)

  static var read: Int { count.withLock { $0 } }

  init(persistedValue: Location) {
    latitude = persistedValue.latitude
    Self.count.withLock { $0 += 1 }
  }

  var persistableValue: Location { Location(value: [latitude, 0]) }
}

final class CountingBearer: Object {
  @Persisted(.either) var scalar: Counted
  @Persisted(.either) var place: CountedPlace
}
