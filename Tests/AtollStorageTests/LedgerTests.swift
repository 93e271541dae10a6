import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

/// The data that decides the ledger has to be in the file, not in memory.
@Suite struct `losses across openings` {
  private let stores: [TestStore]

  init() throws {
    stores = try ["a", "b", "c"].map { try TestStore($0) }
    try stores[0].create(1, at: 1_000_000)
    for store in stores.dropFirst() { try stores[0].send(to: store) }
  }

  private func set(_ store: TestStore, _ name: String, _ value: Int64, at time: Int64) throws {
    let property = store.property("Document", name)[0]
    try store.write(at: time) { store in
      let id = try store.file.find(store["Document"].id, key: .int(1))
      try store.file.assign(
        store["Document"].id, id: try #require(id), FieldPath(property), .scalar(.int(value)))
    }
  }

  @Test func `what an author had seen is known after the file was closed`() throws {
    try set(stores[0], "n", 1, at: 1_001_000)
    try stores[0].send(to: stores[1])
    try set(stores[1], "m", 2, at: 1_002_000)
    try stores[0].send(to: stores[2])
    try stores[1].send(to: stores[2])
    stores[2].file.close()
    try set(stores[1], "n", 3, at: 1_003_000)
    let file = try StoreFile.open(stores[2].path)
    defer { file.close() }
    for outcome in try file.apply(try stores[1].log().map(IncomingChangeset.init)) {
      switch outcome {
      case .applied, .duplicate: break
      case .deferred, .missing, .overflowing, .equivocation, .branched, .detached, .refused:
        Issue.record("\(outcome)")
      }
    }
    #expect(try file.conflicts() == [], "who wrote 3 had seen the 1")
  }

  @Test func `by whom a changeset came is told, and that one's own came by nobody`() throws {
    try set(stores[0], "n", 1, at: 1_001_000)
    try stores[0].send(to: stores[1])
    let relay = stores[1].file.author
    let c = stores[2].file
    _ = try c.apply(try stores[1].log().map(IncomingChangeset.init), from: relay)
    try set(stores[2], "n", 2, at: 1_002_000)
    let explanation = try c.explain(stores[2]["Document"].id, key: .int(1), path: ["n"])
    #expect(explanation.writes.map(\.peer) == [relay, nil])
    #expect(explanation.writes.map(\.fate) == [.overwritten, .holds])
  }

  @Test func `by whom came what was held at first is told too, whatever was refused`() throws {
    let (relay, c) = (stores[1].file.author, stores[2].file)
    try set(stores[0], "n", 1, at: 1_001_000)
    try set(stores[0], "n", 2, at: 1_062_000)
    let log = try stores[0].log().suffix(2).map(IncomingChangeset.init)
    var broken = log[0]
    broken.bytes[broken.bytes.count - 1] ^= 0xFF
    broken.expectedHash = nil
    _ = try c.apply([broken], from: stores[0].file.author)
    _ = try c.apply([log[0]], from: relay)
    guard case .deferred = try c.apply([log[1]], from: stores[0].file.author)[0] else {
      Issue.record("it is not too far ahead")
      return
    }
    stores[2].clock.now = WallTime(milliseconds: 1_070_000)
    #expect(try c.applyDeferred() == nil)
    let explanation = try c.explain(stores[2]["Document"].id, key: .int(1), path: ["n"])
    #expect(explanation.writes.map(\.peer) == [relay, stores[0].file.author])
  }
}
