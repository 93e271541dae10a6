package import AtollChanges
package import AtollSQLite
package import AtollVocabulary

// Deferred changesets: stored, forwarded, and not applied yet, because the stamp is too far ahead of the local
// clock, because the rest of the transaction has still to come, or because they come after such a one.
extension ChangesetLog {
  /// The next deferred changeset of an author.
  package struct NextDeferred {
    package var record: AuthorRecord
    package var sequence: SequenceNumber
    /// The last of its transaction.
    package var last: SequenceNumber
    package var position: Int64
    package var time: HybridTime
    package var hash: ChainHash
    /// Its author's declarations include its own: it was applied before a repair.
    package var isDeclared: Bool
  }

  /// Tells if a changeset of that many bytes may be deferred beside all others.
  ///
  /// A single changeset may have any size, and so may a transaction whose rest has still to come; apart
  /// from that there are bounds.
  package func mayDefer(_ byteCount: Int) -> Bool {
    let deferred = authors.records.compactMap(\.deferred).filter { $0.byteCount > $0.openBytes }
    guard !deferred.isEmpty else { return true }
    return deferred.reduce(0) { $0 + $1.count } < Limits.deferredChangesets
      && deferred.reduce(byteCount) { $0 + $1.byteCount - $1.openBytes } <= Limits.deferredBytes
  }

  /// Records that a changeset in the log is not applied.
  ///
  /// - Parameters:
  ///   - changeset: The changeset.
  ///   - hash: The chain up to it.
  ///   - record: Its author.
  ///   - position: Its place in the log.
  ///   - size: Its bytes.
  ///   - isDeclared: Whether its author's declarations include its own, since it was applied before.
  /// - Throws: If the file fails.
  package func `defer`(
    _ changeset: ChangesetReader, _ hash: ChainHash, of record: AuthorRecord, at position: Int64,
    size: Int, isDeclared: Bool = false
  ) throws(SQLiteError) {
    let statement = try statement(
      """
      INSERT OR IGNORE INTO atoll_held (author, sequence, position, time, size, hash, declared)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """)
    statement.bind(record.number, at: 1)
    statement.bind(changeset.sequence.rawValue, at: 2)
    statement.bind(position, at: 3)
    statement.bind(changeset.time.rawValue, at: 4)
    statement.bind(Int64(size), at: 5)
    statement.bind(hash.bytes, at: 6)
    statement.bind(Int64(isDeclared ? 1 : 0), at: 7)
    try statement.run()
    if changeset.isContinued {
      try connection.execute(
        """
        INSERT OR IGNORE INTO atoll_continued (author, sequence)
        VALUES (\(record.number), \(Int64(bitPattern: changeset.sequence.rawValue)))
        """)
    }
    record.deferred = AuthorRecord.Deferred(
      last: changeset.sequence, hash: hash, count: (record.deferred?.count ?? 0) + 1,
      byteCount: (record.deferred?.byteCount ?? 0) + size,
      openBytes: changeset.isContinued ? (record.deferred?.openBytes ?? 0) + size : 0)
  }

  /// The declarations of an author up to its last stored changeset.
  package func storedDeclarations(of record: AuthorRecord) throws -> DeclarationTable {
    let parent = record.hasApplied ? nil : authors[record.parent]
    guard let deferred = record.deferred else {
      return try parent.map(storedDeclarations) ?? record.declarations
    }
    if let known = deferred.declarations { return known }
    var declarations = try parent.map(storedDeclarations) ?? record.declarations
    let statement = try statement(
      """
      SELECT bytes FROM atoll_held h JOIN atoll_log l USING (author, sequence)
      WHERE author = ? AND NOT declared ORDER BY sequence
      """)
    statement.bind(record.number, at: 1)
    defer { statement.reset() }
    while try statement.step() {
      let reader = try ChangesetReader(statement.bytes(at: 0), author: record.author)
      try declarations.adopt(reader.declarations)
    }
    record.deferred?.declarations = declarations
    return declarations
  }

  /// The next deferred changeset of an author; nil as long as the rest of its transaction has still to come.
  package func nextDeferred(of record: AuthorRecord) throws(SQLiteError) -> NextDeferred? {
    guard isParentApplied(record), let last = try endOfTransaction(record) else { return nil }
    let statement = try statement(
      "SELECT position, time, hash, declared FROM atoll_held WHERE author = ? AND sequence = ?")
    statement.bind(record.number, at: 1)
    statement.bind(record.sequence.next.rawValue, at: 2)
    defer { statement.reset() }
    guard try statement.step(), let hash = ChainHash(statement.bytes(at: 2)) else { return nil }
    return NextDeferred(
      record: record, sequence: record.sequence.next, last: last, position: statement.int64(at: 0),
      time: HybridTime(rawValue: statement.uint64(at: 1)), hash: hash,
      isDeclared: statement.int64(at: 3) != 0)
  }

  /// The last changeset of the transaction that comes next; nil if it is not here yet.
  private func endOfTransaction(_ record: AuthorRecord) throws(SQLiteError) -> SequenceNumber? {
    let statement = try statement(
      """
      SELECT min(sequence) FROM atoll_held h WHERE author = ?1 AND sequence > ?2 AND NOT EXISTS (
        SELECT 1 FROM atoll_continued c WHERE c.author = ?1 AND c.sequence = h.sequence)
      """)
    statement.bind(record.number, at: 1)
    statement.bind(record.sequence.rawValue, at: 2)
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(at: 0) else { return nil }
    return SequenceNumber(statement.uint64(at: 0))
  }

  /// Makes a deferred changeset its author's last applied one.
  package func promote(_ next: NextDeferred, bytes: Int) throws(SQLiteError) {
    for table in ["atoll_held", "atoll_continued"] {
      let statement = try statement("DELETE FROM \(table) WHERE author = ? AND sequence = ?")
      statement.bind(next.record.number, at: 1)
      statement.bind(next.sequence.rawValue, at: 2)
      try statement.run()
    }
    let record = next.record
    record.deferred?.count -= 1
    record.deferred?.byteCount -= bytes
    if record.deferred?.last == next.sequence { record.deferred = nil }
    try advance(record, to: next.sequence, next.hash)
  }

  /// Removes the mark of the deferred among an author's first changesets, in the file alone.
  package func dropDeferred(of number: Int64, through last: SequenceNumber) throws(SQLiteError) {
    for table in ["atoll_held", "atoll_continued"] {
      try connection.execute(
        """
        DELETE FROM \(table) WHERE author = \(number) AND sequence <= \(Int64(clamping: last.rawValue))
        """)
    }
  }

  /// Tells if the declarations of a deferred changeset are its author's already.
  package func isDeclared(
    _ record: AuthorRecord, _ sequence: SequenceNumber
  ) throws(SQLiteError) -> Bool {
    let statement = try statement(
      "SELECT declared FROM atoll_held WHERE author = ? AND sequence = ?")
    statement.bind(record.number, at: 1)
    statement.bind(sequence.rawValue, at: 2)
    defer { statement.reset() }
    return try statement.step() && statement.int64(at: 0) != 0
  }

  /// Some deferred changeset was applied before a clock repair.
  package var hasDemoted: Bool {
    get throws(SQLiteError) {
      try connection.integer("SELECT max(declared) FROM atoll_held") ?? 0 != 0
    }
  }

  /// Forgets which declarations of deferred changesets were adopted: all are adopted again.
  package func forgetDeclared() throws(SQLiteError) {
    try connection.execute("UPDATE atoll_held SET declared = 0")
  }

  /// The deferred changesets, by author, ascending; times are those of their stamps.
  package func deferredSummaries() throws(SQLiteError) -> [DeferredSummary] {
    let statement = try statement(
      """
      SELECT replica, incarnation, branch, count(*), sum(size), min(time), max(time),
        max(h.sequence) = max(ifnull(c.sequence, 0))
      FROM atoll_held h JOIN atoll_author a ON a.number = h.author
      LEFT JOIN atoll_continued c ON c.author = h.author AND c.sequence = h.sequence
      GROUP BY h.author
      """)
    var summaries: [DeferredSummary] = []
    while try statement.step() {
      guard let author = Author(statement, at: (replica: 0, incarnation: 1, branch: 2)) else {
        continue
      }
      summaries.append(
        DeferredSummary(
          author: author, count: Int(statement.int64(at: 3)),
          byteCount: Int(statement.int64(at: 4)),
          firstTime: HybridTime(rawValue: statement.uint64(at: 5)),
          lastTime: HybridTime(rawValue: statement.uint64(at: 6)),
          awaitsRest: statement.int64(at: 7) != 0))
    }
    return summaries.sorted { $0.author < $1.author }
  }

  /// The deferred changesets of one author.
  package struct DeferredSummary {
    package var author: Author
    package var count: Int
    package var byteCount: Int
    package var firstTime: HybridTime
    package var lastTime: HybridTime
    /// The last is continued, and the rest of its transaction has still to come.
    package var awaitsRest: Bool
  }
}
