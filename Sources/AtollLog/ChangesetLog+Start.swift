package import AtollChanges
package import AtollSQLite
package import AtollVocabulary

// The start of the log: truncation points, the checkpoint's frontier, and the gap between the two, into which
// backfill comes at positions that were set aside for it.
extension ChangesetLog {
  /// The truncation points: truncation alone raises them, here or at the peers that gave the rest.
  package var truncationPoints: Holdings {
    var points = Holdings.none
    for record in authors.records {
      guard let head = record.truncationPoint, head.sequence >= record.first else { continue }
      let id = ChangesetID(author: record.author, sequence: head.sequence, hash: head.hash)
      points.formUnion(Holdings(heads: [id]))
    }
    return points
  }

  /// Another number whenever truncation has raised a truncation point, or a fork has divided it.
  package var truncationVersion: Int64 {
    get throws(SQLiteError) {
      try connection.integer("SELECT coalesce(sum(sequence + author), 0) FROM atoll_floor") ?? 0
    }
  }

  package var isTruncated: Bool {
    get throws(SQLiteError) {
      try connection.integer("SELECT EXISTS (SELECT 1 FROM atoll_floor)") == 1
    }
  }

  /// The last changeset of each author that came with the checkpoint.
  package var checkpointVector: VersionVector {
    var vector = VersionVector()
    for record in authors.records {
      if let checkpoint = record.checkpoint { vector[record.author] = checkpoint.sequence }
    }
    return vector
  }

  // MARK: The checkpoint

  /// Stores the last changeset of an author that the checkpoint has.
  package func storeCheckpoint(
    _ sequence: SequenceNumber, _ hash: ChainHash, time: UInt64, of record: AuthorRecord
  ) throws(SQLiteError) {
    let statement = try statement(
      "INSERT OR REPLACE INTO atoll_base (author, sequence, hash, time) VALUES (?, ?, ?, ?)")
    statement.bind(record.number, at: 1)
    statement.bind(sequence.rawValue, at: 2)
    statement.bind(hash.bytes, at: 3)
    statement.bind(time, at: 4)
    try statement.run()
  }

  package func dropCheckpoint() throws(SQLiteError) {
    try connection.execute("DELETE FROM atoll_base")
  }

  /// An SQL condition: the checkpoint has a changeset, of which two expressions give author and number.
  package static func isInCheckpoint(author: String, sequence: String) -> String {
    """
    EXISTS (SELECT 1 FROM atoll_base b WHERE b.author = \(author) AND b.sequence >= \(sequence))
    """
  }

  // MARK: Truncation

  /// Raises the truncation points to a frontier, as far as the log knows its changesets.
  package func raiseTruncationPoints(to frontier: VersionVector) throws {
    let statement = try statement(
      "INSERT OR REPLACE INTO atoll_floor (author, sequence, hash) VALUES (?, ?, ?)")
    for record in authors.records {
      let sequence = frontier[record.author]
      guard sequence >= record.first, sequence > record.truncationPoint?.sequence ?? .none,
        let hash = try knownHash(record, sequence)
      else { continue }
      statement.bind(record.number, at: 1)
      statement.bind(sequence.rawValue, at: 2)
      statement.bind(hash.bytes, at: 3)
      try statement.run()
    }
    try authors.refreshLogStart()
  }

  /// Removes some of the entries below the truncation points.
  ///
  /// - Parameter limit: The number of entries, at most.
  /// - Returns: The number removed and their bytes; 0 when none is left.
  /// - Throws: If the file fails.
  package func removeTruncated(limit: Int) throws(SQLiteError) -> (changesets: Int, bytes: Int) {
    let statement = try statement(
      """
      DELETE FROM atoll_log WHERE position IN (
        SELECT position FROM atoll_log l JOIN atoll_floor f USING (author)
        WHERE l.sequence <= f.sequence LIMIT ?)
      RETURNING length(bytes)
      """)
    statement.bind(Int64(limit), at: 1)
    var removed = (changesets: 0, bytes: 0)
    while try statement.step() {
      removed.changesets += 1
      removed.bytes += Int(statement.int64(at: 0))
    }
    return removed
  }

  // MARK: Backfill

  /// The log has gaps.
  package var isAwaitingBackfill: Bool {
    get throws(SQLiteError) { try connection.integer("SELECT count(*) FROM atoll_backlog") != 0 }
  }

  /// Records where the checkpoint goes beyond the log, and sets positions aside for what lies between.
  ///
  /// - Returns: The number of changesets missing; with `maximum` or more of them nothing is set aside.
  package func openGaps(maximum: UInt64) throws(SQLiteError) -> UInt64 {
    let statement = try statement("INSERT INTO atoll_gap (author, sequence, hash) VALUES (?, ?, ?)")
    var count: UInt64 = 0
    for record in authors.records {
      guard let checkpoint = record.checkpoint else { continue }
      let last = try lastKept(of: record, through: checkpoint.sequence)
      guard last < checkpoint.sequence else { continue }
      count = min(maximum, count + checkpoint.sequence.rawValue - last.rawValue)
      statement.bind(record.number, at: 1)
      statement.bind(checkpoint.sequence.rawValue, at: 2)
      statement.bind(checkpoint.hash.bytes, at: 3)
      try statement.run()
    }
    guard count > 0, count < maximum else { return count }
    let first = try lastPosition().rawValue + 1
    try connection.execute(
      "INSERT INTO atoll_backlog (one, first, next, last) "
        + "VALUES (1, \(first), \(first), \(first + Int64(count) - 1))")
    return count
  }

  /// Forgets the backfill that has come, of which something was wrong, and what peers said of theirs.
  package func emptyBackfill() throws(SQLiteError) {
    try connection.execute(
      """
      DELETE FROM atoll_log WHERE position >= (SELECT first FROM atoll_backlog)
        AND position < (SELECT next FROM atoll_backlog);
      UPDATE atoll_backlog SET next = first;
      UPDATE atoll_gap SET coming = NULL, coming_hash = NULL
      """)
  }

  /// Stores a changeset at the next position that was set aside.
  package func appendBackfill(
    _ bytes: [UInt8], _ record: AuthorRecord, _ sequence: SequenceNumber, _ hash: ChainHash,
    seal: Seal?
  ) throws(SQLiteError) {
    let statement = try statement(
      """
      INSERT INTO atoll_log (position, author, sequence, hash, bytes)
      VALUES ((SELECT next FROM atoll_backlog), ?, ?, ?, ?)
      """)
    statement.bind(record.number, at: 1)
    statement.bind(sequence.rawValue, at: 2)
    statement.bind(hash.bytes, at: 3)
    try statement.run(binding: bytes, at: 4)
    try self.statement("UPDATE atoll_backlog SET next = next + 1").run()
    guard let seal else { return }
    try store(
      seal, of: record.number, ChangesetID(author: record.author, sequence: sequence, hash: hash))
  }

  /// Records that a peer's log has nothing of an author up to a changeset: it is not waited for.
  package func recordCut(
    _ last: SequenceNumber, _ hash: ChainHash, of record: AuthorRecord
  ) throws(SQLiteError) {
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

  /// Closes the gaps if all has come; whether it has.
  ///
  /// The log then starts where the logs start that it was asked of.
  package func closeGaps() throws(SQLiteError) -> Bool {
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
    return true
  }

  /// The last changeset of an author up to one that the log has, or need not have.
  package func lastKept(
    of record: AuthorRecord, through last: SequenceNumber
  ) throws(SQLiteError) -> SequenceNumber {
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
    return max(logged, cut, record.first.previous)
  }

  /// Tells if nothing of a branch up to a changeset is still within a gap.
  package func isKept(
    _ record: AuthorRecord, through sequence: SequenceNumber
  ) throws(SQLiteError) -> Bool {
    // Nothing comes before a fork at the very first changeset.
    guard sequence >= .first else { return true }
    for (number, range) in parts(of: record.number, .first...sequence) {
      guard let part = authors[number], let gap = part.gap else { continue }
      let last = try lastKept(of: part, through: gap.sequence)
      guard last >= min(range.upperBound, gap.sequence) else { return false }
    }
    return true
  }

  /// Tells if nothing that a changeset depends on is still within a gap.
  package func isAllKept(
    before changeset: ChangesetReader, of record: AuthorRecord
  ) throws -> Bool {
    if changeset.sequence == record.first, let parent = authors[record.parent] {
      guard try isKept(parent, through: record.first.previous) else { return false }
    }
    return try changeset.dependencies.allSatisfy { dependency in
      guard let named = authors.author(dependency.author, declaredBy: record) else { return false }
      let other = try branch(of: named.author, with: dependency.sequence, dependency.hash)
      return try isKept(other ?? named, through: dependency.sequence)
    }
  }
}
