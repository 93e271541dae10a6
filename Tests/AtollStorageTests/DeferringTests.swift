import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

/// The local clocks stand at 1,000 s; the drift allowed is 60 s.
@Suite struct `deferring what is too far ahead` {
  private let a: TestStore
  private let b: TestStore
  private let c: TestStore

  init() throws {
    a = try TestStore("a")
    b = try TestStore("b")
    c = try TestStore("c")
  }

  /// Has b apply a first changeset of a's that a has not in its log.
  private func apply(_ changeset: Changeset) throws -> ApplyOutcome? {
    try b.file.apply([
      IncomingChangeset(author: a.file.author, sequence: .first, bytes: changeset.encoded())
    ]).first
  }

  private func count(_ store: TestStore) throws -> Int {
    try store.exported().split(separator: "\n").count
  }

  @Test
  func `scenario 46 a changeset too far ahead is deferred, and applied when time has caught up`()
    throws
  {
    try a.create(1, at: 1_061_000)
    let entry = try a.log()[0]
    #expect(
      try b.file.apply([IncomingChangeset(entry)])
        == [.deferred(entry.id, ahead: .milliseconds(1000))])
    #expect(try b.exported() == "")
    #expect(try b.file.holdings() == Holdings(heads: [entry.id], applied: VersionVector()))
    #expect(try b.file.heads() == [])
    #expect(try b.file.applyDeferred() == .milliseconds(1000))
    b.clock.now = WallTime(milliseconds: 1_000_999)
    #expect(try b.file.applyDeferred() == .milliseconds(1))
    #expect(try b.exported() == "")
    b.clock.now = WallTime(milliseconds: 1_001_000)
    #expect(try b.file.applyDeferred() == nil)
    #expect(try b.exported() == a.exported())
    #expect(try b.file.holdings() == a.file.holdings())
    #expect(try b.file.verify() == [])
  }

  @Test func `the bound itself is not too far, a millisecond more is`() throws {
    try a.create(1, at: 1_060_000)
    try a.create(2, at: 1_060_001)
    let outcomes = try b.file.apply(try a.log().map(IncomingChangeset.init))
    guard case .applied = outcomes[0], case .deferred(_, ahead: .milliseconds(1)) = outcomes[1]
    else {
      Issue.record("\(outcomes)")
      return
    }
  }

  @Test func `the bound can be set`() throws {
    let file = try StoreFile.open(
      StoreFile.inMemory,
      options: StoreOptions(
        storeID: a.file.storeID, wallClock: { WallTime(milliseconds: 1_000_000) },
        clockDrift: .seconds(3600)))
    try a.create(1, at: 1_000_000 + 3_600_000)
    guard case .applied? = try file.apply(try a.log().map(IncomingChangeset.init)).first else {
      Issue.record("it was held")
      return
    }
  }

  @Test func `nobody's clock is dragged along by deferred changesets`() throws {
    try a.create(1, at: 400_000_000_000)
    try a.send(to: b)
    try b.create(2)
    let time = try ChangesetReader(try b.log()[1].bytes, author: b.file.author).time
    #expect(time == HybridTime(milliseconds: 1_000_000))
    try b.send(to: c)
    #expect(try c.exported() == b.exported())
    #expect(try count(c) == 1)
  }

  @Test
  func `what depends on a deferred changeset, or follows it, is deferred with it, and no other`()
    throws
  {
    try a.create(1, at: 2_000_000)
    // b's clock is as wrong as a's when it writes on what a wrote.
    b.clock.now = WallTime(milliseconds: 2_000_000)
    try a.send(to: b)
    let n = FieldPath(b.property("Document", "n")[0])
    try b.write { b in
      try b.file.assign(b["Document"].id, id: RowID(1), n, .scalar(.int(5)))
    }
    let independent = try TestStore("d")
    try independent.create(9)
    try b.send(to: c)
    try independent.send(to: c)
    #expect(try c.exported() == independent.exported())
    #expect(try c.file.holdings().heads.count == 3)
    c.clock.now = WallTime(milliseconds: 2_000_000)
    #expect(try c.file.applyDeferred() == nil)
    try independent.send(to: b)
    #expect(try c.exported() == b.exported())
    #expect(try c.file.digest() == b.file.digest())
    #expect(try c.file.verify() == [])
  }

  @Test func `a local write on top does not depend on deferred changesets`() throws {
    try a.create(1, at: 2_000_000)
    try a.send(to: b)
    try b.create(2)
    let mine = try b.log().filter { $0.id.author == b.file.author }
    guard case .applied? = try c.file.apply(mine.map(IncomingChangeset.init)).first else {
      Issue.record("it waits for what its author never applied")
      return
    }
  }

  @Test func `deferred changesets are forwarded, in an order in which a receiver can store them`()
    throws
  {
    for key in 1...5 { try a.create(Int64(key), at: 2_000_000) }
    try b.create(6)
    try a.send(to: b)
    try b.send(to: c)
    let (theirs, ours) = (try c.log(), try b.log())
    #expect(theirs.map(\.id) == ours.map(\.id))
    #expect(theirs.map(\.bytes) == ours.map(\.bytes))
    #expect(try c.file.holdings() == b.file.holdings())
    #expect(try c.exported() == b.exported())
  }

  @Test func `deferred changesets survive the end of the process`() throws {
    try a.create(1, at: 2_000_000)
    try a.send(to: b)
    let held = try b.file.holdings()
    b.file.close()
    let clock = b.clock
    let reopened = try StoreFile.open(
      b.path, options: StoreOptions(wallClock: { clock.now }))
    #expect(try reopened.holdings() == held)
    // The next of the author joins those that are deferred; its declarations were read from the log.
    try a.create(2)
    let entry = try a.log()[1]
    guard case .deferred? = try reopened.apply([IncomingChangeset(entry)]).first else {
      Issue.record("it was not held")
      return
    }
    clock.now = WallTime(milliseconds: 2_000_000)
    #expect(try reopened.applyDeferred() == nil)
    #expect(try reopened.digest() == a.file.digest())
  }

  @Test func `a changeset that comes when time has caught up takes those before it along`() throws {
    try a.create(1, at: 2_000_000)
    try a.send(to: b)
    b.clock.now = WallTime(milliseconds: 2_000_000)
    try a.create(2)
    try a.send(to: b)
    #expect(try b.exported() == a.exported())
    #expect(try b.file.holdings() == a.file.holdings())
  }

  @Test func `a deferred changeset counts once, and another of its number is found`() throws {
    try a.create(1, at: 2_000_000)
    let incoming = try a.log().map(IncomingChangeset.init)
    _ = try b.file.apply(incoming)
    #expect(try b.file.apply(incoming) == [.duplicate])
    let other = Changeset(
      author: a.file.author, sequence: .first, time: HybridTime(milliseconds: 5),
      declarations: [.class(ClassDeclaration(name: "Other", isEmbedded: false, keyType: .int))],
      data: [
        .create(ObjectReference(class: ClassNumber(0), key: .int(1), generation: .first), [])
      ])
    let outcome = try apply(other)
    #expect(
      outcome.map { if case .branched = $0 { true } else { false } } == true, "\(outcome as Any)")
  }

  @Test func `what means nothing is refused before it is stored or forwarded`() throws {
    let changeset = Changeset(
      author: a.file.author, sequence: .first, time: HybridTime(milliseconds: 2_000_000),
      data: [
        .create(ObjectReference(class: ClassNumber(0), key: .int(1), generation: .first), [])
      ])
    let outcome = try apply(changeset)
    #expect(
      outcome.map { if case .refused = $0 { true } else { false } } == true, "\(outcome as Any)")
    #expect(try b.log().isEmpty)
    #expect(try b.file.holdings() == .none)
  }

  @Test func `deferred changesets are applied in pieces, and no changeset in two`() throws {
    for key in 1...20 { try a.create(Int64(key), at: 2_000_000) }
    let (clock, steady) = (TestClock(), StepClock())
    let file = try StoreFile.open(
      TestFolder.path("pieces"),
      options: StoreOptions(
        storeID: a.file.storeID, wallClock: { clock.now }, steadyClock: { steady.next() }))
    _ = try file.apply(try a.log().map(IncomingChangeset.init))
    var commits: [Commit] = []
    file.onCommit = { commits.append($0) }
    clock.now = WallTime(milliseconds: 2_000_000)
    #expect(try file.applyDeferred() == nil)
    #expect(commits.count == 10)
    #expect(try file.digest() == a.file.digest())
  }

  @Test func `issue 28.16: no more of an author than the bound is deferred, the rest comes again`()
    throws
  {
    var incoming: [IncomingChangeset] = []
    for key in 0...Limits.deferredByAuthor {
      let isFirst = key == 0
      let changeset = Changeset(
        author: a.file.author, sequence: SequenceNumber(UInt64(key + 1)),
        time: HybridTime(milliseconds: 2_000_000 + UInt64(key)),
        declarations: isFirst
          ? [.class(ClassDeclaration(name: "Document", isEmbedded: false, keyType: .int))] : [],
        data: [
          .create(
            ObjectReference(class: ClassNumber(0), key: .int(Int64(key)), generation: .first), [])
        ])
      incoming.append(
        IncomingChangeset(
          author: a.file.author, sequence: changeset.sequence, bytes: changeset.encoded()))
    }
    let file = try StoreFile.open(
      StoreFile.inMemory,
      options: StoreOptions(
        storeID: a.file.storeID, wallClock: { WallTime(milliseconds: 1_000_000) }))
    let outcomes = try file.apply(incoming)
    guard case .deferred? = outcomes.dropLast().last,
      case .overflowing(_, .deferredOfAuthor(Limits.deferredByAuthor))? = outcomes.last
    else {
      Issue.record("\(outcomes.suffix(2))")
      return
    }
  }
}
