import AtollChanges
import AtollSQLite
import AtollVocabulary

// What may not be applied yet, because its stamp is too far ahead of the local clock, because the rest
// of its transaction has still to come, or because it comes after such a one: held in the log,
// forwarded, and applied in causal order when it may be.
//
// The local hybrid time, the rows and what local changesets depend on know nothing of it until then.
extension StoreFile {
  /// Applies what is held and may be applied by now, in pieces as ``apply(_:)`` does.
  ///
  /// - Returns: How long until time has caught up with the next; nil if nothing waits for the clock.
  /// - Throws: If the file fails. What was applied before stays.
  package func applyHeld() throws(StorageError) -> Duration? {
    try doing("applying held changesets") {
      guard !options.isReadOnly else {
        throw StorageError.openedForReading(path: path, doing: "applying held changesets")
      }
      try applyAllHeld()
      return try firstInLine().compactMap(\.ahead).min()
    }
  }

  func applyAllHeld() throws {
    guard authors.isAnyWaiting else { return }
    while try firstInLine().contains(where: { $0.ahead == nil }), try applyHeldGroup() {}
  }

  // MARK: Holding

  /// Puts a changeset into the log without applying it, if there is room.
  func hold(
    _ changeset: ChangesetReader, _ bytes: [UInt8], _ hash: ChainHash, of record: AuthorRecord?,
    _ declarations: DeclarationTable, ahead: Duration?, _ transaction: WriteTransaction
  ) throws -> ApplyOutcome {
    let isRest = record?.waiting?.isOpen == true
    guard !isRest || changeset.dependencies.isEmpty else {
      return .refused(reason: "it goes on with a transaction and names dependencies of its own")
    }
    let isBehind = ahead != nil || record?.waiting != nil
    guard isRest || (changeset.isContinued && !isBehind) || hasRoom(for: bytes.count) else {
      return .overflowing(retryAfter: ahead ?? Limits.heldSweepInterval)
    }
    if !isRest, let waiting = record?.waiting, waiting.count >= Limits.heldByAuthor {
      return .overflowing(
        retryAfter: ahead ?? Limits.heldSweepInterval, because: .deferredOfAuthor(waiting.count))
    }
    do {
      try validate(changeset, declarations)
    } catch {
      return .refused(reason: error.description)
    }
    let record = try record ?? authors.intern(changeset.author)
    guard (record.waiting?.openBytes ?? 0) + bytes.count <= Limits.transactionBytes else {
      return .refused(reason: "its transaction has more than \(Limits.transactionBytes) bytes")
    }
    let position = try insertIntoLog(bytes, record, changeset.sequence, hash, transaction)
    let id = ChangesetID(author: record.author, sequence: changeset.sequence, hash: hash)
    try enterHeld(changeset, id, of: record, at: position, size: bytes.count)
    record.waiting?.declarations = declarations
    return .held(id, ahead: ahead)
  }

  /// Notes that a changeset in the log is not applied; `isDeclared` says that its author's declarations
  /// include its own, since it was applied before.
  func enterHeld(
    _ changeset: ChangesetReader, _ id: ChangesetID, of record: AuthorRecord, at position: Int64,
    size: Int, isDeclared: Bool = false
  ) throws {
    let statement = try statement(
      """
      INSERT OR IGNORE INTO atoll_held (author, sequence, position, time, size, hash, declared)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """)
    statement.bind(record.number, at: 1)
    statement.bind(id.sequence.rawValue, at: 2)
    statement.bind(position, at: 3)
    statement.bind(changeset.time.rawValue, at: 4)
    statement.bind(Int64(size), at: 5)
    statement.bind(id.hash.bytes, at: 6)
    statement.bind(Int64(isDeclared ? 1 : 0), at: 7)
    try statement.run()
    if changeset.isContinued {
      try connection.execute(
        """
        INSERT OR IGNORE INTO atoll_continued (author, sequence)
        VALUES (\(record.number), \(Int64(bitPattern: id.sequence.rawValue)))
        """)
    }
    record.waiting = AuthorRecord.Waiting(
      last: id.sequence, hash: id.hash, count: (record.waiting?.count ?? 0) + 1,
      byteCount: (record.waiting?.byteCount ?? 0) + size,
      openBytes: changeset.isContinued ? (record.waiting?.openBytes ?? 0) + size : 0)
  }

  /// A single changeset may have any size, and so may a transaction whose rest has still to come; apart
  /// from that there are bounds.
  private func hasRoom(for byteCount: Int) -> Bool {
    let waiting = authors.records.compactMap(\.waiting).filter { $0.byteCount > $0.openBytes }
    guard !waiting.isEmpty else { return true }
    return waiting.reduce(0) { $0 + $1.count } < Limits.heldChangesets
      && waiting.reduce(byteCount) { $0 + $1.byteCount - $1.openBytes } <= Limits.heldBytes
  }

  /// What is refused is refused before it is held: nobody forwards it.
  func validate(
    _ changeset: ChangesetReader, _ declarations: DeclarationTable
  ) throws(ChangesetError) {
    var reader = changeset
    var index: UInt32 = 0
    while let operation = try reader.next() {
      try declarations.validate(
        operation, index: index, sequence: changeset.sequence, time: changeset.time)
      index += 1
    }
  }

  /// What an author has declared by its last changeset held.
  func heldDeclarations(of record: AuthorRecord) throws -> DeclarationTable {
    let parent = record.hasApplied ? nil : authors[record.parent]
    guard let waiting = record.waiting else {
      return try parent.map(heldDeclarations) ?? record.declarations
    }
    if let known = waiting.declarations { return known }
    var declarations = try parent.map(heldDeclarations) ?? record.declarations
    let statement = try statement(
      """
      SELECT bytes FROM atoll_held h JOIN atoll_log l USING (author, sequence)
      WHERE author = ? AND NOT declared ORDER BY sequence
      """)
    statement.bind(record.number, at: 1)
    defer { statement.reset() }
    while try statement.step() {
      let reader = try ChangesetReader(statement.bytes(at: 0), author: record.author)
      try declarations.adopt(reader.declarations)
    }
    record.waiting?.declarations = declarations
    return declarations
  }

  // MARK: Applying what is held

  /// The next changeset of an author of whom some are held.
  private struct HeldChangeset {
    var record: AuthorRecord
    var sequence: SequenceNumber
    /// The last of its transaction.
    var last: SequenceNumber
    var position: Int64
    /// How far its stamp is too far ahead; nil if the clock does not stand in the way.
    var ahead: Duration?
    var hash: ChainHash
    /// Whether its author's declarations include its own: it was applied before a repair.
    var isDeclared: Bool
  }

  /// The first held changeset of each author, in the order of the log.
  private func firstInLine() throws -> [HeldChangeset] {
    try authors.records
      .compactMap { $0.waiting == nil || blocked.contains($0.number) ? nil : try next(of: $0) }
      .sorted { $0.position < $1.position }
  }

  /// Nil too as long as the rest of its transaction has still to come.
  private func next(of record: AuthorRecord) throws -> HeldChangeset? {
    guard isParentApplied(record), let last = try endOfTransaction(record) else { return nil }
    let statement = try statement(
      "SELECT position, time, hash, declared FROM atoll_held WHERE author = ? AND sequence = ?")
    statement.bind(record.number, at: 1)
    statement.bind(record.sequence.next.rawValue, at: 2)
    defer { statement.reset() }
    guard try statement.step(), let hash = ChainHash(statement.bytes(at: 2)) else { return nil }
    return HeldChangeset(
      record: record, sequence: record.sequence.next, last: last, position: statement.int64(at: 0),
      ahead: timeAhead(
        HybridTime(rawValue: statement.uint64(at: 1)), of: record, record.sequence.next),
      hash: hash, isDeclared: statement.int64(at: 3) != 0)
  }

  /// The last changeset of the transaction that comes next; nil if it is not here yet.
  private func endOfTransaction(_ record: AuthorRecord) throws -> SequenceNumber? {
    let statement = try statement(
      """
      SELECT min(sequence) FROM atoll_held h WHERE author = ?1 AND sequence > ?2 AND NOT EXISTS (
        SELECT 1 FROM atoll_continued c WHERE c.author = ?1 AND c.sequence = h.sequence)
      """)
    statement.bind(record.number, at: 1)
    statement.bind(record.sequence.rawValue, at: 2)
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(at: 0) else { return nil }
    return SequenceNumber(statement.uint64(at: 0))
  }

  /// Applies until the lock has been held long enough; whether there may be more.
  private func applyHeldGroup() throws -> Bool {
    try begin(.remote, timeout: options.lockTimeout)
    do {
      let transaction = try current("applying held changesets")
      let end = options.steadyClock().advanced(by: Limits.remoteBatchHold)
      var (count, isOver) = (0, false)
      var isMoving = true
      while isMoving, !isOver {
        let (former, known) = (count, blocked.count)
        for first in try firstInLine() where !isOver && blocked.count == known {
          var next: HeldChangeset? = first
          while let held = next, !isOver, try apply(held, transaction) {
            count += 1
            isOver = options.steadyClock() >= end
            next = try self.next(of: held.record)
          }
        }
        isMoving = count > former || blocked.count > known
      }
      if count == 0 { abandonUnchanged(transaction) } else { try finishApplying(transaction) }
      return isOver && count > 0
    } catch {
      abandon()
      throw error
    }
  }

  /// Applies a held changeset with all of its transaction if nothing stands in the way any more; whether
  /// it did.
  private func apply(_ held: HeldChangeset, _ transaction: WriteTransaction) throws -> Bool {
    if held.last == held.sequence { return try applyAlone(held, transaction) }
    let digests = transaction.digests
    try statement("SAVEPOINT whole").run()
    guard try applyAlone(held, transaction) else {
      try statement("RELEASE whole").run()
      return false
    }
    while held.record.sequence < held.last {
      guard let next = try next(of: held.record), try applyAlone(next, transaction) else {
        try undo(transaction, to: "whole")
        transaction.digests = digests
        return false
      }
    }
    try statement("RELEASE whole").run()
    return true
  }

  private func applyAlone(
    _ held: HeldChangeset, _ transaction: WriteTransaction
  ) throws -> Bool {
    guard held.ahead == nil, let known = try logged(held.record, held.sequence) else {
      return false
    }
    let reader = try ChangesetReader(known.bytes, author: held.record.author)
    if !held.isDeclared { try inherit(held.record, held.sequence) }
    var declarations = held.record.declarations
    if !held.isDeclared { try declarations.adopt(reader.declarations) }
    let isSuperseded = held.record.isSuperseded(held.sequence)
    guard try isSuperseded || isApplied(reader.dependencies, declarations),
      try !contradictsCheckpoint(reader, declarations)
    else { return false }
    let digests = transaction.digests
    try statement("SAVEPOINT changeset").run()
    do {
      if !held.isDeclared { try adopt(reader.declarations, declarations, of: held.record) }
      if !isSuperseded { try merge(reader, of: held.record) }
    } catch {
      guard Self.refusal(error) != nil else { throw error }
      // Refused by merging alone: it stays deferred, and its author's later ones with it.
      blocked.insert(held.record.number)
      try undo(transaction, to: "changeset")
      transaction.digests = digests
      return false
    }
    try promote(held, bytes: known.bytes.count, transaction)
    try statement("RELEASE changeset").run()
    return true
  }

  /// Makes a held changeset its author's head.
  private func promote(
    _ held: HeldChangeset, bytes: Int, _ transaction: WriteTransaction
  ) throws {
    for table in ["atoll_held", "atoll_continued"] {
      let statement = try statement("DELETE FROM \(table) WHERE author = ? AND sequence = ?")
      statement.bind(held.record.number, at: 1)
      statement.bind(held.sequence.rawValue, at: 2)
      try statement.run()
    }
    let record = held.record
    record.sequence = held.sequence
    record.hash = held.hash
    record.waiting?.count -= 1
    record.waiting?.byteCount -= bytes
    if record.waiting?.last == held.sequence { record.waiting = nil }
    try storeHead(record)
    transaction.grown.insert(record.number)
  }

  // MARK: What stands in the way

  /// How much too far a changeset's time is ahead of the local clock; nil if it does not matter.
  ///
  /// A release is of no use beyond `Limits.releasedMilliseconds`: the clocks of all would go on from
  /// there, and soon have no stamps left.
  func timeAhead(
    _ time: HybridTime, of record: AuthorRecord?, _ sequence: SequenceNumber
  ) -> Duration? {
    guard let record else { return timeAhead(time, after: authors.releasedTime) }
    if record.isSuperseded(sequence) { return nil }
    if sequence <= record.released, time.milliseconds < Limits.releasedMilliseconds { return nil }
    // What was not released of a released author is as far ahead as before.
    return timeAhead(time, after: record.released > .none ? .zero : authors.releasedTime)
  }

  /// How much too far a time is ahead of the local clock, and of `floor` if that is later; nil if it is
  /// not.
  func timeAhead(_ time: HybridTime, after floor: HybridTime = .zero) -> Duration? {
    let now = UInt64(clamping: options.wallClock().milliseconds)
    let drift = UInt64(clamping: options.clockDrift.milliseconds)
    let bound = max(now, floor.milliseconds).addingSaturated(drift)
    return time.milliseconds > bound
      ? .milliseconds(Int64(clamping: time.milliseconds - bound)) : nil
  }

  func isApplied(
    _ dependencies: [Dependency], _ declarations: DeclarationTable
  ) throws -> Bool {
    try dependencies.allSatisfy { dependency in
      guard let other = declarations[dependency.author],
        let record = try authors.branchCount == 0
          ? authors[other.commonHistory]
          : history(of: other, with: dependency.sequence, dependency.hash)
      else { return false }
      return record.sequence >= dependency.sequence
        && isReissued(record, dependency.sequence) { $0.sequence }
    }
  }
}

extension Duration {
  /// Whole milliseconds, rounded down; those beyond 64 bits are cut off.
  fileprivate var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let whole = seconds.multipliedReportingOverflow(by: 1000)
    return whole.overflow
      ? Int64.max
      : whole.partialValue.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        .partialValue
  }
}
