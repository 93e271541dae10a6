import AtollChanges
import AtollStorage
import AtollVocabulary
import Foundation
import Testing

/// Removals in a store that has owners, as `protocol/owners.md` has them.
///
/// The founder and `b` are owners, `w` and `x` writers; `w` is the one that is removed. `y` only listens.
@Suite struct RemovalTests {
  private let founder: TestStore
  private let b: TestStore
  private let w: TestStore
  private let x: TestStore
  private let y: TestStore
  private var removed: ReplicaID { w.file.author.replica }

  init() throws {
    let founder = try TestStore("founder", storeID: nil, isOwned: true)
    func member(_ name: String, _ admission: Admission?) throws -> TestStore {
      let store = try TestStore(name, storeID: founder.file.storeID)
      if let admission { try founder.file.admit(store.file.author.replica, as: admission) }
      return store
    }
    self.founder = founder
    b = try member("b", .owner)
    w = try member("w", .writer)
    x = try member("x", .writer)
    y = try member("y", nil)
    for store in [b, w, x] { try founder.send(to: store) }
    // All have documents 1 and 2, which W has made.
    for key in 1...2 { try create(Int64(key), on: w) }
    try exchange([founder, b, w, x])
  }

  // MARK: Helpers

  private func create(_ key: Int64, on store: TestStore, at time: Int64? = nil) throws {
    try store.write(at: time) { store in
      let items = store.property("Document", "items")[0]
      _ = try store.file.create(
        store["Document"].id, key: .int(key),
        fields: [NewField(items, .list([.scalar(.int(key))]))])
    }
  }

  private func set(_ key: Int64, _ value: Int64, on store: TestStore) throws {
    let n = FieldPath(store.property("Document", "n")[0])
    try store.write { store in
      let id = try #require(try store.file.find(store["Document"].id, key: .int(key)))
      try store.file.assign(store["Document"].id, id: id, n, .scalar(.int(value)))
    }
  }

  private func has(_ key: Int64, _ store: TestStore) throws -> Bool {
    try store.file.find(store["Document"].id, key: .int(key)) != nil
  }

  /// Offers a store all that another has; what it does not take yet is offered again.
  private func pull(_ to: TestStore, from: TestStore) throws {
    for outcome in try to.file.apply(from.sealedLog().map(\.fromPeer)) {
      if case .refused(let reason) = outcome { throw TestFailure("refused: \(reason)") }
    }
    try to.checkDigests()
  }

  private func exchange(_ stores: [TestStore]) throws {
    for _ in 0..<3 {
      for from in stores { for to in stores where from !== to { try pull(to, from: from) } }
    }
  }

  private func expectEqual(
    _ stores: [TestStore], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let expected = try stores[0].exported()
    for store in stores {
      #expect(try store.exported() == expected, sourceLocation: sourceLocation)
      #expect(
        try store.file.stateDigest() == stores[0].file.stateDigest(),
        sourceLocation: sourceLocation)
      #expect(try store.file.verify() == [], sourceLocation: sourceLocation)
    }
  }

  // MARK: What counts

  /// W does not know yet, and X does not, who writes upon what W wrote.
  @Test
  func `issue 32: what a removed replica writes counts for nothing, whoever hears of it late`()
    throws
  {
    try founder.file.remove(removed)
    #expect(try !founder.file.remove(removed))
    #expect(try founder.file.removals() == [removed])
    try create(3, on: w)
    try set(1, 7, on: w)
    try pull(x, from: w)
    try create(4, on: x)
    try set(3, 8, on: x)
    try set(2, 9, on: x)
    let orders: [[TestStore]] = [
      [founder, x, w], [x, w, founder], [w, founder, x], [x, founder, w], [w, x, founder],
    ]
    var listeners: [TestStore] = []
    for (number, order) in orders.enumerated() {
      let fresh = try TestStore("fresh\(number)", storeID: founder.file.storeID)
      for _ in 0..<3 { for store in order { try pull(fresh, from: store) } }
      #expect(try has(4, fresh))
      #expect(try fresh.file.isRemoved(removed))
      listeners.append(fresh)
    }
    let all = [founder, b, w, x, y]
    try exchange(all)
    try expectEqual(all + listeners)
    let text = try founder.exported()
    #expect(text.contains(#""n":9"#) && !text.contains(#""n":7"#))
    // X had document 3, and wrote in it: that is there, and nothing that W wrote.
    #expect(text.contains(#""n":8"#) && !text.contains("[3]"))
    let holdings = try founder.file.holdings().stored
    for store in all { #expect(try store.file.holdings().stored == holdings) }
  }

  /// X writes in an object that W has made, and so does Y, which made one with the same key itself.
  @Test func `issue 32: who made an object does not matter to those who wrote in it`() throws {
    try founder.file.admit(y.file.author.replica, as: .writer)
    try founder.file.remove(removed)
    try create(3, on: w)
    try pull(x, from: w)
    try set(3, 8, on: x)
    try pull(y, from: founder)
    try create(3, on: y)
    var listeners: [TestStore] = []
    for (number, order) in [[founder, x, y, w], [y, founder, x, w], [w, x, founder, y]].enumerated()
    {
      let fresh = try TestStore("fresh\(number)", storeID: founder.file.storeID)
      for _ in 0..<3 { for store in order { try pull(fresh, from: store) } }
      listeners.append(fresh)
    }
    let all = [founder, b, w, x, y]
    try exchange(all)
    try expectEqual(all + listeners)
    let text = try founder.exported()
    #expect(text.contains(#""n":8"#) && text.contains("[3]"))
    // A deletion stays one.
    try y.write { y in
      let id = try #require(try y.file.find(y["Document"].id, key: .int(3)))
      try y.file.delete(y["Document"].id, id: id)
    }
    try exchange(all)
    try expectEqual(all)
    #expect(try !has(3, x))
  }

  @Test func `issue 32: a removed replica writes no more, and is told why`() throws {
    try b.file.remove(removed)
    try pull(w, from: b)
    do throws(StorageError) {
      try w.file.beginWrite()
      Issue.record("a removed replica writes")
    } catch {
      guard case .removed(_, _, let replica) = error else { throw error }
      #expect(replica == removed)
      #expect("\(error)".contains("atoll clone"))
    }
    #expect(try !w.file.announce())
    #expect(try has(1, w))
    // It is for good, and nobody waits for it.
    #expect(throws: StorageError.self) { try b.file.admit(removed, as: .owner) }
    let members = try b.file.members()
    #expect(members.filter(\.isRemoved).map(\.replica) == [removed])
    #expect(members.filter(\.isRetired).map(\.replica) == [removed])
  }

  @Test func `issue 32: an owner stays, and who is no owner removes nobody`() throws {
    for (store, replica) in [
      (founder, b.file.author.replica), (b, founder.file.author.replica),
      (w, x.file.author.replica),
    ] {
      #expect(throws: StorageError.self) { try store.file.remove(replica) }
      #expect(try store.file.removals().isEmpty)
    }
    let forged = try forged(by: w, incarnation: 77, removing: x.file.author.replica)
    guard case .refused(let reason)? = try b.file.apply([forged]).first else {
      Issue.record("a writer removes another")
      return
    }
    #expect(reason.contains("an owner of the store"))
  }

  @Test func `issue 32: an owner's word stands first in its changeset`() throws {
    let forged = try forged(
      by: founder, incarnation: 78, removing: x.file.author.replica, isFirst: false)
    guard case .refused(let reason)? = try b.file.apply([forged]).first else {
      Issue.record("a removal was taken that is not the first operation")
      return
    }
    #expect(reason.contains("by the first operation"))
  }

  /// A changeset that a store's own client would not write, with the store's own seal.
  private func forged(
    by store: TestStore, incarnation: UInt64, removing replica: ReplicaID, isFirst: Bool = true
  ) throws -> IncomingChangeset {
    let author = Author(
      replica: store.file.author.replica, incarnation: Incarnation(incarnation))
    func declaration(_ name: String) -> Declaration {
      .class(ClassDeclaration(name: name, isEmbedded: false, keyType: .string))
    }
    func creation(_ number: UInt32, _ key: String) -> AtollChanges.Operation {
      .data(
        .create(
          ObjectReference(class: ClassNumber(number), key: .string(key), generation: .first), []))
    }
    let removal = creation(0, "\(replica)")
    let changeset = Changeset(
      author: author, sequence: .first, time: HybridTime(milliseconds: 1_000_000),
      declarations: [declaration("atoll.Removed"), declaration("Other")],
      operations: isFirst ? [removal] : [creation(1, "first"), removal])
    let bytes = changeset.encoded()
    let hash = ChainHash.origin(of: author).following(bytes)
    return IncomingChangeset(
      author: author, sequence: .first, bytes: bytes, expectedHash: hash,
      seal: try store.key.seal(
        ChangesetID(author: author, sequence: .first, hash: hash), in: store.file.storeID))
  }

  // MARK: Whatever name it writes under

  @Test(arguments: [false, true])
  func `issue 32: an incarnation that the remover did not know counts for nothing`(
    comesFirst: Bool
  ) throws {
    let backup = TestFolder.path("backup")
    try w.file.backUp(to: backup)
    try founder.file.remove(removed)
    let path = TestFolder.path("restored")
    _ = try StoreFile.restore(backup, to: path)
    let restored = try TestStore("restored", storeID: founder.file.storeID, path: path)
    #expect(restored.file.author.replica == removed)
    #expect(restored.file.author != w.file.author)
    try create(5, on: restored)
    try set(1, 5, on: restored)
    if comesFirst { try pull(x, from: restored) } else { try pull(x, from: founder) }
    let all = [founder, x, y, restored]
    try exchange(all)
    try expectEqual(all)
    for store in all { #expect(try !has(5, store)) }
    #expect(try has(1, x))
  }

  /// The disk is rolled back, so that the replica goes on under the same name with another history.
  @Test(arguments: [false, true])
  func `issue 32: a history that forks off before the removal counts for nothing`(
    comesFirst: Bool
  ) throws {
    let removed = removed
    let disk = try w.closeDisk()
    let former = try TestStore("w", storeID: founder.file.storeID, path: w.path)
    try create(6, on: former)
    try exchange([founder, former, x])
    try founder.file.remove(removed)
    try create(8, on: former)
    let witness = try TestStore("witness", storeID: founder.file.storeID)
    try pull(witness, from: x)
    try pull(witness, from: former)
    #expect(try has(8, witness))
    let other = try former.putBack(disk)
    try create(7, on: other)
    if comesFirst {
      try pull(x, from: other)
      try pull(x, from: witness)
      #expect(try x.file.forks().count == 1)
    } else {
      try pull(x, from: founder)
    }
    let all = [founder, x, y, witness, other]
    try exchange(all)
    try expectEqual(all)
    for store in all {
      #expect(try has(6, store))
      #expect(try !has(7, store) && !has(8, store))
      #expect(try store.file.forks().count == 1)
    }
  }

  /// An attack: what forks off is merged after all was made anew, and has to be checked all the same.
  @Test func `issue 32: nobody admits anybody by another history of its own`() throws {
    let author = w.file.author
    let head = try #require(try w.file.heads().first { $0.author == author })
    let declared = try w.log().filter { $0.id.author == author }.flatMap {
      try Changeset(decoding: $0.bytes, author: author).declarations
    }
    let classes = declared.count { if case .class = $0 { true } else { false } }
    try create(6, on: w)
    try exchange([founder, w, x])
    let changeset = Changeset(
      author: author, sequence: head.sequence.next, time: HybridTime(milliseconds: 1_050_000),
      declarations: [
        .class(ClassDeclaration(name: "atoll.Owner", isEmbedded: false, keyType: .string))
      ],
      operations: [
        .data(
          .create(
            ObjectReference(
              class: ClassNumber(UInt32(classes)), key: .string("\(removed)"), generation: .first),
            []))
      ])
    let bytes = changeset.encoded()
    let hash = head.hash.following(bytes)
    let id = ChangesetID(author: author, sequence: head.sequence.next, hash: hash)
    let incoming = IncomingChangeset(
      author: author, sequence: id.sequence, bytes: bytes, expectedHash: hash,
      seal: try w.key.seal(id, in: w.file.storeID))
    let outcomes = try x.file.apply([incoming])
    guard case .refused(let reason)? = outcomes.first else {
      Issue.record("a writer has made itself an owner: \(outcomes)")
      return
    }
    #expect(reason.contains("an owner of the store"), "\(reason)")
    #expect(try x.file.admission(of: removed) == .writer)
    #expect(try x.file.verify() == [])
  }

  /// Changesets that a removed replica superseded count again where that was applied before.
  @Test(arguments: [false, true])
  func `issue 32: a removed replica supersedes nothing`(comesFirst: Bool) throws {
    try create(6, on: w, at: 1_065_000)
    for store in [founder, x] { store.clock.now = WallTime(milliseconds: 1_050_000) }
    try exchange([founder, w, x])
    try founder.file.remove(removed)
    w.clock.now = WallTime(milliseconds: 1_000_100)
    try #require(try w.file.repairClock(isForced: true) != nil)
    for store in [w, x, y, b] { store.clock.now = WallTime(milliseconds: 1_060_000) }
    if comesFirst { try pull(x, from: w) } else { try pull(x, from: founder) }
    let all = [founder, x, y, b, w]
    try exchange(all)
    try expectEqual(all)
    for store in all { #expect(try has(6, store)) }
  }

  @Test func `issue 32: what is deferred for its clock counts for nothing later either`() throws {
    try create(6, on: w, at: 1_500_000)
    try pull(x, from: w)
    try pull(founder, from: w)
    try founder.file.remove(removed)
    let all = [founder, b, x, y, w]
    try exchange(all)
    for store in all {
      store.clock.now = WallTime(milliseconds: 1_600_000)
      _ = try store.file.applyDeferred()
    }
    try exchange(all)
    try expectEqual(all)
    for store in all { #expect(try !has(6, store)) }
  }

  // MARK: Owners

  @Test(arguments: [false, true])
  func `issue 32: whom another owner makes an owner at the same time is not removed`(
    comesFirst: Bool
  ) throws {
    try founder.file.remove(removed)
    try b.file.admit(removed, as: .owner)
    try create(3, on: w)
    try pull(x, from: w)
    try create(4, on: x)
    for owner in comesFirst ? [founder, b] : [b, founder] {
      for store in [x, w, y] { try pull(store, from: owner) }
    }
    let all = [founder, b, x, y, w]
    try exchange(all)
    try expectEqual(all)
    for store in all {
      #expect(try has(3, store) && has(4, store))
      #expect(try store.file.removals().isEmpty)
      #expect(try store.file.admission(of: removed) == .owner)
    }
    try create(10, on: w)
    try exchange(all)
    #expect(try has(10, y))
  }

  @Test func `issue 32: of two removals the one that knew less counts`() throws {
    try founder.file.remove(removed)
    try create(3, on: w)
    try pull(b, from: w)
    try b.file.remove(removed)
    try create(4, on: w)
    let all = [founder, b, w, x, y]
    try pull(x, from: b)
    try pull(y, from: founder)
    try exchange(all)
    try expectEqual(all)
    for store in all { #expect(try !has(3, store) && !has(4, store)) }
  }

  // MARK: Snapshots, and logs that are cut

  @Test func `issue 32: who begins with a snapshot knows who is removed`() throws {
    try founder.file.remove(removed)
    try create(3, on: w)
    try pull(founder, from: w)
    try founder.file.makeSnapshot()
    // One that has nothing, and one that has more of W than the snapshot.
    try create(4, on: w)
    try pull(y, from: x)
    try pull(y, from: w)
    #expect(try has(3, y))
    let late = try TestStore("late", storeID: founder.file.storeID)
    for store in [late, y] {
      try store.takeSnapshot(of: founder)
      _ = try store.fetchBackfill(from: founder)
      #expect(try store.file.isRemoved(removed))
    }
    let all = [founder, late, y, w, x]
    try exchange(all)
    try expectEqual(all)
    for store in all { #expect(try !has(3, store) && !has(4, store)) }
  }

  /// A snapshot has as cells what the removal leaves out, until the log has come.
  @Test func `issue 32: a removal that contradicts the checkpoint waits for the log`() throws {
    try founder.file.remove(removed)
    try create(3, on: w)
    try pull(x, from: w)
    try x.file.makeSnapshot()
    let late = try TestStore("late", storeID: founder.file.storeID)
    try late.takeSnapshot(of: x)
    try pull(late, from: founder)
    #expect(try has(3, late))
    #expect(try late.file.deferredChangesets().count == 1)
    let wanted = try #require(try late.file.wantedOfSnapshot())
    #expect(wanted[founder.file.author] > .none)
    #expect(try late.fetchBackfill(from: x) == nil)
    _ = try late.file.applyDeferred()
    #expect(try late.file.wantedOfSnapshot() == nil)
    #expect(try !has(3, late))
    let all = [founder, late, x, w, y]
    try exchange(all)
    try expectEqual(all)
  }

  @Test func `issue 32: a log is not cut between a removal and what it leaves out`() throws {
    try founder.file.remove(removed)
    try create(3, on: w)
    let all = [founder, b, x, w]
    try exchange(all)
    for store in all { try store.file.announce() }
    try exchange(all)
    for store in all { #expect(try cut(store, all) > 0) }
    try create(11, on: x)
    try exchange(all)
    try expectEqual(all)
    for store in all { #expect(try !has(3, store)) }
  }

  /// X had heard of the removal before it heard of the replica; W has not heard of the removal.
  @Test func `issue 32: nor is it where nothing of the removed replica was known`() throws {
    let v = try TestStore("v", storeID: founder.file.storeID)
    let replica = v.file.author.replica
    try founder.file.admit(replica, as: .writer)
    for store in [v, w, x] { try pull(store, from: founder) }
    try founder.file.remove(replica)
    try create(3, on: v)
    try pull(w, from: v)
    try create(4, on: w)
    try pull(x, from: founder)
    for store in [v, w] {
      try pull(x, from: store)
      try pull(founder, from: store)
    }
    _ = try cut(x, [founder, w])
    #expect(try x.file.verify() == [])
    let all = [founder, v, w, x, y]
    try exchange(all)
    try expectEqual(all)
    for store in all { #expect(try !has(3, store) && has(4, store)) }
  }

  /// Cuts off a store's log what it and others have.
  private func cut(_ store: TestStore, _ others: [TestStore]) throws -> Int {
    try store.file.setPeerProgress(
      others.filter { $0 !== store }.map {
        PeerProgress(peer: $0.file.author, holdings: try $0.file.holdings())
      })
    let now = store.clock.now
    store.clock.now = WallTime(milliseconds: now.milliseconds + 86_000_000)
    defer { store.clock.now = now }
    return try store.file.truncateLog(olderThan: .zero).changesets
  }
}
