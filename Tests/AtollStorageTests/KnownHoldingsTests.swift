import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

/// The known holdings of others: never more than is true of them as they are now.
@Suite struct `what others are known to have` {
  private let a: TestStore
  private let b: TestStore

  init() throws {
    (a, b) = (try TestStore("a"), try TestStore("b"))
    for store in [a, b] { try store.file.announce() }
    try a.create(1)
    try a.send(to: b)
    try b.send(to: a)
  }

  private var replica: ReplicaID { b.file.author.replica }

  private func known(of replica: ReplicaID) throws -> KnownHoldings {
    try #require(try a.file.knownHoldings().first { $0.member.replica == replica })
  }

  @Test func `a member that was never heard of has nothing, this replica has all`() throws {
    #expect(try known(of: replica).applied.isEmpty)
    #expect(try known(of: replica).heard == nil)
    #expect(try known(of: a.file.author.replica).applied == a.file.appliedVector())
  }

  @Test func `what a member said is known as far as it is here too`() throws {
    try a.file.setPeerProgress([PeerProgress(peer: b.file.author, holdings: b.file.holdings())])
    #expect(try known(of: replica).applied == b.file.appliedVector())
    try a.create(2)
    #expect(try known(of: replica).applied[a.file.author] < a.file.appliedVector()[a.file.author])
    // Ahead of what is here: nobody can tell whether it is the same.
    try b.create(3)
    try a.file.setPeerProgress([PeerProgress(peer: b.file.author, holdings: b.file.holdings())])
    #expect(try known(of: replica).applied[b.file.author] == .none)
    try b.send(to: a)
    #expect(try known(of: replica).applied == b.file.appliedVector())
  }

  @Test func `changesets of another history are not taken for those here`() throws {
    let head = try #require(try a.file.heads().first { $0.author == a.file.author })
    let forged = ChangesetID(
      author: head.author, sequence: head.sequence, hash: .origin(of: head.author))
    try a.file.setPeerProgress([
      PeerProgress(peer: b.file.author, holdings: Holdings(heads: [forged]))
    ])
    #expect(try known(of: replica).stored.isEmpty)
  }

  @Test func `what a replica acknowledged before it was restored does not count for it`() throws {
    let path = TestFolder.path("backup")
    try b.file.backUp(to: path)
    try a.create(2)
    try a.send(to: b)
    let head = try #require(try a.file.appliedVector()[a.file.author] as SequenceNumber?)
    try a.file.setPeerProgress([PeerProgress(peer: b.file.author, holdings: b.file.holdings())])
    #expect(try known(of: replica).applied[a.file.author] == head)
    // The backup is what the replica is now.
    let restored = try StoreFile.open(
      path, options: StoreOptions(wallClock: { [clock = a.clock] in clock.now }))
    defer { restored.close() }
    let before = try restored.holdings()
    let known = [
      PeerProgress(peer: b.file.author, holdings: try b.file.holdings()),
      PeerProgress(peer: restored.author, holdings: before),
    ]
    // It was met, and has not said yet that the former incarnation is over.
    try a.file.setPeerProgress(known)
    #expect(try self.known(of: replica).applied[a.file.author] < head)
    try restored.announce()
    _ = try a.file.apply(
      restored.entries(lackedBy: a.file.holdings().stored, after: .start, limitBytes: 1 << 20)
        .entries.map {
          IncomingChangeset(
            author: $0.id.author, sequence: $0.id.sequence, bytes: $0.bytes,
            expectedHash: $0.id.hash)
        })
    #expect(try self.known(of: replica).member.hasEnded(b.file.author.incarnation))
    #expect(try self.known(of: replica).applied[a.file.author] < head)
    // And counts again as soon as the new incarnation has it, without the old one.
    var caughtUp = before
    caughtUp.formUnion(try a.file.holdings())
    try a.file.setPeerProgress([PeerProgress(peer: restored.author, holdings: caughtUp)])
    #expect(try self.known(of: replica).applied[a.file.author] == head)
  }
}
