package import AtollSQLite
package import AtollVocabulary

// The effect of control operations: changesets of an author that count although they are stamped too far
// ahead, and those that count for nothing because their replica has reissued them.
extension ChangesetLog {
  /// Releases an author's changesets up to one.
  ///
  /// - Returns: False if they were released already.
  package func release(
    _ record: AuthorRecord, through last: SequenceNumber
  ) throws(SQLiteError) -> Bool {
    guard record.released < last else { return false }
    let statement = try statement(
      """
      INSERT INTO atoll_released (author, through, time) VALUES (?, ?, 0)
      ON CONFLICT (author) DO UPDATE SET through = excluded.through
      """)
    statement.bind(record.number, at: 1)
    statement.bind(last.rawValue, at: 2)
    try statement.run()
    record.released = last
    return true
  }

  /// The clock of the store goes on from what was released and is applied.
  package func raiseReleasedTime(
    to time: HybridTime, by record: AuthorRecord
  ) throws(SQLiteError) {
    guard time > authors.releasedTime else { return }
    let statement = try statement("UPDATE atoll_released SET time = max(time, ?) WHERE author = ?")
    statement.bind(time.rawValue, at: 1)
    statement.bind(record.number, at: 2)
    try statement.run()
    authors.releasedTime = time
  }

  /// The greatest time applied of an author because it was released; 0 if none was.
  package func releasedTime(of record: AuthorRecord) throws(SQLiteError) -> UInt64 {
    UInt64(
      bitPattern: try connection.integer(
        "SELECT time FROM atoll_released WHERE author = \(record.number)") ?? 0)
  }

  /// Adopts a release that came with a snapshot.
  package func adoptRelease(
    of number: Int64, through last: SequenceNumber, time: UInt64
  ) throws(SQLiteError) {
    try connection.execute(
      """
      INSERT INTO atoll_released (author, through, time)
      VALUES (\(number), \(last.rawValue), \(Int64(bitPattern: time)))
      ON CONFLICT (author) DO UPDATE SET through = max(through, excluded.through),
        time = max(time, excluded.time)
      """)
  }

  /// Stores that a range of an author's changesets is superseded, in the file alone.
  package func storeSuperseded(
    _ number: Int64, _ range: ClosedRange<SequenceNumber>, by cause: AuthorRecord.Cause
  ) throws(SQLiteError) {
    let insertion = try statement(
      """
      INSERT OR IGNORE INTO atoll_superseded (author, first, last, writer, said)
      VALUES (?, ?, ?, ?, ?)
      """)
    insertion.bind(number, at: 1)
    insertion.bind(range.lowerBound.rawValue, at: 2)
    insertion.bind(range.upperBound.rawValue, at: 3)
    insertion.bind(cause.writer, at: 4)
    insertion.bind(cause.sequence.rawValue, at: 5)
    try insertion.run()
  }

  /// Supersedes a range of an author's changesets.
  ///
  /// - Returns: False if that range was superseded already.
  package func supersede(
    _ record: AuthorRecord, _ range: ClosedRange<SequenceNumber>, by cause: AuthorRecord.Cause
  ) throws(SQLiteError) -> Bool {
    let superseding = AuthorRecord.Superseding(range: range, cause: cause)
    guard
      !record.supersedings.contains(where: {
        $0.range == range && $0.cause.writer == cause.writer
      })
    else { return false }
    try storeSuperseded(record.number, range, by: cause)
    record.supersedings.append(superseding)
    guard !record.superseded.contains(range) else { return false }
    record.superseded.append(range)
    return true
  }

  /// Records that a range of an author's changesets is reissued, and by whom.
  package func recordReissue(
    _ reissue: AuthorRecord.ReissuedRange, of number: Int64
  ) throws(SQLiteError) {
    guard let record = authors[number],
      !record.reissued.contains(where: {
        $0.range == reissue.range && $0.writer == reissue.writer
      })
    else { return }
    let statement = try statement(
      """
      INSERT OR IGNORE INTO atoll_rewritten (author, first, last, writer, origin)
      VALUES (?, ?, ?, ?, ?)
      """)
    statement.bind(number, at: 1)
    statement.bind(reissue.range.lowerBound.rawValue, at: 2)
    statement.bind(reissue.range.upperBound.rawValue, at: 3)
    statement.bind(reissue.writer, at: 4)
    statement.bind(reissue.origin.rawValue, at: 5)
    try statement.run()
    record.reissued.append(reissue)
    authors.hasReissues = true
  }

  /// Tells if the reissues of an author's changesets up to one are applied, too.
  ///
  /// A changeset that depends on them names objects that exist by the reissues alone: applied before, it
  /// would find none here and some elsewhere.
  package func isReissued(
    _ record: AuthorRecord, _ sequence: SequenceNumber,
    reached: (AuthorRecord) -> SequenceNumber
  ) -> Bool {
    guard !record.reissued.isEmpty else { return true }
    // A reissued changeset may have been reissued again.
    var asked: [Int64: SequenceNumber] = [:]
    var toAsk = [(record, sequence)]
    while let (record, sequence) = toAsk.popLast() {
      for reissue in record.reissued where reissue.range.lowerBound <= sequence {
        guard let writer = authors[reissue.writer] else { continue }
        // The changesets after the range have it in their past.
        let last = reissue.successor(of: min(sequence, reissue.range.upperBound))
        guard reached(writer) >= last else { return false }
        if asked[writer.number, default: .none] < last {
          asked[writer.number] = last
          toAsk.append((writer, last))
        }
      }
    }
    return true
  }

  /// Tells if a changeset is the last of a reissue of another author's, upon which this file has written.
  package func endsReissue(_ writer: AuthorRecord, _ sequence: SequenceNumber) -> Bool {
    authors.hasReissues
      && authors.records.contains { record in
        record.reissued.contains {
          $0.writer == writer.number && $0.successor(of: $0.range.upperBound) == sequence
            && record.named >= $0.range.lowerBound
        }
      }
  }
}

// Removals: an owner says that a replica's changesets beyond some count for nothing.
extension ChangesetLog {
  /// Has an author's changesets count up to one and no further, unless fewer count already.
  ///
  /// - Returns: True if something that was applied counts no more.
  package func remove(
    _ record: AuthorRecord, after last: SequenceNumber, by cause: AuthorRecord.Cause
  ) throws(SQLiteError) -> Bool {
    if let known = record.removal, known.last <= last { return false }
    let former = record.lastThatCounts
    let insertion = try statement(
      "INSERT OR REPLACE INTO atoll_removed (author, last, writer, said) VALUES (?, ?, ?, ?)")
    insertion.bind(record.number, at: 1)
    insertion.bind(last.rawValue, at: 2)
    insertion.bind(cause.writer, at: 3)
    insertion.bind(cause.sequence.rawValue, at: 4)
    try insertion.run()
    record.removal = AuthorRecord.Removal(last: last, cause: cause)
    return former > last
  }

  /// Has all of an author's changesets count again.
  ///
  /// - Returns: True if something that is applied did not count.
  package func takeBackRemoval(of record: AuthorRecord) throws(SQLiteError) -> Bool {
    guard let removal = record.removal else { return false }
    try connection.execute("DELETE FROM atoll_removed WHERE author = \(record.number)")
    record.removal = nil
    return removal.last < record.sequence
  }

  /// Takes back what an author's changesets have superseded that count no more.
  ///
  /// The records in memory are those of before: read them again.
  ///
  /// - Returns: True if there was any.
  package func takeBackSuperseded(by writer: AuthorRecord) throws(SQLiteError) -> Bool {
    guard let removal = writer.removal,
      authors.records.contains(where: { record in
        record.supersedings.contains {
          $0.cause.writer == writer.number && $0.cause.sequence > removal.last
        }
      })
    else { return false }
    try connection.execute(
      """
      DELETE FROM atoll_superseded
        WHERE writer = \(writer.number) AND said > \(removal.last.rawValue)
      """)
    if removal.last < .first {
      try connection.execute("DELETE FROM atoll_rewritten WHERE writer = \(writer.number)")
    }
    return true
  }
}
