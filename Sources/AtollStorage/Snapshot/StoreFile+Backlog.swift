package import AtollChanges
import AtollSQLite
import AtollVocabulary

// The *floor* is what the log does not go back behind. A file that began with a snapshot has the snapshot's
// frontier as its floor at first, and asks its peers for the changesets that the snapshot was made of,
// the *backlog*, until it goes back as far as theirs. They are kept, and not applied; in the log they stand
// before everything else, for they came before it:
//
//     log   ┄┄┄┄┄┄┬───────────────────┬───────────────────▶
//           never │ backlog, coming   │ since the snapshot
//                 the peer's floor    base, floor until then
extension StoreFile {
  /// How the log begins, and what of it is still to be asked for.
  package func logBeginning() throws(StorageError) -> LogBeginning {
    let offer = try snapshotOffer()
    return try doing("reading what the log goes back to") {
      try snapshot {
        LogBeginning(
          floor: floor.held, offer: offer, missing: try isAwaitingBacklog ? missing() : nil)
      }
    }
  }

  /// Another number whenever truncation has raised the floor.
  package func floorVersion() throws(StorageError) -> Int64 {
    try doing("reading what the log goes back to") {
      try connection.integer("SELECT coalesce(sum(sequence), 0) FROM atoll_floor") ?? 0
    }
  }

  /// What the log does not go back behind.
  var floor: Holdings {
    var floor = Holdings.none
    for record in authors.records {
      guard let head = record.floor, head.sequence >= record.first else { continue }
      let id = ChangesetID(author: record.author, sequence: head.sequence, hash: head.hash)
      floor.formUnion(Holdings(heads: [id]))
    }
    return floor
  }

  // MARK: Giving

  /// Changesets of the log for one that began with a snapshot, as many as a frame has room for.
  ///
  /// - Parameters:
  ///   - request: What a peer asks for.
  ///   - cutting: The changeset that was read last, if it is too large for a frame.
  /// - Returns: The next of what was asked for, or that there is none.
  /// - Throws: `damaged` if an entry is not what its author wrote.
  package func backlog(
    _ request: BacklogRequest, cutting: inout LogEntry?
  ) throws(StorageError) -> Backlog {
    let floor: Holdings? = try doing("reading what the log goes back to") {
      try snapshot { try isAwaitingBacklog ? nil : self.floor }
    }
    guard let floor else { return Backlog(floor: .none, state: .waiting, parts: []) }
    if let entry = cutting, let part = request.part, part.author == entry.id.author,
      part.sequence == entry.id.sequence
    {
      return Backlog(floor: floor, state: .more, parts: [entry.part(from: part.received)])
    }
    cutting = nil
    var vector = VersionVector()
    for author in try holdings().heads.map(\.author) {
      let (after, through) = (request.after[author], request.through[author])
      vector[author] = after < through ? after : .max
    }
    var position = LogPosition.start
    while true {
      let batch = try entries(lackedBy: vector, after: position, limitBytes: Limits.batchBytes)
      let wanted = batch.entries.filter { $0.id.sequence <= request.through[$0.id.author] }
      if let first = wanted.first {
        if first.bytes.count > Limits.batchBytes { cutting = first }
        let parts = wanted.map { $0.part(from: 0) }
        return Backlog(floor: floor, state: .more, parts: parts)
      }
      guard !batch.isAtEnd else { return Backlog(floor: floor, state: .end, parts: []) }
      position = batch.next
    }
  }

  // MARK: Taking

  /// Whether the log below the base has still to come.
  private var isAwaitingBacklog: Bool {
    get throws { try connection.integer("SELECT count(*) FROM atoll_backlog") != 0 }
  }

  /// Keeps what came of the log below the base.
  ///
  /// - Returns: Why it is not kept; nil if it is, or was already.
  /// - Throws: ``StorageError`` if the file fails.
  package func keep(_ backlog: Backlog) throws(StorageError) -> String? {
    try doing("keeping changesets older than the base") {
      do {
        try quietly("keeping changesets older than the base") {
          guard try isAwaitingBacklog else { return }
          for head in backlog.floor.heads { try raise(to: head) }
          for part in backlog.parts { try keep(part) }
          try finishBacklog()
        }
        return nil
      } catch let refusal as SnapshotRefusal {
        // Which of those before it were wrong nobody can tell.
        try quietly("forgetting changesets older than the base") {
          for record in authors.records {
            guard let floor = record.floor else { continue }
            try remove(record, through: floor.sequence)
          }
          try connection.execute("UPDATE atoll_floor SET coming = NULL, coming_hash = NULL")
        }
        backlogPart = nil
        try authors.refreshFloor()
        return refusal.reason
      }
    }
  }

  /// Inside the transaction of an installation: the log begins above the base, and what is below is to be
  /// asked for.
  func beginBacklog() throws {
    backlogPart = nil
    try connection.execute(
      """
      DELETE FROM atoll_log WHERE EXISTS (
        SELECT 1 FROM atoll_base b
        WHERE b.author = atoll_log.author AND atoll_log.sequence <= b.sequence);
      DELETE FROM atoll_floor;
      INSERT INTO atoll_floor (author, sequence, hash, coming, coming_hash)
        SELECT author, sequence, hash, NULL, NULL FROM atoll_base;
      INSERT OR REPLACE INTO atoll_backlog (one, next)
        SELECT 1, min(coalesce((SELECT min(position) FROM atoll_log), 0), 0) - sum(sequence) - 2
        FROM atoll_base
      """)
    try authors.refreshFloor()
  }

  /// The sender's log has nothing up to `head`; what is here of that leads nowhere.
  private func raise(to head: ChangesetID) throws {
    guard let record = authors[head.author], let floor = record.floor else { return }
    let last = try lastKept(of: record, below: floor)
    guard head.sequence > last else { return }
    let isAbove = head.sequence >= floor.sequence
    try remove(record, through: floor.sequence)
    try setComing(
      isAbove ? floor.sequence : head.sequence, isAbove ? floor.hash : head.hash, of: record)
  }

  private func keep(_ part: ChangesetChunk) throws {
    guard let record = authors[part.id.author], let floor = record.floor,
      part.id.sequence <= floor.sequence
    else { throw SnapshotRefusal(reason: "changeset \(part.id.sequence) was not asked for") }
    let last = try lastKept(of: record, below: floor)
    // An answer that was given up came after all.
    guard part.id.sequence > last else { return }
    guard part.id.sequence == last.next else {
      throw SnapshotRefusal(reason: "changeset \(part.id.sequence) does not follow \(last)")
    }
    guard let bytes = try assembled(part) else { return }
    guard let before = try hash(before: part.id.sequence, of: record) else {
      throw SnapshotRefusal(reason: "nothing leads to changeset \(part.id.sequence)")
    }
    let hash = before.following(bytes)
    guard hash == part.id.hash, part.id.sequence < floor.sequence || hash == floor.hash else {
      throw SnapshotRefusal(
        reason: "changeset \(part.id.sequence) of \(record.author) does not lead to the snapshot's")
    }
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
      backlogPart = nil
      return part.bytes
    }
    var bytes: [UInt8] = []
    if let known = backlogPart, known.id == part.id { bytes = known.bytes }
    backlogPart = nil
    guard part.offset == bytes.count, part.offset + part.bytes.count <= part.total else {
      return nil
    }
    bytes += part.bytes
    guard bytes.count == part.total else {
      backlogPart = (part.id, bytes)
      return nil
    }
    return bytes
  }

  private func missing() throws -> BacklogRequest {
    var request = BacklogRequest(after: VersionVector(), through: VersionVector())
    for record in authors.records {
      guard let floor = record.floor else { continue }
      let last = try lastKept(of: record, below: floor)
      if last >= record.first { request.after[record.author] = last }
      request.through[record.author] = floor.sequence
    }
    if let part = backlogPart {
      request.part = ChunkReceipt(
        author: part.id.author, sequence: part.id.sequence, received: part.bytes.count)
    }
    return request
  }

  /// Once everything is here, the log goes back as far as those that it was asked of.
  private func finishBacklog() throws {
    for record in authors.records {
      guard let floor = record.floor else { continue }
      guard try lastKept(of: record, below: floor) == floor.sequence else { return }
    }
    try connection.execute(
      """
      DELETE FROM atoll_backlog;
      DELETE FROM atoll_floor WHERE coming IS NULL;
      UPDATE atoll_floor SET sequence = coming, hash = coming_hash, coming = NULL,
        coming_hash = NULL
      """)
    try dropNeedlessBase()
    try authors.refreshBase()
  }

  /// A file that has the whole log does without a base, and can still give it to others.
  private func dropNeedlessBase() throws {
    guard try connection.integer("SELECT count(*) FROM atoll_floor") == 0,
      let number = try snapshotNumber(in: .base)
    else { return }
    try connection.execute("DELETE FROM atoll_base")
    if try snapshotNumber(in: .whole) == nil {
      try setState(.whole, ofSnapshot: number)
    } else {
      try dropSnapshot(in: .base)
    }
  }

  // MARK: Rows

  /// Up to where the log has, or need not have, what the base was made of.
  private func lastKept(of record: AuthorRecord, below floor: LogFloor) throws -> SequenceNumber {
    let statement = try statement(
      """
      SELECT sequence FROM atoll_log WHERE author = ? AND sequence <= ?
      ORDER BY sequence DESC LIMIT 1
      """)
    statement.bind(record.number, at: 1)
    statement.bind(floor.sequence.rawValue, at: 2)
    defer { statement.reset() }
    if try statement.step() { return SequenceNumber(statement.uint64(at: 0)) }
    return floor.coming?.sequence ?? previous(record.first)
  }

  private func hash(before sequence: SequenceNumber, of record: AuthorRecord) throws -> ChainHash? {
    if sequence == .first { return .origin(of: record.author) }
    if let coming = record.floor?.coming, coming.sequence.next == sequence { return coming.hash }
    guard sequence == record.first, let parent = authors[record.parent] else {
      return try logged(record, previous(sequence))?.hash
    }
    return try knownHash(parent, previous(sequence))
  }

  private func remove(_ record: AuthorRecord, through sequence: SequenceNumber) throws {
    let statement = try statement("DELETE FROM atoll_log WHERE author = ? AND sequence <= ?")
    statement.bind(record.number, at: 1)
    statement.bind(sequence.rawValue, at: 2)
    try statement.run()
  }

  private func setComing(
    _ sequence: SequenceNumber, _ hash: ChainHash, of record: AuthorRecord
  ) throws {
    let statement = try statement(
      "UPDATE atoll_floor SET coming = ?, coming_hash = ? WHERE author = ?")
    statement.bind(sequence.rawValue, at: 1)
    statement.bind(hash.bytes, at: 2)
    statement.bind(record.number, at: 3)
    try statement.run()
    record.floor?.coming = LogFloor.Head(sequence: sequence, hash: hash)
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

/// Up to where an author's changesets are not in the log.
struct LogFloor {
  var sequence: SequenceNumber
  var hash: ChainHash
  /// Where it will be when what was asked for has come.
  var coming: Head?

  struct Head {
    var sequence: SequenceNumber
    var hash: ChainHash
  }
}
