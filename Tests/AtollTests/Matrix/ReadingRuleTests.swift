import Atoll
import Foundation
import StoreTestKit
import Testing

/// Rules 15 to 20: what is read of what is stored.
@Suite struct ReadingRuleTests {
  @Test(arguments: RuleCase.all)
  func `rule 15: a required mapping reads the mapped stored value`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      for (id, sample) in M.samples.enumerated() {
        let raw = sample.persistableValue
        let bearer = try rules.create([
          "id": id, "value": raw, "list": [raw], "map": ["a": raw],
        ])
        #expect(bearer.value == sample)
        #expect(bearer.list[0] == sample && bearer.map["a"] == sample)
        #expect(try rules.reopened(id).value == sample)
      }
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.all)
  func `rule 16: an optional mapping reads nil for null, and else the mapped value`(
    _ rule: RuleCase
  ) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      for (id, sample) in M.samples.enumerated() {
        #expect(
          try rules.create(["id": id, "optional": sample.persistableValue]).optional == sample)
        #expect(try rules.reopened(id).optional == sample)
      }
      let without = try rules.create(["id": -1, "optional": NSNull()])
      #expect(without.optional == nil)
      #expect(without.$optional.isConvertible)
      #expect(try without.$optional.value() == nil)
    }
    try check(rule.type)
  }

  @Test(arguments: RejectingCase.all)
  func `rule 17: an optional mapping reads nil for what does not convert, and keeps it`(
    _ rule: RejectingCase
  ) throws {
    func check<M: RejectingSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = try rules.create(["optional": M.rejected])
      // A reading that corrects what it finds would write here.
      try rules.store.write { #expect(bearer.optional == nil) }
      for bearer in [bearer, try rules.reopened()] {
        #expect(bearer.optional == nil)
        #expect(
          "\(bearer.$optional.persistedValue.map { $0._encode() } ?? .null)" == M.rejectedText)
        #expect(!bearer.$optional.isConvertible)
        let error = #expect(throws: Store.Error.self) { try bearer.$optional.value() }
        #expect(error?.code == .invalidValue)
        for part in [M.rejectedText, "\(Bearer<M>.className()).optional", "with id 0"] {
          #expect(error?.message.contains(part) == true)
        }
      }
    }
    try check(rule.type)
  }

  @Test(arguments: RejectingCase.all)
  func `rule 18: a required mapping stops at what does not convert`(_ rule: RejectingCase) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [rule = rule as RejectingCase] in
      try Misdeed.rule18(rule)
    }
    func sentence<M: RejectingSample>(_: M.Type) -> String {
      "Failed to convert persisted value '\(M.rejectedText)' to type '\(M.self)' in a non-optional "
        + "context. Property '\(Bearer<M>.className()).value', in the object "
        + "\(Bearer<M>.className()) with id 7."
    }
    #expect(said(result, sentence(rule.type)))
  }

  @Test(arguments: RejectingCase.all)
  func `rule 18: the property's projection throws instead of stopping`(
    _ rule: RejectingCase
  ) throws {
    func check<M: RejectingSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = try rules.create(["id": 7, "value": M.rejected])
      #expect(!bearer.$value.isConvertible)
      #expect(bearer.$value.persistedValue != nil)
      let error = #expect(throws: Store.Error.self) { try bearer.$value.value() }
      for part in [M.rejectedText, "\(Bearer<M>.className()).value", "with id 7"] {
        #expect(error?.message.contains(part) == true)
      }
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.embedded)
  func `rule 19: null for a required embedded mapping reads as the default, and stays null`(
    _ rule: RuleCase
  ) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = try rules.create(["value": NSNull(), "map": ["a": NSNull()]])
      for bearer in [bearer, try rules.reopened()] {
        #expect(bearer.value == M.initial)
        #expect(bearer.map["a"] == M.initial)
        #expect(bearer.$value.persistedValue == nil)
        #expect(bearer.$value.isConvertible)
        #expect(try bearer.$value.value() == M.initial)
      }
    }
    try check(rule.type)
  }

  @Test func `rule 19: a failable mapping that rejects the default stops where null is stored`()
    async
  {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let rules = try RuleStore<Equatorial>()
      _ = try rules.create(["value": NSNull()]).value
    }
    #expect(said(result, "Failed to convert persisted value 'nil' to type 'Equatorial'"))
    #expect(said(result, "Property 'Bearer"))
    #expect(said(result, "The object has no value, as one that is older than the property. Make"))
    #expect(said(result, "give such objects a value in a migration block"))
  }

  @Test func `rule 20: each read of an embedded mapping is an independent value`() throws {
    let rules = try RuleStore<Coordinate>()
    let bearer = try rules.create(["value": [1, 2], "list": [[3, 4]], "map": ["a": [5, 6]]])
    var copies = [bearer.value, bearer.list[0], try #require(bearer.map["a"])]
    for index in copies.indices { copies[index].latitude = 9 }
    #expect(bearer.value.latitude == 1)
    #expect(bearer.list[0].latitude == 3)
    #expect(bearer.map["a"]?.latitude == 5)
    let unmanaged = Bearer<Coordinate>()
    var copy = unmanaged.value
    copy.latitude = 9
    #expect(unmanaged.value.latitude == 0)
  }

  @Test func `rule 20: of a mapped class each read is another instance`() throws {
    let folder = TemporaryStore([BeaconBearer.self, Location.self])
    let store = try folder.open()
    let bearer = try store.write {
      store.create(BeaconBearer.self, value: ["spot": [1, 2], "spots": [[3, 4]]])
    }
    let copies = [bearer.spot, bearer.spots[0]]
    for copy in copies { copy.latitude = 9 }
    #expect(bearer.spot.latitude == 1 && bearer.spots[0].latitude == 3)
    #expect(bearer.spot !== bearer.spot)
    try store.write { bearer.spot = copies[0] }
    #expect(bearer.spot.latitude == 9)
  }
}

/// A mapped type with an identity.
final class Beacon: CustomPersistable {
  var latitude: Double
  init(persistedValue: Location) { latitude = persistedValue.latitude }
  var persistableValue: Location { Location(value: [latitude, 0]) }
  static func == (a: Beacon, b: Beacon) -> Bool { a.latitude == b.latitude }
}

final class BeaconBearer: Object {
  @Persisted(.either) var spot: Beacon
  @Persisted(.either) var spots: List<Beacon>
}

// The uses that must stop the process; the closures of exit tests cannot be generic.
extension Misdeed {
  fileprivate static func rule18(_ rule: RejectingCase) throws {
    func commit<M: RejectingSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      _ = try rules.create(["id": 7, "value": M.rejected]).value
    }
    try commit(rule.type)
  }
}
