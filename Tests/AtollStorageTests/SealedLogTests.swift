import AtollChanges
import AtollSQLite
import AtollStorage
import AtollVocabulary
import Foundation
import Testing

/// Issue 32: what a file takes of its peers is what its author signed, and it can pass it on.
@Suite struct `a sealed log` {
  private let a: TestStore
  private let b: TestStore
  private let c: TestStore

  init() throws { (a, b, c) = (try TestStore("a"), try TestStore("b"), try TestStore("c")) }

  private func isIn(_ path: String, _ bytes: [UInt8]) throws -> Bool {
    try Data(contentsOf: URL(filePath: path)).firstRange(of: Data(bytes)) != nil
  }

  // MARK: Below a snapshot

  @Test
  func `of what came one by one as many seals go below a snapshot as are needed to pass it on`()
    throws
  {
    let count = 2 * Limits.runChangesets + 5
    for key in 1...count { try a.create(Int64(key)) }
    for entry in try a.log() {
      let seal = try a.key.seal(entry.id, in: a.file.storeID)
      let changeset = IncomingChangeset(
        author: entry.id.author, sequence: entry.id.sequence, bytes: entry.bytes,
        expectedHash: entry.id.hash, seal: seal)
      _ = try b.file.apply([changeset])
    }
    try b.file.makeSnapshot()
    let offer = try #require(try b.file.snapshotOffer())
    _ = try c.file.beginStaging(offer.id)
    _ = try c.stage(from: b, offer.id, 0..<offer.pages)
    #expect(try c.file.installSnapshot(offer.id) == .installed)
    var (cutting, sealed) = (LogEntry?.none, [SequenceNumber]())
    while let request = try c.file.logStart().missing {
      let answer = try b.file.backfill(request, cutting: &cutting)
      sealed += answer.parts.filter { $0.seal != nil }.map(\.id.sequence)
      // Whoever changes one of those that are left is refused.
      var forged = answer
      let place = try #require(forged.parts.lastIndex { $0.seal != nil })
      forged.parts[place].seal = try b.key.seal(forged.parts[place].id, in: b.file.storeID)
      #expect(try c.file.keep(forged)?.hasPrefix("the seal of changeset") == true)
      #expect(try c.file.keep(answer) == nil)
    }
    #expect(sealed.map(\.rawValue) == [64, 128, UInt64(count)])
    let d = try TestStore("d")
    let passed = try c.entriesForPeer(d).map(\.fromPeer)
    #expect(passed.count == count && passed.count { $0.seal != nil } == 3)
    let outcomes = try d.file.apply(passed)
    #expect(outcomes.allSatisfy { if case .applied = $0 { true } else { false } }, "\(outcomes)")
    #expect(try d.exported() == a.exported())
  }

  // MARK: Taking

  /// An attack of somebody who has a key of its own, that of `b`, on what `a` wrote.
  enum Attack: String, CaseIterable {
    case otherKey, otherStore, otherIncarnation, otherNumber, otherHistory, changedBytes, swapped
    case leftOut, borrowedSeal, noRight
  }

  /// The changesets of `a`, as the attacker would bring them.
  private func forged(_ attack: Attack) throws -> [IncomingChangeset] {
    for key in 1...3 { try a.create(Int64(key)) }
    try b.create(9)
    let key = try b.key
    let log = try a.entriesForPeer(c)
    var run = log.map(\.fromPeer)
    let head = log[2].id
    func resealed(_ id: ChangesetID, in store: StoreID = StoreID(high: 1, low: 1)) {
      run[2].expectedHash = id.hash
      run[2].seal = key.seal(id, in: store)
    }
    switch attack {
    case .otherKey: resealed(head)
    case .otherStore: run[2].seal = try a.key.seal(head, in: StoreID(high: 1, low: 2))
    case .otherIncarnation:
      for index in run.indices { run[index].author.incarnation.rawValue ^= 1 }
    case .otherNumber:
      var id = head
      id.sequence = SequenceNumber(4)
      run[2].seal = try a.key.seal(id, in: StoreID(high: 1, low: 1))
    case .otherHistory:
      var changeset = try Changeset(decoding: log[2].bytes, author: a.file.author)
      changeset.time = HybridTime(milliseconds: changeset.time.milliseconds + 1)
      run[2].bytes = changeset.encoded()
      resealed(
        ChangesetID(
          author: head.author, sequence: head.sequence,
          hash: log[1].id.hash.following(run[2].bytes)))
    case .changedBytes: run[1].bytes[run[1].bytes.count - 1] ^= 1
    case .swapped: (run[0].bytes, run[1].bytes) = (run[1].bytes, run[0].bytes)
    case .leftOut:
      run.remove(at: 1)
      run[1].sequence = SequenceNumber(2)
    case .borrowedSeal: run[2].seal = try b.entriesForPeer(c).last?.seal
    case .noRight:
      // A signature by nobody: the key of the replica, and zeros.
      let seal = try #require(run[2].seal)
      run[2].seal = Seal(seal.publicKey + [UInt8](repeating: 0, count: 64))
    }
    return run
  }

  @Test(arguments: Attack.allCases)
  func `issue 32: nothing is taken that its author did not sign`(attack: Attack) throws {
    let run = try forged(attack)
    let outcomes = try c.file.apply(run)
    #expect(outcomes.count == run.count)
    #expect(outcomes.filter(\.isKept).isEmpty, "\(outcomes)")
    #expect(try c.log().isEmpty)
    #expect(try c.exported() == "")
    // The true ones are taken as if nothing had come.
    try a.send(to: c)
    #expect(try c.exported() == a.exported())
    #expect(try c.file.verify() == [])
  }

  @Test func `issue 32: a run is kept whole or not at all`() throws {
    for key in 1...4 { try a.create(Int64(key)) }
    try b.create(9)
    let key = try a.key
    let log = try a.entriesForPeer(c)
    var run = log.map(\.fromPeer)
    // The author itself signs what nobody can read.
    run[3].bytes = run[3].bytes.dropLast()
    var id = log[3].id
    id.hash = log[2].id.hash.following(run[3].bytes)
    run[3].expectedHash = id.hash
    run[3].seal = key.seal(id, in: StoreID(high: 1, low: 1))
    let other = try b.entriesForPeer(c).map(\.fromPeer)
    let outcomes = try c.file.apply(other + run + other)
    #expect(outcomes.map(\.isKept) == [true, false, false, false, false, true])
    #expect(try c.log().map(\.id.author) == [b.file.author])
    #expect(try c.exported() == b.exported())
    try c.checkDigests()
    #expect(try c.file.verify() == [])
  }

  @Test func `issue 32: a run has its bounds, whoever signed it`() throws {
    for key in 1...Int64(Limits.runChangesets) + 1 { try a.create(key) }
    let log = try a.log()
    let end = try #require(log.last?.id)
    let seal = try a.key.seal(end, in: StoreID(high: 1, low: 1))
    var run = log.map(\.fromPeer)
    run[run.count - 1].expectedHash = end.hash
    run[run.count - 1].seal = seal
    let outcomes = try c.file.apply(run)
    #expect(outcomes.filter(\.isKept).isEmpty)
    // A changeset that depends on others begins a run.
    try b.create(900)
    try b.send(to: a)
    try a.create(901)
    let last = try #require(try a.log().last)
    let late = try a.key.seal(last.id, in: StoreID(high: 1, low: 1))
    var joined = Array(log.suffix(3)).map(\.fromPeer) + [last.fromPeer]
    joined[3].expectedHash = last.id.hash
    joined[3].seal = late
    try a.send(to: c)
    let (fresh, before) = (try TestStore("fresh"), log.dropLast(3).map(IncomingChangeset.init))
    _ = try fresh.file.apply(before)
    try b.send(to: fresh)
    guard case .refused(let reason)? = try fresh.file.apply(joined).first else {
      Issue.record("a run with dependencies inside was taken")
      return
    }
    #expect(reason.contains("dependencies"))
  }

  // MARK: Giving

  @Test func `issue 32: who relays gives what the author signed, in runs`() throws {
    for key in 1...100 { try a.create(Int64(key)) }
    try a.send(to: b)
    for key in 101...150 { try b.create(Int64(key)) }
    try a.create(200)
    try b.send(to: a)
    try a.create(201)
    try a.send(to: b)
    let given = try b.entriesForPeer(c)
    #expect(given.count == 152)
    // 64, 36; 50; 1; and the one that depends on what the other wrote.
    let ends = given.indices.filter { given[$0].seal != nil }
    #expect(ends == [63, 99, 149, 150, 151])
    for end in ends {
      #expect(given[end].seal?.vouches(for: given[end].id, in: b.file.storeID) == true)
    }
    try b.send(to: c)
    #expect(try c.exported() == a.exported())
    // And on, by who has nobody's key but its own.
    let d = try TestStore("d")
    try c.send(to: d)
    #expect(try d.exported() == a.exported())
    #expect(try d.file.holdings() == c.file.holdings())
  }

  @Test func `issue 32: a part of what was signed is never given`() throws {
    for key in 1...10 { try a.create(Int64(key)) }
    try a.send(to: b)
    for limit in [1, 100, 1000] {
      let batch = try b.file.entries(
        lackedBy: VersionVector(), after: .start, limitBytes: limit, isForPeer: true)
      #expect(batch.entries.count == 10)
      #expect(batch.entries.map { $0.seal != nil } == (1...10).map { $0 == 10 })
    }
    // Its author gives as little as is wanted.
    let own = try a.file.entries(
      lackedBy: VersionVector(), after: .start, limitBytes: 1, isForPeer: true)
    #expect(own.entries.count == 1 && own.entries[0].seal != nil)
  }

  @Test func `issue 32: what is expedited is signed too`() throws {
    for key in 1...3 { try a.create(Int64(key)) }
    try a.send(to: b)
    for giver in [a, b] {
      let found = try giver.file.expeditableEntries(
        after: [.init(author: a.file.author, sequence: .none)], stored: VersionVector(),
        limitBytes: 1 << 20)
      #expect(found.map { $0.seal != nil } == [false, false, true])
    }
    // Not all of it fits: its author signs what does, and nobody else can.
    let size = try a.log()[0].bytes.count
    for (giver, count) in [(a, 1), (b, 0)] {
      let found = try giver.file.expeditableEntries(
        after: [.init(author: a.file.author, sequence: .none)], stored: VersionVector(),
        limitBytes: size)
      #expect(found.count == count)
    }
  }

  @Test func `issue 32: a fork inside what was signed together is passed on`() throws {
    for key in 1...3 { try a.create(Int64(key)) }
    let backup = TestFolder.path("backup")
    try a.file.backUp(to: backup)
    for key in 4...5 { try a.create(Int64(key)) }
    try a.send(to: b)
    // The disk of `a` is put back without anybody noticing, and it writes the same numbers a second time.
    let secret = try a.key
    let (log, author) = (try a.log(), a.file.author)
    var changeset = try Changeset(decoding: log[3].bytes, author: author)
    changeset.time = HybridTime(milliseconds: changeset.time.milliseconds + 7)
    let bytes = changeset.encoded()
    let id = ChangesetID(
      author: author, sequence: SequenceNumber(4), hash: log[2].id.hash.following(bytes))
    let other = IncomingChangeset(
      author: author, sequence: id.sequence, bytes: bytes, expectedHash: id.hash,
      seal: secret.seal(id, in: b.file.storeID))
    let outcome = try b.file.apply([other])
    #expect(outcome.first?.isBranched == true)
    let d = try TestStore("d")
    for (giver, taker) in [(b, c), (c, d)] {
      // Once more when the histories have names.
      for _ in 0..<2 {
        let outcomes = try taker.file.apply(giver.entriesForPeer(taker).map(\.fromPeer))
        #expect(outcomes.filter { !$0.isKept }.isEmpty, "\(outcomes)")
      }
      #expect(try taker.file.holdings() == b.file.holdings())
      #expect(try taker.file.digest() == b.file.digest())
      #expect(try taker.exported() == b.exported())
      #expect(try taker.file.verify() == [])
    }
  }

  // MARK: Keys

  @Test func `issue 32: a clone has a key of its own, and what the original signed`() throws {
    for key in 1...70 { try a.create(Int64(key)) }
    let path = TestFolder.path("clone")
    let author = try a.file.clone(to: path)
    let clone = try TestStore("clone", path: path)
    #expect(clone.file.author == author)
    #expect(try clone.key.replica == author.replica)
    #expect(author.replica != a.file.author.replica)
    let isTaken = try isIn(path, a.key.secret)
    #expect(!isTaken)
    try clone.create(100)
    try clone.send(to: c)
    #expect(try c.exported() == clone.exported())
    #expect(try c.log().count == 71)
  }

  @Test func `issue 32: a restored backup is the same replica, and signs as it`() throws {
    try a.create(1)
    let (backup, path) = (TestFolder.path("backup"), TestFolder.path("restored"))
    try a.file.backUp(to: backup)
    let restoration = try StoreFile.restore(backup, to: path)
    let restored = try TestStore("restored", path: path)
    #expect(restoration.author.replica == a.file.author.replica)
    #expect(restored.file.author.incarnation != a.file.author.incarnation)
    try restored.create(2)
    try restored.send(to: c)
    #expect(try c.exported() == restored.exported())
    // Of the former incarnation too, with the same key.
    #expect(try Set(c.log().map(\.id.author.replica)) == [a.file.author.replica])
  }

  @Test func `issue 32: a copy that is given away has no key, and becomes a replica of its own`()
    throws
  {
    for key in 1...3 { try a.create(Int64(key)) }
    let path = TestFolder.path("given")
    try a.file.writeCopy(to: path)
    let isTaken = try isIn(path, a.key.secret)
    #expect(!isTaken)
    let isHere = try isIn(a.path, a.key.secret) || isIn(a.path + "-wal", a.key.secret)
    #expect(isHere)
    let reading = try StoreFile.open(path, options: StoreOptions(isReadOnly: true))
    #expect(try reading.verify() == [])
    reading.close()
    let second = TestFolder.path("given-again")
    try FileManager.default.copyItem(atPath: path, toPath: second)
    let copies = try [path, second].map { try TestStore("copy", path: $0) }
    #expect(
      Set([a.file.author, copies[0].file.author, copies[1].file.author].map(\.replica)).count == 3)
    for (key, copy) in copies.enumerated() { try copy.create(Int64(100 + key)) }
    try copies[0].send(to: c)
    try copies[1].send(to: c)
    #expect(try c.log().count == 5)
    try c.send(to: b)
    #expect(try b.exported() == c.exported())
  }

  @Test func `issue 32: a copy without a key that is restored is another replica`() throws {
    for key in 1...3 { try a.create(Int64(key)) }
    let (copy, path) = (TestFolder.path("given"), TestFolder.path("restored"))
    try a.file.writeCopy(to: copy)
    let restoration = try StoreFile.restore(copy, to: path)
    let restored = try TestStore("restored", path: path)
    #expect(restoration.author == restored.file.author)
    #expect(restored.file.author.replica != a.file.author.replica)
    try restored.create(4)
    try restored.send(to: c)
    #expect(try c.exported() == restored.exported())
  }

  @Test func `issue 32: a file whose key is another replica's, or none, is damaged`() throws {
    try a.create(1)
    a.file.close()
    for secret in ["x'01'", "x'\(String(repeating: "0a", count: 32))'"] {
      let connection = try Connection(path: a.path, access: .readWrite)
      try connection.execute("UPDATE atoll_store SET secret = \(secret)")
      connection.close()
      let error = #expect(throws: StorageError.self) { try StoreFile.open(a.path) }
      guard case .damaged? = error else {
        Issue.record("it is said to be \(String(describing: error))")
        return
      }
    }
  }

  @Test func `issue 32: a replica is named by its key, and every file has another`() throws {
    #expect(try a.key.replica == a.file.author.replica)
    #expect(try b.key.replica == b.file.author.replica)
    #expect(a.file.author.replica != b.file.author.replica)
  }
}
