package import AtollChanges
import AtollLog
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
// (an author's own file at least has it; where its disk was rolled back, and nobody else has, it is given up and counts
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
          truncationPoint: log.truncationPoints.stored, offer: offer,
          missing: try log.isAwaitingBackfill ? missing() : nil)
      }
    }
  }

  /// Another number whenever truncation has raised the truncation point, or a fork has divided it.
  package func truncationVersion() throws(StorageError) -> Int64 {
    try doing("reading the log start") {
      try log.truncationVersion
    }
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
        (log.truncationPoints, try log.isAwaitingBackfill ? Backfill.State.waiting : .end)
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
        lackedBy: vector, after: position, limitBytes: Limits.batchBytes, isForPeer: true)
      var wanted = batch.entries.filter { $0.id.sequence <= request.through[$0.id.author] }
      wanted.joinRuns()
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

  /// Keeps the backfill that comes next in the log and whose dependencies are here.
  ///
  /// - Returns: The reason why it is not kept; nil if it is, or was already.
  /// - Throws: ``StorageError`` if the file fails.
  package func keep(_ backfill: Backfill) throws(StorageError) -> String? {
    let doing = "keeping changesets older than the checkpoint"
    let offences = falselySealed(backfill.parts)
    return try self.doing(doing) {
      do {
        let isWhole = try quietly(doing) {
          guard try log.isAwaitingBackfill else { return false }
          for head in backfill.truncationPoint.heads { try recordCut(head) }
          for part in backfill.parts { try keep(part, isVouched: !offences.contains(part.id)) }
          return try finishBackfill()
        }
        if isWhole { _ = try removeTruncated() }
        return nil
      } catch let refusal as SnapshotRefusal {
        // The wrong one of those before it cannot be found. What was here before is not in doubt.
        try quietly("deleting changesets older than the checkpoint") {
          try log.emptyBackfill()
        }
        incoming.backfillPart = nil
        try authors.refreshLogStart()
        return refusal.reason
      }
    }
  }

  /// The changesets whose seals are not their authors'; found before the write lock is taken.
  private func falselySealed(_ parts: [ChangesetChunk]) -> Set<ChangesetID> {
    let claims = parts.compactMap { part in part.seal.map { (seal: $0, id: part.id) } }
    return Set(faults(among: claims).map { claims[$0].id })
  }

  /// Inside the transaction of an installation: notes where the checkpoint goes beyond the log, and sets
  /// places aside.
  func beginBackfill() throws {
    incoming.backfillPart = nil
    let count = try log.openGaps(maximum: Self.greatestGap)
    guard count < Self.greatestGap else {
      throw SnapshotRefusal(reason: "it has \(count) changesets, which nobody can have written")
    }
    if count == 0 { try dropNeedlessCheckpoint() }
    try authors.refreshCheckpoint()
  }

  /// More changesets than there can be below a checkpoint.
  private static let greatestGap: UInt64 = 1 << 62

  /// Records that the sender's log has nothing up to `head`: everybody has applied it, and it is not waited for.
  ///
  /// The sender may have it under another name, since it knows of fewer forks.
  private func recordCut(_ head: ChangesetID) throws {
    guard head.sequence >= .first,
      let record = try log.branch(of: head.author, with: head.sequence, head.hash)
        ?? authors[head.author]
    else { return }
    for (number, range) in log.parts(of: record.number, .first...head.sequence) {
      guard let part = authors[number] else { continue }
      let last = range.upperBound
      let hash = last == head.sequence ? head.hash : try log.knownHash(part, last)
      if let hash { try log.recordCut(last, hash, of: part) }
    }
  }

  /// Keeps a changeset, or a part of one; `isVouched` is false if its seal is not its author's.
  private func keep(_ part: ChangesetChunk, isVouched: Bool) throws {
    let named = try log.branch(of: part.id.author, with: part.id.sequence, part.id.hash)
    guard let record = named ?? authors[part.id.author],
      part.id.sequence <= record.storedHead.sequence
    else {
      throw SnapshotRefusal(reason: "changeset \(part.id.sequence) was not asked for")
    }
    // It may answer an earlier question again, whose gap is no more.
    guard let gap = record.gap, part.id.sequence <= gap.sequence else { return }
    let last = try log.lastKept(of: record, through: gap.sequence)
    // It is here already, or goes on from something that is not.
    guard part.id.sequence == last.next else { return }
    // It is of another history, since the sender's disk was rolled back: what the snapshot has is in no log there.
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
    guard try log.isAllKept(before: reader(of: bytes, record), of: record) else { return }
    guard isVouched else {
      throw SnapshotRefusal(
        reason: "the seal of changeset \(part.id.sequence) is not \(record.author.replica)'s")
    }
    try log.appendBackfill(bytes, record, part.id.sequence, hash, seal: part.seal)
  }

  /// A changeset whose last part this is; nil if more has to come.
  private func assembled(_ part: ChangesetChunk) throws -> [UInt8]? {
    if part.offset == 0, part.bytes.count == part.total {
      incoming.backfillPart = nil
      return part.bytes
    }
    var bytes: [UInt8] = []
    if let known = incoming.backfillPart, known.id == part.id { bytes = known.bytes }
    incoming.backfillPart = nil
    guard part.offset == bytes.count, part.offset + part.bytes.count <= part.total else {
      return nil
    }
    bytes += part.bytes
    guard bytes.count == part.total else {
      incoming.backfillPart = (part.id, bytes)
      return nil
    }
    return bytes
  }

  private func reader(of bytes: [UInt8], _ record: AuthorRecord) throws -> ChangesetReader {
    do {
      return try ChangesetReader(bytes, author: record.author)
    } catch {
      throw SnapshotRefusal(reason: "a changeset of \(record.author) cannot be read: \(error)")
    }
  }

  private func missing() throws -> BackfillRequest {
    var request = BackfillRequest(after: VersionVector(), through: VersionVector())
    for record in authors.records {
      guard let gap = record.gap else { continue }
      let last = try log.lastKept(of: record, through: gap.sequence)
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
    if let part = incoming.backfillPart {
      request.part = ChunkReceipt(
        author: part.id.author, sequence: part.id.sequence, received: part.bytes.count)
    }
    return request
  }

  /// Once everything is here, the log goes back as far as those that it was asked of; whether it is.
  private func finishBackfill() throws -> Bool {
    guard try log.closeGaps() else { return false }
    try dropNeedlessCheckpoint()
    try authors.refreshCheckpoint()
    return true
  }

  /// A file that has the whole log does without a checkpoint, and can still give it to others.
  private func dropNeedlessCheckpoint() throws {
    guard try !log.isTruncated,
      let number = try snapshotNumber(in: .checkpoint)
    else { return }
    try log.dropCheckpoint()
    if try snapshotNumber(in: .whole) == nil {
      try setState(.whole, ofSnapshot: number)
    } else {
      try dropSnapshot(in: .checkpoint)
    }
  }

  private func hash(before sequence: SequenceNumber, of record: AuthorRecord) throws -> ChainHash? {
    if sequence == .first { return .origin(of: record.author) }
    guard sequence == record.first, let parent = authors[record.parent] else {
      return try log.knownHash(record, sequence.previous)
    }
    return try log.knownHash(parent, sequence.previous)
  }
}

extension BackfillRequest {
  /// Returns the part of a changeset that the asker has.
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
      id: id, total: bytes.count, offset: offset, bytes: Array(bytes[offset..<end]), seal: seal)
  }
}
