import Atoll
import Dispatch
import Foundation
import Observation
import StoreTestKit
import Testing

/// Swift's own observation of model objects, collections and results.
@Suite struct ReadTrackingTests {
  let harbours: HarbourStore
  let store: Store
  let heard = Heard<String>()

  init() throws {
    harbours = try HarbourStore()
    store = harbours.store
  }

  private func track(_ name: String, _ read: () -> Void) {
    withObservationTracking(read) { [heard] in heard.note(name) }
  }

  @Test func `tracking code is told of the property that it read, and of no other`() throws {
    let kiel = harbours.harbour("KIEL")
    track("name") { _ = kiel.name }
    try store.write { kiel.website = nil }
    try store.write { harbours.harbour("BREST").name = "B" }
    #expect(heard.next(within: 0) == nil)
    try store.write { kiel.name = "K" }
    #expect(heard.next(within: 0) == "name")
    try store.write { kiel.name = "L" }
    #expect(heard.next(within: 0) == nil)
  }

  @Test func `any accessor of the object will do`() throws {
    track("name") { _ = harbours.harbour("KIEL").name }
    try store.write { harbours.harbour("KIEL").name = "K" }
    #expect(heard.next(within: 0) == "name")
  }

  @Test func `what others write is told when the store moves on`() throws {
    track("name") { _ = harbours.harbour("KIEL").name }
    let other = try harbours.folder.open()
    try other.write {
      other.object(ofType: Harbour.self, forPrimaryKey: "KIEL")?.name = "K"
    }
    store.refresh()
    #expect(heard.next(within: 0) == "name")
  }

  @Test func `a store of a queue moves on by itself for what tracking code has read`() throws {
    let queue = DispatchQueue(label: "tracking")
    nonisolated(unsafe) let own = try Store(
      configuration: harbours.folder.configuration, queue: queue)
    queue.sync {
      withObservationTracking {
        _ = own.object(ofType: Harbour.self, forPrimaryKey: "KIEL")?.name
      } onChange: { [heard] in
        heard.note("name")
      }
    }
    try store.write { harbours.harbour("KIEL").name = "K" }
    #expect(heard.next() == "name")
  }

  @Test func `collections, results and deletions are told too`() throws {
    let adler = harbours.ship("Adler")
    track("calls") { _ = adler.calls.count }
    track("ships") { _ = store.objects(Ship.self).count }
    track("home") { _ = adler.home?.code }
    try store.write { adler.calls.removeLast() }
    #expect(Set([heard.next(within: 0), heard.next(within: 0)]) == ["calls", "ships"])
    try store.write { store.delete(harbours.harbour("KIEL")) }
    #expect(heard.next(within: 0) == "home")
  }

  @Test func `a transaction that is given up is not told`() throws {
    let kiel = harbours.harbour("KIEL")
    track("name") { _ = kiel.name }
    try store.beginWrite()
    kiel.name = "K"
    store.cancelWrite()
    #expect(heard.next(within: 0) == nil)
  }
}
