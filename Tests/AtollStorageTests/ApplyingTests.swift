import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

@Suite struct `applying changesets` {
  private let a: TestStore
  private let b: TestStore

  init() throws {
    a = try TestStore("a")
    b = try TestStore("b")
  }

  @Test func `a changeset counts once, however often it comes`() throws {
    try a.create(1)
    let incoming = try a.log().map(IncomingChangeset.init)
    #expect(try b.file.apply(incoming + incoming).dropFirst() == [.duplicate])
    #expect(try b.file.apply(incoming) == [.duplicate])
    #expect(try b.file.heads() == a.file.heads())
  }

  @Test func `a changeset whose predecessor is not here names it`() throws {
    try a.create(1)
    try a.create(2)
    let incoming = try a.log().map(IncomingChangeset.init)
    var missing = VersionVector()
    missing[a.file.author] = SequenceNumber(1)
    #expect(try b.file.apply([incoming[1]]) == [.missing(missing)])
    #expect(try b.file.apply([incoming[1], incoming[0], incoming[1]]).last != .duplicate)
    #expect(try b.file.heads() == a.file.heads())
  }

  @Test func `rule 16 a changeset waits for what its author had seen`() throws {
    let c = try TestStore("c")
    try a.create(7)
    try a.send(to: b)
    let n = FieldPath(b.property("Document", "n")[0])
    try b.write { b in
      try b.file.assign(b["Document"].id, id: RowID(1), n, .scalar(.int(1)))
    }
    let ofB = try b.log().filter { $0.id.author == b.file.author }.map(IncomingChangeset.init)
    var missing = VersionVector()
    missing[a.file.author] = SequenceNumber(1)
    #expect(try c.file.apply(ofB) == [.missing(missing)])
    #expect(try c.exported() == "")
    try a.send(to: c)
    try b.send(to: c)
    #expect(try c.exported() == b.exported())
  }

  @Test func `a chain hash other than the bytes give is refused with both`() throws {
    try a.create(1)
    try a.create(2)
    let entries = try a.log()
    var first = IncomingChangeset(entries[0])
    first.expectedHash = entries[1].id.hash
    guard case .refused(let reason)? = try b.file.apply([first]).first else {
      Issue.record("it was not refused")
      return
    }
    #expect(
      reason == "the chain is broken at changeset 1 of \(a.file.author): its bytes give "
        + "\(entries[0].id.hash.shortDescription), the sender said "
        + "\(entries[1].id.hash.shortDescription)")
    #expect(try b.file.heads() == [])
  }

  @Test func `every flipped byte is refused, waits, or is another history, never a trap`() throws {
    try a.write { a in
      let name = a.property("Document", "name")[0]
      let items = a.property("Document", "items")[0]
      _ = try a.file.create(
        a["Document"].id, key: .int(7),
        fields: [
          NewField(name, .scalar(.string("seven"))),
          NewField(items, .list([.scalar(.int(1)), .scalar(.int(2))])),
        ])
    }
    let entry = try a.log()[0]
    for index in entry.bytes.indices {
      for bit in 0..<8 {
        var incoming = IncomingChangeset(entry)
        incoming.bytes[index] ^= 1 << UInt8(bit)
        guard case .refused? = try b.file.apply([incoming]).first else {
          Issue.record("byte \(index), bit \(bit) was taken")
          return
        }
        // Without a hash to compare with it may be another valid changeset; it must not trap.
        incoming.expectedHash = nil
        let file = try StoreFile.open(
          StoreFile.inMemory,
          options: StoreOptions(storeID: a.file.storeID, wallClock: { WallTime(milliseconds: 1) }))
        _ = try file.apply([incoming])
        _ = try file.digest()
      }
    }
    #expect(try b.file.heads() == [])
  }

  @Test func `a refused changeset between good ones leaves nothing behind`() throws {
    let c = try TestStore("c")
    try a.create(1)
    try c.create(2)
    var broken = IncomingChangeset(try c.log()[0])
    broken.bytes.removeLast()
    broken.expectedHash = nil
    let outcomes = try b.file.apply([broken] + (try a.log().map(IncomingChangeset.init)) + [broken])
    guard case .refused = outcomes[0], case .applied = outcomes[1], case .refused = outcomes[2]
    else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(try b.file.heads() == a.file.heads())
    #expect(try b.file.verify() == [])
  }

  @Test func `another changeset of one author and number is reported with both hashes`() throws {
    try a.create(1)
    let held = try a.log()[0]
    _ = try b.file.apply([IncomingChangeset(held)])
    let changeset = Changeset(
      author: a.file.author, sequence: .first, time: HybridTime(milliseconds: 5),
      declarations: [
        .class(ClassDeclaration(name: "Other", isEmbedded: false, keyType: .int))
      ],
      data: [
        .create(
          ObjectReference(class: ClassNumber(0), key: .int(1), generation: .first), [])
      ])
    let bytes = changeset.encoded()
    let outcome = try b.file.apply([
      IncomingChangeset(author: a.file.author, sequence: .first, bytes: bytes)
    ])
    let hash = ChainHash.origin(of: a.file.author).following(bytes)
    let author = a.file.author
    #expect(
      outcome == [
        .branched(
          ChangesetID(author: author.branch(hash.branch), sequence: .first, hash: hash),
          beside: ChangesetID(
            author: author.branch(held.id.hash.branch), sequence: .first, hash: held.id.hash))
      ])
    #expect(try b.file.heads().count == 2)
    #expect(try b.file.verify() == [])
  }

  @Test func `a run that follows another history is not mixed into the one that is here`() throws {
    try a.create(1)
    _ = try b.file.apply(try a.log().map(IncomingChangeset.init))
    var run: [IncomingChangeset] = []
    var hash = ChainHash.origin(of: a.file.author).following([1])
    for number in UInt64(2)...4 {
      let bytes = [UInt8(number)]
      hash = hash.following(bytes)
      run.append(
        IncomingChangeset(
          author: a.file.author, sequence: SequenceNumber(number), bytes: bytes,
          expectedHash: number == 4 ? hash : nil))
    }
    let head = try #require(try a.file.heads().first)
    #expect(try b.file.apply(run).first == .detached(after: head))
    #expect(try b.file.heads() == [head])
  }

  @Test func `scenario 43 a file that meets more of its author starts a new incarnation`()
    throws
  {
    try a.create(1)
    let author = b.file.author
    // A changeset of b's own incarnation that this file does not have.
    let changeset = Changeset(
      author: author, sequence: .first, time: HybridTime(milliseconds: 5),
      declarations: [
        .class(ClassDeclaration(name: "Document", isEmbedded: false, keyType: .int))
      ],
      data: [
        .create(ObjectReference(class: ClassNumber(0), key: .int(9), generation: .first), [])
      ])
    let outcomes = try b.file.apply([
      IncomingChangeset(author: author, sequence: .first, bytes: changeset.encoded())
    ])
    guard case .applied? = outcomes.first else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(b.file.author.replica == author.replica)
    #expect(b.file.author != author)
    try b.create(2)
    try b.send(to: a)
    try a.send(to: b)
    #expect(try a.exported() == b.exported())
    #expect(try a.file.find(a["Document"].id, key: .int(9)) != nil)
  }

  @Test func `scenario 8 a clock an hour behind still wins over what it has seen`() throws {
    let n = FieldPath(a.property("Document", "n")[0])
    try b.create(1, at: 10_000_000)
    a.clock.now = WallTime(milliseconds: 10_000_000 - 50_000)
    try b.send(to: a)
    try b.write { b in try b.file.assign(b["Document"].id, id: RowID(1), n, .scalar(.int(2))) }
    try b.send(to: a)
    try a.write { a in try a.file.assign(a["Document"].id, id: RowID(1), n, .scalar(.int(3))) }
    try a.send(to: b)
    #expect(try b.exported() == #"{"class":"Document","key":1,"n":3}"# + "\n")
  }

  @Test func `scenario 45 a clock that jumps back does not undo its own later write`() throws {
    let n = FieldPath(a.property("Document", "n")[0])
    try a.create(1, at: 10_000_000)
    try a.write { a in try a.file.assign(a["Document"].id, id: RowID(1), n, .scalar(.int(1))) }
    try a.write(at: 10_000_000 - 3_600_000) { a in
      try a.file.assign(a["Document"].id, id: RowID(1), n, .scalar(.int(2)))
    }
    b.clock.now = WallTime(milliseconds: 10_000_000)
    try a.send(to: b)
    #expect(try b.exported() == #"{"class":"Document","key":1,"n":2}"# + "\n")
  }

  @Test func `a long batch is committed in pieces, and no changeset in two`() throws {
    for key in 1...20 { try a.create(Int64(key)) }
    let clock = StepClock()
    let file = try StoreFile.open(
      TestFolder.path("pieces"),
      options: StoreOptions(
        storeID: a.file.storeID, wallClock: { WallTime(milliseconds: 1_000_000) },
        steadyClock: { clock.next() }))
    var commits: [Commit] = []
    file.onCommit = { commits.append($0) }
    _ = try file.apply(try a.log().map(IncomingChangeset.init))
    // The clock moves 10 ms a look; the hold of 20 ms ends after two changesets.
    #expect(commits.count == 10)
    #expect(commits.map { $0.heads.map(\.sequence.rawValue) } == (1...10).map { [UInt64($0 * 2)] })
    #expect(commits.allSatisfy { $0.origin == .remote })
  }

  @Test func `the log is read in local order without what the peer holds`() throws {
    for key in 1...3 { try a.create(Int64(key)) }
    try b.create(4)
    try a.send(to: b)
    var held = VersionVector()
    held[a.file.author] = SequenceNumber(2)
    let all = try b.file.entries(lackedBy: held, after: .start, limitBytes: 1 << 20)
    #expect(all.entries.map(\.id.author) == [b.file.author, a.file.author])
    #expect(all.entries.map(\.id.sequence.rawValue) == [1, 3])
    #expect(all.isAtEnd)
    #expect(all.next == (try b.file.lastLogPosition()))
    let one = try b.file.entries(lackedBy: VersionVector(), after: .start, limitBytes: 1)
    #expect(one.entries.count == 1)
    #expect(!one.isAtEnd)
    #expect(one.next == one.entries[0].position)
  }

  @Test func `a read for a peer that lacks nothing is at the log's end`() throws {
    for key in 1...3 { try a.create(Int64(key)) }
    let held = try a.file.appliedVector()
    let batch = try a.file.entries(lackedBy: held, after: .start, limitBytes: 1)
    let end = try a.file.lastLogPosition()
    #expect(batch == LogBatch(entries: [], next: end, isAtEnd: true))
  }

  @Test func `a peer that wants none of an author's is sent the others`() throws {
    try a.create(1)
    try b.create(2)
    try a.send(to: b)
    var vector = VersionVector()
    vector[a.file.author] = .max
    let batch = try b.file.entries(lackedBy: vector, after: .start, limitBytes: 1 << 20)
    #expect(batch.entries.map(\.id.author) == [b.file.author])
  }

  @Test func `a store joins another as long as it has met nobody`() throws {
    try a.create(1)
    let other = StoreID(high: 5, low: 5)
    try a.file.joinStore(other)
    #expect(a.file.storeID == other)
    let b = try TestStore("joined", storeID: other)
    try b.create(2)
    try b.send(to: a)
    try a.send(to: b)
    let error = #expect(throws: StorageError.self) {
      try a.file.joinStore(StoreID(high: 6, low: 6))
    }
    #expect(error == .alreadyExchanged(path: a.path, store: other))
    #expect(try StoreFile.open(a.path).storeID == other)
  }

  @Test func `what a peer was last known to have stays in the file`() throws {
    let head = ChangesetID(
      author: a.file.author, sequence: SequenceNumber(3), hash: .origin(of: a.file.author))
    let progress = PeerProgress(
      peer: a.file.author, holdings: Holdings(heads: [head], applied: VersionVector()))
    try b.file.setPeerProgress([progress])
    let reopened = try StoreFile.open(b.path)
    let stored = try reopened.peerProgress()
    #expect(stored.map(\.progress) == [progress])
    #expect(stored.map(\.time) == [WallTime(milliseconds: 1_000_000)])
  }
}

/// A steady clock that moves ten milliseconds with each look.
final class StepClock: @unchecked Sendable {
  private var nanoseconds: UInt64 = 0

  func next() -> Instant {
    defer { nanoseconds += 10_000_000 }
    return Instant(nanoseconds: nanoseconds)
  }
}
