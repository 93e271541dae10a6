import AtollChanges
import AtollSQLite
package import AtollVocabulary

/// What a repair of a wrong clock's consequences did.
package struct ClockRepair: Hashable, Sendable {
  /// Whose changesets were written again, and as whose.
  package var former: Author
  package var author: Author
  /// How many of them.
  package var changesets: Int
  /// Changesets of other replicas that are held again, for theirs were stamped too far ahead too.
  package var heldAgain: Int

  package init(former: Author, author: Author, changesets: Int, heldAgain: Int) {
    self.former = former
    self.author = author
    self.changesets = changesets
    self.heldAgain = heldAgain
  }
}

// The clock of this replica was ahead, and is right again: what it wrote meanwhile is held by all
// others. It is written again, with present stamps, under a new name.
extension StoreFile {
  /// How far the file's own time is ahead of what peers accept from it; nil if it is not.
  ///
  /// Then either the clock is behind, or it was ahead and ``repairClock(isForced:)`` is the remedy.
  package func ownTimeAhead() throws(StorageError) -> Duration? {
    try doing("reading the file's time") {
      timeAhead(try StoreState(reading: connection).time, after: authors.releasedTime)
    }
  }

  /// Writes what this file wrote too far ahead of the present clock again under a new incarnation.
  ///
  /// The old changesets stay in the log, superseded. All objects are made anew without them, so this
  /// takes as long as applying the whole log, in one transaction.
  ///
  /// - Parameter isForced: Whether changesets of other replicas that are too far ahead are held again.
  /// - Returns: What was done; nil if there was nothing to repair.
  /// - Throws: `doubtfulClock` if other replicas' changesets are too far ahead as well.
  @discardableResult
  package func repairClock(isForced: Bool = false) throws(StorageError) -> ClockRepair? {
    try doing("repairing after a wrong clock") {
      guard !options.isReadOnly else {
        throw StorageError.notWritable(path: path, detail: "it was opened read-only")
      }
      try begin(.remote, timeout: options.lockTimeout)
      do {
        let transaction = try current("repairing after a wrong clock")
        guard timeAhead(state.time, after: authors.releasedTime) != nil else {
          abandonUnchanged(transaction)
          return nil
        }
        let repair = try repair(isForced: isForced, transaction)
        _ = try finish(transaction)
        return repair
      } catch {
        abandon()
        throw error
      }
    }
  }

  private func repair(isForced: Bool, _ transaction: WriteTransaction) throws -> ClockRepair {
    let former = try own
    let first = try firstAhead(of: former)
    if let first { try supersede(former.number, first...former.sequence) }
    let demotion = try rebuild(transaction, demoting: Demotion(own: former.number))
    let heldAgain = demotion?.count ?? 0
    guard isForced || heldAgain == 0 else {
      throw StorageError.doubtfulClock(
        path: path, now: options.wallClock(), others: heldAgain)
    }
    var repair = ClockRepair(
      former: former.author, author: former.author, changesets: 0, heldAgain: heldAgain)
    try authors.refresh(catalog)
    guard let first else { return repair }
    repair.changesets = try writeAgain(
      former, first...former.sequence, dependingOn: previous(first), transaction)
    repair.author = author
    if try authors.records.contains(where: {
      try $0 !== former && seen(by: $0)[former.number] ?? .none >= first
    }) {
      // What others wrote upon it comes after it now, here as everywhere.
      try rebuild(transaction, demoting: nil)
    }
    return repair
  }

  /// The first changeset of an author that is too far ahead, from which on all are.
  private func firstAhead(of record: AuthorRecord) throws -> SequenceNumber? {
    let statement = try statement(
      """
      SELECT sequence, bytes FROM atoll_log WHERE author = ? AND sequence > ? ORDER BY sequence DESC
      """)
    statement.bind(record.number, at: 1)
    // What the base has is what all have; it is not taken back.
    statement.bind((record.base?.sequence ?? .none).rawValue, at: 2)
    defer { statement.reset() }
    var first: SequenceNumber?
    while try statement.step() {
      let sequence = SequenceNumber(statement.uint64(at: 0))
      let reader = try ChangesetReader(statement.bytes(at: 1), author: record.author)
      guard timeAhead(reader.time, of: record, sequence) != nil else { break }
      first = sequence
    }
    return first
  }
}
