import Atoll
import Foundation
import StoreTestKit
import Testing

@Suite struct UnmanagedObjectTests {
  @Test func `properties hold what they are given`() {
    let airport = Airport("LSZH", "Zürich", meters: 432, country: Country(value: ["CH"]))
    airport.coordinate = Coordinate(latitude: 47.46, longitude: 8.55)
    airport.timeZone = TimeZone(identifier: "Europe/Zurich")
    airport.website = URL(string: "https://www.flughafen-zuerich.ch")
    #expect(airport.icao == "LSZH")
    #expect(airport.coordinate.latitude == 47.46)
    #expect(airport.timeZone?.identifier == "Europe/Zurich")
    #expect(airport.elevation.converted(to: .meters).value == 432)
    #expect(airport.country?.code == "CH")
    #expect(airport.website?.host() == "www.flughafen-zuerich.ch")
    #expect(airport.store == nil)
    #expect(!airport.isInvalidated)
  }

  @Test func `rule 12: a property without a default starts with its type's, and keeps it`() {
    let defaults = Defaults()
    #expect(defaults.number == 0)
    #expect(defaults.text == "")
    #expect(defaults.flag == false)
    #expect(defaults.data == Data())
    #expect(defaults.optional == nil)
    #expect(defaults.unique == defaults.unique)
    #expect(defaults.unique != Defaults().unique)
    #expect(defaults.objectId == defaults.objectId)
    #expect(abs(defaults.date.timeIntervalSinceNow) < 60)
    #expect(defaults.date == defaults.date)
    #expect(defaults.list.isEmpty)
    #expect(defaults.explicit == 7)
    #expect(defaults.mapped == Wrapped(value: 0))
    #expect(Airport().coordinate == Coordinate(latitude: 0, longitude: 0))
  }

  @Test func `rule 20: a mapped value that was read is independent of the object`() {
    let airport = Airport()
    var coordinate = airport.coordinate
    coordinate.latitude = 9
    #expect(airport.coordinate.latitude == 0)
  }

  @Test func `rule 25: writing into a mapped value assigns the whole`() {
    let airport = Airport()
    airport.coordinate.latitude = 5
    #expect(airport.coordinate == Coordinate(latitude: 5, longitude: 0))
  }

  @Test func `objects are equal to themselves only`() {
    let a = Country(value: ["code": "CH"])
    let b = Country(value: ["code": "CH"])
    #expect(a == a)
    #expect(a != b)
    #expect(Set([a, b, a]).count == 2)
  }

  @Test func `an object reads from an array in order, from a dictionary, and from another`() {
    let array = Airport(value: ["LSZH", "Zürich", "ZRH"])
    let dictionary = Airport(value: ["name": "Zürich", "elevation": 432.0, "unknown": 1])
    let copy = Airport(value: array)
    #expect(array.iata == "ZRH")
    #expect(dictionary.elevation == Measurement(value: 432, unit: .meters))
    #expect(copy.name == "Zürich")
    #expect(copy != array)
  }

  @Test func `rule 26: persisted and mapped values are both accepted`() {
    let persisted = Airport(value: ["website": "https://a.example", "timeZone": "Europe/Paris"])
    let mapped = Airport(value: ["website": URL(string: "https://a.example") as Any])
    #expect(persisted.website == mapped.website)
    #expect(persisted.timeZone?.identifier == "Europe/Paris")
  }

  @Test func `rule 27: the raw form of an embedded mapping is an object or its values`() {
    let location = Location(value: [1.0, 2.0])
    #expect(Airport(value: ["coordinate": location]).coordinate.longitude == 2)
    #expect(Airport(value: ["coordinate": ["latitude": 3]]).coordinate.latitude == 3)
    #expect(Airport(value: ["coordinate": [4, 5]]).coordinate.longitude == 5)
  }

  @Test func `rule 24: an unconvertible value for an optional property becomes nil`() {
    #expect(Airport(value: ["timeZone": "Nowhere/Atlantis"]).timeZone == nil)
  }

  @Test func `the schema shows persisted types only`() throws {
    let schema = Airport().objectSchema
    #expect(schema.className == "Airport")
    #expect(schema.primaryKeyProperty?.name == "icao")
    #expect(schema["name"]?.isIndexed == true)
    #expect(schema["website"]?.type == .string)
    #expect(schema["website"]?.isOptional == true)
    #expect(schema["elevation"]?.type == .double)
  }

  @Test func `rule 10: a required embedded mapping is optional in the schema`() {
    let property = Airport().objectSchema["coordinate"]
    #expect(property?.isOptional == true)
    #expect(property?.objectClassName == "Location")
  }

  @Test func `rule 1: two protocols map, one that cannot fail and one that may`() {
    #expect(Wrapped(persistedValue: 5).persistableValue == 5)
    #expect(Even(persistedValue: 4)?.persistableValue == 4)
    #expect(Even(persistedValue: 5) == nil)
  }

  @Test func `rule 8: conversions run at every read and are never cached`() throws {
    let folder = TemporaryStore([CountingHolder.self])
    let store = try folder.open()
    try store.write {
      let holder = store.create(CountingHolder.self, value: ["value": 3])
      let before = Counting.conversions
      _ = holder.value
      _ = holder.value
      #expect(Counting.conversions == before + 2)
    }
  }

  @Test func `rule 23: an unmanaged list takes a bad element and fails when it is read`() {
    let holder = Holder(value: ["required": [3]])
    #expect(holder.required.count == 1)
  }

  @Test func `rule 28: another object of the class is accepted, mapped values are copied`() {
    let source = Airport("LSZH", "Zürich", meters: 432)
    source.coordinate.latitude = 47
    let copy = Airport(value: source)
    source.coordinate.latitude = 0
    #expect(copy.coordinate.latitude == 47)
    #expect(copy.elevation.value == 432)
  }

  @Test func `rule 29: null gives nil, or the default of a required embedded mapping`() {
    let airport = Airport(value: ["iata": NSNull(), "coordinate": NSNull()])
    #expect(airport.iata == nil)
    #expect(airport.coordinate == Coordinate(latitude: 0, longitude: 0))
  }

  @Test func `rule 31: NSNull and an empty optional both mean null`() {
    let airport = Airport(value: ["iata": String?.none as Any, "website": NSNull()])
    #expect(airport.iata == nil)
    #expect(airport.website == nil)
  }

  @Test func `rule 32: missing keys keep defaults, unknown keys are ignored`() {
    let defaults = Defaults(value: ["number": 3, "nothing": "at all"])
    #expect(defaults.number == 3)
    #expect(defaults.explicit == 7)
  }

  @Test func `rule 4: several mapped types share one embedded class`() {
    let shared = Shared()
    shared.here = Coordinate(latitude: 1, longitude: 2)
    shared.place = Location(value: [3, 4])
    #expect(shared.here.latitude == 1)
    #expect(shared.place?.longitude == 4)
    #expect(shared.degrees == Degrees(sum: 0))
  }

  @Test func `rule 5: equal values stored as embedded objects hash equally`() {
    let a = Coordinate(latitude: 1, longitude: 2)
    let b = Coordinate(latitude: 1, longitude: 2)
    #expect(a.hashValue == b.hashValue)
    #expect(Set([a, b]).count == 1)
  }

  @Test func `rule 6: an option set can be a mapped type`() {
    let tagged = Tagged()
    tagged.options = [.paved, .lit]
    #expect(tagged.options.contains(.lit))
    #expect(tagged.options.persistableValue == 3)
  }
}

struct Wrapped: CustomPersistable, Hashable {
  var value: Int = 1
  init(value: Int = 1) { self.value = value }
  init(persistedValue: Int) { value = persistedValue }
  var persistableValue: Int { value }
}

final class Defaults: Object {
  @Persisted(.either) var number: Int32
  @Persisted(.either) var text: String
  @Persisted(.either) var flag: Bool
  @Persisted(.either) var data: Data
  @Persisted(.either) var optional: Double?
  @Persisted(.either) var unique: UUID
  @Persisted(.either) var objectId: ObjectId
  @Persisted(.either) var date: Date
  @Persisted(.either) var list: List<Int>
  @Persisted var explicit = 7
  @Persisted(.either) var mapped: Wrapped
}

struct Degrees: CustomPersistable, Hashable {
  var sum: Double
  init(sum: Double) { self.sum = sum }
  init(persistedValue: Location) { sum = persistedValue.latitude + persistedValue.longitude }
  var persistableValue: Location { Location(value: [sum, 0]) }
}

final class Shared: Object {
  @Persisted(.either) var here: Coordinate
  @Persisted(.either) var degrees: Degrees
  @Persisted(.either) var place: Location?
}

struct Surface: OptionSet, CustomPersistable {
  var rawValue: Int
  init(rawValue: Int) { self.rawValue = rawValue }
  init(persistedValue: Int) { rawValue = persistedValue }
  var persistableValue: Int { rawValue }

  static let paved = Surface(rawValue: 1)
  static let lit = Surface(rawValue: 2)
}

final class Tagged: Object {
  @Persisted(.either) var options: Surface
}

struct Counting: CustomPersistable, Hashable {
  nonisolated(unsafe) static var conversions = 0
  var value: Int
  init(persistedValue: Int) {
    Counting.conversions += 1
    value = persistedValue
  }
  var persistableValue: Int { value }
}

final class CountingHolder: Object {
  @Persisted(.either) var value: Counting
}
