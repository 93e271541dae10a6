import Atoll
import Foundation
import StoreTestKit
import Testing

/// Objects that are found by their links.
@Suite struct LinkingObjectsTests {
  let harbours: HarbourStore
  let store: Store

  init() throws {
    harbours = try HarbourStore()
    store = harbours.store
  }

  @Test func `linking objects are those that link here, by a link or by a list`() {
    #expect(harbours.harbour("KIEL").ships.map(\.name).sorted() == ["Adler", "Bussard"])
    #expect(harbours.harbour("BREST").ships.isEmpty)
    #expect(harbours.harbour("KIEL").callers.map(\.name) == ["Adler"])
    #expect(harbours.harbour("BREST").callers.map(\.name).sorted() == ["Adler", "Bussard"])
  }

  @Test func `linking objects are live`() throws {
    let brest = harbours.harbour("BREST")
    let ships = brest.ships
    try store.write {
      harbours.ship("Adler").home = brest
      #expect(ships.count == 1)
      harbours.ship("Bussard").calls.removeAll()
      #expect(brest.callers.map(\.name) == ["Adler"])
      store.delete(harbours.ship("Adler"))
      #expect(ships.isEmpty)
    }
    #expect(brest.callers.isEmpty)
  }

  @Test func `linking objects can be narrowed down and ordered`() {
    let ships = harbours.harbour("KIEL").ships
    #expect(ships.where { $0.crew > 20 }.map(\.name) == ["Bussard"])
    #expect(ships.sorted(byKeyPath: "crew", ascending: false).first?.name == "Bussard")
    #expect(ships.value(forKey: "crew") as? [Int32] == [12, 30])
  }

  @Test func `an object without a store has no linking objects`() {
    #expect(Harbour().ships.isEmpty)
    #expect(Harbour().ships.count == 0)
    #expect(Harbour(value: ["code": "X"])["callers"] is LinkingObjects<Ship>)
  }

  @Test func `linking objects are not columns of the file`() throws {
    let other = try Store(
      configuration: .init(fileURL: harbours.folder.file, objectTypes: [Country.self]))
    #expect(other.schema["Harbour"]?["ships"] == nil)
    #expect(other.schema["Harbour"]?["piers"] != nil)
  }

  @Test func `an origin that does not exist is refused when the class is looked at`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      ModelClass.of(Orphan.self).validate()
    }
    #expect(said(result, "Property 'Orphan.parents': class 'Ship' has no property 'parent'"))
  }

  @Test func `an origin that links elsewhere is refused when the class is looked at`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      ModelClass.of(Stranger.self).validate()
    }
    #expect(
      said(result, "Property 'Stranger.ships': Property 'Ship.home' does not link to 'Stranger'"))
  }

  @Test func `linking objects cannot be assigned`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let harbours = try HarbourStore()
      let kiel = harbours.harbour("KIEL")
      try harbours.store.write { kiel.ships = harbours.harbour("BREST").ships }
    }
    #expect(said(result, "Change the property 'Ship.home' instead."))
  }
}

private final class Orphan: Object {
  @Persisted(originProperty: "parent") var parents: LinkingObjects<Ship>
}

private final class Stranger: Object {
  @Persisted(originProperty: "home") var ships: LinkingObjects<Ship>
}
