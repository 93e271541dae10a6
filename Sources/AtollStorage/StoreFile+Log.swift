package import AtollChanges
import AtollSQLite
package import AtollVocabulary

// The log: every changeset held here, its own and others', exact bytes in local order. What may not
// be applied yet stands in it too (`StoreFile+Holding.swift`), so that it is forwarded.
extension StoreFile {
  /// The last applied changeset of each author, ascending by author.
  package func heads() throws(StorageError) -> [ChangesetID] {
    try doing("reading the heads") {
      try changesets(
        """
        SELECT replica, incarnation, sequence, hash, branch FROM atoll_author
        WHERE sequence >= first
        """
      ).sorted { $0.author < $1.author }
    }
  }

  /// How far each author's changesets are applied here.
  package func appliedVector() throws(StorageError) -> VersionVector {
    VersionVector(
      try heads().map { VersionVector.Entry(author: $0.author, sequence: $0.sequence) })
  }

  /// The last changeset held of each author, and how far each is applied.
  package func holdings() throws(StorageError) -> Holdings {
    var holdings = Holdings(heads: try heads())
    try doing("reading what is held") {
      let held = try changesets(
        """
        SELECT replica, incarnation, max(h.sequence), h.hash, branch FROM atoll_held h
        JOIN atoll_author a ON a.number = h.author GROUP BY h.author
        """)
      for head in held { holdings.adopt(head) }
    }
    return holdings
  }

  /// The changesets that a query names by replica, incarnation, sequence, hash and branch.
  private func changesets(_ sql: String) throws -> [ChangesetID] {
    let statement = try statement(sql)
    var found: [ChangesetID] = []
    while try statement.step() {
      guard let replica = ReplicaID(bytes: statement.bytes(at: 0)),
        let hash = ChainHash(statement.bytes(at: 3))
      else { continue }
      let author = Author(
        replica: replica, incarnation: Incarnation(statement.uint64(at: 1)),
        branch: Branch(statement.uint64(at: 4)))
      found.append(
        ChangesetID(
          author: author, sequence: SequenceNumber(statement.uint64(at: 2)), hash: hash))
    }
    return found
  }

  /// The place of the last entry.
  package func lastLogPosition() throws(StorageError) -> LogPosition {
    try doing("reading the log") {
      let statement = try statement("SELECT max(position) FROM atoll_log")
      defer { statement.reset() }
      return LogPosition(try statement.step() ? statement.int64(at: 0) : 0)
    }
  }

  /// How many changesets the log has, and their bytes; reads all of its pages.
  package func logSize() throws(StorageError) -> (changesets: Int, bytes: Int) {
    try doing("measuring the log") {
      let statement = try statement(
        "SELECT count(*), coalesce(sum(length(bytes)), 0) FROM atoll_log")
      defer { statement.reset() }
      guard try statement.step() else { return (0, 0) }
      return (Int(statement.int64(at: 0)), Int(statement.int64(at: 1)))
    }
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
  ///   - endsAtGaps: Whether what comes after something in a gap is left out where the vector lacks that: by
  ///     its author's count, or because it depends on it. Nobody could take it.
  /// - Returns: The entries, and where to go on.
  /// - Throws: `damaged` if an entry is not what its author wrote, so that nobody else gets it.
  package func entries(
    lackedBy vector: VersionVector, after position: LogPosition, limitBytes: Int,
    isChecked: Bool = true, endsAtGaps: Bool = false
  ) throws(StorageError) -> LogBatch {
    try doing("reading the log") {
      let authors = try authorsByNumber()
      let vector = try raised(vector, authors)
      var reach = endsAtGaps ? GapReach(of: self, beyond: vector) : nil
      let position = position == .start ? try logStart(vector, authors) : position
      let statement = try statement(
        """
        SELECT position, author, sequence, hash, length(bytes), bytes FROM atoll_log
        WHERE position > ? ORDER BY position
        """)
      statement.bind(position.rawValue, at: 1)
      defer { statement.reset() }
      var batch = LogBatch(entries: [], next: position, isAtEnd: false)
      var size = 0
      var chains = ChainCheck(of: self)
      while try statement.step() {
        let place = LogPosition(statement.int64(at: 0))
        let sequence = SequenceNumber(statement.uint64(at: 2))
        guard let author = authors[statement.int64(at: 1)],
          let hash = ChainHash(statement.bytes(at: 3))
        else {
          throw StorageError.damaged(path: path, detail: "log entry \(place) has no author")
        }
        if vector[author] >= sequence {
          batch.next = place
          continue
        }
        let isReached =
          try reach?.includes(statement.int64(at: 1), sequence) { statement.bytes(at: 5) } ?? true
        guard isReached else {
          batch.next = place
          continue
        }
        size += Int(statement.int64(at: 4))
        if !batch.entries.isEmpty, size > limitBytes { return batch }
        batch.next = place
        reach?.note(author, sequence)
        let entry = LogEntry(
          position: place, id: ChangesetID(author: author, sequence: sequence, hash: hash),
          bytes: statement.bytes(at: 5))
        if isChecked { try chains.check(entry, of: statement.int64(at: 1)) }
        batch.entries.append(entry)
      }
      batch.isAtEnd = true
      return batch
    }
  }

  /// The canonical bytes of all entries that `vector` lacks.
  package func logBytes(beyond vector: VersionVector) throws(StorageError) -> Int {
    try doing("measuring the log") {
      let statement = try statement(
        "SELECT sum(length(bytes)) FROM atoll_log WHERE author = ? AND sequence > ?")
      return try authorsByNumber().reduce(0) { sum, entry in
        let (number, author) = entry
        guard let known = Int64(exactly: vector[author].rawValue) else { return sum }
        defer { statement.reset() }
        statement.bind(number, at: 1)
        statement.bind(known, at: 2)
        return try statement.step() ? sum + Int(statement.int64(at: 0)) : sum
      }
    }
  }

  /// The position before the first entry that `vector` lacks, or the log's last.
  ///
  /// A link begins at the log's start, and usually lacks no more than its end.
  private func logStart(
    _ vector: VersionVector, _ authors: [Int64: Author]
  ) throws -> LogPosition {
    var logStart = try lastLogPosition()
    let statement = try statement(
      """
      SELECT position FROM atoll_log WHERE author = ? AND sequence > ? ORDER BY sequence LIMIT 1
      """)
    for (number, author) in authors {
      guard let known = Int64(exactly: vector[author].rawValue) else { continue }
      defer { statement.reset() }
      statement.bind(number, at: 1)
      statement.bind(known, at: 2)
      guard try statement.step() else { continue }
      logStart = min(logStart, LogPosition(statement.int64(at: 0) - 1))
    }
    return logStart
  }

  /// The vector, and what truncation takes off the log.
  private func raised(
    _ vector: VersionVector, _ authors: [Int64: Author]
  ) throws -> VersionVector {
    let statement = try statement("SELECT author, sequence FROM atoll_floor")
    var raised = vector
    while try statement.step() {
      guard let author = authors[statement.int64(at: 0)] else { continue }
      raised[author] = max(raised[author], SequenceNumber(statement.uint64(at: 1)))
    }
    return raised
  }

  private func authorsByNumber() throws -> [Int64: Author] {
    let statement = try statement("SELECT number, replica, incarnation, branch FROM atoll_author")
    var authors: [Int64: Author] = [:]
    while try statement.step() {
      guard let replica = ReplicaID(bytes: statement.bytes(at: 1)) else { continue }
      authors[statement.int64(at: 0)] = Author(
        replica: replica, incarnation: Incarnation(statement.uint64(at: 2)),
        branch: Branch(statement.uint64(at: 3)))
    }
    return authors
  }

  // MARK: Writing

  /// Puts a changeset into the log and makes it its author's head.
  func appendToLog(
    _ bytes: [UInt8], _ record: AuthorRecord, _ sequence: SequenceNumber, _ hash: ChainHash,
    _ transaction: WriteTransaction
  ) throws {
    try insertIntoLog(bytes, record, sequence, hash, transaction)
    record.sequence = sequence
    record.hash = hash
    try storeHead(record)
  }

  /// Puts a changeset into the log, applied or not; returns its position.
  @discardableResult
  func insertIntoLog(
    _ bytes: [UInt8], _ record: AuthorRecord, _ sequence: SequenceNumber, _ hash: ChainHash,
    _ transaction: WriteTransaction
  ) throws -> Int64 {
    let statement = try statement(
      """
      INSERT INTO atoll_log (position, author, sequence, hash, bytes)
      VALUES ((SELECT max(coalesce(max(position), 0), (SELECT ifnull(max(last), 0)
        FROM atoll_backlog)) + 1 FROM atoll_log), ?, ?, ?, ?)
      """)
    statement.bind(record.number, at: 1)
    statement.bind(sequence.rawValue, at: 2)
    statement.bind(hash.bytes, at: 3)
    // What changes nothing here may change something further on.
    let isKept = Museum.stands(.crSQLite413) && Museum.stands(.corrosion352)
    try statement.run(binding: isKept || !transaction.changes.isEmpty ? bytes : [], at: 4)
    let position = connection.lastInsertedRow
    if transaction.origin == .remote { try noteArrival(at: position, by: transaction.sender) }
    transaction.grown.insert(record.number)
    if sequence == record.first, record.parent != 0 {
      // The commit that brings another history names all of the author.
      for other in authors.histories(of: record.author)
      where other.heldHead.sequence >= other.first {
        transaction.grown.insert(other.number)
      }
    }
    return position
  }

  func storeHead(_ record: AuthorRecord) throws {
    let statement = try statement(
      "UPDATE atoll_author SET sequence = ?, hash = ?, named = ? WHERE number = ?")
    statement.bind(record.sequence.rawValue, at: 1)
    statement.bind(record.hash.bytes, at: 2)
    statement.bind(record.named.rawValue, at: 3)
    statement.bind(record.number, at: 4)
    try statement.run()
  }

  /// The bytes and hash of an entry; nil if the log does not have it.
  func logged(
    _ record: AuthorRecord, _ sequence: SequenceNumber
  ) throws -> (bytes: [UInt8], hash: ChainHash)? {
    let statement = try statement(
      "SELECT bytes, hash FROM atoll_log WHERE author = ? AND sequence = ?")
    statement.bind(record.number, at: 1)
    statement.bind(sequence.rawValue, at: 2)
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    guard let hash = ChainHash(statement.bytes(at: 1)) else { return nil }
    return (statement.bytes(at: 0), hash)
  }

  /// The hash of an entry; nil if the log does not have it.
  func loggedHash(_ record: AuthorRecord, _ sequence: SequenceNumber) throws -> ChainHash? {
    let statement = try statement("SELECT hash FROM atoll_log WHERE author = ? AND sequence = ?")
    statement.bind(record.number, at: 1)
    statement.bind(sequence.rawValue, at: 2)
    defer { statement.reset() }
    return try statement.step() ? ChainHash(statement.bytes(at: 0)) : nil
  }
}
