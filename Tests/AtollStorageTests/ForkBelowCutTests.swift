import AtollChanges
import AtollStorage
import AtollVocabulary
import Foundation
import Testing

/// A disk is rolled back behind what others have cut off their logs: both histories are kept and merged, and come
/// out as where no log was cut.
///
/// The witness keeps its whole log.
@Suite struct `forks below a cut` {
  private static let day: Int64 = 86_000_000

  /// The replica that hears first of the history that was written since the disk was rolled back.
  enum Order: CaseIterable {
    case cutFirst, witnessFirst, snapshotFirst
  }

  @Test(arguments: (1...6).map { UInt64($0) }, Order.allCases)
  func `issue 28.4: both histories are merged as where nothing is cut`(
    seed: UInt64, order: Order
  ) throws {
    let isOfCollections = seed.isMultiple(of: 2)
    let model = isOfCollections ? CollectionModel.all : TestModel.all
    var writer = RandomWriter(random: SeededGenerator(seed: seed))
    var collections = CollectionWriter(random: SeededGenerator(seed: seed))
    func write(_ store: TestStore) throws {
      if isOfCollections { try collections.write(store) } else { try writer.write(store) }
    }
    func draw(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &writer.random) }

    var b = try TestStore("b", model: model)
    let (c, witness) = (try TestStore("c", model: model), try TestStore("w", model: model))
    for store in [b, c, witness] { try store.file.announce() }
    for _ in 0..<draw(1...6) { try write(b) }
    try write(c)
    try meet([b, c, witness])
    let disk = try b.closeDisk()
    b = try TestStore("b", model: model, path: b.path)
    for _ in 0..<draw(1...6) {
      try write(b)
      if draw(0...2) == 0 { try meet([b, c, witness]) }
    }
    try write(c)
    try meet([b, c, witness])
    try meet([b, c, witness])
    #expect(try cut(c) > 0)

    b = try b.putBack(disk, model: model)
    b.clock.now = WallTime(milliseconds: c.clock.now.milliseconds + 1000)
    for _ in 0..<draw(1...6) { try write(b) }
    try write(c)

    switch order {
    case .cutFirst: try pull(c, from: b)
    case .witnessFirst: try pull(witness, from: b)
    case .snapshotFirst: try snapshot(b, from: c)
    }
    var stores = [b, c, witness]
    try meet(stores)
    // Whoever begins with a snapshot of what was divided, and writes on.
    let late = try TestStore("late", model: model)
    try snapshot(late, from: c)
    stores.append(late)
    for store in stores { try write(store) }
    try meet(stores)
    try check(stores, "seed \(seed), \(order)")
    // The divided checkpoint goes on: it is cut again, and made anew.
    for store in stores { try store.file.announce() }
    try meet(stores)
    _ = try cut(c)
    for store in stores { try write(store) }
    try meet(stores)
    try check(stores, "seed \(seed), \(order), cut again")
    for store in stores { store.file.close() }
  }

  @Test
  func `issue 28.4: a disk rolled back too far behind a cut is told so, and keeps what it has`()
    throws
  {
    let (b, c) = try putBackBehindCut(of: 2...Int64(Limits.recentChangesets) + 8)
    try b.create(-1)
    let before = try b.exported()
    try c.file.makeSnapshot()
    let failure = #expect(throws: TestFailure.self) { try b.takeSnapshot(of: c) }
    #expect(failure?.detail.contains("its disk was rolled back") == true)
    #expect(try b.exported() == before)
  }

  /// Its own changesets that the snapshot has tell which history the later ones mean.
  @Test
  func
    `issue 28.4: what a file wrote beyond a snapshot keeps the history that it was written upon`()
    throws
  {
    var b = try TestStore("b")
    let (c, d) = (try TestStore("c"), try TestStore("d"))
    for store in [b, c, d] { try store.file.announce() }
    try b.create(1)
    try meet([b, c, d])
    let disk = try b.closeDisk()
    b = try TestStore("b", path: b.path)
    try insert(7, into: b)
    try meet([b, c, d])
    // D names what B wrote in a changeset that C gets, and removes it in one that C does not get.
    try d.create(50)
    try pull(c, from: d)
    try d.write { store in
      let items = FieldPath(store.property("Document", "items")[0])
      let id = try #require(try store.file.find(store["Document"].id, key: .int(1)))
      try store.file.listRemove(store["Document"].id, id: id, list: items, at: 0)
    }
    b = try b.putBack(disk)
    try insert(8, into: b)
    try pull(c, from: b)
    #expect(try c.file.forks().count == 1)
    try snapshot(d, from: c)
    try pull(c, from: d)
    try check([d, c, c], "an element of a history that has a fork")
    #expect(try d.exported().contains("\"items\":[8]"))
  }

  @Test func `issue 28.4: a snapshot that lacks what is cut off here shows its fork all the same`()
    throws
  {
    let (b, c) = try putBackBehindCut(of: 2...4)
    for key in 12...16 { try b.create(Int64(key)) }
    let before = try c.exported()
    try b.file.makeSnapshot()
    let offer = try #require(try b.file.snapshotOffer())
    _ = try c.file.beginStaging(offer.id)
    _ = try c.stage(from: b, offer.id, 0..<offer.pages)
    #expect(try c.file.installSnapshot(offer.id) == .forked)
    #expect(try c.exported() == before)
    #expect(try c.file.verify() == [])
    // By the names that it has now, C has something that B lacks.
    let truncationPoint = try c.file.logStart().truncationPoint
    #expect(truncationPoint.entries.contains { $0.author.branch != .none })
    try snapshot(b, from: c)
    try pull(c, from: b)
    try check([b, c, c], "after a snapshot that was not taken")
    #expect(try c.file.find(c["Document"].id, key: .int(16)) != nil)
    #expect(try b.file.find(b["Document"].id, key: .int(4)) != nil)
  }

  /// B, whose disk is rolled back to before it made objects of these keys, and C, which has them and has cut them
  /// off its log.
  private func putBackBehindCut(of keys: ClosedRange<Int64>) throws -> (TestStore, TestStore) {
    var b = try TestStore("b")
    let c = try TestStore("c")
    for store in [b, c] { try store.file.announce() }
    try b.create(1)
    try meet([b, c])
    let disk = try b.closeDisk()
    b = try TestStore("b", path: b.path)
    for key in keys { try b.create(key) }
    try meet([b, c])
    #expect(try cut(c) > 0)
    return (try b.putBack(disk), c)
  }

  private func insert(_ value: Int64, into store: TestStore) throws {
    try store.write { store in
      let items = FieldPath(store.property("Document", "items")[0])
      let id = try #require(try store.file.find(store["Document"].id, key: .int(1)))
      _ = try store.file.listInsert(
        store["Document"].id, id: id, list: items, at: nil, contentsOf: [.scalar(.int(value))])
    }
  }

  private func check(_ stores: [TestStore], _ comment: String) throws {
    let expected = try stores[2].exported()
    for (number, store) in stores.enumerated() {
      #expect(try store.exported() == expected, "\(comment), store \(number)")
      #expect(try store.file.stateDigest() == stores[2].file.stateDigest(), "\(comment)")
      #expect(try store.file.verify() == [], "\(comment), store \(number)")
      #expect(try store.file.holdings().applied == stores[2].file.holdings().applied, "\(comment)")
    }
  }

  private func cut(_ store: TestStore) throws -> Int {
    let now = store.clock.now
    store.clock.now = WallTime(milliseconds: now.milliseconds + Self.day)
    defer { store.clock.now = now }
    return try store.file.truncateLog(olderThan: .zero).changesets
  }

  private func meet(_ stores: [TestStore]) throws {
    for _ in 0..<3 {
      for from in stores { for to in stores where from !== to { try pull(to, from: from) } }
    }
    for store in stores {
      try store.file.setPeerProgress(
        stores.filter { $0 !== store }.map {
          PeerProgress(peer: $0.file.author, holdings: try $0.file.holdings())
        })
    }
  }

  /// All that the other's log has, and a snapshot first if that log is cut; what depends on something that has
  /// not come yet is left for the next time.
  private func pull(_ to: TestStore, from: TestStore) throws {
    if try !to.file.holdings().stored.includes(from.file.logStart().truncationPoint) {
      try snapshot(to, from: from)
    }
    let entries = try from.sealedLog()
    for outcome in try to.file.apply(entries.map(\.fromPeer)) {
      switch outcome {
      case .applied, .deferred, .duplicate, .branched, .missing, .detached, .equivocation: break
      case .overflowing, .refused: throw TestFailure("not taken: \(outcome)")
      }
    }
    try to.checkDigests()
  }

  private func snapshot(_ to: TestStore, from: TestStore) throws {
    guard try to.file.logStart().missing == nil, try from.file.logStart().missing == nil
    else { return }
    try from.file.makeSnapshot()
    try to.takeSnapshot(of: from)
    _ = try to.fetchBackfill(from: from)
  }
}
