package import AtollChanges
import AtollLog
import AtollSQLite
package import AtollVocabulary

// Changesets that can be expedited to a peer, whatever else it still lacks: small ones that depend on
// nothing it does not have.
extension StoreFile {
  /// The next changesets of these authors, as far as a peer that has `stored` can apply them.
  ///
  /// Of each author from its next one on, without a hole, until one depends on what is not stored.
  ///
  /// - Parameters:
  ///   - after: Authors, and of each the last changeset that is not wanted; one entry an author.
  ///   - stored: What may be depended on.
  ///   - limitBytes: Of all together; one that does not fit ends its author's.
  /// - Returns: The entries, those of one author together and in their order.
  /// - Throws: `damaged` if an entry is not what its author wrote.
  package func expeditableEntries(
    after: [VersionVector.Entry], stored: VersionVector, limitBytes: Int
  ) throws(StorageError) -> [LogEntry] {
    try doing("reading the log") {
      if transaction == nil, !version.isReading {
        try connection.inOneSnapshot { try refreshCaches() }
      }
      var found: [LogEntry] = []
      var left = limitBytes
      for entry in after {
        guard let record = authors[entry.author],
          entry.sequence >= record.truncationPoint?.sequence ?? .none
        else { continue }
        try log.readExpedited(of: record, after: entry.sequence, stored, &left, into: &found)
      }
      return found
    }
  }
}
