import Atoll
import AtollChanges
import AtollStorage
import AtollVocabulary
import Dispatch
import Foundation
import StoreTestKit
import Testing

/// `store.conflicts`: what an application sees of writes that were lost.
@Suite struct ConflictsTests {
  private let replicas: [TemporaryStore]
  private let stores: [Store]
  private let storeID = UUID()

  init() throws {
    replicas = [TemporaryStore(), TemporaryStore()]
    let id = storeID
    stores = try replicas.map { replica in
      var configuration = replica.configuration
      configuration.storeID = id
      return try Store(configuration: configuration)
    }
    try stores[0].fill()
    try exchange()
    try change(0) { $0.name = "Kloten" }
    // Of writes in one millisecond the replicas' ids decide which is the later.
    Thread.sleep(forTimeInterval: 0.002)
    try change(1) { $0.name = "Flughafen Zürich" }
  }

  @Test func `a lost value is there with class, key, path, both sides and rule`() throws {
    #expect(stores[0].conflicts.isEmpty)
    try exchange()
    for store in stores {
      #expect(store.conflicts.count == 1)
      let conflict = try #require(store.conflicts.first)
      #expect(conflict.className == "Airport")
      #expect(conflict.primaryKey.stringValue == "LSZH")
      #expect(conflict.propertyPath == "name")
      #expect(conflict.rule == .laterTime)
      #expect(conflict.losing.value.stringValue == "Kloten")
      #expect(conflict.winning.value.stringValue == "Flughafen Zürich")
      #expect(conflict.losing.text == "\"Kloten\"")
      #expect(conflict.losing.author != conflict.winning.author)
      let dates = (try #require(conflict.losing.date), try #require(conflict.winning.date))
      #expect(dates.0 <= dates.1)
      #expect(abs(dates.1.timeIntervalSinceNow) < 60)
      #expect(try airport(store).name == "Flughafen Zürich")
    }
  }

  @Test func `an observer of conflicts is told with whose changes they came`() throws {
    let heard = Heard<(Int, Set<ChangeOrigin>)>()
    let token = stores[0].conflicts.observe(on: heard.queue) { change, details in
      switch change {
      case .initial(let conflicts), .update(let conflicts, _, _, _):
        heard.note((conflicts.count, details.origins))
      case .error: heard.note((-1, []))
      }
    }
    #expect(heard.next()?.0 == 0)
    try exchange()
    let (count, origins) = try #require(heard.next())
    #expect(count == 1)
    #expect(!origins.isEmpty && !origins.contains(.process))
    token.invalidate()
  }

  @Test func `a restored value is written on every replica, and the conflict is gone here`() throws
  {
    try exchange()
    let store = stores[1]
    let conflict = try #require(store.conflicts.first)
    let held = try airport(store)
    try store.write {
      try store.conflicts.restore(conflict)
      #expect(held.name == "Kloten", "an object that was read before shows it at once")
      #expect(store.conflicts.isEmpty)
    }
    #expect(store.conflicts.isEmpty)
    try exchange()
    for store in stores { #expect(try airport(store).name == "Kloten") }
    #expect(stores[0].conflicts.count == 1, "what another replica keeps is its own")
  }

  @Test func `a restore that is given up leaves value and conflict`() throws {
    try exchange()
    let store = stores[1]
    let conflict = try #require(store.conflicts.first)
    try store.beginWrite()
    try store.conflicts.restore(conflict)
    store.cancelWrite()
    #expect(store.conflicts.count == 1)
    #expect(try airport(store).name == "Flughafen Zürich")
  }

  @Test func `restoring into an object that was deleted says so, and the transaction goes on`()
    throws
  {
    try exchange()
    let store = stores[0]
    let conflict = try #require(store.conflicts.first)
    try store.write {
      store.delete(try airport(store))
      let error = #expect(throws: Store.Error.self) { try store.conflicts.restore(conflict) }
      #expect(error?.code == .invalidValue)
      #expect(error?.message.contains("name is not there any more") ?? false)
    }
    #expect(store.object(ofType: Airport.self, forPrimaryKey: "LSZH") == nil)
  }

  @Test func `an observer hears of conflicts that come and of those that are dismissed`() throws {
    let heard = Heard<[Int]>()
    let token = stores[0].conflicts.observe(on: DispatchQueue(label: "conflicts")) { change in
      switch change {
      case .initial(let conflicts): heard.note([conflicts.count])
      case .update(let conflicts, let deletions, let insertions, _):
        heard.note([conflicts.count] + deletions + [-1] + insertions)
      case .error: heard.note([])
      }
    }
    #expect(heard.next() == [0])
    try exchange()
    #expect(heard.next() == [1, -1, 0])
    stores[0].refresh()
    let conflict = try #require(stores[0].conflicts.first)
    try stores[0].write { try stores[0].conflicts.dismiss(conflict) }
    #expect(heard.next() == [0, 0, -1])
    token.invalidate()
  }

  // MARK: Steps

  private func airport(_ store: Store) throws -> Airport {
    try #require(store.object(ofType: Airport.self, forPrimaryKey: "LSZH"))
  }

  private func change(_ index: Int, _ body: (Airport) -> Void) throws {
    let store = stores[index]
    store.refresh()
    try store.write { body(try airport(store)) }
  }

  /// Gives each replica what it lacks, as a daemon does, and shows the stores the newest.
  private func exchange() throws {
    let files = try replicas.map { try StoreFile.open($0.file.path) }
    defer { for file in files { file.close() } }
    for (from, to) in [(files[0], files[1]), (files[1], files[0])] {
      let batch = try from.entries(
        lackedBy: try to.appliedVector(), after: .start, limitBytes: 1 << 20)
      for outcome in try to.apply(
        batch.entries.map {
          IncomingChangeset(
            author: $0.id.author, sequence: $0.id.sequence, bytes: $0.bytes,
            expectedHash: $0.id.hash)
        })
      {
        guard case .applied = outcome else {
          Issue.record("\(outcome)")
          return
        }
      }
    }
    for store in stores { store.refresh() }
  }
}
