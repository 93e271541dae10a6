import AtollChanges
import AtollSQLite
import AtollStorage
import AtollVocabulary
import Testing

/// The log is cut below what everybody has: objects stay, and nothing comes back that was deleted.
@Suite struct `truncation` {
  private let day = Duration.seconds(86_400)

  @Test(arguments: (1...12).map { UInt64($0) })
  func `a file with a truncated log is as it was, and goes on`(seed: UInt64) throws {
    let stores = try ["a", "b"].map { try TestStore($0) }
    var writer = RandomWriter(random: SeededGenerator(seed: seed))
    for _ in 0..<3 {
      for _ in 0..<12 { try writer.write(stores[Int.random(in: 0..<2, using: &writer.random)]) }
      try meet(stores)
      let before = try stores[0].exported()
      let removed = try truncate(stores[0])
      #expect(removed.changesets > 0, "seed \(seed)")
      #expect(try stores[0].exported() == before, "seed \(seed)")
      #expect(try stores[0].file.verify() == [], "seed \(seed)")
    }
    #expect(try stores[0].file.logSize().changesets < stores[1].file.logSize().changesets)
    for store in stores { try writer.write(store) }
    try meet(stores)
    #expect(try stores[0].exported() == stores[1].exported(), "seed \(seed)")
    #expect(try stores[0].file.verify() == [], "seed \(seed)")
  }

  @Test func `what a truncation that was killed leaves is passed on to nobody, and removed`() throws
  {
    let stores = try ["a", "b"].map { try TestStore($0) }
    for key in 1...3 { for store in stores { try store.create(Int64(key)) } }
    try meet(stores)
    #expect(try truncate(stores[0]).changesets == 6)
    for key in 4...6 { for store in stores { try store.create(Int64(key)) } }
    try meet(stores)
    // The truncation point is raised first; what is below it goes afterwards, some at a time.
    let connection = try Connection(path: stores[0].file.path, access: .readWrite)
    try connection.execute("CREATE TABLE kept AS SELECT * FROM atoll_log WHERE sequence > 4")
    #expect(try truncate(stores[0]).changesets == 6)
    try stores[0].create(7)
    let left = try connection.integer("SELECT count(*) FROM kept") ?? 0
    #expect(left == 4)
    try connection.execute(
      """
      INSERT INTO atoll_log SELECT position - 1000, author, sequence, hash, bytes, seal FROM kept;
      DROP TABLE kept
      """)
    connection.close()
    let all = try stores[0].file.entries(
      lackedBy: VersionVector(), after: .start, limitBytes: 1 << 20)
    #expect(all.entries.map(\.id.sequence.rawValue) == [7])
    let after = [VersionVector.Entry(author: stores[0].file.author, sequence: SequenceNumber(4))]
    #expect(
      try stores[0].file.expeditableEntries(
        after: after, stored: VersionVector(), limitBytes: 1 << 20
      )
      .isEmpty)
    #expect(try stores[0].file.verify() == [])
    #expect(try stores[0].file.finishTruncation().changesets == Int(left))
    #expect(try stores[0].file.logSize().changesets == 1)
  }

  @Test func `a truncation leaves no author behind who never was`() throws {
    let stores = try ["a", "b"].map { try TestStore($0) }
    for key in 1...4 {
      for store in stores { try store.create(Int64(10 * key + (store === stores[0] ? 1 : 2))) }
      try meet(stores)
      #expect(try truncate(stores[0]).changesets > 0)
    }
    let late = try TestStore("late")
    try late.takeSnapshot(of: stores[0])
    for (store, count) in [(stores[0], 2), (late, 3)] {
      let connection = try Connection(path: store.file.path, access: .readOnly)
      defer { connection.close() }
      #expect(try connection.integer("SELECT count(*) FROM atoll_author") == Int64(count))
    }
  }

  @Test func `whoever writes nothing any more keeps nobody from cutting`() throws {
    let stores = try ["a", "b"].map { try TestStore($0) }
    for store in stores { try store.file.announce() }
    for key in 1...5 {
      try stores[0].create(Int64(key))
      try meet(stores)
      #expect(try truncate(stores[0]).changesets > 0, "key \(key)")
    }
    #expect(try stores[0].file.logSize().changesets == 0)
  }

  @Test func `a file that has cut its log can still be made anew`() throws {
    let stores = try ["a", "b"].map { try TestStore($0) }
    for store in stores { try store.file.announce() }
    try stores[0].create(1)
    try meet(stores)
    #expect(try truncate(stores[0]).changesets > 0)
    // A day ahead, so that nobody takes it.
    let now = stores[0].clock.now
    stores[0].clock.now.milliseconds += 86_400_000
    try stores[0].create(2)
    stores[0].clock.now = now
    let repair = try #require(try stores[0].file.repairClock())
    #expect(repair.changesets == 1)
    // Its earlier changesets are named by their hash, though only the checkpoint has them.
    let first = try #require(try stores[0].log().first { $0.id.author == repair.author })
    let superseding = try ChangesetReader(first.bytes, author: repair.author)
    #expect(superseding.declarations.first == .author(repair.former))
    #expect(superseding.dependencies.first?.sequence.rawValue == 2)
    try meet(stores)
    #expect(try stores[0].exported() == stores[1].exported())
    #expect(try stores[0].file.verify() == [])
  }

  @Test func `what is superseded does not go before what supersedes it`() throws {
    let stores = try ["a", "b", "c"].map { try TestStore($0) }
    let (a, b) = (stores[0], stores[1])
    for store in stores { try store.file.announce() }
    try a.create(1)
    try meet(stores)
    for store in stores { store.clock.now.milliseconds += 100_000 }
    try a.create(2)
    try meet(stores)
    for store in stores { store.clock.now.milliseconds -= 100_000 }
    #expect(try a.file.repairClock(isForced: true)?.changesets == 1)
    try a.file.announce()
    // C has what was written ahead, and has not heard that it was reissued.
    try a.send(to: b)
    try tell(stores)
    #expect(try truncate(b).changesets > 0)
    #expect(try b.file.verify() == [])
    for store in stores { store.clock.now.milliseconds += 101_000 }
    try meet(stores)
    #expect(try truncate(b).changesets > 0)
    try b.create(3)
    try meet(stores)
    #expect(try Set(stores.map { try $0.exported() }).count == 1)
    for store in stores { #expect(try store.file.verify() == []) }
  }

  @Test func `what a checkpoint has is not reissued, and if others do that, waits for a snapshot`()
    throws
  {
    let stores = try ["a", "b", "c"].map { try TestStore($0) }
    let (a, b, c) = (stores[0], stores[1], stores[2])
    for store in stores { try store.file.announce() }
    for store in stores { store.clock.now.milliseconds += 100_000 }
    try a.create(1)
    try meet(stores)
    // B has cut off what A is going to reissue, since all clocks took it.
    #expect(try truncate(b).changesets > 0)
    for store in stores { store.clock.now.milliseconds -= 100_000 }
    #expect(try a.file.repairClock(isForced: true)?.changesets == 1)
    for store in stores { store.clock.now.milliseconds += 101_000 }
    try a.send(to: b)
    let wanted = try #require(try b.file.wantedOfSnapshot())
    #expect(try a.file.holdings().applied.includes(wanted))
    try b.create(2)
    try a.file.makeSnapshot()
    try b.takeSnapshot(of: a)
    #expect(try b.fetchBackfill(from: a) == nil)
    #expect(try b.file.wantedOfSnapshot() == nil)
    try c.send(to: a)
    try meet(stores)
    try meet(stores)
    #expect(try Set(stores.map { try $0.exported() }).count == 1)
    for store in stores { #expect(try store.file.verify() == []) }
    // Now with its own log cut there is nothing to reissue.
    for store in stores { try store.file.announce() }
    try meet(stores)
    for store in stores { store.clock.now.milliseconds += 200_000 }
    try b.create(3)
    try meet(stores)
    #expect(try truncate(b).changesets > 0)
    for store in stores { store.clock.now.milliseconds -= 200_000 }
    #expect(try b.file.repairClock(isForced: true)?.changesets ?? 0 == 0)
    #expect(try b.file.verify() == [])
  }

  @Test func `a file that has cut its log takes another history of an author`() throws {
    let stores = try ["a", "b"].map { try TestStore($0) }
    for store in stores { try store.file.announce() }
    try stores[1].create(1)
    try meet(stores)
    let classes = try classCount(of: stores[1])
    #expect(try truncate(stores[0]).changesets > 0)
    try stores[1].create(2)
    try stores[1].send(to: stores[0])
    let last = try #require(try stores[1].log().last)
    let other = Changeset(
      author: last.id.author, sequence: last.id.sequence, time: HybridTime(milliseconds: 1_000_001),
      declarations: [.class(ClassDeclaration(name: "Other", isEmbedded: false, keyType: .int))],
      data: [
        .create(ObjectReference(class: ClassNumber(classes), key: .int(7), generation: .first), [])
      ])
    for store in stores {
      let outcomes = try store.file.apply([
        IncomingChangeset(
          author: last.id.author, sequence: last.id.sequence, bytes: other.encoded())
      ])
      guard case .branched? = outcomes.first else {
        Issue.record("\(outcomes)")
        return
      }
    }
    try meet(stores)
    #expect(try stores[0].exported() == stores[1].exported())
    #expect(try stores[0].exported().contains("Other"))
    for store in stores { #expect(try store.file.verify() == []) }
  }

  @Test(arguments: [false, true])
  func `issue 28.4: a fork behind a cut is read from the log and passed on`(
    isCutAgain: Bool
  ) throws {
    let stores = try ["b", "c"].map { try TestStore($0) }
    let (b, c) = (stores[0], stores[1])
    for store in stores { try store.file.announce() }
    try b.create(1)
    try meet(stores)
    #expect(try truncate(c).changesets > 0)
    let before = try #require(
      try b.file.holdings().heads.first { $0.author == b.file.author }
    ).hash
    // B's disk is rolled back: it writes the changeset that follows the cut a second time.
    try b.create(2)
    try meet(stores)
    let last = try #require(try b.log().last)
    #expect(last.id.author == b.file.author)
    let other = Changeset(
      author: last.id.author, sequence: last.id.sequence, time: HybridTime(milliseconds: 1_000_500),
      declarations: [.class(ClassDeclaration(name: "Other", isEmbedded: false, keyType: .int))],
      data: [
        .create(
          ObjectReference(
            class: ClassNumber(try classCount(of: b)), key: .int(7), generation: .first), []
        )
      ])
    let hash = before.following(other.encoded())
    let seal = try b.key.seal(
      ChangesetID(author: last.id.author, sequence: last.id.sequence, hash: hash),
      in: b.file.storeID)
    for store in stores {
      let outcomes = try store.file.apply([
        IncomingChangeset(
          author: last.id.author, sequence: last.id.sequence, bytes: other.encoded(),
          expectedHash: hash, seal: seal)
      ])
      guard case .branched? = outcomes.first else { throw TestFailure("\(outcomes)") }
    }
    try meet(stores)
    if isCutAgain {
      for store in stores { try store.file.announce() }
      try meet(stores)
      #expect(try truncate(c).changesets > 0)
    }
    // A replica that is linked to C alone has the common history from a checkpoint, and the rest
    // from C's log.
    let d = try TestStore("d")
    try c.file.makeSnapshot()
    try d.takeSnapshot(of: c)
    _ = try d.fetchBackfill(from: c)
    try c.create(3)
    try c.send(to: d)
    try b.send(to: d)
    try c.send(to: b)
    for store in [b, c, d] {
      _ = try store.log()
      #expect(try store.file.verify() == [])
      #expect(try store.exported() == c.exported())
    }
  }

  @Test func `nothing goes that a member has not applied, or that is young`() throws {
    let stores = try ["a", "b", "c"].map { try TestStore($0) }
    for key in 1...3 { for store in stores { try store.create(Int64(key)) } }
    try meet(stores)
    try stores[0].create(4)
    try stores[0].send(to: stores[1])
    try tell(stores)
    let log = try stores[0].file.logSize()
    #expect(try stores[0].file.truncateLog(olderThan: day).changesets == 0)
    let plan = try later(stores[0]) { try $0.file.truncationPlan(olderThan: .zero) }
    #expect(plan.bytes == log.bytes && plan.removable > 0 && plan.removable < log.bytes)
    // The last one is kept for the third alone.
    let held = plan.holders.filter { $0.alone > 0 }
    #expect(held.map(\.known.member.replica) == [stores[2].file.author.replica])
    #expect(plan.removable + (held.first?.alone ?? 0) == log.bytes)
    // Whoever is retired is not waited for.
    try stores[0].file.retire(stores[2].file.author.replica)
    try stores[0].send(to: stores[1])
    try tell(stores)
    #expect(try stores[0].file.truncationPlan(olderThan: .zero).holders.count == 2)
  }

  @Test func `scenarios 48 and 49 an edit of whoever was retired brings nothing back`() throws {
    let stores = try ["a", "b", "late"].map { try TestStore($0) }
    try stores[0].create(1)
    try stores[0].create(2)
    try meet(stores)
    // The third one goes away, is retired, and edits what is deleted and cut off meanwhile.
    try stores[0].write { store in
      guard let id = try store.file.find(store["Document"].id, key: .int(1)) else { return }
      try store.file.delete(store["Document"].id, id: id)
    }
    try stores[0].file.retire(stores[2].file.author.replica)
    try meet(Array(stores.prefix(2)))
    for store in stores.prefix(2) {
      #expect(try truncate(store).changesets > 0)
    }
    try increment(stores[2], key: 1, by: 5)
    try increment(stores[2], key: 2, by: 7)
    try stores[2].create(3)
    // It comes back, takes the objects, and what it wrote arrives once.
    #expect(
      try !stores[2].file.holdings().stored.includes(stores[0].file.logStart().truncationPoint))
    try stores[0].file.makeSnapshot()
    try stores[2].takeSnapshot(of: stores[0])
    #expect(try stores[2].fetchBackfill(from: stores[0]) == nil)
    try meet(stores)
    #expect(try Set(stores.map { try $0.exported() }).count == 1)
    for store in stores {
      #expect(try store.file.find(store["Document"].id, key: .int(1)) == nil)
      #expect(try store.file.find(store["Document"].id, key: .int(3)) != nil)
      #expect(try store.file.verify() == [])
    }
    #expect(try stores[0].exported().contains("7"))
  }

  @Test func `removed list elements go with the log, and what is still done to them does nothing`()
    throws
  {
    let stores = try ["a", "b", "late"].map { try TestStore($0) }
    let items = FieldPath(stores[0].property("Document", "items")[0])
    func write(
      _ store: TestStore, _ body: (StoreFile, ClassID, RowID) throws -> Void
    ) throws {
      try store.write { store in
        let document = store["Document"].id
        guard let id = try store.file.find(document, key: .int(1)) else { return }
        try body(store.file, document, id)
      }
    }
    for (key, store) in stores.enumerated() { try store.create(Int64(key) + 1) }
    try write(stores[0]) { file, document, id in
      let values = (0..<5).map { NewValue.scalar(.int($0)) }
      try file.listInsert(document, id: id, list: items, at: nil, contentsOf: values)
    }
    try meet(stores)
    try stores[0].file.retire(stores[2].file.author.replica)
    try write(stores[0]) { file, document, id in
      for _ in 0..<3 { try file.listRemove(document, id: id, list: items, at: 1) }
    }
    try meet(Array(stores.prefix(2)))
    // Elements that others may not know of are remembered: they may insert beside them.
    try write(stores[0]) { file, document, id in
      try file.listInsert(document, id: id, list: items, at: 1, .scalar(.int(9)))
      try file.listRemove(document, id: id, list: items, at: 1)
    }
    #expect(try removed(stores[0]) == 4)
    let digest = try stores[0].file.stateDigest()
    #expect(try truncate(stores[0]).changesets > 0)
    let kept = try stores.map(removed)
    #expect(kept == [1, 3, 0])
    #expect(try stores[0].file.stateDigest() == digest)
    // The late one sets, moves and removes what is not there, and inserts beside it.
    try write(stores[2]) { file, document, id in
      try file.listAssign(document, id: id, list: items, at: 1, .scalar(.int(77)))
      try file.listMove(document, id: id, list: items, from: 2, to: 4)
      try file.listRemove(document, id: id, list: items, at: 2)
      try file.listInsert(document, id: id, list: items, at: 2, .scalar(.int(42)))
    }
    try stores[0].file.makeSnapshot()
    try stores[2].takeSnapshot(of: stores[0])
    #expect(try stores[2].fetchBackfill(from: stores[0]) == nil)
    try meet(stores)
    for store in stores {
      #expect(try store.exported() == stores[0].exported())
      #expect(try store.file.stateDigest() == stores[0].file.stateDigest())
      #expect(try store.file.verify() == [])
    }
    #expect(try stores[0].exported().contains("\"items\":[0,42,4]"))
    #expect(try stores[2].file.conflicts().map(\.rule).contains(.elementRemoved))
  }

  private func removed(_ store: TestStore) throws -> Int64? {
    try Connection(path: store.path, access: .readOnly)
      .integer("SELECT count(*) FROM \"Document.items\" WHERE _removed = 1")
  }

  private func truncate(_ store: TestStore) throws -> LogTruncation {
    try later(store) { try $0.file.truncateLog(olderThan: .zero) }
  }

  /// Does something when all stamps are in the past.
  private func later<Result>(
    _ store: TestStore, _ body: (TestStore) throws -> Result
  ) rethrows -> Result {
    let now = store.clock.now
    store.clock.now = WallTime(milliseconds: now.milliseconds + 86_000_000)
    defer { store.clock.now = now }
    return try body(store)
  }

  /// The classes that a store's own author has declared, as far as they are in its log.
  private func classCount(of store: TestStore) throws -> UInt32 {
    try store.log().filter { $0.id.author == store.file.author }.reduce(into: 0) { sum, entry in
      let reader = try ChangesetReader(entry.bytes, author: entry.id.author)
      sum += UInt32(reader.declarations.count { if case .class = $0 { true } else { false } })
    }
  }

  private func increment(_ store: TestStore, key: Int64, by amount: Int64) throws {
    try store.write { store in
      guard let id = try store.file.find(store["Document"].id, key: .int(key)) else { return }
      try store.file.increment(
        store["Document"].id, id: id, FieldPath(store.property("Document", "n")[0]), by: amount)
    }
  }

  private func meet(_ stores: [TestStore]) throws {
    for _ in 0..<2 {
      for from in stores { for to in stores where from !== to { try from.send(to: to) } }
    }
    try tell(stores)
  }

  /// Each hears what the others have.
  private func tell(_ stores: [TestStore]) throws {
    for store in stores {
      try store.file.setPeerProgress(
        stores.filter { $0 !== store }.map {
          PeerProgress(peer: $0.file.author, holdings: try $0.file.holdings())
        })
    }
  }
}
