import Atoll
import AtollStorage
import AtollVocabulary
import Foundation
import StoreTestKit
import Testing

/// Rules about what the file holds and what is read of it.
@Suite struct ProjectionTests {
  let folder: TemporaryStore
  let store: Store

  init() throws {
    folder = TemporaryStore()
    store = try folder.open()
    try store.fill()
  }

  /// Writes what no mapped value could have written, as a peer might.
  private func assign(_ name: String, _ value: PersistedValue) throws {
    let file = try StoreFile.open(folder.file.path)
    let airport = try #require(try file.storedClass(named: "Airport"))
    let property = try #require(airport.property(named: name))
    let id = try #require(try file.find(airport.id, key: .string("LSZH")))
    try file.beginWrite()
    try file.assign(airport.id, id: id, FieldPath(property), .scalar(value))
    _ = try file.commitWrite()
    file.close()
    store.refresh()
  }

  private var airport: Airport {
    get throws {
      try #require(store.object(ofType: Airport.self, forPrimaryKey: "LSZH"))
    }
  }

  @Test func `rule 9: the column is the persisted type's, without a trace of the mapping`() throws {
    let file = try StoreFile.open(folder.file.path)
    let stored = try #require(try file.storedClass(named: "Airport"))
    #expect(stored.property(named: "elevation")?.type == .double)
    #expect(stored.property(named: "website")?.type == .string)
    #expect(stored.property(named: "coordinate")?.type == .embedded)
    file.close()
  }

  @Test func `rule 15: a required mapping reads the mapped stored value`() throws {
    try assign("elevation", .double(99))
    #expect(try airport.elevation == Measurement(value: 99, unit: .meters))
  }

  @Test func `rule 16: an optional mapping reads nil for null and else the mapped value`() throws {
    try assign("website", .string("https://a.example"))
    #expect(try airport.website == URL(string: "https://a.example"))
    try assign("website", .null)
    #expect(try airport.website == nil)
  }

  @Test func `rule 17: an optional mapping reads nil for what does not convert, and keeps it`()
    throws
  {
    try assign("timeZone", .string("Nowhere/Atlantis"))
    let airport = try airport
    #expect(airport.timeZone == nil)
    #expect(airport.$timeZone.persistedValue == "Nowhere/Atlantis")
    #expect(!airport.$timeZone.isConvertible)
    let error = #expect(throws: Store.Error.self) { try airport.$timeZone.value() }
    #expect(error?.message.contains("Airport.timeZone") == true)
    #expect(error?.message.contains("LSZH") == true)
    #expect(error?.message.contains("Nowhere/Atlantis") == true)
  }

  @Test func `rule 18: a required mapping stops at what does not convert`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryStore([NeedsDefault.self])
      let store = try folder.open()
      try store.write { _ = store.create(NeedsDefault.self, value: ["url": ""]).url }
    }
    #expect(
      said(
        result,
        "Failed to convert persisted value '' to type 'URL' in a non-optional context."))
    #expect(said(result, "Property 'NeedsDefault.url'"))
  }

  @Test func `rule 18: the property's projection throws instead of stopping`() throws {
    let folder = TemporaryStore([NeedsDefault.self])
    let store = try folder.open()
    try store.write {
      let object = store.create(NeedsDefault.self, value: ["url": ""])
      #expect(object.$url.persistedValue == "")
      #expect(!object.$url.isConvertible)
      #expect(throws: Store.Error.self) { try object.$url.value() }
    }
  }

  @Test func `rule 19: null for a required embedded mapping reads as its default`() throws {
    try assign("coordinate", .null)
    #expect(try airport.coordinate == Coordinate(latitude: 0, longitude: 0))
    #expect(try airport.$coordinate.persistedValue == nil)
  }

  @Test func `rule 20: each read of an embedded mapping is an independent value`() throws {
    let airport = try airport
    var copy = airport.coordinate
    copy.latitude = 5
    #expect(airport.coordinate.latitude == 0)
  }

  @Test func `rule 21: assignment stores the persisted value, nil stores null`() throws {
    let airport = try airport
    try store.write {
      airport.website = URL(string: "https://a.example")
      airport.elevation = Measurement(value: 1, unit: .kilometers)
    }
    #expect(airport.$website.persistedValue == "https://a.example")
    #expect(airport.$elevation.persistedValue == 1000)
    try store.write { airport.website = nil }
    #expect(airport.$website.persistedValue == nil)
  }

  @Test func `rule 25: writing into a managed mapped value assigns the whole`() throws {
    let airport = try airport
    try store.write { airport.coordinate.latitude = 5 }
    #expect(airport.coordinate == Coordinate(latitude: 5, longitude: 0))
  }

  @Test func `rule 30: create stores a value that a failable mapping rejects`() throws {
    try store.write {
      let airport = store.create(Airport.self, value: ["icao": "X", "timeZone": "Nowhere"])
      #expect(airport.timeZone == nil)
      #expect(airport.$timeZone.persistedValue == "Nowhere")
    }
  }

  @Test func `rule 48: values that do not convert take part in queries as stored`() throws {
    try assign("timeZone", .string("Nowhere/Atlantis"))
    let found = store.objects(Airport.self).where {
      $0.timeZone.persistableValue == "Nowhere/Atlantis"
    }
    #expect(found.map(\.icao) == ["LSZH"])
  }

  @Test func `a managed embedded object is live, and the assigned instance is the one`() throws {
    let folder = TemporaryStore([Shared.self, Location.self])
    let store = try folder.open()
    let location = Location(value: [1.0, 2.0])
    try store.write {
      let shared = store.create(Shared.self)
      #expect(shared.place == nil)
      shared.place = location
      #expect(location.store === store)
      location.latitude = 7
      #expect(shared.place?.latitude == 7)
      shared.place = nil
      #expect(location.isInvalidated)
    }
  }
}
