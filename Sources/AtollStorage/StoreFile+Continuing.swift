import AtollChanges
import AtollLog
import AtollVocabulary

/// A changeset of the open transaction that is whole but for what comes after it.
struct FinishedChangeset {
  var encoder: ChangesetEncoder
  var dependencies: [Dependency]
  var declarations: [Declaration]
}

// A large transaction is several changesets, of which one is in memory and the one before it:
//
//     transaction   ├──── 16 MiB ────┼──── 16 MiB ────┼── the rest ──┤
//     changeset            7, continued     8, continued     9
//
// They go into the log as the transaction grows, inside the SQLite transaction that commits all of it.
// A receiver defers them until the last has come, and applies all in one transaction too.
extension StoreFile {
  /// Goes on in another changeset if the present one is large.
  func continueIfLarge(_ transaction: WriteTransaction) throws {
    guard transaction.encoder?.byteCount ?? 0 >= options.partBytes,
      let encoder = transaction.encoder
    else { return }
    try storeFinished(transaction, isContinued: true)
    transaction.finished = try finished(encoder, transaction)
    // The times of one transaction lie close together, so that no clock parts them.
    state.time = try checked(HybridTime(rawValue: state.time.rawValue + 1))
    transaction.beginChangeset(encoder.sequence.next, at: state.time)
  }

  /// The time of the next local changeset.
  ///
  /// - Throws: `clockOutOfRange` if nobody would take it.
  func nextTime() throws(StorageError) -> HybridTime {
    try checked(state.time.next(at: options.wallClock()))
  }

  private func checked(_ time: HybridTime) throws(StorageError) -> HybridTime {
    guard time.milliseconds < Limits.stampMilliseconds else {
      throw .clockOutOfRange(path: path, now: options.wallClock(), last: state.time)
    }
    return time
  }

  /// Puts what the transaction has written into the log, as far as it is not there yet.
  func storeOwnChangesets(_ transaction: WriteTransaction) throws {
    guard let encoder = transaction.encoder, !encoder.isEmpty else {
      // Declarations for something that was not done after all may be used by later operations.
      transaction.finished?.declarations += transaction.declarations
      return try storeFinished(transaction, isContinued: false)
    }
    try storeFinished(transaction, isContinued: true)
    transaction.finished = try finished(encoder, transaction)
    try storeFinished(transaction, isContinued: false)
  }

  /// The local changeset with what it depends on.
  private func finished(
    _ encoder: ChangesetEncoder, _ transaction: WriteTransaction
  ) throws -> FinishedChangeset {
    let own = try own
    var dependencies: [Dependency] = []
    for record in authors.sorted
    where record !== own && record.hasApplied && record.sequence > record.named {
      dependencies.append(
        Dependency(
          author: try tables.ownNumber(ofAuthor: record.number, transaction),
          sequence: record.sequence, hash: record.hash))
      record.named = record.sequence
      try authors.storeHead(record)
    }
    defer { transaction.declarations = [] }
    return FinishedChangeset(
      encoder: encoder, dependencies: dependencies, declarations: transaction.declarations)
  }

  private func storeFinished(_ transaction: WriteTransaction, isContinued: Bool) throws {
    guard let finished = transaction.finished else { return }
    let (own, sequence) = (try own, finished.encoder.sequence)
    let bytes = finished.encoder.finish(
      dependencies: finished.dependencies, declarations: finished.declarations,
      isContinued: isContinued)
    try LocalLimits.checkSize(ofChangeset: bytes)
    transaction.loggedBytes += bytes.count
    // On a full disk it stays, so that nobody commits the rows without it.
    try appendToLog(bytes, own, sequence, own.hash.following(bytes), transaction)
    transaction.finished = nil
  }
}

extension WriteTransaction {
  func beginChangeset(_ sequence: SequenceNumber, at time: HybridTime) {
    encoder = ChangesetEncoder(author: own.author, sequence: sequence, time: time)
    source = MergeSource(author: writer, time: time, sequence: sequence)
    nextIndex = 0
  }

  /// True if anything was written.
  var hasOperations: Bool { finished != nil || encoder?.isEmpty == false }

  /// Canonical bytes of the operations so far.
  var byteCount: Int {
    loggedBytes + (finished?.encoder.byteCount ?? 0) + (encoder?.byteCount ?? 0)
  }
}
