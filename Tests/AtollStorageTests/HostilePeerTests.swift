import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

/// Peers that forge histories and authors.
@Suite struct `hostile peers at a file` {
  private let a: TestStore
  private let b: TestStore
  private let stranger = Author(replica: ReplicaID(high: 6, low: 6), incarnation: Incarnation(6))

  init() throws { (a, b) = (try TestStore("a"), try TestStore("b")) }

  /// The second changeset of `a` with another stamp: another history from there on.
  private func branch(_ number: UInt64) throws -> IncomingChangeset {
    let log = try a.log()
    var changeset = try Changeset(decoding: log[1].bytes, author: a.file.author)
    changeset.time = HybridTime(milliseconds: changeset.time.milliseconds + number)
    let bytes = changeset.encoded()
    return IncomingChangeset(
      author: a.file.author, sequence: changeset.sequence, bytes: bytes,
      expectedHash: log[0].id.hash.following(bytes))
  }

  @Test
  func `issue 28.15: the bound on histories refuses nobody, and keeps what the replica shows`()
    throws
  {
    try a.create(1)
    try a.create(2)
    let log = try a.log().map(IncomingChangeset.init)
    _ = try b.file.apply([log[0]], from: stranger)
    for number in 1...UInt64(Limits.branches) {
      _ = try b.file.apply([try branch(number)], from: stranger)
    }
    let histories = try b.file.holdings().heads.count { $0.author.branch != .none }
    #expect(histories == Limits.branches)
    // One more is left out, as is what the replica wrote, if somebody else brings it.
    for incoming in [try branch(100), log[1]] {
      let outcomes = try b.file.apply([incoming], from: stranger)
      #expect(
        outcomes == [
          .overflowing(
            retryAfter: Limits.declinedPause, because: .histories(Limits.branches))
        ])
    }
    // On a link of its own it is taken, and with it what it goes on with.
    let taken = try b.file.apply([log[1]], from: a.file.author)
    guard case .branched? = taken.first else {
      Issue.record("\(taken)")
      return
    }
    try a.create(3)
    let next = try #require(try a.log().last)
    let outcomes = try b.file.apply([IncomingChangeset(next)], from: a.file.author)
    guard case .applied? = outcomes.first else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(try b.exported().contains("3"))
    let findings = try b.file.verify()
    #expect(findings.isEmpty, "\(findings)")
  }

  @Test func `issue 28.15: a replica that floods its own histories is bounded too`() throws {
    try a.create(1)
    try a.create(2)
    let first = IncomingChangeset(try a.log()[0])
    _ = try b.file.apply([first], from: a.file.author)
    var outcomes: [ApplyOutcome] = []
    for number in 1...UInt64(Limits.ownBranches) + 3 {
      outcomes += try b.file.apply([try branch(number)], from: a.file.author)
    }
    #expect(
      outcomes.last
        == .overflowing(
          retryAfter: Limits.declinedPause, because: .histories(Limits.ownBranches)))
    #expect(
      try b.file.holdings().heads.count { $0.author.branch != .none } == Limits.ownBranches)
  }

  /// The first changeset of an author of whom nobody has heard.
  private func invented(_ number: UInt64) -> IncomingChangeset {
    let author = Author(
      replica: ReplicaID(high: 5, low: number), incarnation: Incarnation(1))
    let changeset = Changeset(
      author: author, sequence: .first, time: HybridTime(milliseconds: 1_000_000),
      declarations: [.class(ClassDeclaration(name: "Document", isEmbedded: false, keyType: .int))],
      data: [
        .create(
          ObjectReference(class: ClassNumber(0), key: .int(Int64(number)), generation: .first), [])
      ])
    return IncomingChangeset(author: author, sequence: .first, bytes: changeset.encoded())
  }

  @Test func `issue 28.16: who invents authors uses up its own share, and nobody else's`() throws {
    let count = UInt64(Limits.authorsBrought)
    let outcomes = try b.file.apply((1...count + 1).map(invented), from: stranger)
    #expect(outcomes.dropLast().allSatisfy { if case .applied = $0 { true } else { false } })
    #expect(
      outcomes.last
        == .overflowing(
          retryAfter: Limits.declinedPause, because: .authors(Limits.authorsBrought)))
    try a.create(1)
    let others = try b.file.apply(
      try a.log().map(IncomingChangeset.init), from: a.file.author)
    guard case .applied? = others.first else {
      Issue.record("\(others)")
      return
    }
  }

  @Test func `issue 28.16: a file that authors were invented in is soon opened again`() throws {
    let clock = ContinuousClock()
    var times: [Duration] = []
    // One key in seven hours, or seven keys; all together bring no more than eight shares in an hour.
    for sender in 0..<7 as Range<UInt64> {
      let begin = sender * UInt64(Limits.authorsBrought)
      let kept = try b.file.apply(
        (begin + 1...begin + UInt64(Limits.authorsBrought)).map(invented),
        from: Author(replica: ReplicaID(high: 6, low: sender), incarnation: Incarnation(6)))
      #expect(kept.count { $0.isKept } == Limits.authorsBrought)
      guard sender == 0 || sender == 6 else { continue }
      times.append(
        try clock.measure {
          let again = try StoreFile.open(
            b.path, options: StoreOptions(storeID: b.file.storeID))
          #expect(try again.holdings().heads.count == kept.count * Int(sender + 1))
          again.close()
        })
    }
    print("opening a file with 2,048 invented authors, and 14,336: \(times)")
    #expect(times[1] < .seconds(20), "\(times)")
  }

  @Test func `issue 28.16: authors that are only declared count as those that write`() throws {
    let named = (1...UInt64(Limits.authorsBrought) + 1).map { number in
      Declaration.author(
        Author(replica: ReplicaID(high: 4, low: number), incarnation: Incarnation(1)))
    }
    let changeset = Changeset(
      author: stranger, sequence: .first, time: HybridTime(milliseconds: 1_000_000),
      declarations: [.class(ClassDeclaration(name: "Document", isEmbedded: false, keyType: .int))]
        + named,
      data: [
        .create(ObjectReference(class: ClassNumber(0), key: .int(1), generation: .first), [])
      ])
    let outcomes = try b.file.apply(
      [IncomingChangeset(author: stranger, sequence: .first, bytes: changeset.encoded())],
      from: stranger)
    #expect(
      outcomes == [.overflowing(retryAfter: Limits.declinedPause, because: .authors(0))])
    #expect(try b.exported() == "")
  }
}
