import Atoll
import AtollStorage
import AtollVocabulary
import Foundation
import StoreTestKit
import Testing

/// Typed objects, read and written by name.
@Suite struct AccessByNameTests {
  let harbours: HarbourStore
  let store: Store

  init() throws {
    harbours = try HarbourStore()
    store = harbours.store
  }

  /// Writes what no mapped value could have written, as a peer might.
  private func store(_ value: Int64, in name: String) throws {
    let file = try StoreFile.open(harbours.folder.file.path)
    let harbour = try #require(try file.storedClass(named: "Harbour"))
    let property = try #require(harbour.property(named: name))
    let id = try #require(try file.find(harbour.id, key: .string("KIEL")))
    try file.beginWrite()
    try file.assign(harbour.id, id: id, FieldPath(property), .scalar(.int(value)))
    _ = try file.commitWrite()
    file.close()
    store.refresh()
  }

  @Test func `rule 60: a typed object's property reads by name as it is stored`() throws {
    for harbour in [harbours.harbour("KIEL"), Harbour(value: harbours.harbour("KIEL"))] {
      #expect(harbour["name"] as? String == "Kiel")
      #expect(harbour["website"] as? String == "https://kiel.example")
      #expect(harbour["depth"] as? Int16 == 9)
      #expect(harbour["anchorage"] == nil)
      #expect(harbour["tide"] == nil)
      #expect((harbour["piers"] as? List<Int8>).map(Array.init) == [1, 2, 3])
    }
  }

  @Test func `rule 60: what is optional and does not convert reads nil by name`() throws {
    try store(500, in: "tide")
    #expect(harbours.harbour("KIEL")["tide"] == nil)
    #expect(harbours.harbour("KIEL").$tide.persistedValue == 500)
  }

  @Test func `rule 60: what is required and does not convert stops when read by name`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let harbours = try HarbourStore()
      try harbours.store.write { harbours.harbour("KIEL")["depth"] = 500 }
      _ = harbours.harbour("KIEL")["depth"]
    }
    #expect(
      said(
        result,
        "Failed to convert persisted value '500' to type 'Fathoms' in a non-optional context."))
    #expect(said(result, "Property 'Harbour.depth', in the object Harbour with code KIEL"))
  }

  @Test func `rule 60: an embedded mapping read by name is the managed embedded object`() throws {
    let location = try #require(harbours.harbour("KIEL")["entrance"] as? Location)
    #expect(location.store === store)
    try store.write { location.latitude = 55 }
    #expect(harbours.harbour("KIEL").entrance == Coordinate(latitude: 55, longitude: 10.2))
    #expect((Harbour(value: ["entrance": [1, 2]])["entrance"] as? Location)?.longitude == 2)
  }

  @Test func `rule 62: what is assigned by name may be mapped or stored`() throws {
    let url = try #require(URL(string: "https://a.example"))
    let kiel = harbours.harbour("KIEL")
    func assign(to harbour: Harbour) {
      harbour["website"] = url
      #expect(harbour.website == url)
      harbour["website"] = "https://b.example"
      #expect(harbour["website"] as? String == "https://b.example")
      harbour["website"] = nil
      #expect(harbour.website == nil)
      harbour["depth"] = Fathoms(4)
      #expect(harbour["depth"] as? Int16 == 4)
      harbour["depth"] = 5
      #expect(harbour.depth == Fathoms(5))
      harbour["piers"] = [7, 8]
      #expect(Array(harbour.piers) == [7, 8])
    }
    try store.write { assign(to: kiel) }
    assign(to: Harbour(value: kiel))
  }

  @Test func `rule 62: embedded mappings take values, dictionaries and arrays by name`() throws {
    let kiel = harbours.harbour("KIEL")
    func assign(to harbour: Harbour) {
      harbour["entrance"] = Coordinate(latitude: 1, longitude: 2)
      #expect(harbour.entrance == Coordinate(latitude: 1, longitude: 2))
      harbour["entrance"] = ["latitude": 3.0, "longitude": 4.0]
      #expect(harbour.entrance == Coordinate(latitude: 3, longitude: 4))
      harbour["anchorage"] = [5.0, 6.0]
      #expect(harbour.anchorage == Coordinate(latitude: 5, longitude: 6))
      harbour["anchorage"] = Location(value: [7.0, 8.0])
      #expect(harbour.anchorage == Coordinate(latitude: 7, longitude: 8))
      harbour["anchorage"] = nil
      #expect(harbour.anchorage == nil)
    }
    try store.write { assign(to: kiel) }
    assign(to: Harbour(value: kiel))
  }

  @Test func `rule 22: a managed object stores by name what does not convert`() throws {
    try store.write { harbours.harbour("KIEL")["tide"] = 500 }
    #expect(harbours.harbour("KIEL").$tide.persistedValue == 500)
    #expect(harbours.harbour("KIEL").tide == nil)
  }

  @Test func `rule 22: an unmanaged object stops at what does not convert by name`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Harbour()["depth"] = 500
    }
    #expect(said(result, "Could not convert value '500' to type 'Fathoms'."))
    #expect(said(result, "Property 'Harbour.depth', in the object Harbour with code"))
  }

  @Test func `rule 24: an optional property takes what does not convert by name as nil`() {
    let harbour = Harbour(value: ["tide": 3])
    harbour["tide"] = 500
    #expect(harbour.tide == nil)
    #expect(harbour.$tide.persistedValue == nil)
  }

  @Test func `a value of no fitting type stops a managed object too`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let harbours = try HarbourStore()
      try harbours.store.write { harbours.harbour("KIEL")["name"] = Fathoms(1) }
    }
    #expect(said(result, "to type 'String'. Property 'Harbour.name'"))
    #expect(said(result, "in the object Harbour with code KIEL"))
  }

  @Test func `a name that the class does not have stops with those it has`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Ship()["captain"]
    }
    #expect(said(result, "Reading 'captain' of an object of class 'Ship'"))
    #expect(said(result, "It has: name, crew, home, calls."))
  }

  @Test func `a managed object's primary key cannot be assigned by name`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let harbours = try HarbourStore()
      try harbours.store.write { harbours.harbour("KIEL")["code"] = "X" }
    }
    #expect(said(result, "the primary key of a managed object cannot change"))
  }

  @Test func `rule 65: paths of names go through objects and map over collections`() throws {
    let ship = harbours.ship("Adler")
    #expect(ship.value(forKeyPath: "home.website") as? String == "https://kiel.example")
    #expect(ship.value(forKeyPath: "calls.depth") as? [Int16] == [9, 12])
    #expect(ship.value(forKeyPath: "calls.@count") as? Int == 2)
    #expect(ship.value(forKeyPath: "home.piers.@sum.self") as? Double == 6)
    #expect(ship.value(forKeyPath: "home.entrance.latitude") as? Double == 54.4)
    try store.write { ship.setValue("Kiel II", forKeyPath: "home.name") }
    #expect(harbours.harbour("KIEL").name == "Kiel II")
  }

  @Test func `rule 65: collections read stored values and set mapped or stored ones`() throws {
    let all = store.objects(Harbour.self).sorted(byKeyPath: "code")
    #expect(all.value(forKey: "depth") as? [Int16] == [12, 9])
    #expect((all.value(forKey: "self") as? [Harbour])?.map(\.code) == ["BREST", "KIEL"])
    #expect(all.value(forKeyPath: "@max.depth") as? Int16 == 12)
    try store.write { all.setValue(Fathoms(3), forKey: "tide") }
    #expect(all.value(forKey: "tide") as? [Int16] == [3, 3])
    try store.write { harbours.ship("Adler").calls.setValue(4, forKey: "tide") }
    #expect(all.map(\.tide) == [Fathoms(4), Fathoms(4)])
    try store.write { all.setValue(nil, forKey: "tide") }
    #expect(all.map(\.tide) == [nil, nil])
  }
}
