import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

// Concurrency of two writes in one cell, decided from the changesets that an author had applied when it wrote.
extension ObjectTables {
  /// Tells whether the author of the changeset being merged had not seen a write that is here.
  func isConcurrent(_ stored: LocalStamp, with source: MergeSource) throws -> Bool {
    try log.isUnseen(by: source.record, stored.author, stored.time)
  }

  /// The authors of whom more is here than the author of the changeset being merged had seen, each
  /// with the last that it had.
  func unseen(by source: MergeSource) throws -> [(record: AuthorRecord, seen: SequenceNumber)] {
    if let known = transaction?.unseen, known.author == source.record.number,
      known.sequence == source.sequence
    {
      return known.authors
    }
    let authors = try log.unseen(by: source.record)
    transaction?.unseen = (source.record.number, source.sequence, authors)
    return authors
  }

  /// Stores what was adopted since the transaction began.
  func saveSeen(_ transaction: WriteTransaction) throws {
    try log.saveSeen(by: transaction.grown.compactMap { authors[$0] })
  }

  /// Forgets what authors had seen and what was lost, for a replay that finds it out anew.
  func emptyLedger() throws {
    try log.emptySeen()
    try connection.execute("DELETE FROM atoll_conflict")
  }
}
