import Atoll
import Foundation
import Testing

@Suite struct UnmanagedMapTests {
  @Test func `rule 37: nil means absent, and a nil value is present where values are optional`() {
    let map = Map<String, Int?>()
    #expect(map["a"] == nil)
    map["a"] = .some(nil)
    #expect(map["a"] == .some(nil))
    #expect(map.count == 1)
    map["a"] = nil
    #expect(map.isEmpty)
  }

  @Test func `keys are told apart by their bytes`() {
    let map = Map<String, Int>()
    map["e\u{301}"] = 1
    map["\u{e9}"] = 2
    #expect(map.count == 2)
  }

  @Test func `merging asks for the value where a key is there already`() {
    let map = Map(["a": 1])
    map.merge([("a", 10), ("b", 2)]) { $0 + $1 }
    #expect(map["a"] == 11)
    #expect(map["b"] == 2)
    map.merge(zip(["b", "c"], [5, 6])) { old, _ in old }
    #expect(map["b"] == 2)
    #expect(map["c"] == 6)
    #expect(map.contains { key, value in key == "c" && value == 6 })
  }

  @Test func `a default is read where there is no entry, and written through`() {
    let map = Map<String, Int>()
    #expect(map["a", default: 7] == 7)
    map["a", default: 7] += 1
    #expect(map["a"] == 8)
  }

  @Test func `iteration runs over the entries there were when it began`() {
    let map = Map(["a": 1, "b": 2])
    var seen: [String] = []
    for entry in map {
      seen.append(entry.key)
      map[entry.key] = nil
      map[entry.key + "'"] = entry.value
    }
    #expect(seen == ["a", "b"])
    #expect(map.keys == ["a'", "b'"])
  }

  @Test func `rule 38: assigning a map copies its entries into the map that is there`() {
    let atlas = Atlas()
    let before = atlas.numbers
    atlas.numbers = Map(["a": 1])
    #expect(atlas.numbers === before)
    #expect(before["a"] == 1)
  }

  @Test func `rule 26: a map is made from a dictionary of mapped or persisted values`() {
    #expect(Atlas(value: ["numbers": ["a": 1]]).numbers["a"] == 1)
    let atlas = Atlas(value: ["boxes": ["a": Box(1), "b": 2] as [String: Any]])
    #expect(atlas.boxes.values == [Box(1), Box(2)])
    #expect(Atlas(value: atlas).boxes["b"] == Box(2))
  }

  @Test func `rule 27: an embedded value is made from an object, a dictionary or an array`() {
    let places =
      ["a": [1.0, 2.0], "b": ["latitude": 3.0], "c": Location(value: [5.0, 6.0])] as [String: Any]
    let atlas = Atlas(value: ["places": places])
    #expect(atlas.places["a"] == Coordinate(latitude: 1, longitude: 2))
    #expect(atlas.places["b"] == Coordinate(latitude: 3, longitude: 0))
    #expect(atlas.places["c"] == Coordinate(latitude: 5, longitude: 6))
  }

  @Test func `rule 29: a null entry of an embedded mapping is there and reads as the default`() {
    let atlas = Atlas(value: ["places": ["a": NSNull()]])
    #expect(atlas.places.count == 1)
    #expect(atlas.places["a"] == Coordinate(latitude: 0, longitude: 0))
  }

  @Test func `rule 29: null in a list of embedded mappings stops`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ListOf<Coordinate>(value: ["elements": [[1.0, 2.0], NSNull()] as [Any]])
    }
    #expect(said(result, "to type 'List<Coordinate>'."))
  }

  @Test func `rule 37: an unconvertible value of a required map stops when read`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = MapOf<Even>(value: ["elements": ["a": 3]]).elements["a"]
    }
    #expect(said(result, "Could not convert value '3' to type 'Even'."))
  }

  @Test func `a key that starts with a dollar sign stops`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Map<String, Int>()["$a"] = 1
    }
    #expect(said(result, "the key '$a' starts with '$', which keys may not."))
  }

  @Test func `a key with a dot stops`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Map<String, Int>()["a.b"] = 1
    }
    #expect(said(result, "the key 'a.b' contains a '.', which keys may not"))
  }

  @Test func `a refused key throws where that is asked for`() throws {
    let map = Map<String, Int>()
    for key in ["$a", "a.b", String(repeating: "k", count: 65 << 10)] {
      let error = #expect(throws: Store.Error.self) { try map.updateValue(1, checking: key) }
      #expect(error?.code == .invalidValue)
    }
    try map.updateValue(1, checking: "a$")
    #expect(map.keys == ["a$"])
  }
}

final class Atlas: Object {
  @Persisted(.either) var numbers: Map<String, Int>
  @Persisted(.either) var boxes: Map<String, Box<Int>>
  @Persisted(.either) var places: Map<String, Coordinate>
  @Persisted(.either) var held: Map<String, Location?>
  @Persisted(.either) var countries: Map<String, Country?>
}
