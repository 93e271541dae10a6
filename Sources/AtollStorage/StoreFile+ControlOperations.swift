import AtollChanges
import AtollLog
import AtollSQLite
package import AtollVocabulary

// Control operations are carried out in the log and not in the tables: an author's changesets count although
// they are stamped too far ahead, or count for nothing because their replica has reissued them. So is an owner's
// word, which takes a replica in or removes it.
extension StoreFile {
  /// Releases the deferred changesets of an author, here and wherever the release comes: a changeset like any.
  ///
  /// The clocks of all who apply it go on from the greatest time released.
  ///
  /// - Parameters:
  ///   - author: The author of deferred changesets.
  ///   - last: The last one to release; nil for all that are deferred here.
  /// - Returns: The last changeset released.
  /// - Throws: `nothingDeferred` if none of its changesets is deferred here.
  @discardableResult
  package func release(
    _ author: Author, through last: SequenceNumber? = nil
  ) throws(StorageError) -> SequenceNumber {
    try requireOwner("releasing changesets of \(author)")
    return try doing("releasing \(author)") {
      try beginWrite()
      do {
        let transaction = try current("releasing \(author)")
        guard let record = authors[author], let waiting = record.deferred else {
          throw StorageError.nothingDeferred(author)
        }
        let last = min(last ?? waiting.last, waiting.last)
        let number = try tables.ownNumber(ofAuthor: record.number, transaction)
        try perform(.release(number, through: last), transaction)
        try commitWrite()
        try applyAllDeferred()
        return last
      } catch {
        rollback()
        throw error
      }
    }
  }

  // MARK: Carrying out

  /// Carries out an operation of a changeset: on the tables, or in the log.
  ///
  /// After the last one `run` has to be merged, too.
  func carryOut(
    _ operation: Operation, _ source: MergeSource, index: UInt32, after run: inout CreationRun
  ) throws {
    switch operation {
    case .data(let operation): try tables.merge(operation, source, index: index, after: &run)
    case .control(let operation):
      try tables.merge(&run, source)
      try carryOut(operation, source)
    }
  }

  /// Carries a control operation out in the log.
  func carryOut(_ operation: ControlOperation, _ source: MergeSource) throws {
    switch operation {
    case .release(let author, let last):
      let number = try tables.branch(author, last, of: source.author)
      for part in log.parts(of: number, .first...last) {
        try release(part.0, through: part.1.upperBound)
      }
    case .supersede(let author, let first, let last):
      let number = try tables.branch(author, last, of: source.author)
      for part in log.parts(of: number, first...max(first, last)) {
        if source.sequence == .first {
          try log.recordReissue(
            AuthorRecord.ReissuedRange(range: part.1, writer: source.record.number, origin: first),
            of: part.0)
        }
        try supersede(part.0, part.1, by: source.cause)
      }
    }
  }

  /// Carries out what an owner says of a replica: once, and not where it is replayed.
  func carryOut(
    _ word: (replica: ReplicaID, said: OwnersClass), _ source: MergeSource
  ) throws {
    let (own, seen) = (try own, try log.seen(by: source.record))
    let isChanged = try removalBook.carryOut(word, source.cause) { record in
      source.record === own ? record.sequence : seen[record.number] ?? .none
    }
    guard isChanged else { return }
    try refreshAuthors()
    transaction?.needsRebuild = true
  }

  func release(_ number: Int64, through last: SequenceNumber) throws {
    guard let record = authors[number], try log.release(record, through: last),
      let applied = try log.entry(record, min(record.sequence, last))
    else { return }
    let reader = try ChangesetReader(applied.bytes, author: record.author)
    try log.raiseReleasedTime(to: reader.time, by: record)
  }

  /// Marks changesets as superseded; what was applied of them is taken back when the transaction ends.
  func supersede(
    _ number: Int64, _ range: ClosedRange<SequenceNumber>, by cause: AuthorRecord.Cause
  ) throws {
    guard let record = authors[number] else { return }
    guard !incoming.supersededInOriginal.isEmpty || !record.hasInCheckpoint(range) else {
      throw MalformedChangeset(
        detail: "it supersedes what the snapshot has that this file began with")
    }
    guard try log.supersede(record, range, by: cause), record.sequence >= range.lowerBound
    else { return }
    transaction?.needsRebuild = true
    transaction?.replaysAgain = true
  }

  /// Carries out what a superseded changeset supersedes: that stays so, whichever of them comes first.
  ///
  /// A removed replica supersedes nothing by what its remover had not applied.
  func carryOutSuperseding(_ changeset: ChangesetReader, of record: AuthorRecord) throws {
    if let removal = record.removal, removal.last < changeset.sequence { return }
    let source = MergeSource(
      author: numbers[record], time: changeset.time, sequence: changeset.sequence)
    var reader = changeset
    while let operation = try reader.next() {
      guard case .control(let control) = operation, case .supersede = control else { continue }
      try carryOut(control, source)
    }
  }
}
