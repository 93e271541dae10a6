import Atoll
import Dispatch
import Foundation
import StoreTestKit
import Testing

/// Observers of stores, sections, values, projected and linking objects, and of what links lose.
@Suite struct MoreObservationTests {
  let harbours: HarbourStore
  let store: Store
  let queue = DispatchQueue(label: "more observers")

  init() throws {
    harbours = try HarbourStore()
    store = harbours.store
  }

  // MARK: Links whose target is deleted

  @Test func `an observer of a key path through a link hears that the target was deleted`() throws {
    let heard = Heard<[String]>()
    let tokens = [["home"], ["home.name"], ["calls.name"], ["calls"]].map { paths in
      harbours.ship("Adler").observe(keyPaths: paths, on: queue) { change in
        if case .change(_, let changes) = change { heard.note(paths + changes.map(\.name)) }
      }
    }
    queue.sync {}
    try store.write { store.delete(harbours.harbour("KIEL")) }
    let all = (0..<4).compactMap { _ in heard.next() }
    #expect(
      Set(all) == [
        ["home", "home"], ["home.name", "home"], ["calls.name", "calls"], ["calls", "calls"],
      ])
    for token in tokens { token.invalidate() }
  }

  @Test func `an observer of an object hears that an element of its list was deleted`() throws {
    let heard = Heard<[String]>()
    let token = harbours.ship("Bussard").observe(on: queue) { change in
      if case .change(_, let changes) = change { heard.note(changes.map(\.name)) }
    }
    queue.sync {}
    try store.write { store.delete(harbours.harbour("BREST")) }
    #expect(heard.next() == ["calls"])
    token.invalidate()
  }

  @Test func `results count an object as modified whose link was deleted`() throws {
    let heard = Heard<[Int]>()
    let token = store.objects(Ship.self).observe(on: queue) { change in
      if case .update(_, [], [], let modifications) = change { heard.note(modifications) }
      if case .initial = change { heard.note([]) }
    }
    #expect(heard.next() == [])
    try store.write { store.delete(harbours.harbour("KIEL")) }
    #expect(heard.next() == [0, 1])
    token.invalidate()
  }

  // MARK: Stores

  @Test func `an observer of a store hears of every commit, and by whom`() throws {
    let heard = Heard<(Store.Notification, Set<ChangeOrigin>)>()
    let token = store.observe(on: queue) { notification, store, details in
      heard.note((notification, store.objects(Ship.self).count > 2 ? details.origins : []))
    }
    queue.sync {}
    try store.write { store.create(Ship.self, value: ["Neu"]) }
    let first = try #require(heard.next())
    #expect(first.0 == .didChange)
    #expect(first.1 == [.local])
    token.invalidate()
  }

  @Test func `a store without autorefresh stays until it is refreshed, and says so`() throws {
    let queue = DispatchQueue(label: "own")
    nonisolated(unsafe) let own = try Store(
      configuration: harbours.folder.configuration, queue: queue)
    let heard = Heard<String>()
    let tokens = queue.sync {
      own.autorefresh = false
      return [
        own.observe { notification, _ in heard.note("\(notification)") },
        own.objects(Ship.self).observe { change in
          if case .update = change { heard.note("update") }
        },
      ]
    }
    queue.sync {}
    try store.write { store.create(Ship.self, value: ["Neu"]) }
    #expect(heard.next() == "refreshRequired")
    queue.sync {
      #expect(own.objects(Ship.self).count == 2)
      own.refresh()
      #expect(own.objects(Ship.self).count == 3)
    }
    #expect(heard.next() == "didChange")
    #expect(heard.next() == "update")
    for token in tokens { token.invalidate() }
  }

  @Test func `a store that is closed ends its observers`() throws {
    let queue = DispatchQueue(label: "own")
    nonisolated(unsafe) let own = try Store(
      configuration: harbours.folder.configuration, queue: queue)
    let heard = Heard<Int>()
    let token = queue.sync {
      own.objects(Ship.self).observe { change in
        if case .initial(let ships) = change { heard.note(ships.count) } else { heard.note(-1) }
      }
    }
    #expect(heard.next() == 2)
    queue.sync { own.close() }
    try store.write { store.create(Ship.self, value: ["Neu"]) }
    // An observer that is called after it tells that the closed one's turn is over.
    let other = store.objects(Ship.self).observe(on: queue) { change in
      if case .initial(let ships) = change { heard.note(ships.count) }
    }
    #expect(heard.next() == 3)
    #expect(heard.next(within: 0) == nil)
    token.invalidate()
    other.invalidate()
  }

  // MARK: Sections, values, projections

  @Test func `an observer of sections hears of sections and of objects in them`() throws {
    let sections = store.objects(Ship.self).sectioned(by: \.crew)
    let heard = Heard<[[IndexPath]]>()
    let indices = Heard<[[Int]]>()
    let token = sections.observe(on: queue) { change in
      guard
        case .update(
          _, let deletions, let insertions, let modifications, let opened, let closed) = change
      else { return heard.note([]) }
      heard.note([deletions, insertions, modifications])
      indices.note([Array(opened), Array(closed)])
    }
    #expect(heard.next() == [])
    try store.write { store.create(Ship.self, value: ["Neu", 12]) }
    #expect(heard.next() == [[], [[0, 1]], []])
    #expect(indices.next() == [[], []])
    try store.write { harbours.ship("Bussard").crew = 5 }
    #expect(heard.next() == [[], [], []])
    #expect(indices.next() == [[0], [1]])
    try store.write { harbours.ship("Neu").name = "Alt" }
    #expect(heard.next() == [[], [], [[1, 1]]])
    token.invalidate()
  }

  @Test func `an observer of chosen values hears of those alone`() throws {
    let piers = harbours.harbour("KIEL").piers
    let heard = Heard<[[Int]]>()
    let token = piers.where { $0 > 1 }.observe(on: queue) { change in
      guard case .update(let values, let deletions, let insertions, let modifications) = change
      else { return heard.note([]) }
      heard.note([values.map(Int.init), deletions, insertions, modifications])
    }
    #expect(heard.next() == [])
    try store.write { piers.append(1) }
    try store.write { piers.append(7) }
    #expect(heard.next() == [[2, 3, 7], [], [2], []])
    try store.write { piers.remove(at: 1) }
    #expect(heard.next() == [[3, 7], [0], [], []])
    token.invalidate()
  }

  @Test func `an observer of a projected collection hears of the projected property alone`() throws
  {
    let heard = Heard<[String]>()
    let names = harbours.ship("Adler").calls.projectTo.name
    let token = names.observe(on: queue) { change in
      switch change {
      case .initial(let names): heard.note(Array(names))
      case .update(let names, _, _, let modifications):
        heard.note(modifications.map { names[$0] })
      case .error: break
      }
    }
    #expect(heard.next() == ["Kiel", "Brest"])
    try store.write { harbours.harbour("BREST").website = nil }
    try store.write { harbours.harbour("BREST").name = "B" }
    #expect(heard.next() == ["B"])
    token.invalidate()
  }

  @Test func `an observer of linking objects hears who begins and ends to link`() throws {
    let heard = Heard<[String]>()
    let token = harbours.harbour("KIEL").ships.observe(on: queue) { change in
      switch change {
      case .initial(let ships), .update(let ships, _, _, _): heard.note(ships.map(\.name))
      case .error: break
      }
    }
    #expect(heard.next() == ["Adler", "Bussard"])
    try store.write { harbours.ship("Adler").home = nil }
    #expect(heard.next() == ["Bussard"])
    token.invalidate()
  }
}
