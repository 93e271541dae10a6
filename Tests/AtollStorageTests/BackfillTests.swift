import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

/// The log below a snapshot: it comes after the objects, and makes of its taker a source for others.
@Suite struct `backfill` {
  @Test func `installing a snapshot takes nothing out of the log, and only holes are asked for`()
    throws
  {
    let (a, b) = (try TestStore("a"), try TestStore("b"))
    for key in 1...3 { try b.create(Int64(key)) }
    for key in 4...6 { try a.create(Int64(key)) }
    try b.send(to: a)
    try a.create(7)
    try a.file.makeSnapshot()
    try b.create(8)
    let before = try Set(b.log().map(\.id))
    try b.takeSnapshot(of: a)
    #expect(try Set(b.log().map(\.id)).isSuperset(of: before))
    let missing = try #require(try b.file.logStart().missing)
    #expect(missing.through.entries.map(\.author) == [a.file.author])
    try b.create(9)
    // Whoever has none of the other's log is given this one's as far as the other's is not needed for it.
    let c = try TestStore("c")
    try b.sendAsPeer(to: c)
    #expect(try c.file.holdings().stored[b.file.author] == SequenceNumber(4))
    #expect(try b.fetchBackfill(from: a) == nil)
    try b.sendAsPeer(to: c)
    try b.send(to: a)
    #expect(try Set([a, b, c].map { try $0.exported() }).count == 1)
    for store in [a, b, c] { #expect(try store.file.verify() == []) }
  }

  @Test func `an answer that comes again, after its gap was filled, changes nothing`() throws {
    let (a, b, late) = (try TestStore("a"), try TestStore("b"), try TestStore("late"))
    try a.create(1)
    try a.file.makeSnapshot()
    try late.takeSnapshot(of: a)
    var cutting: LogEntry?
    let first = try #require(try late.file.logStart().missing)
    let answer = try a.file.backfill(first, cutting: &cutting)
    #expect(try late.fetchBackfill(from: a) == nil)
    // Another snapshot leaves another gap, and then the first answer comes once more.
    try a.send(to: b)
    try b.create(2)
    try b.create(3)
    try b.file.makeSnapshot()
    try late.takeSnapshot(of: b)
    let missing = try #require(try late.file.logStart().missing)
    #expect(missing.through.entries.map(\.author) == [b.file.author])
    #expect(try late.file.keep(answer) == nil)
    #expect(try late.file.logStart().missing == missing)
    // Changesets that were never announced are refused.
    try b.create(4)
    let unheard = try #require(try b.log().last)
    let part = ChangesetChunk(
      id: unheard.id, total: unheard.bytes.count, offset: 0, bytes: unheard.bytes)
    let refusal = try late.file.keep(Backfill(truncationPoint: .none, state: .more, parts: [part]))
    #expect(refusal?.contains("not asked for") == true)
    #expect(try late.fetchBackfill(from: b) == nil)
    #expect(try late.file.verify() == [])
  }

  @Test func `what depends on something in a gap is not sent to who lacks that, nor what follows`()
    throws
  {
    let (a, b, c, d) = (
      try TestStore("a"), try TestStore("b"), try TestStore("c"), try TestStore("d")
    )
    try c.create(1)
    try c.send(to: b)
    try a.create(2)
    try a.file.makeSnapshot()
    try b.takeSnapshot(of: a)
    // Of b the first needs what is in the gap, and so does the second, that only follows it; of d one does.
    try b.create(3)
    try b.create(4)
    try d.create(5)
    try d.send(to: b)
    try a.send(to: d)
    try b.send(to: d)
    try d.create(6)
    try d.send(to: b)
    let late = try TestStore("late")
    let first = try b.entriesForPeer(late).map(\.id)
    #expect(first.map(\.author) == [c.file.author, d.file.author])
    #expect(first.map(\.sequence.rawValue) == [1, 1])
    // Read on from there, nothing is forgotten of it.
    let last = try #require(try b.entriesForPeer(late).last).position
    var known = VersionVector()
    for id in first { known[id.author] = id.sequence }
    let rest = try b.file.entries(
      lackedBy: known, after: last, limitBytes: 1 << 20, isForPeer: true)
    #expect(rest.entries.isEmpty && rest.isAtEnd)
    // Whoever has what is in the gap gets everything.
    try a.send(to: late)
    #expect(try b.entriesForPeer(late).count == 5)
    try b.sendAsPeer(to: late)
    #expect(try late.exported() == b.exported())
  }

  @Test func `two that have holes fill each other's, in an order that can be applied`() throws {
    let givers = try ["a", "b"].map { try TestStore($0) }
    // Each giver has what the other taker will lack, and the later changesets depend on the earlier ones.
    try givers[0].create(1)
    try givers[0].send(to: givers[1])
    try givers[1].create(2)
    try givers[1].send(to: givers[0])
    try givers[0].create(3)
    let (c, d) = (try TestStore("c"), try TestStore("d"))
    try givers[1].send(to: d)
    try givers[0].file.makeSnapshot()
    for taker in [c, d] { try taker.takeSnapshot(of: givers[0]) }
    // The givers are gone: nobody has their last one any more, and all else comes to both.
    #expect(try c.fetchBackfill(from: d) == .waiting)
    #expect(try d.fetchBackfill(from: c) == .waiting)
    let log = try c.log().map(\.id)
    #expect(log.map(\.sequence.rawValue) == [1, 1] && log[0].author == givers[0].file.author)
    #expect(try d.fetchBackfill(from: givers[0]) == nil)
    #expect(try c.fetchBackfill(from: d) == nil)
    #expect(try c.exported() == d.exported())
    for taker in [c, d] { #expect(try taker.file.verify() == []) }
  }

  @Test func `what nobody has any more counts as cut off, and the objects are given on`() throws {
    let (a, b) = (try TestStore("a"), try TestStore("b"))
    try a.create(1)
    try a.send(to: b)
    try a.create(2)
    try a.file.makeSnapshot()
    try b.create(3)
    try b.takeSnapshot(of: a)
    try b.create(4)
    // The giver is put back to before its second one: nobody has that in a log.
    let missing = try #require(try b.file.logStart().missing)
    #expect(missing.through.entries.map(\.sequence.rawValue) == [2])
    let heads = missing.through.entries.map {
      ChangesetID(author: $0.author, sequence: $0.sequence, hash: .origin(of: $0.author))
    }
    #expect(
      try b.file.keep(Backfill(truncationPoint: Holdings(heads: heads), state: .end, parts: []))
        == nil)
    #expect(try b.file.logStart().missing == nil)
    #expect(try b.file.logStart().truncationPoint.entries.map(\.sequence.rawValue) == [2])
    #expect(try b.file.verify() == [])
    let late = try TestStore("late")
    try late.create(5)
    try b.file.makeSnapshot()
    try late.takeSnapshot(of: b)
    #expect(try late.fetchBackfill(from: b) == nil)
    try b.send(to: late)
    try late.send(to: b)
    #expect(try late.exported() == b.exported())
    for store in [b, late] { #expect(try store.file.verify() == []) }
  }

  @Test(arguments: (1...12).map { UInt64($0) })
  func `a file that began with a snapshot comes to have the log of who gave it`(
    seed: UInt64
  ) throws {
    let stores = try ["a", "b"].map { try TestStore($0) }
    var writer = RandomWriter(random: SeededGenerator(seed: seed))
    for _ in 0..<30 { try writer.write(stores[Int.random(in: 0..<2, using: &writer.random)]) }
    try stores[0].send(to: stores[1])
    try stores[1].send(to: stores[0])
    try stores[0].file.makeSnapshot()
    let late = try TestStore("late")
    if seed.isMultiple(of: 2) { try late.create(7) }
    try late.takeSnapshot(of: stores[0])
    #expect(try late.file.logStart().missing != nil)
    // Both go on meanwhile.
    for store in stores { try writer.write(store) }
    try late.create(8)
    for store in stores { try store.send(to: late) }
    #expect(try late.fetchBackfill(from: stores[0]) == nil)
    #expect(try late.file.logStart().truncationPoint.entries.isEmpty)
    #expect(try late.file.logStart().missing == nil)
    #expect(try late.file.verify() == [], "seed \(seed)")
    // It gives everything, from the beginning and in an order that can be applied.
    let other = try TestStore("other")
    try late.send(to: other)
    #expect(try other.exported() == late.exported(), "seed \(seed)")
    #expect(try other.file.verify() == [], "seed \(seed)")
  }

  @Test func `two files with snapshots of which neither has the other's come out alike`() throws {
    let givers = try ["a", "b"].map { try TestStore($0) }
    let takers = try ["c", "d"].map { try TestStore($0) }
    for (place, giver) in givers.enumerated() {
      try giver.create(Int64(place))
      try giver.file.makeSnapshot()
      try takers[place].takeSnapshot(of: giver)
      #expect(try takers[place].fetchBackfill(from: giver) == nil)
      try takers[place].create(Int64(10 + place))
    }
    // The givers are gone.
    try takers[0].send(to: takers[1])
    try takers[1].send(to: takers[0])
    #expect(try takers[0].exported() == takers[1].exported())
    for taker in takers { #expect(try taker.file.verify() == []) }
    // And whoever has gaps in its log can still begin with a snapshot of another.
    try takers[1].file.makeSnapshot()
    let last = try TestStore("last")
    try last.takeSnapshot(of: givers[0])
    #expect(try last.fetchBackfill(from: givers[0]) == nil)
    try last.create(20)
    try last.takeSnapshot(of: takers[1])
    #expect(try last.fetchBackfill(from: takers[1]) == nil)
    try last.send(to: takers[0])
    #expect(try last.exported() == takers[0].exported())
    #expect(try last.file.verify() == [])
  }

  @Test func `a changeset too large for a frame comes in parts, and anew after a restart`() throws {
    let source = try TestStore("source")
    try source.write { store in
      for key in 1...20 {
        let data = [UInt8](repeating: UInt8(key), count: 64 << 10)
        _ = try store.file.create(
          store["Document"].id, key: .int(Int64(key)),
          fields: [NewField(store.property("Document", "d")[0], .scalar(.data(data)))])
      }
    }
    try source.file.makeSnapshot()
    let late = try TestStore("late")
    try late.takeSnapshot(of: source)
    var cutting: LogEntry?
    let first = try #require(try late.file.logStart().missing)
    let answer = try source.file.backfill(first, cutting: &cutting)
    #expect(answer.parts.map(\.bytes.count) == [Limits.batchBytes] && cutting != nil)
    #expect(try late.file.keep(answer) == nil)
    #expect(try late.file.logStart().missing?.part?.received == Limits.batchBytes)
    // Twice the same does no harm, and neither does another process that knows of no part.
    #expect(try late.file.keep(answer) == nil)
    let again = try StoreFile.open(late.path, options: StoreOptions(storeID: late.file.storeID))
    #expect(try again.logStart().missing == first)
    again.close()
    #expect(try late.fetchBackfill(from: source) == nil)
    #expect(try late.file.logStart().truncationPoint.entries.isEmpty)
    #expect(try late.file.verify() == [])
  }

  @Test func `what does not lead to the snapshot is thrown away, and comes from another`() throws {
    let source = try TestStore("source")
    for key in 1...5 { try source.create(Int64(key)) }
    try source.file.makeSnapshot()
    let late = try TestStore("late")
    try late.takeSnapshot(of: source)
    let request = try #require(try late.file.logStart().missing)
    var cutting: LogEntry?
    var answer = try source.file.backfill(request, cutting: &cutting)
    #expect(answer.parts.count > 2)
    answer.parts[2].bytes[4] ^= 1
    #expect(try late.file.keep(answer)?.contains("does not lead to") == true)
    // Nothing of it is left, and what leaves a hole is not taken either.
    #expect(try late.file.logStart().missing == request)
    answer = try source.file.backfill(request, cutting: &cutting)
    answer.parts.removeFirst()
    #expect(try late.file.keep(answer) == nil)
    #expect(try late.file.logStart().missing == request)
    #expect(try late.fetchBackfill(from: source) == nil)
    #expect(try late.file.verify() == [])
  }

  @Test func `who waits for the log itself has none of it to give, and says that it waits`() throws
  {
    let source = try TestStore("source")
    try source.create(1)
    try source.file.makeSnapshot()
    let takers = try ["c", "d"].map { try TestStore($0) }
    for taker in takers { try taker.takeSnapshot(of: source) }
    #expect(try takers[0].fetchBackfill(from: takers[1]) == .waiting)
    #expect(try takers[1].fetchBackfill(from: source) == nil)
    #expect(try takers[0].fetchBackfill(from: takers[1]) == nil)
  }
}

extension TestStore {
  /// Returns the changesets that a link would bring.
  func entriesForPeer(_ other: TestStore) throws -> [LogEntry] {
    try file.entries(
      lackedBy: other.file.holdings().stored, after: .start, limitBytes: 1 << 20, isForPeer: true
    ).entries
  }

  /// Gives another store all that it lacks of this one, and returns the outcome of each changeset.
  @discardableResult
  func sendAsPeer(to other: TestStore) throws -> [ApplyOutcome] {
    try other.file.apply(entriesForPeer(other).map(\.fromPeer))
  }

  /// Asks until nothing is missing; the state of the answer that brought nothing, if one did.
  func fetchBackfill(from other: TestStore) throws -> Backfill.State? {
    var cutting: LogEntry?
    while let request = try file.logStart().missing {
      let answer = try other.file.backfill(request, cutting: &cutting)
      if let refusal = try file.keep(answer) { throw TestFailure(refusal) }
      guard answer.state == .more else {
        return try file.logStart().missing == nil ? nil : answer.state
      }
    }
    return nil
  }
}
