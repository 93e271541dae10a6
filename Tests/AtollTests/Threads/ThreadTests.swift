import Dispatch
import Foundation
import StoreTestKit
import Testing

@testable import Atoll

/// Stores of actors, handing over, and values for any thread.
@Suite struct ThreadTests {
  let harbours: HarbourStore
  let store: Store

  init() throws {
    harbours = try HarbourStore()
    store = harbours.store
  }

  /// Writes wherever the test has come to, in a store of its own.
  private func write(_ body: (Store) -> Void) throws {
    let store = try harbours.folder.open()
    try store.write { body(store) }
  }

  private actor Office {
    private(set) var store: Store?

    private struct Taken: @unchecked Sendable { let store: Store? }

    func open(_ configuration: Store.Configuration) async throws {
      store = try await Store.open(configuration: configuration)
    }

    /// Uses the store outside the actor.
    nonisolated func leak() async {
      nonisolated(unsafe) let store = await taken().store
      _ = store?.objects(Ship.self)
    }

    private func taken() -> Taken { Taken(store: store) }

    func rename(_ code: String, to name: String) async throws -> Int? {
      let store = store
      return try await store?.asyncWrite {
        store?.object(ofType: Harbour.self, forPrimaryKey: code)?.name = name
        return store?.objects(Harbour.self).count
      }
    }

    func name(of code: String) -> String? {
      store?.refresh()
      return store?.object(ofType: Harbour.self, forPrimaryKey: code)?.name
    }

    func nameAsShown(of code: String) -> String? {
      store?.object(ofType: Harbour.self, forPrimaryKey: code)?.name
    }

    func setAutorefresh(_ moves: Bool) { store?.autorefresh = moves }

    func observe(_ heard: Heard<[String]>) -> NotificationToken? {
      store?.objects(Harbour.self).observe(on: self) { office, change in
        switch change {
        case .initial(let harbours), .update(let harbours, _, _, _):
          heard.note([harbours.store === office.store ? "own" : "other"] + harbours.map(\.name))
        case .error(let error): heard.note(["\(error)"])
        }
      }
    }

    func resolve(_ reference: ThreadSafeReference<Ship>) -> String? {
      store?.resolve(reference)?.name
    }
  }

  @Test func `a store that is opened for an actor is read and written there`() async throws {
    let office = Office()
    try await office.open(harbours.folder.configuration)
    #expect(try await office.rename("KIEL", to: "K") == 2)
    #expect(await office.name(of: "KIEL") == "K")
  }

  @Test func `a store of an actor or a queue shows what others commit without being asked to`()
    async throws
  {
    let office = Office()
    try await office.open(harbours.folder.configuration)
    let queue = DispatchQueue(label: "desk")
    let desk = try queue.sync {
      try Store(configuration: harbours.folder.configuration, queue: queue)
    }
    func onDesk() -> String? {
      queue.sync { desk.object(ofType: Harbour.self, forPrimaryKey: "KIEL")?.name }
    }
    let first = await office.nameAsShown(of: "KIEL")
    #expect(first != nil && first == onDesk())
    for name in ["moved", "moved again"] {
      try write { $0.object(ofType: Harbour.self, forPrimaryKey: "KIEL")?.name = name }
      try await until { await office.nameAsShown(of: "KIEL") == name && onDesk() == name }
    }

    await office.setAutorefresh(false)
    try write { $0.object(ofType: Harbour.self, forPrimaryKey: "KIEL")?.name = "unseen" }
    try await until { onDesk() == "unseen" }
    #expect(await office.nameAsShown(of: "KIEL") == "moved again")
    #expect(await office.name(of: "KIEL") == "unseen")
    queue.sync { desk.close() }
  }

  /// Waits for what others do in turns of theirs.
  private func until(_ condition: () async -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while !(await condition()) {
      try #require(ContinuousClock.now < deadline, "it did not come about")
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  @Test func `nobody waits for a transaction of the same thread`() throws {
    let other = try harbours.folder.open()
    try store.beginWrite()
    let begun = ContinuousClock.now
    let error = #expect(throws: Store.Error.self) { try other.write {} }
    #expect(ContinuousClock.now - begun < .seconds(5))
    #expect(error?.code == .locked)
    #expect(
      error?.message.hasPrefix("Beginning a write transaction: another Store of ") == true
        && error?.message.contains(" writes on this thread, where nobody can wait") == true,
      "\(error?.message ?? "")")
    try store.commitWrite()
    try other.write {}
  }

  @Test func `an asynchronous write waits for another writer without keeping its thread`()
    async throws
  {
    let office = Office()
    try await office.open(harbours.folder.configuration)
    let writer = try Writer(harbours.folder)
    async let count = office.rename("KIEL", to: "K")
    // The actor goes on working meanwhile.
    #expect(await office.name(of: "KIEL") == "Kiel")
    try writer.end()
    #expect(try await count == 2)
  }

  @Test func `an asynchronous write ends with its task`() async throws {
    let office = Office()
    try await office.open(harbours.folder.configuration)
    let writer = try Writer(harbours.folder)
    let write = Task { try await office.rename("KIEL", to: "K") }
    write.cancel()
    await #expect(throws: CancellationError.self) { try await write.value }
    try writer.end()
  }

  @Test func `an observer in an actor is given things of the actor's store`() async throws {
    let office = Office()
    try await office.open(harbours.folder.configuration)
    let heard = Heard<[String]>()
    let token = await office.observe(heard)
    #expect(await heard.following() == ["own", "Kiel", "Brest"])
    try write { $0.object(ofType: Harbour.self, forPrimaryKey: "KIEL")?.name = "K" }
    #expect(await heard.following() == ["own", "K", "Brest"])
    token?.invalidate()
  }

  @Test func `use outside the actor stops with what to use instead`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let harbours = try HarbourStore()
      let office = Office()
      try await office.open(harbours.folder.configuration)
      await office.leak()
    }
    #expect(
      said(result, "Querying the store outside the actor 'Office', for which the store was opened.")
    )
    #expect(said(result, "ThreadSafeReference"))
  }

  @Test func `a store of the main thread is one of the main queue and the main actor`() async throws
  {
    let configuration = harbours.folder.configuration
    let count = try await MainActor.run {
      let store = try Store(configuration: configuration)
      return store.objects(Ship.self).count
    }
    #expect(count == 2)
  }

  // MARK: Handing over

  /// With an asynchronous `main`, the main queue has other threads than the first, one after
  /// another.
  @Test func `the first store of a program may be opened on any thread of the main queue`() async {
    await #expect(processExitsWith: .success) {
      let name = await MainActor.run { Confinement().name }
      guard name == "on the main thread" else { exit(1) }
    }
  }

  @Test func `a reference takes an object to another store, once, and nil if it is gone`()
    async throws
  {
    let office = Office()
    try await office.open(harbours.folder.configuration)
    #expect(await office.name(of: "KIEL") == "Kiel")
    try write { $0.create(Ship.self, value: ["Neu"]) }
    // The other store shows a state from before the object.
    #expect(await office.resolve(try reference(to: "Neu")) == "Neu")
    let gone = try reference(to: "Neu")
    try write { store in store.delete(store.objects(Ship.self).where { $0.name == "Neu" }) }
    #expect(await office.name(of: "KIEL") == "Kiel")
    #expect(await office.resolve(gone) == nil)
  }

  private func reference(to name: String) throws -> ThreadSafeReference<Ship> {
    let ships = try harbours.folder.open().objects(Ship.self)
    return ThreadSafeReference(to: try #require(ships.where { $0.name == name }.first))
  }

  @Test func `references take lists, sets, maps and results too`() throws {
    let adler = harbours.ship("Adler")
    let list = ThreadSafeReference(to: adler.calls)
    let results = ThreadSafeReference(
      to: store.objects(Ship.self).where { $0.crew > 20 }.sorted(by: \.name))
    let other = try harbours.folder.open()
    #expect(other.resolve(list)?.map(\.code) == ["KIEL", "BREST"])
    #expect(other.resolve(results)?.map(\.name) == ["Bussard"])
    try store.write { store.delete(adler) }
    let third = try harbours.folder.open()
    try store.write { store.create(Ship.self, value: ["Adler"]) }
    #expect(third.resolve(ThreadSafeReference(to: harbours.ship("Adler").calls))?.count == 0)
  }

  @Test func `a reference that was resolved serves no second time`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let harbours = try HarbourStore()
      let reference = ThreadSafeReference(to: harbours.ship("Adler"))
      _ = harbours.store.resolve(reference)
      _ = harbours.store.resolve(reference)
    }
    #expect(said(result, "Resolving a reference to a Ship again: it serves once."))
  }

  @Test func `a thread-safe property gives every thread its own object`() throws {
    let property = ThreadSafe(wrappedValue: harbours.ship("Adler"))
    let heard = Heard<String>()
    let thread = Thread {
      let (first, second) = (property.wrappedValue, property.wrappedValue)
      heard.note("\(first?.name ?? "nil") \(first?.store === second?.store)")
    }
    thread.start()
    #expect(heard.next() == "Adler true")
    try store.write { store.delete(harbours.ship("Adler")) }
    let other = Thread { heard.note(property.wrappedValue?.name ?? "gone") }
    other.start()
    #expect(heard.next() == "gone")
  }

  // MARK: Snapshots

  @Test func `a snapshot keeps values, links and collections for any thread`() async throws {
    let adler = harbours.ship("Adler").snapshot()
    let kiel = harbours.harbour("KIEL").snapshot()
    try store.write { store.deleteAll() }
    let read = await Task.detached {
      (
        adler.name, adler.crew, adler.home?.name, adler.calls.map(\.code), kiel.website,
        kiel.depth, kiel.entrance, Array(kiel.piers), adler["crew"] as? Int32
      )
    }.value
    #expect(read.0 == "Adler")
    #expect(read.1 == 12)
    #expect(read.2 == "Kiel")
    #expect(read.3 == ["KIEL", "BREST"])
    #expect(read.4 == URL(string: "https://kiel.example"))
    #expect(read.5 == Fathoms(9))
    #expect(read.6 == Coordinate(latitude: 54.4, longitude: 10.2))
    #expect(read.7 == [1, 2, 3])
    #expect(read.8 == 12)
  }

  @Test func `a snapshot makes an object that can be added again`() throws {
    let snapshot = harbours.harbour("KIEL").snapshot()
    try store.write {
      store.delete(harbours.harbour("KIEL"))
      store.add(snapshot.makeObject())
    }
    #expect(harbours.harbour("KIEL").name == "Kiel")
    #expect(Array(harbours.harbour("KIEL").piers) == [1, 2, 3])
  }

  @Test func `a snapshot follows links as far as it was told, and cycles end`() throws {
    let folder = TemporaryStore([Neighbour.self])
    let store = try folder.open()
    let (a, b) = try store.write {
      let a = store.create(Neighbour.self, value: ["name": "a"])
      let b = store.create(Neighbour.self, value: ["name": "b", "next": a])
      a.next = b
      return (a, b)
    }
    #expect(a.snapshot().next?.next?.next?.name == "b")
    #expect(b.snapshot(links: 5).next?.name == "a")
  }

  @Test func `reading beyond a snapshot's reach stops with the remedy`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let snapshot = try HarbourStore().ship("Adler").snapshot(links: 0)
      guard snapshot.home?.code == "KIEL" else { return }
      _ = snapshot.home?.name
    }
    #expect(said(result, "Reading 'Harbour.name' of an object that is more links away"))
    #expect(said(result, "snapshot(links:)"))
  }

  // MARK: Grouped writes

  @Test func `writes that may share a transaction do, and those that may not do not`() throws {
    let queue = DispatchQueue(label: "grouped")
    nonisolated(unsafe) let own = try Store(
      configuration: harbours.folder.configuration, queue: queue)
    let commits = Heard<Store.Notification>()
    let done = Heard<String>()
    let token = queue.sync { own.observe { notification, _ in commits.note(notification) } }
    queue.sync {}
    try store.beginWrite()
    queue.sync {
      for number in 0..<10 {
        own.writeAsync(isGroupingAllowed: true) {
          own.create(Ship.self, value: ["Neu", number])
        } onComplete: { error in
          done.note(error.map { "\($0)" } ?? "done \(number)")
        }
      }
      let cancelled = own.writeAsync { own.deleteAll() }
      #expect(own.isPerformingAsynchronousWriteOperations)
      own.cancelAsyncTransaction(cancelled)
    }
    try store.commitWrite()
    #expect((0..<10).map { _ in done.next() } == (0..<10).map { "done \($0)" })
    queue.sync {}
    #expect(commits.next() == .didChange)
    #expect(commits.next(within: 0) == nil)
    #expect(queue.sync { own.objects(Ship.self).count } == 12)
    token.invalidate()
  }

  // MARK: Deleted objects

  @Test func `a deleted object is read through its property without stopping`() throws {
    let kiel = harbours.harbour("KIEL")
    #expect(try kiel.$name.value() == "Kiel")
    try store.write { store.delete(kiel) }
    #expect(kiel.isInvalidated)
    #expect(throws: Store.Error.self) { try kiel.$name.value() }
    do throws(Store.Error) {
      _ = try kiel.$name.value()
    } catch {
      #expect(error.code == .invalidObject)
      #expect(
        error.message.contains(
          "'Harbour.name' of the object of class 'Harbour' with primary key 'KIEL'"))
    }
  }

  @Test func `reading a deleted object stops with its class and key`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let harbours = try HarbourStore()
      let kiel = harbours.harbour("KIEL")
      try harbours.store.write { harbours.store.delete(kiel) }
      _ = kiel.name
    }
    #expect(
      said(
        result,
        "Reading 'Harbour.name' of the object of class 'Harbour' with primary key 'KIEL' that was "
          + "deleted"))
  }
}

/// Holds the write lock from a queue of its own.
private final class Writer: Sendable {
  private let queue = DispatchQueue(label: "writer")
  private nonisolated(unsafe) let store: Store

  init(_ folder: TemporaryStore) throws {
    store = try Store(configuration: folder.configuration, queue: queue)
    try queue.sync { try store.beginWrite() }
  }

  func end() throws { try queue.sync { try store.commitWrite() } }
}

private final class Neighbour: Object {
  @Persisted(.either) var name: String
  @Persisted(.either) var next: Neighbour?
}
