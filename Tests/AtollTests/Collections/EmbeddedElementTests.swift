import Atoll
import Foundation
import StoreTestKit
import Testing

@Suite struct EmbeddedElementTests {
  let folder: TemporaryStore
  let store: Store

  init() throws {
    folder = TemporaryStore([Trip.self, Stop.self, Country.self, Location.self])
    store = try folder.open()
  }

  private func trip(_ names: String...) throws -> Trip {
    let trip = Trip()
    for name in names { trip.stops.append(Stop(value: [name])) }
    try store.write { store.add(trip) }
    return trip
  }

  private func reopened() throws -> Trip {
    try #require(try folder.open().objects(Trip.self).first)
  }

  @Test func `the elements an object brought along are live after it was added`() throws {
    let stop = Stop(value: ["Bern"])
    let tags = stop.tags
    let trip = Trip()
    trip.stops.append(stop)
    try store.write {
      store.add(trip)
      stop.name = "Basel"
      tags.append("rail")
    }
    #expect(stop.store === store)
    #expect(stop.tags === tags)
    let other = try reopened()
    #expect(other.stops.map(\.name) == ["Basel"])
    #expect(Array(other.stops[0].tags) == ["rail"])
  }

  @Test func `an element that is appended, inserted or set is the live one from then on`() throws {
    let trip = try trip("a", "b")
    let new = ["x", "y", "z"].map { Stop(value: [$0]) }
    try store.write {
      trip.stops.append(new[0])
      trip.stops.insert(new[1], at: 0)
      trip.stops[1] = new[2]
      for stop in new { stop.name += "!" }
    }
    #expect(try reopened().stops.map(\.name) == ["y!", "z!", "b", "x!"])
  }

  @Test func `an edit inside an element is seen by every accessor of it`() throws {
    let trip = try trip("a", "b", "c")
    let other = try #require(store.objects(Trip.self).first)
    let (first, second) = (trip.stops[1], other.stops[1])
    try store.write {
      first.name = "B"
      #expect(second.name == "B")
      second.place = Location(value: [1.0, 2.0])
      #expect(first.place?.latitude == 1)
      first.place?.latitude = 5
      #expect(other.stops[1].place?.latitude == 5)
      second.country = Country(value: ["CH"])
      #expect(first.country?.code == "CH")
    }
    #expect(first.isSameObject(as: second))
    #expect(!first.isSameObject(as: trip.stops[0]))
    #expect(try reopened().stops[1].place?.latitude == 5)
  }

  @Test func `an element is edited where it went, and not what came in its place`() throws {
    let trip = try trip("a", "b", "c")
    let first = trip.stops[0]
    try store.write {
      trip.stops.move(from: 0, to: 2)
      first.name = "A"
      trip.stops.insert(Stop(value: ["new"]), at: 0)
      first.tags.append("tag")
    }
    let other = try reopened()
    #expect(other.stops.map(\.name) == ["new", "b", "c", "A"])
    #expect(Array(other.stops[3].tags) == ["tag"])
  }

  @Test func `an element that was removed is invalidated, and with it what it has`() throws {
    let trip = try trip("a", "b", "c")
    let stops = Array(trip.stops)
    let (tags, place) = (stops[0].tags, stops[2].tags)
    try store.write {
      trip.stops.remove(at: 0)
      trip.stops.removeFirst()
    }
    #expect(stops.map(\.isInvalidated) == [true, true, false])
    #expect(tags.isInvalidated)
    #expect(!place.isInvalidated)
    try store.write { store.delete(trip) }
    #expect(stops[2].isInvalidated)
    #expect(place.isInvalidated)
  }

  @Test func `reading an element that was removed stops with the list`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryStore([Trip.self, Stop.self, Country.self, Location.self])
      let store = try folder.open()
      let stop = Stop(value: ["a"])
      try store.write {
        let trip = store.create(Trip.self)
        trip.stops.append(stop)
        trip.stops.removeAll()
      }
      _ = stop.name
    }
    #expect(
      said(result, "Reading 'Stop.name' of an element that was removed from the list 'Trip.stops'"))
  }

  @Test func `elements of another list are copied, and live on their own`() throws {
    let trip = try trip("a", "b")
    try store.write {
      trip.stops[0].place = Location(value: [1.0, 2.0])
      trip.stops[0].tags.append("t")
      trip.stops.append(trip.stops[0])
      trip.stops[2].name = "c"
      let second = store.create(Trip.self, value: ["id": 1])
      second.stops = trip.stops
      second.stops[0].name = "copy"
    }
    #expect(trip.stops.map(\.name) == ["a", "b", "c"])
    #expect(trip.stops[2].place?.longitude == 2)
    #expect(Array(trip.stops[2].tags) == ["t"])
  }

  @Test func `an edit in a loop costs no second reading of the list`() throws {
    let trip = try trip("a", "b", "c", "d")
    try store.write {
      for stop in trip.stops { stop.name += "1" }
      for index in trip.stops.indices { trip.stops[index].name += "2" }
    }
    #expect(try reopened().stops.map(\.name) == ["a12", "b12", "c12", "d12"])
  }

  @Test func `a cancelled transaction takes elements and edits back`() throws {
    let trip = try trip("a")
    let (old, new) = (trip.stops[0], Stop(value: ["new"]))
    try store.beginWrite()
    old.name = "edited"
    trip.stops.append(new)
    store.cancelWrite()
    #expect(old.name == "a")
    #expect(trip.stops.count == 1)
    #expect(new.isInvalidated)
  }

  @Test func `rule 27: elements are made from objects, dictionaries and arrays`() throws {
    try store.write {
      let trip = store.create(
        Trip.self,
        value: [
          "stops": [["a"], ["name": "b", "tags": ["x"]], Stop(value: ["c"])] as [Any],
          "line": [
            [1.0, 2.0], Location(value: [3.0, 4.0]), Coordinate(latitude: 5, longitude: 6),
          ]
            as [Any],
        ])
      #expect(trip.stops.map(\.name) == ["a", "b", "c"])
      #expect(Array(trip.stops[1].tags) == ["x"])
      #expect(trip.line.map(\.latitude) == [1, 3, 5])
    }
  }

  @Test func `rule 20: an element of a mapped list is an independent value, and assigned whole`()
    throws
  {
    let trip = Trip(value: ["line": Coordinate.samples])
    try store.write {
      store.add(trip)
      var copy = trip.line[0]
      copy.latitude = 9
      #expect(trip.line[0].latitude == 0)
      trip.line[1].latitude = 7
    }
    #expect(try reopened().line[1] == Coordinate(latitude: 7, longitude: 2))
  }

  @Test func `rule 35: a managed list finds the embedded objects it holds, and no mapped value`()
    throws
  {
    let trip = try trip("a", "b")
    try store.write { trip.line.append(objectsIn: Coordinate.samples) }
    #expect(trip.stops.index(of: trip.stops[1]) == 1)
    #expect(trip.stops.index(of: Stop(value: ["a"])) == nil)
    #expect(trip.line.index(of: Coordinate.samples[0]) == nil)
    #expect(trip.line.contains(Coordinate.samples[2]))
  }
}

final class Stop: EmbeddedObject {
  @Persisted(.either) var name: String
  @Persisted(.either) var tags: List<String>
  @Persisted(.either) var place: Location?
  @Persisted(.either) var country: Country?
}

final class Trip: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(.either) var stops: List<Stop>
  @Persisted(.either) var line: List<Coordinate>
}
