import AtollChanges
import AtollStorage
import AtollVocabulary
import TestKit
import Testing

/// A snapshot says where each author's chain ends, and has its replica's seal for that.
@Suite struct `seals of snapshots` {
  private let a: TestStore
  private let b: TestStore
  private let c: TestStore

  init() throws {
    (a, b, c) = (try TestStore("a"), try TestStore("b"), try TestStore("c"))
    for key in 1...4 { try a.create(Int64(key)) }
    try b.create(5)
    try b.sendAsPeer(to: a)
  }

  /// A change to what a snapshot says of the end of a chain.
  enum Forgery: CaseIterable {
    case last, lastTwo, lastThree, noSeal, noSealOfItsOwnParent, noSealOfOthersParent, earlierEnd,
      othersSeal, otherStore, madeUpHistory
  }

  @Test(arguments: Forgery.allCases)
  func `issue 28.18: a false chain hash in a checkpoint is refused, and the true one taken`(
    forgery: Forgery
  ) throws {
    try a.file.makeSnapshot()
    let offer = try #require(try a.file.snapshotOffer())
    let forged = try SnapshotPages.changed(pages(of: offer, of: a)) { head in
      let index = try #require(head.authors.firstIndex { $0.author == a.file.author })
      try forge(forgery, &head, index)
    }
    let pages = SnapshotPages.named(forged)
    let id = try #require(pages.first).id
    _ = try c.file.beginStaging(id)
    #expect(try c.file.stage(pages, of: id) == pages.count)
    guard case .refused(let reason) = try c.file.installSnapshot(id) else {
      Issue.record("it was taken")
      return
    }
    let author =
      forgery == .madeUpHistory
      ? b.file.author.replica.shortDescription : a.file.author.replica.shortDescription
    #expect(reason.contains(author), "\(reason)")
    #expect(try c.file.holdings().heads.isEmpty)
    try c.takeSnapshot(of: a)
    #expect(try c.exported() == a.exported())
    #expect(try c.file.verify() == [])
  }

  /// So a replica that has nothing of a chain but its end can have others begin.
  @Test func `seals go on with a snapshot that was made of a snapshot`() throws {
    try a.file.makeSnapshot()
    try b.takeSnapshot(of: a)
    try b.create(6)
    try b.file.makeSnapshot()
    try c.takeSnapshot(of: b)
    let offer = try #require(try b.file.snapshotOffer())
    var heads: [SnapshotHead] = []
    _ = try SnapshotPages.changed(pages(of: offer, of: b)) { heads.append($0) }
    let seals = try #require(heads.first).authors.filter(\.hasApplied).map { writer in
      writer.seal?.vouches(for: writer.head, in: a.file.storeID)
    }
    #expect(seals == [true, true])
  }

  /// The middle of a run that another replica signed as one has no seal.
  @Test func `a log that is cut within a run gives another snapshot than the checkpoint`() throws {
    for store in [a, b, c] { try store.file.announce() }
    try a.sendAsPeer(to: b)
    try c.sendAsPeer(to: b)
    // B has all as one run, C what it needs to have the log cut within.
    let part = try a.log().map(\.fromPeer).prefix { $0.sequence.rawValue <= 2 }
    _ = try c.file.apply(Array(part))
    try b.file.setPeerProgress(
      [a, c].map { PeerProgress(peer: $0.file.author, holdings: try $0.file.holdings()) })
    b.clock.now = WallTime(milliseconds: b.clock.now.milliseconds + 86_000_000)
    #expect(try b.file.truncateLog(olderThan: .zero).changesets > 0)
    let cut = try b.file.logStart().truncationPoint[a.file.author]
    #expect(cut.rawValue == 2)
    #expect(try b.file.snapshotOffer() == nil)
    try b.file.makeSnapshot()
    let late = try TestStore("late")
    try late.takeSnapshot(of: b)
    #expect(try late.exported() == b.exported())
  }

  private func forge(
    _ forgery: Forgery, _ head: inout SnapshotHead, _ index: Int
  ) throws {
    func setLast(_ count: Int) {
      for recent in head.authors[index].recent.indices.suffix(count) {
        head.authors[index].recent[recent].hash = .snapshotOrigin.following([UInt8(recent)])
      }
      head.authors[index].hash = head.authors[index].recent.last?.hash ?? .snapshotOrigin
    }
    switch forgery {
    case .last: setLast(1)
    case .lastTwo: setLast(2)
    case .lastThree: setLast(3)
    case .noSeal: head.authors[index].seal = nil
    case .noSealOfItsOwnParent:
      (head.authors[index].seal, head.authors[index].parent) = (nil, UInt32(index))
    case .noSealOfOthersParent:
      head.authors[index].seal = nil
      let other = try #require(head.authors.firstIndex { $0.author == b.file.author })
      head.authors[other].parent = UInt32(index)
    case .earlierEnd:
      head.authors[index].seal = try a.key.seal(
        try #require(try a.log().first).id, in: a.file.storeID)
    case .othersSeal:
      head.authors[index].seal = try b.key.seal(head.authors[index].head, in: a.file.storeID)
    case .otherStore:
      let store = StoreID(high: 9, low: 9)
      head.authors[index].seal = try a.key.seal(head.authors[index].head, in: store)
    case .madeUpHistory:
      // A history that its replica has not signed, and that goes on from one that it has.
      let other = try #require(head.authors.firstIndex { $0.author == b.file.author })
      var branch = head.authors[other]
      let hash = ChainHash.snapshotOrigin.following([7])
      branch.author = branch.author.branch(hash.branch)
      (branch.parent, branch.first) = (UInt32(other), branch.sequence.next)
      (branch.sequence, branch.hash, branch.recent) = (branch.sequence.next, hash, [])
      head.authors.append(branch)
    }
  }

  private func pages(of offer: SnapshotOffer, of giver: TestStore) throws -> [[UInt8]] {
    try giver.file.snapshotPages(of: offer.id, from: 0, count: offer.pages).map(\.bytes)
  }
}
