import Atoll
import Dispatch
import Foundation
import Testing

private final class ShipView: Projection<Ship> {
  @Projected(\Ship.name) var title
  @Projected(\Ship.home?.website) var homepage
  @Projected(\Ship.home?.name) var port
  @Projected(\Ship.calls.projectTo.name) var route
  @Projected(\Ship.name.count) var length
}

private final class HarbourView: Projection<Harbour> {
  @Projected(\Harbour.entrance) var entrance
  @Projected(\Harbour.ships.projectTo.name) var ships
  @Projected(\Harbour.depth) var depth
}

/// `Projection` classes: views of an object under names of one's own.
@Suite struct ProjectedClassTests {
  let harbours: HarbourStore
  let store: Store

  init() throws {
    harbours = try HarbourStore()
    store = harbours.store
  }

  private func view(_ name: String) -> ShipView { ShipView(projecting: harbours.ship(name)) }

  @Test func `a projection reads the object's present state`() throws {
    let adler = view("Adler")
    #expect(adler.title == "Adler")
    #expect(adler.port == "Kiel")
    #expect(adler.homepage?.host == "kiel.example")
    #expect(adler.length == 5)
    #expect(Array(adler.route) == ["Kiel", "Brest"])
    try store.write { adler.rootObject.home = nil }
    #expect(adler.port == nil)
    let kiel = HarbourView(projecting: harbours.harbour("KIEL"))
    #expect(kiel.entrance == Coordinate(latitude: 54.4, longitude: 10.2))
    #expect(Array(kiel.ships) == ["Bussard"])
  }

  @Test func `what is written to a projection goes to the object`() throws {
    let adler = view("Adler")
    try store.write {
      adler.title = "Adler II"
      adler.port = "Kiel II"
      adler.route[1] = "Brest II"
      HarbourView(projecting: harbours.harbour("KIEL")).depth = Fathoms(3)
    }
    #expect(harbours.ship("Adler II").crew == 12)
    #expect(harbours.harbour("KIEL").name == "Kiel II")
    #expect(harbours.harbour("BREST").name == "Brest II")
    #expect(harbours.harbour("KIEL").depth == Fathoms(3))
  }

  @Test func `projections of one object are equal`() {
    #expect(view("Adler") == view("Adler"))
    #expect(view("Adler") != view("Bussard"))
    #expect(Set([view("Adler"), view("Adler"), view("Bussard")]).count == 2)
    #expect(view("Adler").description.contains("port = Kiel"))
  }

  @Test func `results are of projections where these are asked for`() throws {
    let views = store.objects(ShipView.self)
    #expect(views.count == 2)
    #expect(views.map(\.title).sorted() == ["Adler", "Bussard"])
    #expect(views.sorted(byKeyPath: "crew", ascending: false).first?.title == "Bussard")
  }

  @Test func `an observer of a projection hears of what is projected`() throws {
    let adler = view("Adler")
    let queue = DispatchQueue(label: "projection")
    let heard = Heard<[String]>()
    let token = adler.observe(on: queue) { change in
      switch change {
      case .change(let view, let changes):
        heard.note(
          changes.map { "\($0.name): \($0.oldValue ?? "–") → \($0.newValue ?? "nil")" }
            + [view.title])
      case .deleted: heard.note(["deleted"])
      case .error(let error): heard.note(["\(error)"])
      }
    }
    try store.write { adler.rootObject.crew = 99 }
    try store.write { adler.title = "X" }
    #expect(heard.next() == ["title: Adler → X", "length: Adler → 1", "X"])
    try store.write { harbours.harbour("KIEL").name = "K" }
    #expect(heard.next()?.contains("port: – → K") == true)
    try store.write { store.delete(adler.rootObject) }
    #expect(heard.next() == ["deleted"])
    token.invalidate()
  }

  @Test func `a name that a projection does not have stops its observer`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let harbours = try HarbourStore()
      _ = ShipView(projecting: harbours.ship("Adler")).observe(keyPaths: ["crew"]) { _ in }
    }
    #expect(said(result, "which projects no such property. It projects: title, homepage"))
  }
}
