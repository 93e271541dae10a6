import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

/// Removals that take back what was written before them: `protocol/owners.md`, *Taking back*.
///
/// The founder and `b` are owners, `w` and `x` writers; somebody else gets hold of W's key at the time 2,000,000.
@Suite struct UndoingRemovalTests {
  private let founder: TestStore
  private let b: TestStore
  private let w: TestStore
  private let x: TestStore
  private static let theft: Int64 = 2_000_000

  init() throws {
    let founder = try TestStore("founder", storeID: nil, isOwned: true)
    func member(_ name: String, _ admission: Admission) throws -> TestStore {
      let store = try TestStore(name, storeID: founder.file.storeID)
      try founder.file.admit(store.file.author.replica, as: admission)
      return store
    }
    self.founder = founder
    (b, w, x) = (try member("b", .owner), try member("w", .writer), try member("x", .writer))
    try exchange([founder, b, w, x])
    try w.create(1)
    try exchange([founder, b, w, x])
    try w.create(2, at: Self.theft)
    try w.create(3, at: Self.theft + 1000)
    for store in [founder, b, w, x] {
      store.clock.now = WallTime(milliseconds: Self.theft + 10_000)
    }
    try exchange([founder, b, w, x])
    // X has written upon it, and the founder too.
    try set(2, 20, on: x)
    try founder.create(9)
    try exchange([founder, b, w, x])
  }

  private func exchange(_ stores: [TestStore]) throws {
    for _ in 0..<3 {
      for from in stores {
        for to in stores where from !== to {
          for outcome in try to.file.apply(from.sealedLog().map(\.fromPeer)) {
            if case .refused(let reason) = outcome { throw TestFailure("refused: \(reason)") }
          }
          try to.checkDigests()
        }
      }
    }
    for store in stores {
      try store.file.setPeerProgress(
        stores.filter { $0 !== store }.map {
          PeerProgress(peer: $0.file.author, holdings: try $0.file.holdings())
        })
    }
  }

  private func set(_ key: Int64, _ value: Int64, on store: TestStore) throws {
    let n = FieldPath(store.property("Document", "n")[0])
    try store.write { store in
      let id = try #require(try store.file.find(store["Document"].id, key: .int(key)))
      try store.file.assign(store["Document"].id, id: id, n, .scalar(.int(value)))
    }
  }

  private func keys(_ store: TestStore) throws -> [Int64] {
    try (1...9 as ClosedRange<Int64>).filter {
      try store.file.find(store["Document"].id, key: .int($0)) != nil
    }
  }

  private func undo(
    on store: TestStore, since moment: Int64 = UndoingRemovalTests.theft
  ) throws -> Int {
    try UndoingRemoval(of: w.file.author.replica, from: store.file)
      .run(since: WallTime(milliseconds: moment))
  }

  /// Object 2 stays with what X has written in it; object 3 was the thief's alone.
  private func expectTakenBack(_ stores: [TestStore]) throws {
    let expected = try stores[0].exported()
    for store in stores {
      #expect(try keys(store) == [1, 2, 9])
      #expect(try store.exported() == expected)
      #expect(try store.file.stateDigest() == stores[0].file.stateDigest())
      #expect(try store.file.verify() == [])
      #expect(try store.file.isRemoved(w.file.author.replica))
    }
  }

  @Test(arguments: [true, false])
  func `issue 32: what was written after a moment is taken back on all replicas`(
    byFounder: Bool
  ) throws {
    let owner = byFounder ? founder : b
    #expect(try keys(owner) == [1, 2, 3, 9])
    #expect(try undo(on: owner) == 2)
    #expect(try keys(owner) == [1, 2, 9])
    try w.create(4, at: Self.theft + 20_000)
    try exchange([founder, b, w, x])
    try expectTakenBack([founder, b, x])
    // The owner goes on as the author that it was.
    try owner.create(8)
    try exchange([founder, b, x])
    #expect(try keys(x) == [1, 2, 8, 9])
    // A replica that comes late gets the same, by a snapshot or by the log.
    let late = try ["l", "m"].map { try TestStore($0, storeID: founder.file.storeID) }
    for store in late { store.clock.now = x.clock.now }
    try exchange([x, late[0]])
    try x.file.makeSnapshot()
    try late[1].takeSnapshot(of: x)
    for store in late { #expect(try store.exported() == x.exported()) }
  }

  @Test func `issue 32: a replica that is removed already can have more taken back`() throws {
    try founder.file.remove(w.file.author.replica)
    try exchange([founder, b, x])
    #expect(try keys(x) == [1, 2, 3, 9])
    #expect(try undo(on: b) == 2)
    try exchange([founder, b, x])
    try expectTakenBack([founder, b, x])
    #expect(try undo(on: b) == 0)
  }

  @Test func `issue 32: all of it, or nothing, can be taken back`() throws {
    #expect(try undo(on: founder, since: Self.theft + 5000) == 0)
    try exchange([founder, b, x])
    #expect(try keys(x) == [1, 2, 3, 9])
    #expect(try undo(on: founder, since: 0) == 3)
    try exchange([founder, b, x])
    #expect(try keys(x) == [2, 9])
  }

  @Test func `issue 32: who is no owner takes nothing back, and nothing of an owner`() throws {
    #expect(throws: StorageError.self) { try undo(on: x) }
    #expect(throws: StorageError.self) {
      try UndoingRemoval(of: b.file.author.replica, from: founder.file)
        .run(since: WallTime(milliseconds: 0))
    }
    #expect(try keys(x) == [1, 2, 3, 9])
  }

  @Test func `issue 32: an owner whose clock is behind is told so, and nothing is removed`() throws
  {
    founder.clock.now = WallTime(milliseconds: 1000)
    let error = #expect(throws: StorageError.self) { try undo(on: founder) }
    #expect(error?.description.contains("own time is") == true, "\(error?.description ?? "")")
    #expect(try !founder.file.isRemoved(w.file.author.replica))
    #expect(try keys(founder) == [1, 2, 3, 9])
  }

  @Test func `issue 32: what is cut off the log is not taken back, and told so`() throws {
    for store in [founder, b, w, x] { try store.file.announce() }
    try exchange([founder, b, w, x])
    founder.clock.now = WallTime(milliseconds: Self.theft + 86_000_000)
    #expect(try founder.file.truncateLog(olderThan: .zero).changesets > 0)
    let error = #expect(throws: StorageError.self) { try undo(on: founder) }
    #expect(error?.description.contains("cut off the log") == true, "\(error?.description ?? "")")
    #expect(try !founder.file.isRemoved(w.file.author.replica))
    // An owner that has not cut its log can, and the others take a snapshot of that.
    // That W had made itself known came after it.
    #expect(try undo(on: b) == 3)
    #expect(try keys(b) == [1, 2, 9])
  }
}
