import AtollChanges
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
    try doing("releasing \(author)") {
      try beginWrite()
      do {
        let transaction = try current("releasing \(author)")
        guard let record = authors[author], let waiting = record.waiting else {
          throw StorageError.nothingHeld(author)
        }
        let last = min(last ?? waiting.last, waiting.last)
        let number = try ownNumber(ofAuthor: record.number, transaction)
        try perform(.release(number, through: last), transaction)
        try commitWrite()
        try applyAllHeld()
        return last
      } catch {
        rollback()
        throw error
      }
    }
  }

  func release(_ number: Int64, through last: SequenceNumber) throws {
    guard let record = authors[number], record.released < last else { return }
    let statement = try statement(
      """
      INSERT INTO atoll_released (author, through, time) VALUES (?, ?, 0)
      ON CONFLICT (author) DO UPDATE SET through = excluded.through
      """)
    statement.bind(number, at: 1)
    statement.bind(last.rawValue, at: 2)
    try statement.run()
    record.released = last
    guard let applied = try logged(record, min(record.sequence, last)) else { return }
    let reader = try ChangesetReader(applied.bytes, author: record.author)
    try raiseReleasedTime(to: reader.time, by: record)
  }

  /// The clock of the store goes on from what was released and is applied.
  func raiseReleasedTime(to time: HybridTime, by record: AuthorRecord) throws {
    guard time > authors.releasedTime else { return }
    let statement = try statement("UPDATE atoll_released SET time = max(time, ?) WHERE author = ?")
    statement.bind(time.rawValue, at: 1)
    statement.bind(record.number, at: 2)
    try statement.run()
    authors.releasedTime = time
  }

  /// Records that a range of an author's changesets is reissued, and by whom.
  func recordReissue(_ reissue: AuthorRecord.ReissuedRange, of number: Int64) throws {
    guard let record = authors[number],
      !record.reissued.contains(where: {
        $0.range == reissue.range && $0.writer == reissue.writer
      })
    else { return }
    let statement = try statement(
      """
      INSERT OR IGNORE INTO atoll_rewritten (author, first, last, writer, origin)
      VALUES (?, ?, ?, ?, ?)
      """)
    statement.bind(number, at: 1)
    statement.bind(reissue.range.lowerBound.rawValue, at: 2)
    statement.bind(reissue.range.upperBound.rawValue, at: 3)
    statement.bind(reissue.writer, at: 4)
    statement.bind(reissue.origin.rawValue, at: 5)
    try statement.run()
    record.reissued.append(reissue)
    authors.hasReissues = true
  }

  /// Tells if the reissues of an author's changesets up to one are applied, too.
  ///
  /// A changeset that depends on them names objects that exist by the reissues alone: applied before, it
  /// would find none here and some elsewhere.
  func isReissued(
    _ record: AuthorRecord, _ sequence: SequenceNumber,
    reached: (AuthorRecord) -> SequenceNumber
  ) -> Bool {
    guard !record.reissued.isEmpty else { return true }
    // A reissued changeset may have been reissued again.
    var asked: [Int64: SequenceNumber] = [:]
    var toAsk = [(record, sequence)]
    while let (record, sequence) = toAsk.popLast() {
      for reissue in record.reissued where reissue.range.lowerBound <= sequence {
        guard let writer = authors[reissue.writer] else { continue }
        // What comes after the range has it in its past.
        let last = reissue.successor(of: min(sequence, reissue.range.upperBound))
        guard reached(writer) >= last else { return false }
        if asked[writer.number, default: .none] < last {
          asked[writer.number] = last
          toAsk.append((writer, last))
        }
      }
    }
    return true
  }

  /// Tells if a changeset is the last of a reissue of another author's, upon which this file has written.
  func endsReissue(_ writer: AuthorRecord, _ sequence: SequenceNumber) -> Bool {
    authors.hasReissues
      && authors.records.contains { record in
        record.reissued.contains {
          $0.writer == writer.number && $0.successor(of: $0.range.upperBound) == sequence
            && record.named >= $0.range.lowerBound
        }
      }
  }

  /// Marks changesets as superseded; what was applied of them is taken back when the transaction ends.
  func supersede(_ number: Int64, _ range: ClosedRange<SequenceNumber>) throws {
    guard let record = authors[number], !record.superseded.contains(range) else { return }
    guard
      !supersededInOriginal.isEmpty
        || record.checkpoint.map({ range.lowerBound > $0.sequence }) ?? true
    else {
      throw MalformedChangeset(
        detail: "it supersedes what the snapshot has that this file began with")
    }
    let statement = try statement(
      "INSERT OR IGNORE INTO atoll_superseded (author, first, last) VALUES (?, ?, ?)")
    statement.bind(number, at: 1)
    statement.bind(range.lowerBound.rawValue, at: 2)
    statement.bind(range.upperBound.rawValue, at: 3)
    try statement.run()
    record.superseded.append(range)
    if record.sequence >= range.lowerBound { transaction?.needsRebuild = true }
  }
}
