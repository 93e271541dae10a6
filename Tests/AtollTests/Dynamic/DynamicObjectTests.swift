import Atoll
import AtollStorage
import AtollVocabulary
import Foundation
import StoreTestKit
import Testing

@Suite struct DynamicObjectTests {
  let harbours: HarbourStore
  let store: Store

  init() throws {
    harbours = try HarbourStore()
    store = harbours.store
  }

  private func dynamic(_ code: String) throws -> DynamicObject {
    try #require(store.dynamicObject(ofType: "Harbour", forPrimaryKey: code))
  }

  @Test func `rule 61: a dynamic object reads what is stored, integers as Int`() throws {
    let kiel = try dynamic("KIEL")
    #expect(kiel.name as? String == "Kiel")
    #expect(kiel.website as? String == "https://kiel.example")
    #expect(kiel.depth as? Int == 9)
    #expect(kiel["tide"] == nil)
    #expect((kiel.entrance as? DynamicObject)?.latitude as? Double == 54.4)
    #expect((kiel.piers as? List<Int>).map(Array.init) == [1, 2, 3])
  }

  @Test func `rule 61: a dynamic object reads what does not convert`() throws {
    let kiel = try dynamic("KIEL")
    try store.write { kiel.depth = 500 }
    #expect(kiel.depth as? Int == 500)
    #expect(!harbours.harbour("KIEL").$depth.isConvertible)
  }

  @Test func `rule 62: a dynamic object takes stored and mapped values`() throws {
    let kiel = try dynamic("KIEL")
    let url = try #require(URL(string: "https://c.example"))
    let typed = harbours.harbour("KIEL")
    try store.write {
      #expect(typed.name == "Kiel")
      kiel.name = "K"
      #expect(typed.name == "K")
      typed.name = "L"
      #expect(kiel.name as? String == "L")
      kiel.website = url
      #expect(typed.website?.absoluteString == "https://c.example")
      kiel.depth = Fathoms(2)
      #expect(typed.depth == Fathoms(2))
      kiel.anchorage = Coordinate(latitude: 1, longitude: 2)
      #expect(typed.anchorage == Coordinate(latitude: 1, longitude: 2))
      kiel.anchorage = ["latitude": 3]
      #expect(typed.anchorage == Coordinate(latitude: 3, longitude: 0))
      kiel.anchorage = kiel.entrance
      #expect(typed.anchorage == Coordinate(latitude: 54.4, longitude: 10.2))
      kiel.piers = [9]
      #expect(Array(typed.piers) == [9])
    }
  }

  @Test func `links and lists of objects lead to dynamic objects`() throws {
    let ship = try #require(store.dynamicObjects("Ship").first)
    #expect((ship.home as? DynamicObject)?.code as? String == "KIEL")
    #expect(ship.dynamicList("calls").map { $0.code as? String } == ["KIEL", "BREST"])
    let brest = try dynamic("BREST")
    try store.write {
      ship.home = brest
      ship.dynamicList("calls").append(brest)
    }
    #expect(harbours.ship("Adler").home?.code == "BREST")
    #expect(harbours.ship("Adler").calls.count == 3)
  }

  @Test func `dynamic results can be filtered by name, sorted and counted`() throws {
    #expect(store.dynamicObjects("Ship").count == 2)
    let sorted = store.dynamicObjects("Ship").sorted(byKeyPath: "crew", ascending: false)
    #expect(sorted.map { $0.crew as? Int } == [30, 12])
    #expect(store.dynamicObjects("Ship").sorted(byKeyPath: "home.code").count == 2)
  }

  @Test func `an object made by name has the model's defaults and takes mapped values`() throws {
    let url = try #require(URL(string: "https://d.example"))
    try store.write {
      let made = store.dynamicCreate(
        "Harbour", value: ["code": "D", "website": url, "depth": Fathoms(3)] as [String: Any])
      #expect(made.website as? String == "https://d.example")
      #expect(made.name as? String == "")
    }
    #expect(harbours.harbour("D").depth == Fathoms(3))
    let error = #expect(throws: Store.Error.self) {
      try store.write { try store.dynamicCreate(checking: "Harbour", value: ["code": "D"]) }
    }
    #expect(error?.code == .duplicatePrimaryKey)
  }

  @Test func `classes that only the file knows are read, made and deleted by name`() throws {
    let other = try Store(
      configuration: .init(
        fileURL: harbours.folder.file, objectTypes: [Country.self, Location.self]))
    #expect(other.schema["Harbour"]?.primaryKeyProperty?.name == "code")
    #expect(other.schema["Harbour"]?["entrance"]?.objectClassName == "Location")
    let kiel = try #require(other.dynamicObject(ofType: "Harbour", forPrimaryKey: "KIEL"))
    #expect(kiel.depth as? Int == 9)
    try other.write {
      let made = other.dynamicCreate(
        "Harbour",
        value: ["code": "NEW", "name": "New", "depth": Fathoms(1), "anchorage": [1.0, 2.0]]
          as [String: Any])
      #expect((made.anchorage as? DynamicObject)?.longitude as? Double == 2)
      other.dynamicCreate(
        "Ship", value: ["name": "Cormoran", "home": made, "calls": [made, kiel]])
    }
    store.refresh()
    #expect(harbours.harbour("NEW").anchorage == Coordinate(latitude: 1, longitude: 2))
    #expect(harbours.ship("Cormoran").calls.map(\.code) == ["NEW", "KIEL"])
    #expect(harbours.ship("Cormoran").home?.code == "NEW")
  }

  @Test func `a class that nobody knows stops with those there are`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try HarbourStore().store.dynamicObjects("Lighthouse")
    }
    #expect(said(result, "neither the program nor the file has a class 'Lighthouse'"))
    #expect(said(result, "Harbour, Ship"))
  }
}
