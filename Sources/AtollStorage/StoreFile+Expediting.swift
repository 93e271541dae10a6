package import AtollChanges
import AtollSQLite
package import AtollVocabulary

// Changesets that can be expedited to a peer, whatever else it still lacks: small ones that depend on
// nothing it does not have.
extension StoreFile {
  /// The next changesets of these authors, as far as a peer that has `held` can apply them.
  ///
  /// Of each author from its next one on, without a hole, until one depends on what is not held.
  ///
  /// - Parameters:
  ///   - after: Authors, and of each the last changeset that is not wanted; one entry an author.
  ///   - held: What may be depended on.
  ///   - limitBytes: Of all together; one that does not fit ends its author's.
  /// - Returns: The entries, those of one author together and in their order.
  /// - Throws: `damaged` if an entry is not what its author wrote.
  package func expeditableEntries(
    after: [VersionVector.Entry], held: VersionVector, limitBytes: Int
  ) throws(StorageError) -> [LogEntry] {
    try doing("reading the log") {
      if transaction == nil, !isReading { try refreshCaches() }
      var found: [LogEntry] = []
      var left = limitBytes
      for entry in after {
        guard let record = authors[entry.author],
          entry.sequence >= record.truncationPoint?.sequence ?? .none
        else { continue }
        try takeNext(of: record, after: entry.sequence, held, &left, into: &found)
      }
      return found
    }
  }

  private func takeNext(
    of record: AuthorRecord, after sequence: SequenceNumber, _ held: VersionVector,
    _ left: inout Int, into found: inout [LogEntry]
  ) throws {
    let declarations = try heldDeclarations(of: record)
    let statement = try statement(
      """
      SELECT position, sequence, hash, length(bytes), bytes FROM atoll_log
      WHERE author = ? AND sequence > ? ORDER BY sequence LIMIT \(Limits.expeditedChangesets)
      """)
    statement.bind(record.number, at: 1)
    statement.bind(sequence.rawValue, at: 2)
    defer { statement.reset() }
    var last = sequence
    var chain = ChainCheck(of: self)
    while try statement.step() {
      let size = Int(statement.int64(at: 3))
      let next = SequenceNumber(statement.uint64(at: 1))
      guard size <= left, next == last.next, let hash = ChainHash(statement.bytes(at: 2)) else {
        return
      }
      let entry = LogEntry(
        position: LogPosition(statement.int64(at: 0)),
        id: ChangesetID(author: record.author, sequence: next, hash: hash),
        bytes: statement.bytes(at: 4))
      try chain.check(entry, of: record.number)
      let reader = try ChangesetReader(entry.bytes, author: record.author)
      let isReady = reader.dependencies.allSatisfy { dependency in
        declarations[dependency.author].map { held[$0] >= dependency.sequence } ?? false
      }
      guard isReady else { return }
      left -= size
      last = next
      found.append(entry)
    }
  }
}
