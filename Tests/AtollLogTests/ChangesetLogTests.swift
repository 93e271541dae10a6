import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary
import Testing

@Suite struct ChangesetLogTests {
  @Test func `entries come back in their order, without those that a peer has`() throws {
    let log = try Log()
    let first = try log.write(Log.author, 1)
    let second = try log.write(Log.other, 1)
    let third = try log.write(Log.author, 2)
    let batch = try log.log.entries(
      lackedBy: VersionVector([.init(author: Log.author, sequence: SequenceNumber(1))]),
      after: .start, limitBytes: .max, isChecked: true, isForPeer: false)
    #expect(batch.entries.map(\.id) == [second, third])
    #expect(batch.isAtEnd)
    #expect(try log.log.heads() == [third, second])
    #expect(try log.log.knownHash(try log.record(Log.author), SequenceNumber(1)) == first.hash)
  }

  @Test func `a batch ends at its bound, with one entry at least, and goes on behind it`() throws {
    let log = try Log()
    for sequence in 1...3 { try log.write(Log.author, UInt64(sequence)) }
    var position = LogPosition.start
    var sequences: [UInt64] = []
    for isAtEnd in [false, false, true] {
      let batch = try log.log.entries(
        lackedBy: VersionVector(), after: position, limitBytes: 1, isChecked: true,
        isForPeer: false)
      #expect(batch.entries.count == 1 && batch.isAtEnd == isAtEnd)
      sequences += batch.entries.map(\.id.sequence.rawValue)
      position = batch.next
    }
    #expect(sequences == [1, 2, 3])
  }

  @Test func `an entry whose bytes do not give its hash is not passed on`() throws {
    let log = try Log()
    try log.write(Log.author, 1)
    try log.connection.execute("UPDATE atoll_log SET bytes = CAST(bytes || x'00' AS BLOB)")
    #expect(throws: LogDamage.self) {
      try log.log.entries(
        lackedBy: VersionVector(), after: .start, limitBytes: .max, isChecked: true,
        isForPeer: false)
    }
  }

  @Test func `the time of a changeset is read from its first bytes`() throws {
    let log = try Log()
    for sequence in 1...9 { try log.write(Log.author, UInt64(sequence)) }
    let record = try log.record(Log.author)
    let time = try log.log.time(of: record, SequenceNumber(7))
    #expect(HybridTime(rawValue: time).milliseconds == 7_000)
    #expect(try log.log.sequence(of: record, at: time) == SequenceNumber(7))
    #expect(try log.log.sequence(of: record, at: time + 1) == nil)
  }

  @Test func `a deferred changeset is stored, not applied, and comes next when its rest has come`()
    throws
  {
    let log = try Log()
    let head = try log.write(Log.author, 1)
    let part = try log.defer(Log.author, 2, after: head.hash, isContinued: true)
    var record = try log.record(Log.author)
    #expect(record.head == head && record.storedHead == part)
    #expect(record.deferred?.isOpen == true)
    #expect(try log.log.nextDeferred(of: record) == nil)
    let rest = try log.defer(Log.author, 3, after: part.hash)
    try log.reread()
    record = try log.record(Log.author)
    #expect(record.storedHead == rest && record.deferred?.count == 2)
    let next = try #require(try log.log.nextDeferred(of: record))
    #expect((next.sequence, next.last) == (part.sequence, rest.sequence))
    let summary = try #require(try log.log.deferredSummaries().first)
    #expect(summary.count == 2 && !summary.awaitsRest)
    for _ in 0..<2 {
      let next = try #require(try log.log.nextDeferred(of: record))
      let entry = try #require(try log.log.entry(record, next.sequence))
      try log.log.promote(next, bytes: entry.bytes.count)
    }
    #expect(record.head == rest && record.deferred == nil)
    try log.reread()
    #expect(try log.record(Log.author).head == rest)
  }

  @Test func `as many changesets are deferred as the bound says, one of any size`() throws {
    let log = try Log()
    #expect(log.log.mayDefer(Limits.deferredBytes + 1))
    var head = try log.write(Log.author, 1)
    for sequence in 2..<(2 + UInt64(Limits.deferredChangesets)) {
      #expect(log.log.mayDefer(1))
      head = try log.defer(Log.author, sequence, after: head.hash)
    }
    #expect(!log.log.mayDefer(1))
  }

  @Test func `a run is anchored at the changeset that gives its hash`() throws {
    let log = try Log()
    let first = try log.write(Log.author, 1)
    let bytes = Log.bytes(Log.author, SequenceNumber(2))
    let incoming = IncomingChangeset(
      author: Log.author, sequence: SequenceNumber(2), bytes: bytes,
      expectedHash: first.hash.following(bytes))
    guard case .found(var run) = try log.log.findAnchor(of: [incoming]) else {
      Issue.record("no anchor was found")
      return
    }
    #expect(run.leads(to: incoming) && run.record == log.authors[Log.author]?.number)
    #expect(run.next() == incoming.expectedHash)
    var detached = incoming
    detached.expectedHash = ChainHash.origin(of: Log.other)
    guard case .none(.detached(let after)) = try log.log.findAnchor(of: [detached]) else {
      Issue.record("a run of another branch was anchored")
      return
    }
    #expect(after == first)
    detached.sequence = SequenceNumber(9)
    guard case .none(.missing(let missing)) = try log.log.findAnchor(of: [detached]) else {
      Issue.record("a run was anchored at what is not here")
      return
    }
    #expect(missing[Log.author] == SequenceNumber(8))
  }

  @Test func `truncated entries go a few at a time, the hash of the last is still known`() throws {
    let log = try Log()
    for sequence in 1...5 { try log.write(Log.author, UInt64(sequence)) }
    let third = try log.log.knownHash(try log.record(Log.author), SequenceNumber(3))
    try log.log.raiseTruncationPoints(
      to: VersionVector([.init(author: Log.author, sequence: SequenceNumber(3))]))
    #expect(try log.log.removeTruncated(limit: 2).changesets == 2)
    #expect(try log.log.removeTruncated(limit: 2).changesets == 1)
    #expect(try log.log.removeTruncated(limit: 2).changesets == 0)
    try log.reread()
    let record = try log.record(Log.author)
    #expect(record.truncationPoint?.sequence == SequenceNumber(3))
    #expect(try log.log.knownHash(record, SequenceNumber(3)) == third)
    #expect(try log.log.oldest(of: record) == SequenceNumber(4))
    // The changesets after it are still checked, and passed on.
    let batch = try log.log.entries(
      lackedBy: VersionVector(), after: .start, limitBytes: .max, isChecked: true,
      isForPeer: false)
    #expect(batch.entries.map(\.id.sequence.rawValue) == [4, 5])
  }

  @Test func `a gap is filled at the positions set aside, before what came since`() throws {
    let log = try Log()
    let ids = try (1...3).map { try log.write(Log.author, UInt64($0)) }
    let bytes = try (1...3).map { sequence in
      try #require(
        try log.log.entry(try log.record(Log.author), SequenceNumber(UInt64(sequence)))
      ).bytes
    }
    let snapshot = try Log()
    let record = try snapshot.record(Log.author)
    try snapshot.log.storeCheckpoint(ids[1].sequence, ids[1].hash, time: 0, of: record)
    try snapshot.log.advance(record, to: ids[1].sequence, ids[1].hash)
    try snapshot.authors.refreshCheckpoint()
    #expect(try snapshot.log.openGaps(maximum: 1 << 62) == 2)
    try snapshot.authors.refreshCheckpoint()
    _ = try snapshot.log.append(bytes[2], record, ids[2].sequence, ids[2].hash)
    try snapshot.log.advance(record, to: ids[2].sequence, ids[2].hash)
    #expect(try snapshot.log.isAwaitingBackfill)
    #expect(try !snapshot.log.closeGaps())
    for index in 0..<2 {
      try snapshot.log.appendBackfill(
        bytes[index], record, ids[index].sequence, ids[index].hash, seal: nil)
    }
    #expect(try snapshot.log.closeGaps())
    var found: [ChangesetID] = []
    try snapshot.log.forEachEntry { found.append($0.id) }
    #expect(found == ids)
  }

  @Test func `the peer that delivered an entry is known for those after it too`() throws {
    let log = try Log()
    try log.log.recordArrival(at: 3, by: Log.other)
    try log.log.recordArrival(at: 5, by: nil)
    let peers = try [2, 3, 4, 5].map { try log.log.arrival(of: $0) }
    #expect(peers == [nil, Log.other, Log.other, nil])
  }
}
