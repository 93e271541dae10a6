import Atoll
import Dispatch
import Foundation
import StoreTestKit
import Testing

private final class FleetView: Projection<Fleet> {
  @Projected(\Fleet.name) var title
}

/// One actor that observes everything that can be observed in an actor.
private actor Watch {
  private(set) var store: Store?
  private var tokens: [NotificationToken] = []

  func open(_ configuration: Store.Configuration, _ heard: Heard<String>) async throws {
    let store = try await Store.open(configuration: configuration)
    self.store = store
    guard let fleet = store.objects(Fleet.self).first else { return }
    let ships = store.objects(Ship.self).sectioned(by: \.crew)
    tokens = [
      fleet.observe(on: self) { watch, change in
        guard case .change(let fleet, let changes) = change else { return }
        let names = changes.map(\.name).sorted().joined(separator: " ")
        heard.note("object \(names) \(fleet.store === watch.store)")
      },
      fleet.ships.observe(on: self) { watch, change in
        heard.note("list \(Self.text(change) { $0.store === watch.store })")
      },
      fleet.tags.observe(on: self) { watch, change in
        heard.note("set \(Self.text(change) { $0.store === watch.store })")
      },
      fleet.depths.observe(on: self) { watch, change in
        guard case .update(let map, let gone, let new, _) = change else {
          return heard.note("map initial")
        }
        heard.note("map \(gone.count) \(new) \(map.store === watch.store)")
      },
      ships.observe(on: self) { watch, change in
        guard case .update(let all, _, _, _, let new, _) = change else {
          return heard.note("sections initial")
        }
        heard.note("sections \(Array(new)) \(all.store === watch.store)")
      },
      ships[0].observe(on: self) { _, change in
        guard case .update(let section, let gone, let new, _, _, _) = change else {
          return heard.note("section initial")
        }
        heard.note("section \(section.key) \(gone) \(new) \(section.count)")
      },
      store.objects(FleetView.self).observe(on: self) { watch, change in
        heard.note("projections \(Self.text(change) { $0.store === watch.store })")
      },
      FleetView(projecting: fleet).observe(on: self) { watch, change in
        guard case .change(let view, let changes) = change else { return }
        heard.note("projection \(changes.map(\.name)) \(view.store === watch.store)")
      },
      store.conflicts.observe(on: self) { _, change in
        if case .initial(let conflicts) = change { heard.note("conflicts \(conflicts.count)") }
      },
    ]
  }

  /// Observes what is found rather than held, and everything at once.
  func openFurther(_ configuration: Store.Configuration, _ heard: Heard<String>) async throws {
    let store = try await Store.open(configuration: configuration)
    self.store = store
    guard let fleet = store.objects(Fleet.self).first, let ship = fleet.ships.first,
      let home = ship.home
    else { return }
    tokens = [
      store.observe(on: self) { watch, notification, store in
        heard.note("store \(notification) \(store === watch.store)")
      },
      fleet.tags.where { $0 != "b" }.observe(on: self) { watch, change in
        heard.note("values \(Self.text(change) { $0.store === watch.store })")
      },
      home.ships.observe(on: self) { watch, change in
        heard.note("linking \(Self.text(change) { $0.store === watch.store })")
      },
      home.ships.observe(keyPaths: ["name"], on: self) { _, change in
        heard.note("linking by name \(Self.text(change) { _ in true })")
      },
      fleet.ships.projectTo.crew.observe(on: self) { _, change in
        heard.note("projected \(Self.text(change) { $0.count == 2 })")
      },
      store.objects(Ship.self).observe(keyPaths: [\.name], on: self) { watch, change in
        heard.note("results \(Self.text(change) { $0.store === watch.store })")
      },
      fleet.ships.observe(keyPaths: [\.name], on: self) { watch, change in
        heard.note("list \(Self.text(change) { $0.store === watch.store })")
      },
      ship.observe(keyPaths: [\.crew], on: self) { watch, change in
        guard case .change(let ship, let changes) = change else { return }
        heard.note("object \(changes.map(\.name)) \(ship.store === watch.store)")
      },
    ]
  }

  private static func text<C>(_ change: ResultsChange<C>, _ isOwn: (C) -> Bool) -> String {
    switch change {
    case .initial: "initial"
    case .update(let all, let gone, let new, let modified):
      "\(gone) \(new) \(modified) \(isOwn(all))"
    case .error(let error): "\(error)"
    }
  }

  func refresh() async -> [Bool] {
    guard let store else { return [] }
    store.autorefresh = false
    return [await store.asyncRefresh(), await store.asyncRefresh()]
  }

  /// Waits for another to write before it refreshes again.
  func refreshAgain() async -> Bool { await store?.asyncRefresh() ?? false }

  func count() -> Int { store?.objects(Ship.self).count ?? 0 }
}

@Suite struct ActorObservationTests {
  let folder: TemporaryStore

  init() throws {
    folder = TemporaryStore(Harbour.types + [Fleet.self, Sailor.self])
    try write { store in
      let adler = store.create(Ship.self, value: ["Adler", 12])
      store.create(
        Fleet.self,
        value: ["name": "North", "ships": [adler], "tags": ["a"], "depths": ["x": 1]]
          as [String: Any])
    }
  }

  /// Writes wherever the test has come to, in a store of its own.
  private func write(_ body: (Store) -> Void) throws {
    let store = try folder.open()
    try store.write { body(store) }
  }

  @Test func `what is observed in an actor is told there, with things of its store`() async throws {
    let heard = Heard<String>()
    let watch = Watch()
    try await watch.open(folder.configuration, heard)
    var told: Set<String> = []
    for _ in 0..<7 { told.insert(await heard.following() ?? "nothing") }
    #expect(
      told == [
        "list initial", "set initial", "map initial", "sections initial", "section initial",
        "projections initial", "conflicts 0",
      ])
    try write { store in
      guard let fleet = store.objects(Fleet.self).first else { return }
      fleet.name = "South"
      fleet.ships.append(store.create(Ship.self, value: ["Bussard", 12]))
      fleet.ships.append(store.create(Ship.self, value: ["Condor", 30]))
      fleet.tags.remove("a")
      fleet.depths["y"] = 2
    }
    told = []
    for _ in 0..<8 { told.insert(await heard.following() ?? "nothing") }
    #expect(
      told == [
        "object depths name ships tags true", "list [] [1, 2] [] true", "set [0] [] [] true",
        "map 0 [\"y\"] true", "sections [1] true", "section 12 [] [[0, 1]] 2",
        "projections [] [] [0] true", "projection [\"title\"] true",
      ])
  }

  @Test func `what is found and the whole store are told in an actor too`() async throws {
    try write { store in
      let kiel = store.create(Harbour.self, value: ["code": "KIEL"])
      store.objects(Ship.self).first?.home = kiel
    }
    let heard = Heard<String>()
    let watch = Watch()
    try await watch.openFurther(folder.configuration, heard)
    var told: Set<String> = []
    for _ in 0..<6 { told.insert(await heard.following() ?? "nothing") }
    #expect(
      told == [
        "values initial", "linking initial", "linking by name initial", "projected initial",
        "results initial", "list initial",
      ])
    try write { store in
      guard let kiel = store.object(ofType: Harbour.self, forPrimaryKey: "KIEL"),
        let fleet = store.objects(Fleet.self).first
      else { return }
      fleet.tags.insert("c")
      fleet.ships.first?.crew = 13
      fleet.ships.append(store.create(Ship.self, value: ["Bussard", 14, kiel, []]))
    }
    told = []
    for _ in 0..<8 { told.insert(await heard.following() ?? "nothing") }
    #expect(
      told == [
        "store didChange true", "values [] [1] [] true", "linking [] [1] [0] true",
        "linking by name [] [1] [] true", "projected [] [1] [0] true", "results [] [1] [] true",
        "list [] [1] [] true", "object [\"crew\"] true",
      ])
  }

  @Test func `an asynchronous refresh says whether there was something new`() async throws {
    let watch = Watch()
    try await watch.open(folder.configuration, Heard())
    #expect(await watch.refresh() == [false, false])
    #expect(await watch.count() == 1)
    try write { $0.create(Ship.self, value: ["Bussard", 3]) }
    #expect(await watch.count() == 1)
    #expect(await watch.refreshAgain())
    #expect(await watch.count() == 2)
    #expect(await !watch.refreshAgain())
  }
}

/// One section, and what is said besides about conflicts and projections.
@Suite struct SectionObservationTests {
  let harbours: HarbourStore
  let store: Store

  init() throws {
    harbours = try HarbourStore()
    store = harbours.store
  }

  private static func report(
    _ change: SectionedResultsChange<ResultsSection<Int32, Ship>>
  ) -> String {
    switch change {
    case .initial(let section): "initial \(section.map(\.name))"
    case .update(let section, let gone, let new, let modified, let came, let went):
      "\(section.map(\.name)) \(gone) \(new) \(modified) \(Array(came)) \(Array(went))"
    case .error(let error): "\(error)"
    }
  }

  @Test func `a section is told of its own objects, and that it comes and goes`() throws {
    let heard = Heard<String>()
    let section = try #require(store.objects(Ship.self).sectioned(by: \.crew).last)
    #expect(section.key == 30)
    let token = section.observe(on: heard.queue) { change in heard.note(Self.report(change)) }
    #expect(heard.next() == "initial [\"Bussard\"]")
    // Another section's changes are not told.
    try store.write { harbours.ship("Adler").name = "Adler II" }
    try store.write { store.create(Ship.self, value: ["Condor", 30]) }
    #expect(heard.next() == "[\"Bussard\", \"Condor\"] [] [[1, 1]] [] [] []")
    try store.write { harbours.ship("Condor").name = "Kondor" }
    #expect(heard.next() == "[\"Bussard\", \"Kondor\"] [] [] [[1, 1]] [] []")
    try store.write { store.delete(store.objects(Ship.self).where { $0.crew == 30 }) }
    #expect(heard.next() == "[] [] [] [] [] [1]")
    try store.write { store.create(Ship.self, value: ["Dachs", 30]) }
    #expect(heard.next() == "[\"Dachs\"] [] [] [] [1] []")
    token.invalidate()
  }

  @Test @MainActor func `a section's changes are a sequence, with who made them`() async throws {
    let store = try harbours.folder.open()
    let section = try #require(store.objects(Ship.self).sectioned(by: \.crew).first)
    var changes = section.changes.detailed.makeAsyncIterator()
    #expect(try await changes.next()?.details.origins == [])
    try store.write { section.first?.name = "A" }
    let next = try #require(try await changes.next())
    #expect(next.details.origins == [.local])
    guard case .update(let present, _, _, let modified, _, _) = next.change else { return }
    #expect(present.map(\.name) == ["A"] && modified == [[0, 0]])
  }

  @Test @MainActor func `everything that is observed is a sequence too`() async throws {
    let store = try harbours.folder.open()
    let kiel = try #require(store.object(ofType: Harbour.self, forPrimaryKey: "KIEL"))
    let adler = try #require(kiel.ships.first)
    var whole = store.changes.detailed.makeAsyncIterator()
    var linking = kiel.ships.changes.makeAsyncIterator()
    var projected = kiel.ships.projectTo.name.changes.makeAsyncIterator()
    var titles = store.objects(ShipTitle.self).changes.makeAsyncIterator()
    var title = ShipTitle(projecting: adler).changes().makeAsyncIterator()
    for change in [try await linking.next()] {
      guard case .initial(let ships)? = change else { throw Unexpected() }
      #expect(ships.map(\.name) == ["Adler", "Bussard"])
    }
    guard case .initial? = try await projected.next(), case .initial? = try await titles.next()
    else { throw Unexpected() }
    // That of the store begins when it is first waited for.
    let writer = Task { @MainActor in try store.write { adler.name = "A" } }
    let first = try await whole.next()
    #expect(first?.change == .didChange && first?.details.origins == [.local])
    try await writer.value
    for change in [try await linking.next()] {
      guard case .update(_, [], [], let modified)? = change else { throw Unexpected() }
      #expect(modified == [0])
    }
    guard case .update(let names, _, _, [0])? = try await projected.next(),
      case .update(let views, _, _, [0])? = try await titles.next()
    else { throw Unexpected() }
    #expect(names.first == "A" && views.first?.title == "A")
    // The object's begins when it is made.
    guard case .change(let view, let changes)? = try await title.next() else {
      throw Unexpected()
    }
    #expect(view.title == "A" && changes.map(\.name) == ["title"])
  }

  @Test func `observers of projections are told who made a change`() throws {
    let heard = Heard<Set<ChangeOrigin>>()
    let title = ShipTitle(projecting: harbours.ship("Adler"))
    let tokens = [
      title.observe(on: heard.queue) { (_: ObjectChange<ShipTitle>, details: ChangeDetails) in
        heard.note(details.origins)
      },
      store.objects(ShipTitle.self).observe(on: heard.queue) {
        (_: ResultsChange<ProjectedResults<ShipTitle>>, details: ChangeDetails) in
        heard.note(details.origins)
      },
    ]
    #expect(heard.next() == [])
    try store.write { harbours.ship("Adler").name = "A" }
    #expect(heard.next() == [.local] && heard.next() == [.local])
    for token in tokens { token.invalidate() }
  }

  @Test func `setting through the property throws where an assignment stops`() throws {
    let adler = harbours.ship("Adler")
    let outside = #expect(throws: Store.Error.self) { try adler.$name.set("A") }
    #expect(outside?.code == .notInTransaction)
    try store.write { try adler.$name.set("A") }
    #expect(adler.name == "A")
    let frozen = #expect(throws: Store.Error.self) { try adler.freeze().$name.set("B") }
    #expect(frozen?.code == .notInTransaction)
    try store.write {
      store.delete(adler)
      let gone = #expect(throws: Store.Error.self) { try adler.$name.set("B") }
      #expect(gone?.code == .invalidObject)
    }
  }
}

private final class ShipTitle: Projection<Ship> {
  @Projected(\Ship.name) var title
}

/// The sequence gave another value than the test expects.
private struct Unexpected: Error {}
