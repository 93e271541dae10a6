import AtollChanges
import AtollLog
import AtollSQLite
package import AtollVocabulary

/// The result of a repair after a wrong clock.
package struct ClockRepair: Hashable, Sendable {
  /// The author whose changesets were reissued, and the one that reissued them.
  package var former: Author
  package var author: Author
  /// The number of reissued changesets.
  package var changesets: Int
  /// Changesets of other replicas that are deferred again, for theirs were stamped too far ahead too.
  package var deferredAgain: Int

  package init(former: Author, author: Author, changesets: Int, deferredAgain: Int) {
    self.former = former
    self.author = author
    self.changesets = changesets
    self.deferredAgain = deferredAgain
  }
}

// The clock of this replica was ahead, and is right again. All others defer what it wrote meanwhile: it is
// reissued, with present stamps, under a new incarnation.
extension StoreFile {
  /// Returns the time by which the file's own time is ahead of the limit of peers; nil if it is
  /// not.
  ///
  /// Then either the clock is behind, or it was ahead and ``repairClock(isForced:)`` is the remedy.
  package func ownTimeAhead() throws(StorageError) -> Duration? {
    try doing("reading the file's time") {
      timeAhead(try StoreState(reading: connection).time, after: authors.releasedTime)
    }
  }

  /// Reissues under a new incarnation what this file wrote too far ahead of the present clock.
  ///
  /// The old changesets stay in the log, superseded. All objects are made anew without them, so this
  /// takes as long as applying the whole log, in one transaction.
  ///
  /// - Parameter isForced: Whether changesets of other replicas that are too far ahead are deferred again.
  /// - Returns: What was done; nil if there was nothing to repair.
  /// - Throws: `doubtfulClock` if other replicas' changesets are too far ahead as well.
  @discardableResult
  package func repairClock(isForced: Bool = false) throws(StorageError) -> ClockRepair? {
    try doing("repairing after a wrong clock") {
      guard !options.isReadOnly else {
        throw StorageError.openedForReading(path: path, doing: "repairing after a wrong clock")
      }
      try begin(.remote, timeout: options.lockTimeout)
      do {
        let transaction = try current("repairing after a wrong clock")
        try requireNotRemoved()
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
    if let first { former.disregard(first...former.sequence) }
    let demotion = try rebuild(transaction, demoting: Demotion(own: former.number))
    let deferredAgain = demotion?.count ?? 0
    guard isForced || deferredAgain == 0 else {
      throw StorageError.doubtfulClock(
        path: path, now: options.wallClock(), others: deferredAgain)
    }
    var repair = ClockRepair(
      former: former.author, author: former.author, changesets: 0, deferredAgain: deferredAgain)
    try refreshAuthors()
    guard let first else { return repair }
    transaction.hasNewIncarnation = true
    try state.startIncarnation(in: authors, of: connection, random: options.random)
    author = try own.author
    repair.author = author
    let declared = try writeSuperseding(former, from: first, transaction)
    var reissue = try Reissue(
      of: former.declarations, from: first, as: author, from: SequenceNumber(2),
      declared: declared)
    for number in first.rawValue...former.sequence.rawValue {
      guard let old = try log.entry(former, SequenceNumber(number)) else {
        throw StorageError.damaged(path: path, detail: "changeset \(number) is not in the log")
      }
      state.time = try nextTime()
      let changeset = try reissue.changeset(
        try Changeset(decoding: old.bytes, author: former.author), at: state.time)
      try enter(
        changeset, transaction,
        insteadOfNothing: .control(
          .supersede(AuthorNumber(1), from: first, through: former.sequence)))
      repair.changesets += 1
    }
    if try authors.records.contains(where: {
      try $0 !== former && log.seen(by: $0)[former.number] ?? .none >= first
    }) {
      // Changesets of others that depend on it come after it now, here as everywhere.
      try rebuild(transaction, demoting: nil)
    }
    return repair
  }

  /// The first changeset of an author that is too far ahead, from which on all are.
  private func firstAhead(of record: AuthorRecord) throws -> SequenceNumber? {
    // All members have what the checkpoint has; it is not taken back.
    let oldest = (record.checkpoint?.sequence ?? .none).next
    var first: SequenceNumber?
    try log.forEachEntry(
      of: record, oldest...max(oldest, record.storedHead.sequence), descending: true
    ) { sequence, _, bytes in
      let reader = try ChangesetReader(bytes, author: record.author)
      guard timeAhead(reader.time, of: record, sequence) != nil else { return false }
      first = sequence
      return true
    }
    return first
  }

  /// The new incarnation's first changeset: the old one's end counts for nothing.
  ///
  /// - Returns: The authors it declares, in order.
  private func writeSuperseding(
    _ former: AuthorRecord, from first: SequenceNumber, _ transaction: WriteTransaction
  ) throws -> [Author] {
    let own = try own
    var declared = [former.author]
    var dependencies: [Dependency] = []
    if first > .first, let hash = try log.knownHash(former, first.previous) {
      dependencies.append(
        Dependency(author: AuthorNumber(1), sequence: first.previous, hash: hash))
    }
    for record in authors.sorted
    where record !== own && record !== former && record.hasApplied {
      guard case let last = record.lastThatCounts, last > .none,
        let hash = try log.knownHash(record, last)
      else { continue }
      declared.append(record.author)
      dependencies.append(
        Dependency(
          author: AuthorNumber(UInt32(truncatingIfNeeded: declared.count)), sequence: last,
          hash: hash))
    }
    for record in authors.records {
      record.named = record.sequence
      try authors.storeHead(record)
    }
    state.time = try nextTime()
    try enter(
      Changeset(
        author: author, sequence: .first, time: state.time, dependencies: dependencies,
        declarations: declared.map(Declaration.author),
        operations: [
          .control(.supersede(AuthorNumber(1), from: first, through: former.sequence))
        ]), transaction)
    return declared
  }

  /// Merges a changeset of the author that writes here, and puts it into the log.
  ///
  /// An operation in an object that is gone, or on a value that is none any more, is left out: it
  /// changes nothing here, and must not elsewhere, where an object of that name may be made again.
  ///
  /// - Parameters:
  ///   - changeset: The changeset.
  ///   - transaction: The open one.
  ///   - filler: What stands for each operation that is left out, so that the others keep their indexes.
  /// - Throws: If the file fails.
  private func enter(
    _ changeset: Changeset, _ transaction: WriteTransaction,
    insteadOfNothing filler: Operation? = nil
  ) throws {
    let own = try own
    var declarations = own.declarations
    try declarations.adopt(changeset.declarations)
    try adopt(changeset.declarations, declarations, of: own)
    try log.adoptSeen(changeset.dependencies, of: own)
    let source = MergeSource(
      author: numbers[own], time: changeset.time, sequence: changeset.sequence)
    var changeset = changeset
    var run = CreationRun()
    for (place, operation) in changeset.operations.enumerated() {
      let index = UInt32(truncatingIfNeeded: place)
      var operation = operation
      if let filler {
        if !operation.isCreate { try tables.merge(&run, source) }
        if try !leadsSomewhere(operation, index: index, source) {
          if case .data(let dropped) = operation {
            try tables.recordDropped(dropped, source.stamp(index), source)
          }
          operation = filler
        }
        changeset.operations[place] = operation
      }
      try carryOut(operation, source, index: index, after: &run)
    }
    try tables.merge(&run, source)
    let bytes = changeset.encoded()
    try LocalLimits.checkSize(ofChangeset: bytes)
    try appendToLog(bytes, own, changeset.sequence, own.hash.following(bytes), transaction)
  }

  /// Tells whether the object is here of an operation that does not make it, and all that it names is past.
  private func leadsSomewhere(
    _ operation: Operation, index: UInt32, _ source: MergeSource
  ) throws -> Bool {
    do {
      try source.record.declarations.validate(
        operation, index: index, sequence: source.sequence, time: source.time)
    } catch {
      // A stamp of a changeset that is superseded meanwhile may be later than the present.
      return false
    }
    guard let object = operation.object, !operation.isCreate else { return true }
    let entry = try tables.entry(try tables.classID(object.class, of: source.author))
    guard let generation = try tables.alive(entry, object.key)?.generation else { return false }
    if case .data(.delete) = operation { return generation < object.generation }
    return generation == object.generation
  }
}

extension Operation {
  fileprivate var isCreate: Bool { if case .data(.create) = self { true } else { false } }
}
