import Atoll
import Foundation
import StoreTestKit
import Testing

@Suite struct StoreTests {
  let folder: TemporaryStore
  let store: Store

  init() throws {
    folder = TemporaryStore()
    store = try folder.open()
  }

  @Test func `the airport of the issue comes back from the file as it was`() throws {
    try store.write {
      let airport = Airport("LSZH", "Zürich", meters: 432, country: Country(value: ["CH"]))
      airport.iata = "ZRH"
      airport.coordinate = Coordinate(latitude: 47.46, longitude: 8.55)
      airport.timeZone = TimeZone(identifier: "Europe/Zurich")
      airport.website = URL(string: "https://www.flughafen-zuerich.ch")
      store.add(airport)
    }
    let again = try folder.open()
    let airport = try #require(again.object(ofType: Airport.self, forPrimaryKey: "LSZH"))
    #expect(airport.name == "Zürich")
    #expect(airport.iata == "ZRH")
    #expect(airport.coordinate == Coordinate(latitude: 47.46, longitude: 8.55))
    #expect(airport.timeZone == TimeZone(identifier: "Europe/Zurich"))
    #expect(airport.elevation == Measurement(value: 432, unit: .meters))
    #expect(airport.country?.code == "CH")
    #expect(airport.website?.absoluteString == "https://www.flughafen-zuerich.ch")
  }

  @Test func `an added object is live, and so is what it links to`() throws {
    let airport = Airport("LSZH", "Zürich", country: Country(value: ["CH"]))
    try store.write { store.add(airport) }
    #expect(airport.store === store)
    #expect(airport.country?.store === store)
    try store.write { airport.name = "Kloten" }
    #expect(store.object(ofType: Airport.self, forPrimaryKey: "LSZH")?.name == "Kloten")
  }

  @Test func `a write that throws leaves everything as it was`() throws {
    try store.fill()
    let airport = try #require(store.object(ofType: Airport.self, forPrimaryKey: "LSZH"))
    let created = Airport("NEW", "New")
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try store.write {
        airport.name = "Changed"
        store.add(created)
        throw Refusal()
      }
    }
    #expect(airport.name == "Zürich")
    #expect(created.isInvalidated)
    #expect(store.objects(Airport.self).count == 4)
    #expect(!store.isInWriteTransaction)
  }

  @Test func `an object of a cancelled transaction never becomes one that is created later`() throws
  {
    try store.fill()
    try store.beginWrite()
    store.add(Airport("GONE", "Gone"))
    let seen = try #require(store.object(ofType: Airport.self, forPrimaryKey: "GONE"))
    store.cancelWrite()
    try store.write { store.add(Airport("NEW", "New")) }
    #expect(seen.isInvalidated)
    #expect(store.object(ofType: Airport.self, forPrimaryKey: "NEW")?.isInvalidated == false)
    #expect(store.objects(Airport.self).count == 5)
  }

  @Test func `an object can be changed, read and deleted in the transaction that made it`() throws {
    try store.write {
      let airport = store.create(Airport.self, value: ["icao": "A"])
      airport.name = "First"
      airport.coordinate.latitude = 3
      airport.icao = "A"
      #expect(airport.name == "First")
      #expect(airport.coordinate.latitude == 3)
      store.delete(airport)
      #expect(airport.isInvalidated)
    }
    #expect(store.objects(Airport.self).isEmpty)
  }

  @Test func `two accessors of one object see each other's writes at once`() throws {
    try store.fill()
    let a = try #require(store.object(ofType: Airport.self, forPrimaryKey: "LSZH"))
    let b = try #require(store.object(ofType: Airport.self, forPrimaryKey: "LSZH"))
    #expect(b.name == "Zürich")
    #expect(a == b)
    #expect(a.hashValue == b.hashValue)
    try store.write {
      a.name = "Kloten"
      #expect(b.name == "Kloten")
      b.coordinate = Coordinate(latitude: 1, longitude: 2)
      #expect(a.coordinate.longitude == 2)
    }
  }

  @Test func `create takes persisted and mapped values, and defaults for the rest`() throws {
    try store.write {
      let airport = store.create(
        Airport.self,
        value: [
          "icao": "LSZH", "elevation": 432, "coordinate": [47.0, 8.0],
          "timeZone": TimeZone(identifier: "Europe/Zurich") as Any, "country": ["code": "CH"],
        ])
      #expect(airport.elevation.value == 432)
      #expect(airport.coordinate.latitude == 47)
      #expect(airport.timeZone?.identifier == "Europe/Zurich")
      #expect(airport.country?.code == "CH")
      #expect(airport.name == "")
      #expect(airport.iata == nil)
    }
  }

  @Test func `a duplicate primary key throws where the form throws, and changes nothing`() throws {
    try store.fill()
    try store.write {
      let error = #expect(throws: Store.Error.self) {
        try store.add(checking: Airport("LSZH", "Again"))
      }
      #expect(error?.code == .duplicatePrimaryKey)
      #expect(error?.message.contains("Airport") == true)
      #expect(error?.message.contains("LSZH") == true)
    }
    #expect(store.object(ofType: Airport.self, forPrimaryKey: "LSZH")?.name == "Zürich")
    #expect(store.objects(Airport.self).count == 4)
  }

  @Test func `links to a deleted object read nil, and the object is invalidated`() throws {
    try store.fill()
    let airport = try #require(store.object(ofType: Airport.self, forPrimaryKey: "LSZH"))
    let country = try #require(airport.country)
    try store.write { store.delete(country) }
    #expect(country.isInvalidated)
    #expect(airport.country == nil)
    #expect(!airport.isInvalidated)
  }

  @Test func `objects that link to each other are added together`() throws {
    let folder = TemporaryStore([Person.self])
    let store = try folder.open()
    let ann = Person(value: ["Ann"])
    let bob = Person(value: ["Bob"])
    ann.friend = bob
    bob.friend = ann
    ann.known.append(contentsOf: [bob, ann])
    try store.write { store.add(ann) }
    #expect(bob.store === store)
    #expect(bob.isSameObject(as: ann.friend))
    #expect(ann.isSameObject(as: bob.friend))
    #expect(ann.known.map(\.name) == ["Bob", "Ann"])
    #expect(store.objects(Person.self).count == 2)
  }

  @Test func `rule 59: lookup takes the mapped and the persisted key`() throws {
    let folder = TemporaryStore([Keyed.self])
    let store = try folder.open()
    try store.write { _ = store.create(Keyed.self, value: ["key": Wrapped(value: 5)]) }
    #expect(store.object(ofType: Keyed.self, forPrimaryKey: Wrapped(value: 5)) != nil)
    #expect(store.object(ofType: Keyed.self, forPrimaryKey: 5) != nil)
    #expect(store.object(ofType: Keyed.self, forPrimaryKey: 6) == nil)
  }

  @Test func `what another store of the file commits is seen after a refresh`() throws {
    try store.fill()
    let airport = try #require(store.object(ofType: Airport.self, forPrimaryKey: "LSZH"))
    #expect(airport.name == "Zürich")
    let other = try folder.open()
    try other.write {
      other.object(ofType: Airport.self, forPrimaryKey: "LSZH")?.name = "Kloten"
    }
    #expect(airport.name == "Zürich")
    #expect(store.refresh())
    #expect(airport.name == "Kloten")
    #expect(!store.refresh())
  }

  @Test func `a full disk makes the commit throw, and the data stays as it was`() throws {
    try store.fill()
    var configuration = folder.configuration
    configuration.maximumPageCount = 64
    let small = try Store(configuration: configuration)
    let airport = try #require(small.object(ofType: Airport.self, forPrimaryKey: "LSZH"))
    let error = #expect(throws: Store.Error.self) {
      try small.write { airport.name = String(repeating: "x", count: 1 << 20) }
    }
    #expect(error?.code == .diskFull)
    #expect(airport.name == "Zürich")
    try small.write { airport.name = "Kloten" }
    #expect(airport.name == "Kloten")
  }

  @Test func `a store opened for reading refuses to write`() throws {
    try store.fill()
    var configuration = folder.configuration
    configuration.isReadOnly = true
    let reader = try Store(configuration: configuration)
    #expect(reader.objects(Airport.self).count == 4)
    let error = #expect(throws: Store.Error.self) { try reader.write {} }
    #expect(error?.code == .notWritable)
  }

  @Test func `an object prints its class and its properties, and what it links to`() throws {
    try store.fill()
    let text = store.objects(Airport.self).first.map { "\($0)" }
    #expect(text?.hasPrefix("Airport {\n\ticao = LSZH;\n\tname = Zürich;\n\tiata = nil;") == true)
    #expect(text?.contains("\tcountry = Country {\n\t\tcode = CH;\n\t\tname = Switz") == true)
  }

  @Test func `deleting everything leaves nothing`() throws {
    try store.fill()
    try store.write { store.deleteAll() }
    #expect(store.objects(Airport.self).isEmpty)
    #expect(store.objects(Country.self).count == 0)
  }

  @Test func `a store has the id it was given`() throws {
    let folder = TemporaryStore()
    var configuration = folder.configuration
    let id = UUID()
    configuration.storeID = id
    #expect(try Store(configuration: configuration).storeID == id)
    #expect(try folder.open().storeID == id)
    configuration.storeID = UUID()
    let error = #expect(throws: Store.Error.self) { _ = try Store(configuration: configuration) }
    #expect(error?.code == .otherStore)
  }

  @Test func `a store is empty while the file has no object of any class`() throws {
    let folder = TemporaryStore()
    let store = try folder.open()
    #expect(store.isEmpty)
    try store.write {
      store.create(Country.self, value: ["CH", "Switzerland"])
      #expect(!store.isEmpty)
    }
    let other = try Store(
      configuration: .init(fileURL: folder.file, objectTypes: [Keyed.self]))
    #expect(!other.isEmpty)
    try store.write { store.deleteAll() }
    #expect(store.isEmpty)
  }

  @Test func `letting go of the state shows the newest, and gives a transaction up`() throws {
    let folder = TemporaryStore()
    let (store, other) = (try folder.open(), try folder.open())
    try store.fill()
    #expect(other.objects(Airport.self).count == 4)
    try store.write { store.add(Airport("NEW", "New")) }
    #expect(other.objects(Airport.self).count == 4)
    other.invalidate()
    #expect(other.objects(Airport.self).count == 5)
    try other.beginWrite()
    other.add(Airport("GONE", "Gone"))
    other.invalidate()
    #expect(!other.isInWriteTransaction && other.objects(Airport.self).count == 5)
  }

  @Test func `a file that is not a database is refused and left alone`() throws {
    let folder = TemporaryStore()
    let bytes = Data("this is a letter, not a database".utf8)
    try bytes.write(to: folder.file)
    let error = #expect(throws: Store.Error.self) { _ = try folder.open() }
    #expect(error?.code == .invalidFile)
    #expect(error?.message.contains(folder.file.path) == true)
    #expect(try Data(contentsOf: folder.file) == bytes)
  }
}

final class Person: Object {
  @Persisted(.either) var name: String
  @Persisted(.either) var friend: Person?
  @Persisted(.either) var known: List<Person>
}

final class Keyed: Object {
  @Persisted(primaryKey: .either) var key: Wrapped
}
