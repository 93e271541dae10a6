import Atoll
import AtollVocabulary
import Foundation
import StoreTestKit
import Testing

/// The rules of single properties whose mapped type is stored as an embedded object.
@Suite struct EmbeddedMappingTests {
  @Test func `rules 12, 15, 16, 20 and 21: embedded mappings, failable and not, optional and not`()
    throws
  {
    try check(Coordinate.self)
    try check(Coordinate?.self)
    try check(Northern.self)
    try check(Northern?.self)
  }

  private func check<V: Sampled & _PropertyValue & Hashable>(_: V.Type) throws {
    let folder = TemporaryStore([ValueOf<V>.self, Location.self])
    let store = try folder.open()
    #expect(V.samples.contains(ValueOf<V>().value), "rule 12: the default is among the samples")
    for (id, sample) in V.samples.enumerated() {
      let object = ValueOf<V>()
      object.id = id
      object.value = sample
      try store.write { store.add(object) }
      #expect(object.value == sample)
      for next in V.samples {
        try store.write { object.value = next }
        #expect(object.value == next)
      }
      #expect(ValueOf<V>(value: object).value == V.samples.last)
    }
    #expect(ModelClass.of(ValueOf<V>.self).properties[1].isOptional, "rule 10")
  }

  @Test func `rules 17, 18 and 30: an embedded object that its mapping rejects`() throws {
    let folder = TemporaryStore([
      ValueOf<Northern>.self, ValueOf<Northern?>.self, Location.self,
    ])
    let store = try folder.open()
    try store.write {
      let optional = store.create(ValueOf<Northern?>.self, value: ["id": 1, "value": [-5, 1]])
      #expect(optional.value == nil && !optional.$value.isConvertible)
      #expect(optional.$value.persistedValue?.latitude == -5)
      let required = store.create(ValueOf<Northern>.self, value: ["id": 1, "value": [-5, 1]])
      #expect(throws: Store.Error.self) { try required.$value.value() }
      #expect(required.$value.persistedValue?.latitude == -5)
    }
    #expect(throws: Store.Error.self) { try ValueOf<Northern>(checking: ["value": [-5, 1]]) }
    #expect(ValueOf<Northern?>(value: ["value": [-5, 1]]).value == nil)
    #expect(store.unconvertible(ValueOf<Northern>.self).count == 1)
  }

  @Test func `rule 18: a required embedded mapping stops at what it rejects`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = try TemporaryStore([ValueOf<Northern>.self, Location.self]).openToTheEnd()
      try store.write {
        _ = store.create(ValueOf<Northern>.self, value: ["id": 7, "value": [-5, 1]]).value
      }
    }
    #expect(said(result, "to type 'Northern' in a non-optional context."))
    #expect(said(result, "with id 7"))
  }

  @Test func `rule 19: null for a required one reads as its default, and reading makes no row`()
    throws
  {
    let folder = TemporaryStore([
      ValueOf<Coordinate>.self, ValueOf<Northern>.self, Location.self,
    ])
    let store = try folder.open()
    try store.write {
      store.create(ValueOf<Coordinate>.self, value: ["id": 1, "value": NSNull()])
      store.create(ValueOf<Northern>.self, value: ["id": 1, "value": NSNull()])
    }
    let before = try folder.lastOperations()
    let first = try #require(store.objects(ValueOf<Coordinate>.self).first)
    let second = try #require(store.objects(ValueOf<Northern>.self).first)
    try store.write {
      #expect(first.value == Coordinate(latitude: 0, longitude: 0))
      #expect(second.value.latitude == 0)
    }
    #expect(first.$value.persistedValue == nil && first.$value.isConvertible)
    #expect(try folder.lastOperations() == before)
  }

  @Test func `rule 4: types that share an embedded class, and the class itself, side by side`()
    throws
  {
    let folder = TemporaryStore([Shared.self, Location.self])
    let store = try folder.open()
    try store.write {
      let shared = store.create(
        Shared.self, value: ["here": [1, 2], "degrees": [3, 4], "place": [5, 6]])
      #expect(shared.here == Coordinate(latitude: 1, longitude: 2))
      #expect(shared.degrees == Degrees(sum: 7))
      #expect(shared.place?.longitude == 6)
      shared.degrees = Degrees(sum: 9)
      #expect(shared.degrees == Degrees(sum: 9) && shared.here.longitude == 2)
    }
  }

  @Test func `rule 7: only @Persisted makes a property of a mapped type`() {
    #expect(NotPersisted().objectSchema.properties.map(\.name) == ["stored"])
  }
}

final class NotPersisted: Object {
  @Persisted(.either) var stored: Coordinate
  var plain = Coordinate(latitude: 0, longitude: 0)
  let list = List<Wrapped>()
}
