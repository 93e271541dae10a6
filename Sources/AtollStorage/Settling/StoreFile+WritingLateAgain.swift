import AtollChanges
import AtollSQLite
import AtollVocabulary

// What this file wrote and comes late counts for nothing anywhere, until it has written it again: under
// a new name, upon what is settled, as after a repair of its clock.
//
// If it was written upon what came late of others, these are to write that again first: their objects are
// not there yet. It waits for them for a while, and leaves out what leads nowhere then.
extension StoreFile {
  /// Changesets of a name that this file has given up, which it has to write again.
  private struct LateOwn {
    let record: AuthorRecord
    let range: ClosedRange<SequenceNumber>
    /// When it was given up.
    let since: WallTime
  }

  /// Goes on under a new name if some of what was written under the present one comes late; inside a
  /// transaction in which that was found.
  func succeedIfLate(_ transaction: WriteTransaction) throws {
    guard try !own.lateRanges.isEmpty else { return }
    try succeed(transaction)
  }

  /// How long what this file has still to write again may have to wait; nil if there is none.
  ///
  /// ``applyHeld()`` does it when it is time.
  package func waitsToWriteAgain() throws(StorageError) -> Duration? {
    guard !options.isReadOnly, authors.records.contains(where: { !$0.late.isEmpty }) else {
      return nil
    }
    return try doing("looking for what came late") {
      try lateOwn().map { try wait(for: $0) ?? .zero }.min()
    }
  }

  /// Writes again what came late of this file, as far as it is time.
  ///
  /// - Returns: How long the rest may have to wait; nil if there is none.
  /// - Throws: If the file fails; nothing has changed then.
  func writeLateAgain() throws -> Duration? {
    guard authors.records.contains(where: { !$0.late.isEmpty }) else { return nil }
    while true {
      var left: Duration?
      let due = try lateOwn().first { late in
        guard let wait = try wait(for: late) else { return true }
        left = min(left ?? wait, wait)
        return false
      }
      guard let due else { return left }
      try writeAgain(due)
    }
  }

  /// What is still to be written again, in the order in which it was written.
  private func lateOwn() throws -> [LateOwn] {
    let statement = try statement("SELECT author, since FROM atoll_former ORDER BY author")
    var found: [LateOwn] = []
    defer { statement.reset() }
    while try statement.step() {
      guard let record = authors[statement.int64(at: 0)] else { continue }
      let since = WallTime(milliseconds: statement.int64(at: 1))
      for range in record.lateRanges {
        guard let range = try logged(record, range) else { continue }
        found.append(LateOwn(record: record, range: range, since: since))
      }
    }
    return found
  }

  /// What the log has of some changesets; nil if it lacks them, for what is cut off cannot be written again.
  private func logged(
    _ record: AuthorRecord, _ range: ClosedRange<SequenceNumber>
  ) throws -> ClosedRange<SequenceNumber>? {
    let first = max(range.lowerBound, record.floor?.sequence.next ?? .first)
    guard first <= range.upperBound else { return nil }
    let statement = try statement(
      "SELECT count(*) FROM atoll_log WHERE author = ? AND sequence BETWEEN ? AND ?")
    statement.bind(record.number, at: 1)
    statement.bind(Int64(clamping: first.rawValue), at: 2)
    statement.bind(Int64(clamping: range.upperBound.rawValue), at: 3)
    defer { statement.reset() }
    guard try statement.step(),
      statement.uint64(at: 0) == range.upperBound.rawValue - first.rawValue + 1
    else { return nil }
    return first...range.upperBound
  }

  /// What a truncation must leave, since it is to be written again.
  func lateOwnBounds() throws -> [(author: Author, last: SequenceNumber)] {
    try lateOwn().map { ($0.record.author, previous($0.range.lowerBound)) }
  }

  private func writeAgain(_ late: LateOwn) throws {
    try begin(.remote, timeout: options.lockTimeout)
    do {
      let transaction = try current("writing again what came late")
      // Another process may have done it meanwhile.
      guard let record = authors[late.record.author],
        record.lateRanges.contains(where: { $0.upperBound == late.range.upperBound })
      else { return abandonUnchanged(transaction) }
      let raised = try raisedLives(of: record, late.range)
      _ = try writeAgain(
        record, late.range, dependingOn: record.sequence, raising: raised,
        making: try lateCreations(neededBy: record, late.range), transaction)
      transaction.grown.insert(try own.number)
      _ = try finish(transaction)
    } catch {
      abandon()
      throw error
    }
  }

  // MARK: Waiting

  /// How long it may be waited for others to write again what some of this file's was written upon; nil
  /// if there is nothing to wait for.
  private func wait(for late: LateOwn) throws -> Duration? {
    let gone = options.wallClock().milliseconds - late.since.milliseconds
    let left = Limits.latePatience - .milliseconds(gone)
    guard gone >= 0, left > .zero else { return nil }
    let seen = try seen(by: late.record)
    let isWaiting = try authors.records.contains { other in
      guard let had = seen[other.number], other.author.replica != author.replica else {
        return false
      }
      return try other.lateRanges.contains { range in
        try range.lowerBound <= had && !wasWritten(upon: late, other, range.lowerBound)
      } || isBeingWritten(other, upTo: had)
    }
    return isWaiting ? left : nil
  }

  /// Whether the first of another's that came late was itself written upon this one's: then that one waits.
  private func wasWritten(
    upon late: LateOwn, _ other: AuthorRecord, _ first: SequenceNumber
  ) throws -> Bool {
    guard let logged = try logged(other, first) else { return false }
    let changeset = try ChangesetReader(logged.bytes, author: other.author)
    return changeset.dependencies.contains {
      other.authorNumber($0.author) == late.record.number && $0.sequence >= late.range.lowerBound
    }
  }

  /// Whether some of what comes late of another is said to be written again and has not all come.
  private func isBeingWritten(_ other: AuthorRecord, upTo had: SequenceNumber) -> Bool {
    other.lateRewritten.contains { rewriting in
      guard rewriting.range.lowerBound <= had, let writer = authors[rewriting.writer] else {
        return false
      }
      return writer.sequence < rewriting.successor(of: min(had, rewriting.range.upperBound))
    }
  }

  // MARK: Lives that are over

  /// Notes what of the late changesets was over already before a snapshot was installed.
  ///
  /// What is over only by the snapshot is made again above the deletion (scenario 47).
  func noteOver(_ known: LostLives, of record: AuthorRecord) {
    overBefore[record.number] = Set(known.keys)
  }

  private func raisedLives(
    of record: AuthorRecord, _ range: ClosedRange<SequenceNumber>
  ) throws -> LostLives {
    guard let over = overBefore[record.number] else { return [:] }
    return try lostLives(of: record, in: range).filter { !over.contains($0.key) }
  }

  // MARK: What is said of it

  /// Whether all of a range comes late by a settlement that the changeset's author knew.
  func cameLate(
    _ record: AuthorRecord, _ range: ClosedRange<SequenceNumber>, for source: MergeSource
  ) throws -> Bool {
    guard !record.late.isEmpty else { return false }
    let seen = try seen(by: source.record)
    return record.late.contains { settlement in
      guard let late = settlement[record.number].late else { return false }
      return late.contains(range.lowerBound) && late.contains(range.upperBound)
        && settlement.isKnown(to: source.record.number, source.sequence, seen)
    }
  }

  /// Notes as whose changesets what came late is written again.
  func noteLateRewriting(
    of record: AuthorRecord, _ range: ClosedRange<SequenceNumber>, by writer: AuthorRecord
  ) throws {
    if !record.superseded.contains(range) {
      let statement = try statement(
        "INSERT OR IGNORE INTO atoll_superseded (author, first, last) VALUES (?, ?, ?)")
      statement.bind(record.number, at: 1)
      statement.bind(range.lowerBound.rawValue, at: 2)
      statement.bind(range.upperBound.rawValue, at: 3)
      try statement.run()
      record.superseded.append(range)
    }
    guard
      !record.lateRewritten.contains(where: { $0.range == range && $0.writer == writer.number })
    else { return }
    let statement = try statement(
      """
      INSERT OR IGNORE INTO atoll_late_rewritten (author, first, last, writer) VALUES (?, ?, ?, ?)
      """)
    statement.bind(record.number, at: 1)
    statement.bind(range.lowerBound.rawValue, at: 2)
    statement.bind(range.upperBound.rawValue, at: 3)
    statement.bind(writer.number, at: 4)
    try statement.run()
    record.lateRewritten.append(
      AuthorRecord.Rewriting(range: range, writer: writer.number, origin: range.lowerBound))
  }

  /// What was settled of an author that has several histories now.
  func moveSettled(from trunk: Int64, to branch: Int64, at first: UInt64) throws {
    try connection.execute(
      """
      INSERT OR REPLACE INTO atoll_settled
          (settlement, author, settled, past, heard, late_first, late_last)
        SELECT settlement, \(branch), iif(settled >= \(first), settled, 0),
          iif(past >= \(first), past, 0), heard,
          iif(late_last >= \(first), max(late_first, \(first)), 0),
          iif(late_last >= \(first), late_last, 0) FROM atoll_settled WHERE author = \(trunk);
      UPDATE atoll_settled SET settled = min(settled, \(first) - 1), past = min(past, \(first) - 1),
        late_last = iif(late_first < \(first), min(late_last, \(first) - 1), 0),
        late_first = iif(late_first < \(first), late_first, 0) WHERE author = \(trunk);
      UPDATE atoll_settlement SET writer = \(branch) WHERE writer = \(trunk) AND sequence >= \(first);
      INSERT OR IGNORE INTO atoll_late_rewritten (author, first, last, writer)
        SELECT \(branch), max(first, \(first)), last, writer FROM atoll_late_rewritten
        WHERE author = \(trunk) AND last >= \(first);
      UPDATE OR REPLACE atoll_late_rewritten SET last = min(last, \(first) - 1)
        WHERE author = \(trunk);
      DELETE FROM atoll_late_rewritten WHERE first > last OR writer = \(trunk)
      """)
  }
}
