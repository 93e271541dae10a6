package import AtollChanges
package import AtollSQLite
package import AtollVocabulary

// Reads of many entries: for a peer, for a replay, and for figures.
extension ChangesetLog {
  /// The last applied changeset of each author, ascending by author, as the file has them.
  package func heads() throws(SQLiteError) -> [ChangesetID] {
    try changesets(
      """
      SELECT replica, incarnation, sequence, hash, branch FROM atoll_author WHERE sequence >= first
      """
    ).sorted { $0.author < $1.author }
  }

  /// The last deferred changeset of each author, as the file has them.
  package func deferredHeads() throws(SQLiteError) -> [ChangesetID] {
    try changesets(
      """
      SELECT replica, incarnation, max(h.sequence), h.hash, branch FROM atoll_held h
      JOIN atoll_author a ON a.number = h.author GROUP BY h.author
      """)
  }

  /// The changesets that a query names by replica, incarnation, sequence, hash and branch.
  private func changesets(_ sql: String) throws(SQLiteError) -> [ChangesetID] {
    let statement = try statement(sql)
    var found: [ChangesetID] = []
    while try statement.step() {
      guard let author = Author(statement, at: (replica: 0, incarnation: 1, branch: 4)),
        let hash = ChainHash(statement.bytes(at: 3))
      else { continue }
      found.append(
        ChangesetID(
          author: author, sequence: SequenceNumber(statement.uint64(at: 2)), hash: hash))
    }
    return found
  }

  /// The place of the last entry.
  package func lastPosition() throws(SQLiteError) -> LogPosition {
    let statement = try statement("SELECT max(position) FROM atoll_log")
    defer { statement.reset() }
    return LogPosition(try statement.step() ? statement.int64(at: 0) : 0)
  }

  /// The number of entries, and their bytes; reads all pages of the log.
  package func size() throws(SQLiteError) -> (changesets: Int, bytes: Int) {
    let statement = try statement("SELECT count(*), coalesce(sum(length(bytes)), 0) FROM atoll_log")
    defer { statement.reset() }
    guard try statement.step() else { return (0, 0) }
    return (Int(statement.int64(at: 0)), Int(statement.int64(at: 1)))
  }

  /// The canonical bytes of all entries that `vector` lacks.
  package func bytes(beyond vector: VersionVector) throws(SQLiteError) -> Int {
    let statement = try statement(
      "SELECT sum(length(bytes)) FROM atoll_log WHERE author = ? AND sequence > ?")
    var sum = 0
    for (number, author) in try storedAuthors() {
      guard let known = Int64(exactly: vector[author].rawValue) else { continue }
      defer { statement.reset() }
      statement.bind(number, at: 1)
      statement.bind(known, at: 2)
      if try statement.step() { sum += Int(statement.int64(at: 0)) }
    }
    return sum
  }

  /// The canonical bytes of all entries that `vector` includes.
  package func bytes(through vector: VersionVector) throws(SQLiteError) -> Int {
    let statement = try statement(
      "SELECT sum(length(bytes)) FROM atoll_log WHERE author = ? AND sequence <= ?")
    var sum = 0
    for record in authors.records where vector[record.author] > .none {
      defer { statement.reset() }
      statement.bind(record.number, at: 1)
      statement.bind(Int64(clamping: vector[record.author].rawValue), at: 2)
      if try statement.step() { sum += Int(statement.int64(at: 0)) }
    }
    return sum
  }

  /// The first entry of an author; 0 if the log has nothing of it.
  package func oldest(of record: AuthorRecord) throws(SQLiteError) -> SequenceNumber {
    let statement = try statement("SELECT min(sequence) FROM atoll_log WHERE author = ?")
    statement.bind(record.number, at: 1)
    defer { statement.reset() }
    return try statement.step() ? SequenceNumber(statement.uint64(at: 0)) : .none
  }

  // MARK: For a peer

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
  /// - Throws: ``LogDamage`` if an entry is not what its author wrote, so that nobody else gets it.
  package func entries(
    lackedBy vector: VersionVector, after position: LogPosition, limitBytes: Int,
    isChecked: Bool, isForPeer: Bool
  ) throws -> LogBatch {
    let authors = try storedAuthors()
    var vector = try raised(vector, authors)
    var reach = isForPeer ? GapReach(of: self, beyond: vector) : nil
    let position = position == .start ? try start(vector, authors) : position
    let statement = try statement(
      """
      SELECT position, author, sequence, hash, bytes, seal, length(bytes) FROM atoll_log
      WHERE position > ? ORDER BY position
      """)
    statement.bind(position.rawValue, at: 1)
    defer { statement.reset() }
    var batch = LogBatch(entries: [], next: position, isAtEnd: true)
    var size = 0
    var chains = ChainCheck(of: self)
    while try statement.step() {
      let (place, number) = (LogPosition(statement.int64(at: 0)), statement.int64(at: 1))
      let sequence = SequenceNumber(statement.uint64(at: 2))
      guard let author = authors[number], let hash = ChainHash(statement.bytes(at: 3)) else {
        throw LogDamage(detail: "log entry \(place) has no author")
      }
      let isLacked =
        try vector[author] < sequence
        && reach?.includes(number, sequence) { statement.bytes(at: 4) } ?? true
      guard isLacked else {
        batch.next = place
        continue
      }
      batch.isAtEnd = batch.entries.isEmpty || size + Int(statement.int64(at: 6)) <= limitBytes
      guard batch.isAtEnd else { break }
      let entry = LogEntry(
        position: place, id: ChangesetID(author: author, sequence: sequence, hash: hash),
        bytes: statement.bytes(at: 4), seal: try seal(statement, at: 5, of: author))
      let group = isForPeer ? try sealedGroup(from: entry, of: number) : [entry]
      size += group.reduce(0) { $0 + $1.bytes.count }
      batch.next = place
      for entry in group {
        vector[entry.id.author] = entry.id.sequence
        reach?.add(entry.id.author, entry.id.sequence)
        if isChecked {
          try chains.check(entry, of: self.authors[entry.id.author]?.number ?? number)
        }
      }
      batch.entries += group
    }
    if isForPeer { sealOwn(&batch.entries) }
    return batch
  }

  /// The position before the first entry that `vector` lacks, or the log's last.
  ///
  /// A link begins at the log's start, and usually lacks no more than its end.
  private func start(
    _ vector: VersionVector, _ authors: [Int64: Author]
  ) throws(SQLiteError) -> LogPosition {
    var start = try lastPosition()
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
      start = min(start, LogPosition(statement.int64(at: 0) - 1))
    }
    return start
  }

  /// The vector, and what truncation takes off the log.
  private func raised(
    _ vector: VersionVector, _ authors: [Int64: Author]
  ) throws(SQLiteError) -> VersionVector {
    let statement = try statement("SELECT author, sequence FROM atoll_floor")
    var raised = vector
    while try statement.step() {
      guard let author = authors[statement.int64(at: 0)] else { continue }
      raised[author] = max(raised[author], SequenceNumber(statement.uint64(at: 1)))
    }
    return raised
  }

  /// The authors by number as the file has them now, whatever the table in memory knows.
  private func storedAuthors() throws(SQLiteError) -> [Int64: Author] {
    let statement = try statement("SELECT number, replica, incarnation, branch FROM atoll_author")
    var authors: [Int64: Author] = [:]
    while try statement.step() {
      authors[statement.int64(at: 0)] = Author(
        statement, at: (replica: 1, incarnation: 2, branch: 3))
    }
    return authors
  }

  /// Reads the next entries of one author that a peer can apply, for as many bytes as are left.
  ///
  /// - Parameters:
  ///   - record: The author.
  ///   - sequence: The last one that the peer has.
  ///   - received: All that the peer has.
  ///   - left: Bytes that still fit.
  ///   - found: The entries, appended in order.
  /// - Throws: ``LogDamage`` if an entry is not what its author wrote.
  package func readExpedited(
    of record: AuthorRecord, after sequence: SequenceNumber, _ received: VersionVector,
    _ left: inout Int, into found: inout [LogEntry]
  ) throws {
    let declarations = try storedDeclarations(of: record)
    let statement = try statement(
      """
      SELECT position, sequence, hash, bytes, seal, length(bytes) FROM atoll_log
      WHERE author = ? AND sequence > ? ORDER BY sequence LIMIT \(Limits.expeditedChangesets)
      """)
    statement.bind(record.number, at: 1)
    statement.bind(sequence.rawValue, at: 2)
    defer { statement.reset() }
    var entries: [LogEntry] = []
    var size = 0
    var chain = ChainCheck(of: self)
    while try statement.step() {
      let next = SequenceNumber(statement.uint64(at: 1))
      size += Int(statement.int64(at: 5))
      guard size <= left, next == (entries.last?.id.sequence ?? sequence).next,
        let hash = ChainHash(statement.bytes(at: 2))
      else { break }
      let entry = LogEntry(
        position: LogPosition(statement.int64(at: 0)),
        id: ChangesetID(author: record.author, sequence: next, hash: hash),
        bytes: statement.bytes(at: 3), seal: try seal(statement, at: 4, of: record.author))
      try chain.check(entry, of: record.number)
      let reader = try ChangesetReader(entry.bytes, author: record.author)
      let isReady = reader.dependencies.allSatisfy { dependency in
        declarations[dependency.author].map { received[$0] >= dependency.sequence } ?? false
      }
      guard isReady else { break }
      entries.append(entry)
    }
    sealOwn(&entries)
    while let last = entries.last, last.seal == nil { entries.removeLast() }
    left -= entries.reduce(0) { $0 + $1.bytes.count }
    found += entries
  }

  // MARK: For a replay

  /// An entry with the record of its author.
  package struct StoredEntry {
    package var position: Int64
    package var record: AuthorRecord
    package var sequence: SequenceNumber
    package var hash: ChainHash
    package var bytes: [UInt8]

    package var id: ChangesetID {
      ChangesetID(author: record.author, sequence: sequence, hash: hash)
    }
  }

  /// Reads the whole log in its order.
  ///
  /// - Throws: ``LogDamage`` for an entry without an author, and what `body` throws.
  package func forEachEntry(_ body: (StoredEntry) throws -> Void) throws {
    let statement = try connection.prepare(Self.wholeEntry + " ORDER BY position")
    defer { statement.finalize() }
    while try statement.step() { try body(try entry(statement)) }
  }

  /// One entry by its position; nil if there is none.
  package func entry(at position: Int64) throws -> StoredEntry? {
    let statement = try statement(Self.wholeEntry + " WHERE position = ?")
    statement.bind(position, at: 1)
    defer { statement.reset() }
    return try statement.step() ? try entry(statement) : nil
  }

  private static let wholeEntry = "SELECT position, author, sequence, hash, bytes FROM atoll_log"

  private func entry(_ row: Statement) throws(LogDamage) -> StoredEntry {
    guard let record = authors[row.int64(at: 1)], let hash = ChainHash(row.bytes(at: 3)) else {
      throw LogDamage(detail: "log entry \(row.int64(at: 0)) has no author")
    }
    return StoredEntry(
      position: row.int64(at: 0), record: record, sequence: SequenceNumber(row.uint64(at: 2)),
      hash: hash, bytes: row.bytes(at: 4))
  }

  /// Reads the entries of one author in a range, ascending or descending, while `body` returns true.
  ///
  /// - Parameters:
  ///   - record: The author.
  ///   - range: Sequence numbers; those that are not in the log are passed over.
  ///   - position: Only entries that stand before it in the log.
  ///   - isDescending: Whether the last comes first.
  ///   - body: Given the number, the hash and the bytes of each.
  /// - Throws: ``LogDamage`` for an entry without a hash, and what `body` throws.
  package func forEachEntry(
    of record: AuthorRecord, _ range: ClosedRange<SequenceNumber>, before position: Int64 = .max,
    descending isDescending: Bool = false,
    _ body: (SequenceNumber, ChainHash, [UInt8]) throws -> Bool
  ) throws {
    let sql = isDescending ? Self.entriesDescending : Self.entriesAscending
    // `body` may read the log again.
    let statement = try self.statement.take(sql)
    defer { self.statement.give(statement, sql) }
    statement.bind(record.number, at: 1)
    statement.bind(range.lowerBound.rawValue, at: 2)
    statement.bind(Int64(clamping: range.upperBound.rawValue), at: 3)
    statement.bind(position, at: 4)
    while try statement.step() {
      guard let hash = ChainHash(statement.bytes(at: 1)) else {
        throw LogDamage(
          detail: "changeset \(statement.uint64(at: 0)) of \(record.author) has no hash")
      }
      let sequence = SequenceNumber(statement.uint64(at: 0))
      guard try body(sequence, hash, statement.bytes(at: 2)) else { return }
    }
  }

  private static let entriesAscending = entriesOfAuthor + "sequence"
  private static let entriesDescending = entriesOfAuthor + "sequence DESC"
  private static let entriesOfAuthor = """
    SELECT sequence, hash, bytes FROM atoll_log
    WHERE author = ? AND sequence BETWEEN ? AND ? AND position < ? ORDER BY\u{20}
    """
}
