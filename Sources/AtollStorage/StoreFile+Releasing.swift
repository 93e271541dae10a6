import AtollChanges
import AtollLog
import AtollSQLite
package import AtollVocabulary

// What is said of an author's changesets: that they count although they are stamped too far ahead,
// or that they count for nothing because their replica has reissued them.
extension StoreFile {
  /// Releases what is held of an author, here and wherever the release comes: a changeset like any.
  ///
  /// The clocks of all who apply it go on from the greatest time released.
  ///
  /// - Parameters:
  ///   - author: Of whom something is held.
  ///   - last: Up to where; nil for all that is held here.
  /// - Returns: The last changeset released.
  /// - Throws: `nothingHeld` if nothing of it is held here.
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
          throw StorageError.nothingHeld(author)
        }
        let last = min(last ?? waiting.last, waiting.last)
        let number = try ownNumber(ofAuthor: record.number, transaction)
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
