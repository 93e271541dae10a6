package import AtollChanges
import AtollLog
package import AtollVocabulary

// The log as others ask for it: every error says what was being done, and with which file.
extension StoreFile {
  /// The last applied changeset of each author, ascending by author.
  package func heads() throws(StorageError) -> [ChangesetID] {
    try doing("reading the heads") { try log.heads() }
  }

  /// The last changeset of each author that is applied here.
  package func appliedVector() throws(StorageError) -> VersionVector {
    VersionVector(
      try heads().map { VersionVector.Entry(author: $0.author, sequence: $0.sequence) })
  }

  /// The last changeset stored of each author, and the last applied.
  package func holdings() throws(StorageError) -> Holdings {
    var holdings = Holdings(heads: try heads())
    for head in try doing("reading the deferred changesets", { try log.deferredHeads() }) {
      holdings.adopt(head)
    }
    return holdings
  }

  /// The place of the last entry.
  package func lastLogPosition() throws(StorageError) -> LogPosition {
    try doing("reading the log") { try log.lastPosition() }
  }

  /// The number of changesets in the log, and their bytes; reads all of its pages.
  package func logSize() throws(StorageError) -> (changesets: Int, bytes: Int) {
    try doing("measuring the log") { try log.size() }
  }

  /// The canonical bytes of all entries that `vector` lacks.
  package func logBytes(beyond vector: VersionVector) throws(StorageError) -> Int {
    try doing("measuring the log") { try log.bytes(beyond: vector) }
  }

  /// The log after `position`, without what `vector` includes, and what is truncated and not removed
  /// yet: of that, what came before may be gone.
  ///
  /// Entries are taken while they fit `limitBytes`, but at least one if there is one.
  ///
  /// - Parameters:
  ///   - vector: What is left out.
  ///   - position: After which to begin.
  ///   - limitBytes: Of the entries together.
  ///   - isChecked: Whether bytes that do not give their hash are an error; `verify` reports them.
  ///   - isForPeer: Whether what no peer could take is left out: what comes after something in a gap, where the
  ///     vector lacks that, by its author's count or because it depends on it; and what no seal vouches for
  ///     yet. What one seal vouches for is given together, sealed.
  /// - Returns: The entries, and where to go on.
  /// - Throws: `damaged` if an entry is not what its author wrote, so that nobody else gets it.
  package func entries(
    lackedBy vector: VersionVector, after position: LogPosition, limitBytes: Int,
    isChecked: Bool = true, isForPeer: Bool = false
  ) throws(StorageError) -> LogBatch {
    try doing("reading the log") {
      try log.entries(
        lackedBy: vector, after: position, limitBytes: limitBytes, isChecked: isChecked,
        isForPeer: isForPeer)
    }
  }

  // MARK: Writing

  /// Appends a changeset to the log and makes it its author's head.
  func appendToLog(
    _ bytes: [UInt8], _ record: AuthorRecord, _ sequence: SequenceNumber, _ hash: ChainHash,
    _ transaction: WriteTransaction
  ) throws {
    try insertIntoLog(bytes, record, sequence, hash, transaction)
    try log.advance(record, to: sequence, hash)
  }

  /// Appends a changeset to the log, applied or not; returns its position.
  @discardableResult
  func insertIntoLog(
    _ bytes: [UInt8], _ record: AuthorRecord, _ sequence: SequenceNumber, _ hash: ChainHash,
    _ transaction: WriteTransaction
  ) throws -> Int64 {
    // Kept also if it changes nothing here: it may change something further on.
    let position = try log.append(bytes, record, sequence, hash)
    if transaction.origin == .remote {
      try recordArrival(at: position, by: transaction.sender)
    }
    transaction.grown.insert(record.number)
    if sequence == record.first, record.parent != 0 {
      // The commit that brings another branch names all of the author.
      for other in authors.branches(of: record.author)
      where other.storedHead.sequence >= other.first {
        transaction.grown.insert(other.number)
      }
    }
    return position
  }

  /// Records the peer that delivered an entry: one row where another peer's begin, not one a changeset.
  private func recordArrival(at position: Int64, by peer: Author?) throws {
    if let last = incoming.lastArrival, last == peer { return }
    try log.recordArrival(at: position, by: peer)
    incoming.lastArrival = .some(peer)
  }

  /// All forks this file knows of, ascending by author; none is ever forgotten.
  package func forks() throws(StorageError) -> [HistoryFork] {
    try doing("reading the forks") {
      try refreshBeforeReading()
      return try authors.sorted.compactMap { record in
        let firsts = try record.children.compactMap { authors[$0] }.compactMap { child in
          try log.entry(child, child.first).map {
            ChangesetID(author: child.author, sequence: child.first, hash: $0.hash)
          }
        }
        return firsts.isEmpty ? nil : HistoryFork(author: record.author, firsts: firsts)
      }
    }
  }
}
