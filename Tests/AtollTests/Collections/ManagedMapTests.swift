import Atoll
import Foundation
import StoreTestKit
import Testing

@Suite struct ManagedMapTests {
  let folder: TemporaryStore
  let store: Store

  init() throws {
    folder = TemporaryStore([Atlas.self, Country.self, Location.self])
    store = try folder.open()
  }

  private func reopened() throws -> Atlas {
    try #require(try folder.open().objects(Atlas.self).first)
  }

  @Test func `the map an object had before it was added is the one it has after`() throws {
    let atlas = Atlas(value: ["numbers": ["a": 1]])
    let numbers = atlas.numbers
    try store.write {
      store.add(atlas)
      numbers["b"] = 2
    }
    #expect(atlas.numbers === numbers)
    #expect(numbers.store === store)
    #expect(try reopened().numbers.map { [$0.key: $0.value] } == [["a": 1], ["b": 2]])
  }

  @Test func `two handles of a map see each other's changes`() throws {
    try store.write { store.create(Atlas.self, value: ["numbers": ["a": 1]]) }
    let handles = [store.objects(Atlas.self)[0].numbers, store.objects(Atlas.self)[0].numbers]
    #expect(handles[0] == handles[1])
    try store.write {
      #expect(handles[0].count == 1)
      handles[1]["b"] = 2
      #expect(handles[0]["b"] == 2)
      #expect(handles[0].keys == ["a", "b"])
      handles[0]["a"] = nil
      #expect(handles[1].keys == ["b"])
      handles[1].removeAll()
      #expect(handles[0].isEmpty)
    }
  }

  @Test func `an object as a value is nil after it was deleted, and its key stays`() throws {
    try store.write {
      let atlas = store.create(Atlas.self)
      let switzerland = Country(value: ["CH"])
      atlas.countries["home"] = switzerland
      #expect(switzerland.store === store)
      #expect(atlas.countries["home"]??.code == "CH")
      store.delete(switzerland)
      #expect(atlas.countries.keys == ["home"])
      #expect(atlas.countries["home"] == .some(nil))
    }
  }

  @Test func `an embedded value is the live one from then on`() throws {
    let (before, after) = (Location(value: [1.0, 2.0]), Location(value: [3.0, 4.0]))
    let atlas = Atlas(value: ["held": ["a": before]])
    try store.write {
      store.add(atlas)
      before.latitude = 5
      atlas.held["b"] = after
      after.longitude = 6
      #expect(atlas.held["b"]??.longitude == 6)
    }
    let other = try reopened()
    #expect(other.held["a"]??.latitude == 5)
    #expect(other.held["b"]??.longitude == 6)
    try store.write { atlas.held["a"] = nil }
    #expect(before.isInvalidated)
    #expect(!after.isInvalidated)
  }

  @Test func `rule 29: a null entry of an embedded mapping is there and reads as the default`()
    throws
  {
    try store.write {
      let atlas = store.create(Atlas.self, value: ["places": ["a": NSNull()]])
      #expect(atlas.places.count == 1)
      #expect(atlas.places["a"] == Coordinate(latitude: 0, longitude: 0))
    }
    #expect(try reopened().places["a"] == Coordinate(latitude: 0, longitude: 0))
  }

  @Test func `rule 38: assigning a managed map copies the entries`() throws {
    try store.write {
      let atlas = store.create(Atlas.self, value: ["numbers": ["a": 1]])
      let numbers = atlas.numbers
      atlas.numbers = Map(["b": 2])
      #expect(numbers === atlas.numbers)
      #expect(numbers.keys == ["b"])
    }
  }

  @Test func `iteration runs over the entries there were when it began`() throws {
    try store.write {
      let atlas = store.create(Atlas.self, value: ["numbers": ["a": 1, "b": 2]])
      for entry in atlas.numbers {
        atlas.numbers[entry.key + entry.key] = entry.value * 10
        atlas.numbers[entry.key] = nil
      }
      #expect(atlas.numbers.keys == ["aa", "bb"])
    }
  }

  @Test func `a cancelled transaction takes changes of a map back`() throws {
    try store.write { store.create(Atlas.self, value: ["numbers": ["a": 1]]) }
    let numbers = store.objects(Atlas.self)[0].numbers
    try store.beginWrite()
    numbers["a"] = 2
    numbers["b"] = 3
    store.cancelWrite()
    #expect(numbers.keys == ["a"])
    #expect(numbers["a"] == 1)
  }

  @Test func `changing a map outside a transaction is refused`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryStore([Atlas.self, Country.self, Location.self])
      let store = try folder.open()
      let atlas = try store.write { store.create(Atlas.self) }
      atlas.numbers["a"] = 1
    }
    #expect(said(result, "the map 'Atlas.numbers' outside a write transaction."))
  }

  @Test func `a refused key of a managed map stops with the property`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryStore([Atlas.self, Country.self, Location.self])
      let store = try folder.open()
      try store.write { store.create(Atlas.self).numbers["a.b"] = 1 }
    }
    #expect(said(result, "Setting an entry of the map 'Atlas.numbers': the key 'a.b' contains"))
  }
}
