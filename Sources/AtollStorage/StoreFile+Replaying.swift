import AtollChanges
import AtollLog
import AtollVocabulary

extension StoreFile {
  /// Applies what the log has from the checkpoint on to another file, in the log's order, batch by batch.
  ///
  /// - Parameters:
  ///   - other: A file that has what this one's checkpoint has.
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
          && $0.id.sequence > authors[$0.id.author]?.checkpoint?.sequence ?? .none
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

extension StoreFile {
  /// Gives another file the branches of this one, before anything of them is applied there.
  ///
  /// A fork is known by both its sides, of which one may be stored and not applied: what is replayed would
  /// not show it, and would have other names.
  func nameBranches(in other: StoreFile) throws {
    guard authors.branchCount > 0 else { return }
    try divideCheckpoint(of: other)
    try other.quietly("naming the branches") {
      for record in authors.records.sorted(by: { $0.first < $1.first }) {
        guard let parent = authors[record.parent] else { continue }
        let common = try other.authors.intern(parent.author)
        let branch = try other.authors.intern(record.author)
        guard branch.parent == 0 else { continue }
        (branch.parent, branch.first, branch.began) = (common.number, record.first, record.began)
        branch.sequence = record.first.previous
        branch.hash = try log.hash(record, before: record.first)
        branch.named = branch.sequence
        try other.authors.place(branch)
      }
    }
  }

  /// Divides what another file has of this one's checkpoint where this one knows of forks.
  private func divideCheckpoint(of other: StoreFile) throws {
    let forks = authors.records.filter { record in
      guard let common = authors[record.parent].flatMap({ other.authors[$0.author] }) else {
        return false
      }
      return common.storedHead.sequence >= record.first
    }
    guard !forks.isEmpty else { return }
    try other.begin(.remote, timeout: options.lockTimeout)
    do {
      let transaction = try other.current("dividing the checkpoint")
      for record in forks.sorted(by: { $0.first < $1.first }) {
        guard let common = authors[record.parent].flatMap({ other.authors[$0.author] }),
          common.storedHead.sequence >= record.first
        else { continue }
        try other.log.split(common, at: record.first)
        try other.rereadAuthors()
      }
      try other.numbers.empty()
      try other.rereadAuthors()
      try other.rebuild(transaction, demoting: nil, isAfresh: true)
      _ = try other.finish(transaction)
    } catch {
      other.abandon()
      throw error
    }
  }
}

extension StoreFile {
  /// The superseded changesets of each author.
  var supersededRanges: [Author: [ClosedRange<SequenceNumber>]] {
    authors.records.reduce(into: [:]) { ranges, record in
      let superseded = record.allSuperseded
      if !superseded.isEmpty { ranges[record.author] = superseded }
    }
  }

  /// Tells if a changeset of a log that is replayed here counts for nothing in the end.
  ///
  /// Such a one needs nothing that it depends on, some of which may be deferred in the original since a clock
  /// was repaired. In the log it stands before the one that supersedes it.
  func isSupersededInOriginal(_ changeset: IncomingChangeset) -> Bool {
    incoming.supersededInOriginal[changeset.author]?.contains { $0.contains(changeset.sequence) }
      ?? false
  }
}

extension ApplyOutcome {
  fileprivate var isApplied: Bool {
    switch self {
    case .applied, .branched: true
    // Of a transaction of several changesets all are deferred until the last comes.
    case .deferred(_, let ahead): ahead == nil
    case .duplicate, .missing, .detached, .overflowing, .equivocation, .refused: false
    }
  }
}
