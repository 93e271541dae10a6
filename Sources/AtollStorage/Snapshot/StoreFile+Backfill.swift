package import AtollChanges
import AtollSQLite
import AtollVocabulary

// A snapshot takes nothing from the log: whatever was in it stays, own changesets above all. Where the
// snapshot has more of an author than the log, the log has a *gap*; peers are asked for what is
// missing, the *backfill*, which is kept and not applied. Its place is behind what was here before, on which it may
// depend, and before what came since, which may depend on it. The positions are set aside when the gap arises:
//
//     log   ┄┄┄┄┄┄┬───────────────────┬───────────────────┬───────────────────▶
//        cut off  │ here before       │ backfill, coming  │ since the snapshot
//          truncation point                     gaps
//
// So only truncation ever takes an entry away, below what everybody has applied, and that is why nobody
// waits for ever. Suppose that nothing moved any more, and that some replica lacked an entry that is not cut off
// (an author's own file at least has it; where its disk was put back, and nobody else has, it is given up and counts
// as cut off, see `Engine+Backfill.swift`). Of all such entries take one with nothing lacking anywhere of what comes
// before it. Between who has it and who lacks it there are two neighbours of whom one has it and
// the other does not. If it is within a gap of the other, it is the next one of its author there: it
// is asked for, given by whoever has it, whatever gaps of its own it has, and kept. If the other has not applied it
// either, all is there that it depends on, and it is pushed and applied: a log is read to a peer up to the first gap
// of each author that the peer has as well. Either way something moves.
extension StoreFile {
  /// The log start, and the backfill that is still to be requested.
  package func logStart() throws(StorageError) -> LogStart {
    let offer = try snapshotOffer()
    return try doing("reading the log start") {
      try snapshot {
        LogStart(
          truncationPoint: truncationPoint.held, offer: offer,
          missing: try isAwaitingBackfill ? missing() : nil)
      }
    }
  }

  /// Another number whenever truncation has raised the truncation point, or a fork has divided it.
  package func truncationVersion() throws(StorageError) -> Int64 {
    try doing("reading the log start") {
      try connection.integer("SELECT coalesce(sum(sequence + author), 0) FROM atoll_floor") ?? 0
    }
  }

  /// The truncation point: truncation alone raises it, here or at the peers that gave the rest.
  var truncationPoint: Holdings {
    var truncationPoint = Holdings.none
    for record in authors.records {
      guard let head = record.truncationPoint, head.sequence >= record.first else { continue }
      let id = ChangesetID(author: record.author, sequence: head.sequence, hash: head.hash)
      truncationPoint.formUnion(Holdings(heads: [id]))
    }
    return truncationPoint
  }

  // MARK: Giving

  /// Reads backfill for a peer that began with a snapshot, as many changesets as a frame holds.
  ///
  /// - Parameters:
  ///   - request: The peer's request.
  ///   - cutting: The changeset that was read last, if it is too large for a frame.
  /// - Returns: The next changesets of the request, or a state that says there are none.
  /// - Throws: `damaged` if an entry is not what its author wrote.
  package func backfill(
    _ request: BackfillRequest, cutting: inout LogEntry?
  ) throws(StorageError) -> Backfill {
    let (truncationPoint, last) = try doing("reading the log start") {
      try snapshot {
        (self.truncationPoint, try isAwaitingBackfill ? Backfill.State.waiting : .end)
      }
    }
    if let entry = cutting, let part = request.part, part.author == entry.id.author,
      part.sequence == entry.id.sequence
    {
      return Backfill(
        truncationPoint: truncationPoint, state: .more, parts: [entry.part(from: part.received)])
    }
    cutting = nil
    var vector = VersionVector()
    for author in try holdings().heads.map(\.author) {
      let (after, through) = (request.after[author], request.through[author])
      vector[author] = after < through ? after : .max
    }
    var position = LogPosition.start
    while true {
      let batch = try entries(
        lackedBy: vector, after: position, limitBytes: Limits.batchBytes, endsAtGaps: true)
      let wanted = batch.entries.filter { $0.id.sequence <= request.through[$0.id.author] }
      if let first = wanted.first {
        if first.bytes.count > Limits.batchBytes { cutting = first }
        let parts = wanted.map { $0.part(from: request.received(of: $0.id)) }
        return Backfill(truncationPoint: truncationPoint, state: .more, parts: parts)
      }
      guard !batch.isAtEnd else {
        return Backfill(truncationPoint: truncationPoint, state: last, parts: [])
      }
      position = batch.next
    }
  }

  // MARK: Taking

  /// Whether the log has gaps.
  var isAwaitingBackfill: Bool {
    get throws { try connection.integer("SELECT count(*) FROM atoll_backlog") != 0 }
  }

  /// Keeps the backfill that comes next in the log and whose dependencies are here.
  ///
  /// - Returns: The reason why it is not kept; nil if it is, or was already.
  /// - Throws: ``StorageError`` if the file fails.
  package func keep(_ backfill: Backfill) throws(StorageError) -> String? {
    let doing = "keeping changesets older than the checkpoint"
    return try self.doing(doing) {
      do {
        let isWhole = try quietly(doing) {
          guard try isAwaitingBackfill else { return false }
          for head in backfill.truncationPoint.heads { try note(cutAt: head) }
          for part in backfill.parts { try keep(part) }
          return try finishBackfill()
        }
        if isWhole { _ = try removeTruncated() }
        return nil
      } catch let refusal as SnapshotRefusal {
        // Which of those before it were wrong nobody can tell. What was here before is not in doubt.
        try quietly("deleting changesets older than the checkpoint") {
          try connection.execute(
            """
            DELETE FROM atoll_log WHERE position >= (SELECT first FROM atoll_backlog)
              AND position < (SELECT next FROM atoll_backlog);
            UPDATE atoll_backlog SET next = first;
            UPDATE atoll_gap SET coming = NULL, coming_hash = NULL
            """)
        }
        backfillPart = nil
        try authors.refreshTruncationPoint()
        return refusal.reason
      }
    }
  }

  /// Inside the transaction of an installation: notes where the checkpoint goes beyond the log, and sets
  /// places aside.
  func beginBackfill() throws {
    backfillPart = nil
    let statement = try statement("INSERT INTO atoll_gap (author, sequence, hash) VALUES (?, ?, ?)")
    var count: UInt64 = 0
    for record in authors.records {
      guard let checkpoint = record.checkpoint else { continue }
      let last = try lastKept(of: record, through: checkpoint.sequence)
      guard last < checkpoint.sequence else { continue }
      count = min(1 << 62, count + checkpoint.sequence.rawValue - last.rawValue)
      statement.bind(record.number, at: 1)
      statement.bind(checkpoint.sequence.rawValue, at: 2)
      statement.bind(checkpoint.hash.bytes, at: 3)
      try statement.run()
    }
    guard count < 1 << 62 else {
      throw SnapshotRefusal(reason: "it has \(count) changesets, which nobody can have written")
    }
    if count > 0 {
      let first = try lastLogPosition().rawValue + 1
      try connection.execute(
        "INSERT INTO atoll_backlog (one, first, next, last) "
          + "VALUES (1, \(first), \(first), \(first + Int64(count) - 1))")
    } else {
      try dropNeedlessCheckpoint()
    }
    try authors.refreshCheckpoint()
  }

  /// The sender's log has nothing up to `head`: everybody has applied it, and it is not waited for.
  ///
  /// The sender may have it under another name, since it knows of fewer forks.
  private func note(cutAt head: ChangesetID) throws {
    guard head.sequence >= .first,
      let record = try history(of: head.author, with: head.sequence, head.hash)
        ?? authors[head.author]
    else { return }
    for (number, range) in parts(of: record.number, .first...head.sequence) {
      guard let part = authors[number] else { continue }
      let last = range.upperBound
      let hash = last == head.sequence ? head.hash : try knownHash(part, last)
      if let hash { try note(cutAt: last, hash, of: part) }
    }
  }

  private func note(cutAt last: SequenceNumber, _ hash: ChainHash, of record: AuthorRecord) throws {
    guard let gap = record.gap, last > (try lastKept(of: record, through: gap.sequence)) else {
      return
    }
    let isAbove = last >= gap.sequence
    let cut = TruncationPoint(
      sequence: isAbove ? gap.sequence : last, hash: isAbove ? gap.hash : hash)
    let statement = try statement(
      "UPDATE atoll_gap SET coming = ?, coming_hash = ? WHERE author = ?")
    statement.bind(cut.sequence.rawValue, at: 1)
    statement.bind(cut.hash.bytes, at: 2)
    statement.bind(record.number, at: 3)
    try statement.run()
    record.gap?.coming = cut
  }

  private func keep(_ part: ChangesetChunk) throws {
    let named = try history(of: part.id.author, with: part.id.sequence, part.id.hash)
    guard let record = named ?? authors[part.id.author],
      part.id.sequence <= record.heldHead.sequence
    else {
      throw SnapshotRefusal(reason: "changeset \(part.id.sequence) was not asked for")
    }
    // It may answer an earlier question again, whose gap is no more.
    guard let gap = record.gap, part.id.sequence <= gap.sequence else { return }
    let last = try lastKept(of: record, through: gap.sequence)
    // It is here already, or goes on from something that is not.
    guard part.id.sequence == last.next else { return }
    // It is of another history, since the sender's disk was put back: what the snapshot has is in no log there.
    if let recent = try checkpointRecent(record, part.id.sequence), recent.hash != part.id.hash {
      return
    }
    guard let bytes = try assembled(part) else { return }
    guard let before = try hash(before: part.id.sequence, of: record) else {
      throw SnapshotRefusal(reason: "nothing leads to changeset \(part.id.sequence)")
    }
    let hash = before.following(bytes)
    guard hash == part.id.hash, part.id.sequence < gap.sequence || hash == gap.hash else {
      throw SnapshotRefusal(
        reason: "changeset \(part.id.sequence) of \(record.author) does not lead to the snapshot's")
    }
    guard try isAllKept(before: bytes, of: record) else { return }
    let statement = try statement(
      """
      INSERT INTO atoll_log (position, author, sequence, hash, bytes)
      VALUES ((SELECT next FROM atoll_backlog), ?, ?, ?, ?)
      """)
    statement.bind(record.number, at: 1)
    statement.bind(part.id.sequence.rawValue, at: 2)
    statement.bind(hash.bytes, at: 3)
    try statement.run(binding: bytes, at: 4)
    try self.statement("UPDATE atoll_backlog SET next = next + 1").run()
  }

  /// A changeset whose last part this is; nil if more has to come.
  private func assembled(_ part: ChangesetChunk) throws -> [UInt8]? {
    if part.offset == 0, part.bytes.count == part.total {
      backfillPart = nil
      return part.bytes
    }
    var bytes: [UInt8] = []
    if let known = backfillPart, known.id == part.id { bytes = known.bytes }
    backfillPart = nil
    guard part.offset == bytes.count, part.offset + part.bytes.count <= part.total else {
      return nil
    }
    bytes += part.bytes
    guard bytes.count == part.total else {
      backfillPart = (part.id, bytes)
      return nil
    }
    return bytes
  }

  /// Whether nothing that a changeset depends on is still within a gap.
  private func isAllKept(before bytes: [UInt8], of record: AuthorRecord) throws -> Bool {
    let reader: ChangesetReader
    do {
      reader = try ChangesetReader(bytes, author: record.author)
    } catch {
      throw SnapshotRefusal(reason: "a changeset of \(record.author) cannot be read: \(error)")
    }
    if reader.sequence == record.first, let parent = authors[record.parent] {
      guard try isKept(parent, through: previous(record.first)) else { return false }
    }
    return try reader.dependencies.allSatisfy { dependency in
      guard let number = record.authorNumber(dependency.author), let named = authors[number] else {
        return false
      }
      let other = try history(of: named.author, with: dependency.sequence, dependency.hash)
      return try isKept(other ?? named, through: dependency.sequence)
    }
  }

  private func isKept(_ record: AuthorRecord, through sequence: SequenceNumber) throws -> Bool {
    // Nothing comes before a fork at the very first changeset.
    guard sequence >= .first else { return true }
    return try parts(of: record.number, .first...sequence).allSatisfy { number, range in
      guard let part = authors[number], let gap = part.gap else { return true }
      let last = try lastKept(of: part, through: gap.sequence)
      return last >= min(range.upperBound, gap.sequence)
    }
  }

  private func missing() throws -> BackfillRequest {
    var request = BackfillRequest(after: VersionVector(), through: VersionVector())
    for record in authors.records {
      guard let gap = record.gap else { continue }
      let last = try lastKept(of: record, through: gap.sequence)
      guard last < gap.sequence else { continue }
      // A peer that knows of fewer forks has it under the name of what comes before.
      var named: AuthorRecord? = record
      while let each = named {
        let isFirst = request.through[each.author] == .none
        let after = isFirst ? last : min(last, request.after[each.author])
        request.after[each.author] = after >= each.first ? after : .none
        request.through[each.author] = max(request.through[each.author], gap.sequence)
        named = authors[each.parent]
      }
    }
    if let part = backfillPart {
      request.part = ChunkReceipt(
        author: part.id.author, sequence: part.id.sequence, received: part.bytes.count)
    }
    return request
  }

  /// Once everything is here, the log goes back as far as those that it was asked of; whether it is.
  private func finishBackfill() throws -> Bool {
    for record in authors.records {
      guard let gap = record.gap else { continue }
      guard try lastKept(of: record, through: gap.sequence) == gap.sequence else { return false }
    }
    try connection.execute(
      """
      INSERT OR REPLACE INTO atoll_floor (author, sequence, hash)
        SELECT author, coming, coming_hash FROM atoll_gap WHERE coming IS NOT NULL;
      DELETE FROM atoll_gap;
      DELETE FROM atoll_backlog
      """)
    try dropNeedlessCheckpoint()
    try authors.refreshCheckpoint()
    return true
  }

  /// A file that has the whole log does without a checkpoint, and can still give it to others.
  private func dropNeedlessCheckpoint() throws {
    guard try connection.integer("SELECT count(*) FROM atoll_floor") == 0,
      let number = try snapshotNumber(in: .checkpoint)
    else { return }
    try connection.execute("DELETE FROM atoll_base")
    if try snapshotNumber(in: .whole) == nil {
      try setState(.whole, ofSnapshot: number)
    } else {
      try dropSnapshot(in: .checkpoint)
    }
  }

  // MARK: Rows

  /// Up to where the log has, or need not have, what the checkpoint was made of.
  private func lastKept(
    of record: AuthorRecord, through last: SequenceNumber
  ) throws -> SequenceNumber {
    let statement = try statement(
      """
      SELECT sequence FROM atoll_log WHERE author = ? AND sequence <= ?
      ORDER BY sequence DESC LIMIT 1
      """)
    statement.bind(record.number, at: 1)
    statement.bind(last.rawValue, at: 2)
    defer { statement.reset() }
    let logged = try statement.step() ? SequenceNumber(statement.uint64(at: 0)) : .none
    let cut = record.gap?.coming?.sequence ?? record.truncationPoint?.sequence ?? .none
    return max(logged, cut, previous(record.first))
  }

  private func hash(before sequence: SequenceNumber, of record: AuthorRecord) throws -> ChainHash? {
    if sequence == .first { return .origin(of: record.author) }
    guard sequence == record.first, let parent = authors[record.parent] else {
      return try knownHash(record, previous(sequence))
    }
    return try knownHash(parent, previous(sequence))
  }
}

extension BackfillRequest {
  /// How much of a changeset the asker has.
  fileprivate func received(of id: ChangesetID) -> Int {
    guard let part, part.author == id.author, part.sequence == id.sequence else { return 0 }
    return part.received
  }
}

extension LogEntry {
  /// As much from an offset on as a frame has room for.
  fileprivate func part(from offset: Int) -> ChangesetChunk {
    let offset = min(offset, bytes.count)
    let end = min(offset + Limits.batchBytes, bytes.count)
    return ChangesetChunk(
      id: id, total: bytes.count, offset: offset, bytes: Array(bytes[offset..<end]))
  }
}

/// The last of an author's changesets that was cut off the log.
struct TruncationPoint {
  var sequence: SequenceNumber
  var hash: ChainHash
}

/// The changesets of an author that the checkpoint has and the log lacks: from behind the last that is
/// there to this one.
struct LogGap {
  var sequence: SequenceNumber
  var hash: ChainHash
  /// The last that need not come, since the peers that were asked have cut it off.
  var coming: TruncationPoint?
}
