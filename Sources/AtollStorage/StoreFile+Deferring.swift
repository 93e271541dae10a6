import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

// Deferred changesets: stamped too far ahead of the local clock, or parts of a transaction whose rest has still
// to come, or behind such a one. They are stored and forwarded, and applied in causal order when they may be.
//
// The local hybrid time, the rows and the dependencies of local changesets do not include them until then.
extension StoreFile {
  /// Applies the deferred changesets that may be applied by now, in pieces as ``apply(_:)`` does.
  ///
  /// - Returns: The time until the clock has caught up with the next; nil if none waits for the clock.
  /// - Throws: If the file fails. What was applied before stays.
  package func applyDeferred() throws(StorageError) -> Duration? {
    try doing("applying deferred changesets") {
      guard !options.isReadOnly else {
        throw StorageError.openedForReading(path: path, doing: "applying deferred changesets")
      }
      try applyAllDeferred()
      return try firstInLine().compactMap(ahead).min()
    }
  }

  func applyAllDeferred() throws {
    guard authors.hasDeferred else { return }
    while try firstInLine().contains(where: { ahead(of: $0) == nil }), try applyDeferredGroup() {}
  }

  // MARK: Deferring

  /// Stores a changeset in the log without applying it, within the bounds.
  func `defer`(
    _ changeset: ChangesetReader, _ bytes: [UInt8], _ hash: ChainHash, of record: AuthorRecord?,
    _ declarations: DeclarationTable, ahead: Duration?, _ transaction: WriteTransaction
  ) throws -> ApplyOutcome {
    let isRest = record?.deferred?.isOpen == true
    guard !isRest || changeset.dependencies.isEmpty else {
      return .refused(reason: "it goes on with a transaction and names dependencies of its own")
    }
    let isBehind = ahead != nil || record?.deferred != nil
    guard isRest || (changeset.isContinued && !isBehind) || log.mayDefer(bytes.count) else {
      return .overflowing(retryAfter: ahead ?? Limits.deferredSweepInterval)
    }
    if !isRest, let deferred = record?.deferred, deferred.count >= Limits.deferredByAuthor {
      return .overflowing(
        retryAfter: ahead ?? Limits.deferredSweepInterval,
        because: .deferredOfAuthor(deferred.count))
    }
    do {
      try validate(changeset, declarations)
    } catch {
      return .refused(reason: error.description)
    }
    let record = try record ?? authors.intern(changeset.author)
    guard (record.deferred?.openBytes ?? 0) + bytes.count <= Limits.transactionBytes else {
      return .refused(reason: "its transaction has more than \(Limits.transactionBytes) bytes")
    }
    try removalBook.leaveOut(record, from: changeset.sequence)
    let position = try insertIntoLog(bytes, record, changeset.sequence, hash, transaction)
    try log.defer(changeset, hash, of: record, at: position, size: bytes.count)
    record.deferred?.declarations = declarations
    let id = ChangesetID(author: record.author, sequence: changeset.sequence, hash: hash)
    return .deferred(id, ahead: ahead)
  }

  /// Checks the operations of a changeset before it is stored: nobody forwards one that is refused.
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

  // MARK: Applying

  /// The next deferred changeset of each author that is not incoming.blocked, in the order of the log.
  private func firstInLine() throws -> [ChangesetLog.NextDeferred] {
    try authors.records
      .filter { $0.deferred != nil && !incoming.blocked.contains($0.number) }
      .compactMap(log.nextDeferred)
      .sorted { $0.position < $1.position }
  }

  private func ahead(of next: ChangesetLog.NextDeferred) -> Duration? {
    timeAhead(next.time, of: next.record, next.sequence)
  }

  /// Applies until the lock has been held long enough; whether there may be more.
  private func applyDeferredGroup() throws -> Bool {
    try begin(.remote, timeout: options.lockTimeout)
    do {
      let transaction = try current("applying deferred changesets")
      let end = options.steadyClock().advanced(by: Limits.remoteBatchHold)
      var (count, isOver) = (0, false)
      var isMoving = true
      while isMoving, !isOver {
        let (former, known) = (count, incoming.blocked.count)
        for first in try firstInLine() where !isOver && incoming.blocked.count == known {
          var next: ChangesetLog.NextDeferred? = first
          while let deferred = next, !isOver, try apply(deferred, transaction) {
            count += 1
            isOver = options.steadyClock() >= end
            next = try log.nextDeferred(of: deferred.record)
          }
        }
        isMoving = count > former || incoming.blocked.count > known
      }
      if count == 0 { abandonUnchanged(transaction) } else { try finishApplying(transaction) }
      return isOver && count > 0
    } catch {
      abandon()
      throw error
    }
  }

  /// Applies a deferred changeset with all of its transaction if nothing prevents it any more; whether it
  /// did.
  private func apply(_ next: ChangesetLog.NextDeferred, _ transaction: WriteTransaction) throws
    -> Bool
  {
    if next.last == next.sequence { return try applyAlone(next, transaction) }
    let digests = transaction.digests
    try statement("SAVEPOINT whole").run()
    guard try applyAlone(next, transaction) else {
      try statement("RELEASE whole").run()
      return false
    }
    while next.record.sequence < next.last {
      guard let rest = try log.nextDeferred(of: next.record), try applyAlone(rest, transaction)
      else {
        try undo(transaction, to: "whole")
        transaction.digests = digests
        return false
      }
    }
    try statement("RELEASE whole").run()
    return true
  }

  private func applyAlone(
    _ next: ChangesetLog.NextDeferred, _ transaction: WriteTransaction
  ) throws -> Bool {
    guard ahead(of: next) == nil, let known = try log.entry(next.record, next.sequence) else {
      return false
    }
    let reader = try ChangesetReader(known.bytes, author: next.record.author)
    if !next.isDeclared { try inherit(next.record, next.sequence) }
    var declarations = next.record.declarations
    if !next.isDeclared { try declarations.adopt(reader.declarations) }
    let isSuperseded = next.record.isSuperseded(next.sequence)
    guard try isSuperseded || isApplied(reader.dependencies, declarations),
      try !contradictsCheckpoint(reader, of: next.record, declarations)
    else { return false }
    let digests = transaction.digests
    try statement("SAVEPOINT changeset").run()
    do {
      if !next.isDeclared { try adopt(reader.declarations, declarations, of: next.record) }
      if isSuperseded {
        try carryOutSuperseding(reader, of: next.record)
      } else {
        try merge(reader, of: next.record)
      }
    } catch {
      guard Self.refusal(error) != nil else { throw error }
      // Refused by merging alone: it stays deferred, and its author's later ones with it.
      incoming.blocked.insert(next.record.number)
      try undo(transaction, to: "changeset")
      transaction.digests = digests
      return false
    }
    try log.promote(next, bytes: known.bytes.count)
    transaction.grown.insert(next.record.number)
    try statement("RELEASE changeset").run()
    return true
  }

  // MARK: Conditions

  /// Returns the time by which a changeset's time is too far ahead of the local clock; nil if it
  /// does not matter.
  ///
  /// A release is of no use beyond `Limits.releasedMilliseconds`: the clocks of all would go on from
  /// there, and soon have no stamps left.
  func timeAhead(
    _ time: HybridTime, of record: AuthorRecord?, _ sequence: SequenceNumber
  ) -> Duration? {
    guard let record else { return timeAhead(time, after: authors.releasedTime) }
    if record.isSuperseded(sequence) { return nil }
    if sequence <= record.released, time.milliseconds < Limits.releasedMilliseconds { return nil }
    // The unreleased changesets of a released author are as far ahead as before.
    return timeAhead(time, after: record.released > .none ? .zero : authors.releasedTime)
  }

  /// Returns the time by which a time is too far ahead of the local clock, and of `floor` if that
  /// is later; nil if it is not.
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
          : log.branch(of: other, with: dependency.sequence, dependency.hash)
      else { return false }
      return record.sequence >= dependency.sequence
        && log.isReissued(record, dependency.sequence) { $0.sequence }
    }
  }

  /// The deferred changesets, by author, ascending.
  package func deferredChangesets() throws(StorageError) -> [DeferredChangesets] {
    try doing("reading deferred changesets") {
      let now = options.wallClock().milliseconds
      func ahead(_ time: HybridTime) -> Duration {
        .milliseconds(Int64(clamping: time.milliseconds).subtractingSaturated(now))
      }
      return try log.deferredSummaries().map { summary in
        DeferredChangesets(
          author: summary.author, count: summary.count, byteCount: summary.byteCount,
          firstAhead: ahead(summary.firstTime), lastAhead: ahead(summary.lastTime),
          awaitsRest: summary.awaitsRest)
      }
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

extension Int64 {
  fileprivate func subtractingSaturated(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }
}
