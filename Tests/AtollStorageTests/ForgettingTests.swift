import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

/// Deletions that everybody has applied are forgotten, and nothing that comes late brings them back
/// (`protocol/changeset.md`, *Settling and forgetting*).
@Suite struct `forgetting deletions` {
  private let a: TestStore
  private let b: TestStore
  private let c: TestStore
  private var members: [TestStore] { [a, b, c] }

  /// Three that have had objects 1 to 3 and the counter 6, and have deleted 1 and 2.
  init() throws {
    (a, b, c) = (try TestStore("a"), try TestStore("b"), try TestStore("c"))
    for store in members { try store.file.announce() }
    for key in [1, 2, 3, 6] as [Int64] { try a.create(key) }
    try meet(members)
  }

  /// Deletes 1 and 2, lets `others` hear of it and all logs be cut, and has A settle it.
  private func settle(among others: [TestStore]) throws {
    for key in [1, 2] as [Int64] { try delete(key, in: a) }
    try meet([a] + others)
    for store in [a] + others { #expect(try truncate(store).changesets > 0) }
    try tell([a] + others)
    #expect(try a.file.forgetDeletions() == 2)
  }

  @Test func `deletions that all have applied are forgotten by all`() throws {
    try settle(among: [b, c])
    try meet(members)
    for store in members {
      #expect(try store.file.logHorizon(olderThan: .zero).deletions == 0)
      #expect(try store.file.stateDigest() == a.file.stateDigest())
      #expect(try store.file.verify() == [])
    }
    // Who makes such an object again makes a new one, and who deletes it uses no number twice.
    try b.create(1)
    try meet(members)
    try delete(1, in: c)
    try meet(members)
    #expect(try a.file.forgetDeletions() == 0)
    try c.create(1)
    try meet(members)
    try expectEqual(members)
    for store in members { #expect(try exists(1, in: store)) }
    // The base that comes next has all of it.
    for store in members { #expect(try truncate(store).changesets > 0) }
    try b.create(9)
    try meet(members)
    try expectEqual(members)
  }

  @Test func `nothing is forgotten that a member has not applied`() throws {
    for key in [1, 2] as [Int64] { try delete(key, in: a) }
    try meet([a, b])
    #expect(try a.file.forgetDeletions() == 0)
    _ = try truncate(a)
    #expect(try a.file.forgetDeletions() == 0)
    try meet(members)
    #expect(try truncate(a).changesets > 0)
    #expect(try a.file.forgetDeletions(atLeast: 3) == 0)
    #expect(try a.file.forgetDeletions(atLeast: 2) == 2)
  }

  @Test func `a file that was restored forgets nothing`() throws {
    let backup = TestFolder.path("backup")
    try a.file.backUp(to: backup)
    let restored = try TestStore("restored", path: backup)
    let stores = [restored, b, c]
    try restored.file.announce()
    for key in [1, 2] as [Int64] { try delete(key, in: restored) }
    try meet(stores)
    #expect(try truncate(restored).changesets > 0)
    #expect(try restored.file.forgetDeletions() == 0)
    #expect(try truncate(b).changesets > 0)
    #expect(try b.file.forgetDeletions() == 2)
  }

  @Test func `scenario 47 what a late replica makes under a forgotten key exists everywhere`()
    throws
  {
    let late = c
    try a.file.retire(late.file.author.replica)
    try late.write { store in
      _ = try store.file.create(store["Document"].id, key: .int(8), fields: [])
      for key in [1, 6] as [Int64] { try Self.add(5, to: key, in: store) }
    }
    try delete(1, in: late)
    try late.create(1)
    try increment(1, by: 3, in: late)
    try settle(among: [b])
    try meet([a, b])
    try late.takeSnapshot(of: made(a))
    #expect(try late.takeBacklog(of: a) == nil)
    try meet(members)
    try expectEqual(members)
    for store in members {
      #expect(try exists(8, in: store))
      // It was made anew, in a life of which nobody knows how many there were.
      #expect(try number(6, in: store) == 5)
      #expect(try !exists(2, in: store))
    }
  }

  @Test func `scenario 48 a late edit of what is forgotten does not bring it back`() throws {
    let late = c
    try a.file.retire(late.file.author.replica)
    try increment(1, by: 5, in: late)
    try increment(6, by: 7, in: late)
    try settle(among: [b])
    try meet([a, b])
    try late.takeSnapshot(of: made(a))
    #expect(try late.file.conflicts().contains { $0.key == .int(1) })
    #expect(try late.takeBacklog(of: a) == nil)
    try meet(members)
    try expectEqual(members)
    for store in members {
      #expect(try !exists(1, in: store))
      #expect(try number(6, in: store) == 7)
    }
  }

  @Test func `what comes late counts nowhere until it is written again`() throws {
    // A guest nobody knows of has written without what is settled.
    let guest = try TestStore("guest")
    try b.send(to: guest)
    try guest.create(7)
    try guest.write { try Self.add(3, to: 6, in: $0) }
    for key in [1, 2] as [Int64] { try delete(key, in: a) }
    try meet(members)
    #expect(try truncate(a).changesets > 0)
    try guest.send(to: b)
    try increment(7, by: 1, in: b)
    #expect(try number(6, in: b) == 3)
    #expect(try a.file.forgetDeletions() == 2)
    try a.send(to: b)
    #expect(try number(6, in: b) == 0)
    #expect(try !exists(7, in: b))
    #expect(try b.file.verify() == [])
    // What B wrote upon it waits for its author.
    try b.send(to: guest)
    try guest.send(to: b)
    try meet(members + [guest])
    try expectEqual(members + [guest])
    for store in members + [guest] {
      #expect(try number(6, in: store) == 3)
      #expect(try number(7, in: store) == 1)
      #expect(try !exists(1, in: store))
    }
  }

  @Test func `what others do not write again is waited for a minute`() throws {
    let guest = try TestStore("guest")
    try b.send(to: guest)
    try guest.create(7)
    for key in [1, 2] as [Int64] { try delete(key, in: a) }
    try meet(members)
    #expect(try truncate(a).changesets > 0)
    try guest.send(to: b)
    try increment(7, by: 1, in: b)
    try increment(6, by: 2, in: b)
    #expect(try a.file.forgetDeletions() == 2)
    try a.send(to: b)
    #expect(try number(6, in: b) == 0)
    let wait = try #require(try b.file.applyHeld())
    #expect(wait <= .seconds(60) && wait > .seconds(50))
    // What it writes meanwhile counts.
    try increment(6, by: 10, in: b)
    try meet(members)
    #expect(try number(6, in: c) == 10)
    for store in members { store.clock.now.milliseconds += 61_000 }
    #expect(try b.file.applyHeld() == nil)
    try meet(members)
    try expectEqual(members)
    #expect(try number(6, in: c) == 12)
  }

  @Test func `it is the same in whatever order it comes`() throws {
    let guest = try TestStore("guest")
    try b.send(to: guest)
    try guest.create(7)
    for key in [1, 2] as [Int64] { try delete(key, in: a) }
    try meet(members)
    #expect(try truncate(a).changesets > 0)
    #expect(try a.file.forgetDeletions() == 2)
    // C hears of the settlement first, B of what is late.
    try a.send(to: c)
    try guest.send(to: b)
    try guest.send(to: c)
    try increment(7, by: 4, in: b)
    try b.send(to: c)
    #expect(try !exists(7, in: c))
    #expect(try exists(7, in: b))
    try meet([a, b, c])
    #expect(try !exists(7, in: b))
    try expectEqual(members)
    try b.send(to: guest)
    try meet(members + [guest])
    try meet(members + [guest])
    try expectEqual(members + [guest])
    for store in members + [guest] { #expect(try number(7, in: store) == 4) }
  }

  @Test func `two that wrote upon each other's late changesets in turn lose nothing`() throws {
    let (guest, other) = (try TestStore("guest"), try TestStore("other"))
    for store in [guest, other] { try b.send(to: store) }
    try guest.create(7)
    try guest.send(to: other)
    try increment(7, by: 1, in: other)
    try other.create(8)
    try other.send(to: guest)
    try increment(8, by: 2, in: guest)
    try increment(6, by: 2, in: guest)
    for key in [1, 2] as [Int64] { try delete(key, in: a) }
    try meet(members)
    #expect(try truncate(a).changesets > 0)
    #expect(try a.file.forgetDeletions() == 2)
    try a.send(to: b)
    try b.send(to: guest)
    try b.send(to: other)
    let all = members + [guest, other]
    try meet(all)
    try meet(all)
    try expectEqual(all)
    for store in all {
      #expect(try number(6, in: store) == 2)
      #expect(try number(7, in: store) == 1)
      #expect(try number(8, in: store) == 2)
    }
  }

  @Test func `what the base has cannot be taken back, so the settlement waits`() throws {
    // B takes what a guest wrote, and a newcomer begins with a snapshot that has it.
    let (guest, newcomer) = (try TestStore("guest"), try TestStore("newcomer"))
    try b.send(to: guest)
    try guest.create(7)
    for key in [1, 2] as [Int64] { try delete(key, in: a) }
    try meet(members)
    #expect(try truncate(a).changesets > 0)
    try guest.send(to: b)
    try newcomer.takeSnapshot(of: made(b))
    #expect(try a.file.forgetDeletions() == 2)
    #expect(try newcomer.file.wantedOfSnapshot() == nil)
    try a.send(to: newcomer)
    // A snapshot that has it would do as well.
    let wanted = try #require(try newcomer.file.wantedOfSnapshot())
    #expect(try a.file.holdings().applied.includes(wanted))
    #expect(try !b.file.holdings().applied.includes(wanted))
    #expect(try exists(7, in: newcomer))
    #expect(
      try newcomer.file.holdings().applied[a.file.author]
        < newcomer.file.holdings().held[a.file.author])
    // What the snapshot was made of tells.
    #expect(try newcomer.takeBacklog(of: b) == nil)
    #expect(try newcomer.file.applyHeld() == nil)
    #expect(try !exists(7, in: newcomer))
    #expect(try newcomer.file.wantedOfSnapshot() == nil)
    try b.send(to: guest)
    try a.send(to: guest)
    let all = members + [guest, newcomer]
    try meet(all)
    try expectEqual(all)
    for store in all { #expect(try exists(7, in: store)) }
  }

  @Test func `settlements are kept for good, and what comes late is late by each`() throws {
    // Who joins knows the first by a snapshot, and what comes late by it only afterwards.
    let (guest, joiner) = (try TestStore("guest"), try TestStore("joiner"))
    try b.send(to: guest)
    try guest.create(7)
    try settle(among: [b, c])
    try meet(members)
    try joiner.takeSnapshot(of: made(b))
    #expect(try joiner.takeBacklog(of: b) == nil)
    try guest.send(to: joiner)
    #expect(try !exists(7, in: joiner))
    try increment(6, by: 3, in: joiner)
    let joined = members + [joiner]
    try joiner.file.announce()
    try joiner.file.retire(guest.file.author.replica)
    try meet(joined)
    // One more.
    try a.create(4)
    try meet(joined)
    try delete(4, in: a)
    try meet(joined)
    _ = try truncate(a)
    try tell(joined)
    #expect(try a.file.forgetDeletions() == 1)
    try meet(joined)
    try guest.takeSnapshot(of: made(b))
    #expect(try guest.takeBacklog(of: b) == nil)
    let all = joined + [guest]
    try meet(all)
    try meet(all)
    try expectEqual(all)
    for store in all {
      #expect(try number(6, in: store) == 3)
      #expect(try exists(7, in: store))
      #expect(try !exists(4, in: store))
    }
  }

  @Test func `an author that forks after a settlement is judged by its histories`() throws {
    try settle(among: [b, c])
    try meet(members)
    try b.create(1)
    try meet(members)
    // A day ahead: the repair makes all objects anew.
    let now = a.clock.now
    a.clock.now.milliseconds += 86_400_000
    try a.create(11)
    a.clock.now = now
    #expect(try a.file.repairClock()?.changesets == 1)
    try meet(members)
    try expectEqual(members)
    for store in members { #expect(try exists(11, in: store)) }
  }

  // MARK: Helpers

  private func made(_ store: TestStore) throws -> TestStore {
    try store.file.makeSnapshot()
    return store
  }

  private func expectEqual(_ stores: [TestStore]) throws {
    let states = try stores.map { try $0.exported() }
    for (store, state) in zip(stores, states) {
      #expect(state == states[0], "\(store.file.path)")
      #expect(try store.file.stateDigest() == stores[0].file.stateDigest(), "\(store.file.path)")
      #expect(try store.file.verify() == [], "\(store.file.path)")
    }
  }

  private func truncate(_ store: TestStore) throws -> LogTruncation {
    let now = store.clock.now
    store.clock.now = WallTime(milliseconds: now.milliseconds + 86_000_000)
    defer { store.clock.now = now }
    return try store.file.truncateLog(olderThan: .zero)
  }

  private func exists(_ key: Int64, in store: TestStore) throws -> Bool {
    try store.file.find(store["Document"].id, key: .int(key)) != nil
  }

  private func number(_ key: Int64, in store: TestStore) throws -> Int64? {
    guard let row = try store.file.row(of: store["Document"].id, key: .int(key)),
      let column = store["Document"].column([store.property("Document", "n")[0]])
    else { return nil }
    if case .int(let value) = row.columns[column] { return value }
    return 0
  }

  private func delete(_ key: Int64, in store: TestStore) throws {
    try store.write { store in
      guard let id = try store.file.find(store["Document"].id, key: .int(key)) else { return }
      try store.file.delete(store["Document"].id, id: id)
    }
  }

  private func increment(_ key: Int64, by amount: Int64, in store: TestStore) throws {
    try store.write { try Self.add(amount, to: key, in: $0) }
  }

  private static func add(_ amount: Int64, to key: Int64, in store: TestStore) throws {
    guard let id = try store.file.find(store["Document"].id, key: .int(key)) else { return }
    try store.file.increment(
      store["Document"].id, id: id, FieldPath(store.property("Document", "n")[0]), by: amount)
  }

  private func meet(_ stores: [TestStore]) throws {
    for _ in 0..<2 {
      for from in stores { for to in stores where from !== to { try from.send(to: to) } }
    }
    try tell(stores)
  }

  private func tell(_ stores: [TestStore]) throws {
    for store in stores {
      try store.file.setPeerProgress(
        stores.filter { $0 !== store }.map {
          PeerProgress(peer: $0.file.author, holdings: try $0.file.holdings())
        })
    }
  }
}
