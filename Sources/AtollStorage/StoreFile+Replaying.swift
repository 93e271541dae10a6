import AtollChanges
import AtollVocabulary

extension StoreFile {
  /// Applies what the log has from the base on to another file, in the log's order, batch by batch.
  ///
  /// - Parameters:
  ///   - other: A file that has what this one's base has.
  ///   - frontier: The last changeset of each author that is applied.
  ///   - isChecked: Whether a changeset whose bytes are damaged is an error, rather than left to the other
  ///     file to refuse.
  ///   - refused: Hears of each changeset that did not apply; false ends the replay.
  /// - Throws: ``StorageError`` where either file cannot be read or written; what `refused` throws.
  func replay(
    into other: StoreFile, upTo frontier: VersionVector, isChecked: Bool = true,
    _ refused: (LogEntry, ApplyOutcome) throws -> Bool
  ) throws {
    var position = LogPosition.start
    while true {
      let batch = try entries(
        lackedBy: VersionVector(), after: position, limitBytes: Limits.batchBytes,
        isChecked: isChecked)
      let entries = batch.entries.filter {
        $0.id.sequence <= frontier[$0.id.author]
          && $0.id.sequence > authors[$0.id.author]?.base?.sequence ?? .none
      }
      let outcomes = try other.apply(
        entries.map {
          IncomingChangeset(
            author: $0.id.author, sequence: $0.id.sequence, bytes: $0.bytes,
            expectedHash: $0.id.hash)
        })
      for (entry, outcome) in zip(entries, outcomes) where !outcome.isApplied {
        guard try refused(entry, outcome) else { return }
      }
      if batch.isAtEnd { return }
      position = batch.next
    }
  }
}

extension ApplyOutcome {
  fileprivate var isApplied: Bool {
    switch self {
    case .applied, .branched: true
    // Of a transaction of several changesets all are held until the last comes.
    case .held(_, let ahead): ahead == nil
    case .duplicate, .missing, .detached, .overflowing, .equivocation, .refused: false
    }
  }
}
