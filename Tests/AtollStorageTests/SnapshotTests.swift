import AtollChanges
import AtollSQLite
import AtollStorage
import AtollVocabulary
import TestKit
import Testing

@Suite struct `snapshots` {
  @Test(arguments: (1...16).map { UInt64($0) })
  func `a file that began with a snapshot is as one that has the whole log`(seed: UInt64) throws {
    let stores = try ["a", "b"].map { try TestStore($0) }
    var writer = RandomWriter(random: SeededGenerator(seed: seed))
    for _ in 0..<30 { try writer.write(stores[Int.random(in: 0..<2, using: &writer.random)]) }
    try stores[0].send(to: stores[1])
    try stores[1].send(to: stores[0])
    try stores[0].file.makeSnapshot()
    // Both go on writing, and the new one does before it is caught up.
    for store in stores { try writer.write(store) }
    let late = try TestStore("late", model: seed.isMultiple(of: 2) ? TestModel.all : [])
    if seed.isMultiple(of: 2) { try late.create(7) }
    try late.takeSnapshot(of: stores[0])
    let all = stores + [late]
    try meet(all)
    #expect(try Set(all.map { try $0.exported() }).count == 1, "seed \(seed)")
    #expect(try Set(all.map { try $0.file.stateDigest() }).count == 1, "seed \(seed)")
    #expect(try late.file.verify() == [], "seed \(seed)")
    // And whoever begins with what that one began with.
    let later = try TestStore("later")
    try later.takeSnapshot(of: late)
    if seed.isMultiple(of: 2) { try writer.write(later) }
    try meet(all + [later])
    #expect(try later.exported() == stores[1].exported(), "seed \(seed)")
    #expect(try later.file.verify() == [], "seed \(seed)")
  }

  @Test(arguments: (1...16).map { UInt64($0) })
  func `collections of every sort come with a snapshot`(seed: UInt64) throws {
    let stores = try ["a", "b"].map { try TestStore($0, model: CollectionModel.all) }
    var writer = CollectionWriter(random: SeededGenerator(seed: seed))
    for _ in 0..<40 { try writer.write(stores[Int.random(in: 0..<2, using: &writer.random)]) }
    try stores[0].send(to: stores[1])
    try stores[1].file.makeSnapshot()
    let late = try TestStore("late", model: seed.isMultiple(of: 2) ? CollectionModel.all : [])
    try late.takeSnapshot(of: stores[1])
    #expect(try late.exported() == stores[1].exported(), "seed \(seed)")
    #expect(try late.file.stateDigest() == stores[1].file.stateDigest(), "seed \(seed)")
    for store in stores { try writer.write(store) }
    try meet(stores + [late])
    #expect(try late.exported() == stores[0].exported(), "seed \(seed)")
    #expect(try late.file.verify() == [], "seed \(seed)")
  }

  @Test func `a file that is behind takes a snapshot, and keeps what it alone has`() throws {
    let (a, b) = (try TestStore("a"), try TestStore("b"))
    try a.create(1)
    try a.send(to: b)
    try a.write { try increment($0, by: 2) }
    try b.write { try increment($0, by: 40) }
    try a.file.makeSnapshot()
    try b.takeSnapshot(of: a)
    try b.send(to: a)
    #expect(try a.exported() == b.exported())
    #expect(try a.exported().contains("42"))
    // One at a time: the log has to be whole first.
    #expect(throws: TestFailure.self) { try b.takeSnapshot(of: a) }
    #expect(try b.fetchBackfill(from: a) == nil)
    try b.takeSnapshot(of: a)
    #expect(try a.exported() == b.exported())
    #expect(try b.file.verify() == [])
  }

  @Test func `a snapshot goes on where it ended, and another one begins anew`() throws {
    let source = try large("source", documents: 40)
    let offer = try #require(try source.file.snapshotOffer())
    #expect(offer.pages > 3)
    let late = try TestStore("late")
    #expect(try late.file.beginStaging(offer.id) == 0)
    _ = try late.stage(from: source, offer.id, 0..<2)
    let again = try StoreFile.open(late.path, options: StoreOptions(storeID: late.file.storeID))
    #expect(try again.beginStaging(offer.id) == 2)
    again.close()
    // A page that is not next, or does not have its hash, is left.
    #expect(try late.stage(from: source, offer.id, 3..<4) == 2)
    let page = try #require(try source.file.snapshotPages(of: offer.id, from: 2, count: 1).first)
    var other = page
    other.bytes[0] ^= 1
    #expect(try late.file.stage([other], of: offer.id) == 2)
    #expect(try late.stage(from: source, offer.id, 2..<3) == 3)
    guard case .refused(let reason) = try late.file.installSnapshot(offer.id) else {
      Issue.record("half a snapshot was taken")
      return
    }
    #expect(reason.contains("do not give its hash"))
    #expect(try late.file.beginStaging(offer.id) == 0)
    #expect(try late.stage(from: source, offer.id, 0..<offer.pages) == offer.pages)
    #expect(try late.file.installSnapshot(offer.id) == .installed)
    #expect(try late.exported() == source.exported())
  }

  @Test func `no byte of a snapshot can be another one without its being refused`() throws {
    let source = try large("source", documents: 1)
    try source.file.makeSnapshot()
    let offer = try #require(try source.file.snapshotOffer())
    let bytes = try source.file.snapshotPages(of: offer.id, from: 0, count: 8).flatMap(\.bytes)
    var random = SeededGenerator(seed: 7)
    for round in 0..<40 {
      var damaged = bytes
      let place = Int.random(in: 0..<bytes.count, using: &random)
      damaged[place] ^= UInt8.random(in: 1...255, using: &random)
      if round.isMultiple(of: 4) { damaged = Array(bytes.prefix(place)) }
      let late = try TestStore("late", model: [])
      let hash = ChainHash.snapshotOrigin.following(damaged)
      _ = try late.file.beginStaging(hash)
      let page = SnapshotPage(id: hash, index: 0, hash: hash, bytes: damaged)
      _ = try late.file.stage([page], of: hash)
      let before = try late.exported()
      switch try late.file.installSnapshot(hash) {
      case .refused, .early, .forked: #expect(try late.exported() == before)
      case .installed:
        // Not all of it is part of the digest: what authors had seen, say.
        #expect(try late.file.stateDigest() == source.file.stateDigest())
      }
    }
  }

  @Test func `a snapshot that lacks what came with another one is refused`() throws {
    let stores = try ["a", "b"].map { try TestStore($0) }
    for (key, store) in stores.enumerated() {
      try store.create(Int64(key))
      try store.file.makeSnapshot()
    }
    let late = try TestStore("late")
    try late.takeSnapshot(of: stores[0])
    let before = try late.exported()
    // Its cells came, and what they were made of is not in the log to be applied after another one.
    #expect(throws: TestFailure.self) { try late.takeSnapshot(of: stores[1]) }
    #expect(try late.exported() == before)
    try stores[1].send(to: late)
    #expect(try late.file.verify() == [])
  }

  @Test func `a snapshot too far ahead of the clock waits, and drags no clock along`() throws {
    let source = try TestStore("source")
    try source.create(1, at: 500_000)
    try source.file.makeSnapshot()
    let late = try TestStore("late", clock: TestClock())
    late.clock.now = WallTime(milliseconds: 100_000)
    let offer = try #require(try source.file.snapshotOffer())
    _ = try late.file.beginStaging(offer.id)
    _ = try late.stage(from: source, offer.id, 0..<offer.pages)
    #expect(try late.file.installSnapshot(offer.id) == .early(ahead: .seconds(340)))
    #expect(try late.file.beginStaging(offer.id) == offer.pages)
    late.clock.now = WallTime(milliseconds: 440_000)
    #expect(try late.file.installSnapshot(offer.id) == .installed)
  }

  /// The wrong time is nobody's any more.
  @Test func `after a clock repair snapshots are taken at once, and drag no clock along`() throws {
    let source = try TestStore("source")
    try source.create(1, at: 500_000)
    let now = source.clock.now
    source.clock.now = WallTime(milliseconds: now.milliseconds + 315_360_000_000)
    try source.create(2)
    source.clock.now = now
    #expect(try source.file.repairClock()?.changesets == 1)
    try source.file.makeSnapshot()
    let late = try TestStore("late")
    late.clock.now = now
    try late.takeSnapshot(of: source)
    #expect(try late.exported() == source.exported())
    #expect(try late.file.ownTimeAhead() == nil)
  }

  @Test func `a snapshot with a stamp later than its head says is refused`() throws {
    let source = try TestStore("source")
    try source.create(1, at: 500_000)
    try source.file.makeSnapshot()
    let offer = try #require(try source.file.snapshotOffer())
    let pages = SnapshotPages.named(
      try SnapshotPages.changed(
        source.file.snapshotPages(of: offer.id, from: 0, count: offer.pages).map(\.bytes)
      ) { $0.time = HybridTime(milliseconds: 499_999) })
    let late = try TestStore("late")
    let id = try #require(pages.first).id
    _ = try late.file.beginStaging(id)
    _ = try late.file.stage(pages, of: id)
    let outcome = try late.file.installSnapshot(id)
    #expect(outcome == .refused(reason: "a row of it has a later time than its head says"))
  }

  private func increment(_ store: TestStore, by amount: Int64) throws {
    guard let id = try store.file.find(store["Document"].id, key: .int(1)) else { return }
    try store.file.increment(
      store["Document"].id, id: id, FieldPath(store.property("Document", "n")[0]), by: amount)
  }

  /// Every store sends to every other until all have the same.
  private func meet(_ stores: [TestStore]) throws {
    for _ in 0..<2 {
      for from in stores {
        for to in stores where from !== to {
          let truncationPoint = try from.file.logStart().truncationPoint
          if try to.file.holdings().stored.includes(truncationPoint) { try from.send(to: to) }
        }
      }
    }
  }

  /// With a document of many bytes each, so that there are several pages.
  private func large(_ name: String, documents: Int) throws -> TestStore {
    let store = try TestStore(name)
    try store.write { store in
      for key in 1...documents {
        let data = [UInt8](repeating: UInt8(key), count: documents > 1 ? 32 << 10 : 64)
        _ = try store.file.create(
          store["Document"].id, key: .int(Int64(key)),
          fields: [
            NewField(store.property("Document", "d")[0], .scalar(.data(data))),
            NewField(store.property("Document", "items")[0], .list([.scalar(.int(1))])),
          ])
      }
    }
    try store.file.makeSnapshot()
    return store
  }
}

extension TestStore {
  /// Pages of another store's snapshot, one window after the other.
  func stage(from other: TestStore, _ id: ChainHash, _ pages: Range<Int>) throws -> Int {
    var count = 0
    for page in pages {
      count = try file.stage(
        try other.file.snapshotPages(of: id, from: page, count: 1), of: id)
    }
    return count
  }

  func takeSnapshot(of other: TestStore) throws {
    guard let offer = try other.file.snapshotOffer() else { throw TestFailure("no snapshot") }
    _ = try file.beginStaging(offer.id)
    _ = try stage(from: other, offer.id, 0..<offer.pages)
    let outcome = try file.installSnapshot(offer.id)
    guard outcome == .installed else { throw TestFailure("\(outcome)") }
    try checkDigests()
  }
}
