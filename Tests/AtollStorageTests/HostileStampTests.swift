import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

/// Stamps and numbers that only somebody hostile, or a broken clock, chooses.
@Suite struct `hostile stamps` {
  private let a: TestStore
  private let b: TestStore

  init() throws { (a, b) = (try TestStore("a"), try TestStore("b")) }

  /// A changeset of `a` that makes documents, stamped `milliseconds`.
  private func forged(_ sequence: UInt64, at milliseconds: UInt64) -> IncomingChangeset {
    let changeset = Changeset(
      author: a.file.author, sequence: SequenceNumber(sequence),
      time: HybridTime(milliseconds: milliseconds),
      declarations: sequence == 1
        ? [.class(ClassDeclaration(name: "Document", isEmbedded: false, keyType: .int))] : [],
      data: [
        .create(
          ObjectReference(class: ClassNumber(0), key: .int(Int64(sequence)), generation: .first), []
        )
      ])
    return IncomingChangeset(
      author: changeset.author, sequence: changeset.sequence, bytes: changeset.encoded())
  }

  @Test(arguments: [Limits.stampMilliseconds, 1 << 46, 1 << 47, (1 << 48) - 1] as [UInt64])
  func `issue 28.14: a stamp beyond the bound is refused for good, released or not`(
    milliseconds: UInt64
  ) throws {
    _ = try b.file.apply([forged(1, at: 2_000_000)])
    try b.file.release(a.file.author)
    let outcomes = try b.file.apply([forged(2, at: milliseconds)])
    guard case .refused(let reason)? = outcomes.first else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(reason.contains("less than \(Limits.stampMilliseconds)"))
    try b.create(9)
    let last = try #require(try b.log().last)
    let time = try ChangesetReader(last.bytes, author: b.file.author).time
    #expect(time.milliseconds < 3_000_000)
    #expect(try b.file.verify() == [])
  }

  @Test func `issue 28.14: a release moves nobody's clock to where no stamps are left`() throws {
    let far = Limits.stampMilliseconds - 1
    _ = try b.file.apply([forged(1, at: far)])
    try b.file.release(a.file.author)
    #expect(try b.file.deferredChangesets().map(\.count) == [1])
    for key in 1...3 as ClosedRange<Int64> { try b.create(key) }
    let last = try #require(try b.log().last)
    #expect(try ChangesetReader(last.bytes, author: b.file.author).time.milliseconds < 3_000_000)
    // Up to its own bound a release is a release.
    let c = try TestStore("c")
    _ = try c.file.apply([forged(1, at: Limits.releasedMilliseconds - 1)])
    try c.file.release(a.file.author)
    #expect(try c.file.deferredChangesets().isEmpty)
    for key in 1...3 as ClosedRange<Int64> { try c.create(key + 10) }
    #expect(try c.file.verify() == [])
  }

  @Test func `issue 28.14: stamps just below the bound are ordered in SQL as they are in Swift`()
    throws
  {
    let d = try TestStore("d", clock: TestClock())
    d.clock.now = WallTime(milliseconds: Int64(Limits.stampMilliseconds) - 10)
    let outcomes = try d.file.apply((1...3).map { forged($0, at: Limits.stampMilliseconds - $0) })
    #expect(outcomes.allSatisfy { if case .applied = $0 { true } else { false } })
    try d.create(9)
    #expect(try d.file.verify() == [])
    #expect(try d.log().count == 4)
  }

  @Test(arguments: [Int64(Limits.stampMilliseconds), 1 << 48, .max] as [Int64])
  func `issue 28.14: a clock beyond the bound writes nothing, and goes on when it is right`(
    now: Int64
  ) throws {
    try a.create(1)
    let error = try #require(throws: StorageError.self) { try a.create(2, at: now) }
    guard case .clockOutOfRange = error else {
      Issue.record("\(error)")
      return
    }
    #expect(error.description.hasSuffix("set the clock"))
    try a.create(3, at: 1_000_000)
    #expect(try a.log().count == 2)
    #expect(try a.file.verify() == [])
  }

  @Test func `issue 28.14: what a peer claims to hold adds up without a trap`() throws {
    for store in [a, b] { try store.file.announce() }
    let heads = (1...16).map { number in
      ChangesetID(
        author: Author(
          replica: ReplicaID(high: 7, low: UInt64(number)), incarnation: Incarnation(1)),
        sequence: SequenceNumber(.max - 1), hash: .origin(of: a.file.author))
    }
    try b.send(to: a)
    try a.file.setPeerProgress([
      PeerProgress(peer: b.file.author, holdings: Holdings(heads: heads))
    ])
    let known = try a.file.knownHoldings().first { $0.member.replica == b.file.author.replica }
    #expect(known?.ahead == .max)
    let vector = VersionVector(heads.map { .init(author: $0.author, sequence: $0.sequence) })
    #expect(vector.count(beyond: VersionVector()) == .max)
  }
}
