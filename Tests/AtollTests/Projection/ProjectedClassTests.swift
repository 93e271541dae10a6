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

  @Test func `an observer of some projected properties hears of those, by key paths and by names`()
    throws
  {
    let adler = view("Adler")
    let queue = DispatchQueue(label: "projection")
    let heard = Heard<[String]>()
    @Sendable func note(_ change: ObjectChange<ShipView>) {
      if case .change(_, let changes) = change { heard.note(changes.map(\.name)) }
    }
    var tokens = [adler.observe(keyPaths: [\ShipView.port, \ShipView.length], on: queue, note)]
    try store.write { adler.rootObject.crew = 99 }
    try store.write { adler.title = "X" }
    #expect(heard.next() == ["length"])
    try store.write { harbours.harbour("KIEL").name = "K" }
    #expect(heard.next() == ["port"])
    tokens = [adler.observe(keyPaths: [\ShipView.route], on: queue, note)]
    try store.write { adler.rootObject.calls.removeLast() }
    #expect(heard.next() == ["route"])
    tokens = [adler.observe(keyPaths: [\ShipView.homepage, \ShipView.title], on: queue, note)]
    try store.write { adler.homepage = URL(string: "https://kiel.example/2") }
    #expect(heard.next() == ["homepage"])
    tokens = [adler.observe(keyPaths: ["title"], on: queue, note)]
    try store.write { harbours.harbour("KIEL").name = "L" }
    try store.write { adler.title = "Y" }
    #expect(heard.next() == ["title"])
    withExtendedLifetime(tokens) {}
  }

  @Test func `an observer of projected results hears of the projected properties that it names`()
    throws
  {
    let queue = DispatchQueue(label: "projection")
    let heard = Heard<String>()
    @Sendable func note(_ change: ResultsChange<ProjectedResults<ShipView>>) {
      switch change {
      case .initial(let ships): heard.note("\(ships.count) ships")
      case .update(_, let gone, let new, let changed): heard.note("\(gone) \(new) \(changed)")
      case .error(let error): heard.note("\(error)")
      }
    }
    let ships = store.objects(ShipView.self).sorted(by: \.name)
    let count = ships.count
    for isTyped in [true, false] {
      let token =
        isTyped
        ? ships.observe(keyPaths: [\ShipView.port], on: queue, note)
        : ships.observe(keyPaths: ["port"], on: queue, note)
      #expect(heard.next() == "\(count) ships")
      let adler = try #require(ships.first)
      try store.write { adler.rootObject.crew += 1 }
      try store.write { adler.rootObject.home?.website = nil }
      try store.write { adler.port = (adler.port ?? "") + "!" }
      // Both are at home there.
      #expect(heard.next() == "[] [] [0, 1]")
      token.invalidate()
    }
  }

  @Test func `a key path to what is not projected stops its observer`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let harbours = try HarbourStore()
      let view = ShipView(projecting: harbours.ship("Adler"))
      _ = view.observe(keyPaths: [\ShipView.rootObject.crew]) { _ in }
    }
    #expect(said(result, "which is no projected property. It projects: title, homepage"))
  }

  @Test func `a name that a projection does not have stops its observer`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let harbours = try HarbourStore()
      _ = ShipView(projecting: harbours.ship("Adler")).observe(keyPaths: ["crew"]) { _ in }
    }
    #expect(said(result, "which projects no such property. It projects: title, homepage"))
  }
}
