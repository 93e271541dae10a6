import Atoll
import Foundation
import StoreTestKit
import Testing

/// Rule 69: names of key paths.
@Suite struct KeyPathRuleTests {
  @Test(arguments: RuleCase.all)
  func `rule 69: every mapped property and every collection of them has its name`(
    _ rule: RuleCase
  ) {
    func check<M: MappedSample>(_: M.Type) {
      #expect(_name(for: \Bearer<M>.value) == "value")
      #expect(_name(for: \Bearer<M>.optional) == "optional")
      #expect(_name(for: \Bearer<M>.list) == "list")
      #expect(_name(for: \Bearer<M>.map) == "map")
      #expect(_name(for: \Bearer<M>.optionalMap) == "optionalMap")
      if M.isEmbedded { return }
      #expect(_name(for: \ScalarBearer<M>.optionalList) == "optionalList")
      #expect(_name(for: \ScalarBearer<M>.set) == "set")
      #expect(_name(for: \ScalarBearer<M>.optionalSet) == "optionalSet")
    }
    check(rule.type)
  }

  @Test(arguments: RejectingCase.picky)
  func `rule 69: also where a mapping rejects the default, if the property is optional`(
    _ rule: RejectingCase
  ) {
    func check<M: RejectingSample>(_: M.Type) {
      #expect(_name(for: \Bearer<M>.optional) == "optional")
    }
    check(rule.type)
  }

  @Test(arguments: PersistedSampleType.all)
  func `rule 69: and where a required property rejects the default, if it takes a sample`(
    _ type: PersistedSampleType
  ) {
    func check<P: PersistedSample>(_: P.Type) {
      #expect(_name(for: \UninitialBearer<P>.value) == "value")
    }
    check(type.type)
  }

  @Test func `rule 69: observers take paths to mapped properties`() throws {
    let folder = TemporaryStore([Site.self, Location.self])
    let store = try folder.open()
    let (first, second) = try store.write {
      let first = store.create(Site.self, value: ["id": 1])
      return (first, store.create(Site.self, value: ["id": 2, "next": first]))
    }
    let reports = Heard<[Int]>()
    let token = store.objects(Site.self).observe(
      keyPaths: [\Site.next?.required], on: reports.queue
    ) { change in
      switch change {
      case .initial: reports.note([])
      case .update(_, _, _, let modifications): reports.note(modifications)
      case .error: break
      }
    }
    #expect(reports.next() == [])
    try store.write { second.optional = Coordinate(latitude: 1, longitude: 2) }
    try store.write { first.required = Coordinate(latitude: 3, longitude: 4) }
    #expect(reports.next() == [1])
    token.invalidate()
  }

  @Test func `rule 69: names of a path through links and embedded objects are joined`() {
    #expect(_name(for: \Site.next?.required) == "next.required")
    #expect(_name(for: \SharedPlaces.location?.latitude) == "location.latitude")
  }
}

/// A type mapped to `Value`, and every value of that but the one for zero or nothing.
struct Uninitial<Value: PersistedSample>: FailableCustomPersistable {
  var value: Value

  init?(persistedValue: Value) {
    if persistedValue == Value.samples[0] { return nil }
    value = persistedValue
  }

  var persistableValue: Value { value }
}

final class UninitialBearer<P: PersistedSample>: Object {
  @Persisted(.either) var value: Uninitial<P>
}
