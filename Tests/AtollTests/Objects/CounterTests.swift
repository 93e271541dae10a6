import Atoll
import Foundation
import StoreTestKit
import Testing

/// `increment(by:)` and what becomes of its sums.
@Suite struct CounterTests {
  let folder: TemporaryStore
  let store: Store
  let tally: Tally

  init() throws {
    folder = TemporaryStore([Tally.self, TallyInside.self])
    let store = try folder.open()
    self.store = store
    tally = try store.write {
      store.create(Tally.self, value: ["id": 1, "mapped": 10, "inside": ["count": 1]])
    }
  }

  @Test func `a step is recorded as a step, for every kind of integer property`() throws {
    try store.write {
      tally.$count.increment(by: 5)
      tally.$small.increment()
      tally.$mapped.increment(by: -3)
      tally.inside?.$count.increment(by: 2)
    }
    #expect(try folder.lastVerbs() == ["increment", "increment", "increment", "increment"])
    #expect(tally.count == 5 && tally.small == 1 && tally.mapped == Wrapped(value: 7))
    #expect(tally.inside?.count == 3)
  }

  @Test func `a step on an optional counts once there is a number`() throws {
    try store.write {
      tally.maybe = 4
      tally.$maybe.increment(by: 3)
    }
    #expect(tally.maybe == 7)
  }

  @Test func `a step on nil is refused with class, property and key`() async throws {
    try store.write {
      let error = #expect(throws: Store.Error.self) {
        try tally.$maybe.increment(checkingBy: 2)
      }
      #expect(error?.code == .invalidValue)
      #expect(
        error?.message
          == "Incrementing 'Tally.maybe' by 2 in the object Tally with id 1: its value is nil. "
          + "Assign a number first.")
    }
    #expect(try folder.lastVerbs() == ["create"])
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = try TemporaryStore([Tally.self, TallyInside.self]).openToTheEnd()
      try store.write { store.create(Tally.self, value: ["id": 1]).$maybe.increment() }
    }
    #expect(said(result, "Incrementing 'Tally.maybe' by 1 in the object Tally with id 1: its"))
  }

  @Test func `a step outside a transaction is refused`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = try TemporaryStore([Tally.self, TallyInside.self]).openToTheEnd()
      let tally = try store.write { store.create(Tally.self, value: ["id": 1]) }
      tally.$count.increment()
    }
    #expect(said(result, "Incrementing 'Tally.count' by 1 outside a write transaction"))
  }

  @Test func `an unmanaged object adds, and refuses nil and what does not fit`() throws {
    let tally = Tally()
    tally.$count.increment(by: 3)
    tally.$mapped.increment(by: 2)
    #expect(tally.count == 3 && tally.mapped == Wrapped(value: 2))
    #expect(throws: Store.Error.self) { try tally.$maybe.increment(checkingBy: 1) }
    let error = #expect(throws: Store.Error.self) { try tally.$small.increment(checkingBy: 200) }
    #expect(error?.message.contains("0 and 200 together do not fit a 'Int8'") == true)
    #expect(tally.small == 0)
  }

  @Test func `steps of two replicas add up, and a sum too wide reads as unconvertible`() throws {
    var configuration = folder.configuration
    let other = TemporaryStore([Tally.self, TallyInside.self])
    configuration.fileURL = other.file
    configuration.storeID = store.storeID
    let replica = try Store(configuration: configuration)
    try other.receive(from: folder)
    replica.refresh()
    let theirs = try #require(replica.object(ofType: Tally.self, forPrimaryKey: 1))
    try store.write {
      tally.$small.increment(by: 100)
      tally.$count.increment(by: 1)
    }
    try replica.write {
      theirs.$small.increment(by: 100)
      theirs.$count.increment(by: 2)
    }
    try folder.receive(from: other)
    try other.receive(from: folder)
    store.refresh()
    replica.refresh()
    #expect(tally.count == 3 && theirs.count == 3)
    #expect(!tally.$small.isConvertible && !theirs.$small.isConvertible)
    let error = #expect(throws: Store.Error.self) { try tally.$small.value() }
    #expect(error?.message.contains("'200' does not convert to type 'Int8'") == true)
    #expect(
      store.unconvertible(Tally.self).map(\.description) == ["Tally with id 1: small is '200'"])
    try store.write { tally.$small.increment(by: -150) }
    #expect(tally.small == 50 && tally.$small.isConvertible)
  }

  @Test func `a sum too wide for a required property stops with class, key and value`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = try TemporaryStore([Tally.self, TallyInside.self]).openToTheEnd()
      try store.write {
        let tally = store.create(Tally.self, value: ["id": 1, "small": 100])
        tally.$small.increment(by: 100)
        _ = tally.small
      }
    }
    #expect(
      said(
        result, "Failed to convert persisted value '200' to type 'Int8' in a non-optional context.")
    )
    #expect(said(result, "Property 'Tally.small', in the object Tally with id 1"))
  }
}

final class TallyInside: EmbeddedObject {
  @Persisted(.either) var count: Int
}

final class Tally: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(.either) var count: Int
  @Persisted(.either) var small: Int8
  @Persisted(.either) var maybe: Int?
  @Persisted(.either) var mapped: Wrapped
  @Persisted(.either) var inside: TallyInside?
}
