import Atoll
import Dispatch
import Foundation
import StoreTestKit
import Testing

/// Each misuse with what its message says: what was being done, what was found, what to do.
@Suite struct MisuseTests {
  @Test func `a duplicate primary key stops with class and key`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryStore()
      let store = try folder.open()
      try store.fill()
      try store.write { store.add(Airport("LSZH", "Again")) }
    }
    #expect(said(result, "Airport"))
    #expect(said(result, "LSZH"))
  }

  @Test func `an object of another store is refused with both files`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folders = [TemporaryStore(), TemporaryStore()]
      let first = try folders[0].open()
      try first.fill()
      let second = try folders[1].open()
      guard let airport = first.objects(Airport.self).first else { return }
      try second.write { second.add(airport) }
    }
    #expect(said(result, "Adding an object of class 'Airport' that another store manages"))
    #expect(said(result, "Make a copy with Airport(value: object)"))
  }

  @Test func `assigning outside a transaction is refused with the remedy`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryStore()
      let store = try folder.open()
      try store.fill()
      store.objects(Airport.self).first?.name = "X"
    }
    #expect(said(result, "Assigning 'Airport.name' outside a write transaction."))
    #expect(said(result, "try store.write { … }"))
  }

  @Test func `adding outside a transaction is refused`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryStore()
      try folder.open().add(Airport("A", "A"))
    }
    #expect(said(result, "Adding an object of class 'Airport' outside a write transaction."))
  }

  @Test func `use on another thread is refused with what to use instead`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryStore()
      nonisolated(unsafe) let store = try folder.open()
      let thread = Thread { _ = store.objects(Airport.self) }
      thread.start()
      while !thread.isFinished { await Task.yield() }
    }
    #expect(said(result, "Querying the store on another thread than the one that opened the store"))
    #expect(said(result, "Store(configuration:queue:)"))
  }

  @Test func `use outside the store's queue is refused with its name`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryStore()
      let queue = DispatchQueue(label: "import")
      let store = try Store(configuration: folder.configuration, queue: queue)
      _ = store.objects(Airport.self)
    }
    #expect(said(result, "Querying the store outside the queue 'import'"))
  }

  @Test func `a store can be used on the queue it was opened for`() throws {
    let folder = TemporaryStore()
    let queue = DispatchQueue(label: "import")
    nonisolated(unsafe) let store = try Store(configuration: folder.configuration, queue: queue)
    try queue.sync { try store.fill() }
    #expect(queue.sync { store.objects(Airport.self).count } == 4)
  }

  @Test func `reading a deleted object stops with its class and property`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryStore()
      let store = try folder.open()
      try store.fill()
      guard let airport = store.objects(Airport.self).first else { return }
      try store.write { store.delete(airport) }
      _ = airport.name
    }
    #expect(
      said(result, "Reading 'Airport.name' of the object of class 'Airport' with primary key"))
  }

  @Test func `changing a managed object's primary key is refused`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryStore()
      let store = try folder.open()
      try store.fill()
      try store.write { store.objects(Airport.self).first?.icao = "OTHER" }
    }
    #expect(said(result, "the primary key of a managed object cannot change"))
  }

  @Test func `a transaction inside a transaction is refused`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = try TemporaryStore().openToTheEnd()
      try store.write { try store.write {} }
    }
    #expect(said(result, "transactions do not nest"))
  }

  @Test func `a class that the store does not have is refused with those it has`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryStore()
      _ = try folder.open().objects(Person.self)
    }
    #expect(said(result, "class 'Person' is not in this store"))
    #expect(said(result, "Airport, Country, Location"))
  }
}
