import AtollChanges
package import AtollSQLite
import AtollVocabulary

// The tables beside `atoll_author`: each says one thing of an author's chain.
extension AuthorTable {
  /// Reads again which changesets are stored and not applied.
  func refreshDeferred() throws(SQLiteError) {
    let known = records.map(\.deferred)
    for record in records where record.deferred != nil { record.deferred = nil }
    let statement = try connection.prepare(
      """
      SELECT author, max(sequence), hash, count(*), sum(size) FROM atoll_held GROUP BY author
      """)
    while try statement.step() {
      guard let record = self[statement.int64(at: 0)], let hash = ChainHash(statement.bytes(at: 2))
      else { continue }
      record.deferred = AuthorRecord.Deferred(
        last: SequenceNumber(statement.uint64(at: 1)), hash: hash,
        count: Int(statement.int64(at: 3)), byteCount: Int(statement.int64(at: 4)))
      let former = known[Int(record.number) - 1]
      if former?.last == record.deferred?.last, former?.hash == hash {
        record.deferred?.declarations = former?.declarations
      }
    }
    try refreshOpen()
  }

  /// Reads how much of each author's last transaction is here, where the rest has still to come.
  private func refreshOpen() throws(SQLiteError) {
    guard try connection.integer("SELECT EXISTS (SELECT 1 FROM atoll_continued)") == 1 else {
      return
    }
    let statement = try connection.prepare(
      """
      SELECT author, sum(size) FROM atoll_held LEFT JOIN (
        SELECT author, max(sequence) AS closed FROM atoll_held
        LEFT JOIN atoll_continued c USING (author, sequence) WHERE c.sequence IS NULL
        GROUP BY author) USING (author)
      WHERE sequence > ifnull(closed, 0) GROUP BY author
      """)
    while try statement.step() {
      self[statement.int64(at: 0)]?.deferred?.openBytes = Int(statement.int64(at: 1))
    }
  }

  /// Reads the effect of control operations again: released and superseded changesets.
  func refreshControlOperations() throws(SQLiteError) {
    for record in records where !record.superseded.isEmpty {
      (record.superseded, record.supersedings, record.reissued) = ([], [], [])
    }
    for record in records where record.removal != nil { record.removal = nil }
    releasedTime = .zero
    hasReissues = false
    let released = try connection.prepare("SELECT author, through, time FROM atoll_released")
    while try released.step() {
      self[released.int64(at: 0)]?.released = SequenceNumber(released.uint64(at: 1))
      releasedTime = max(releasedTime, HybridTime(rawValue: released.uint64(at: 2)))
    }
    try refreshSuperseded()
    guard records.contains(where: { !$0.superseded.isEmpty }) else { return }
    try refreshReissues()
  }

  private func refreshSuperseded() throws(SQLiteError) {
    let superseded = try connection.prepare(
      "SELECT author, first, last, writer, said FROM atoll_superseded")
    while try superseded.step() {
      let (first, last) = (superseded.uint64(at: 1), superseded.uint64(at: 2))
      guard first <= last, let record = self[superseded.int64(at: 0)] else { continue }
      let range = SequenceNumber(first)...SequenceNumber(last)
      record.supersedings.append(
        AuthorRecord.Superseding(range: range, cause: Self.cause(superseded, at: 3)))
      if !record.superseded.contains(range) { record.superseded.append(range) }
    }
    let removed = try connection.prepare("SELECT author, last, writer, said FROM atoll_removed")
    while try removed.step() {
      self[removed.int64(at: 0)]?.removal = AuthorRecord.Removal(
        last: SequenceNumber(removed.uint64(at: 1)), cause: Self.cause(removed, at: 2))
    }
  }

  private static func cause(_ row: Statement, at column: Int32) -> AuthorRecord.Cause {
    AuthorRecord.Cause(
      writer: row.int64(at: column), sequence: SequenceNumber(row.uint64(at: column + 1)))
  }

  private func refreshReissues() throws(SQLiteError) {
    let reissued = try connection.prepare(
      "SELECT author, first, last, writer, origin FROM atoll_rewritten ORDER BY writer")
    while try reissued.step() {
      let (first, last) = (reissued.uint64(at: 1), reissued.uint64(at: 2))
      guard first <= last, reissued.uint64(at: 4) <= first else { continue }
      hasReissues = true
      self[reissued.int64(at: 0)]?.reissued.append(
        AuthorRecord.ReissuedRange(
          range: SequenceNumber(first)...SequenceNumber(last), writer: reissued.int64(at: 3),
          origin: SequenceNumber(reissued.uint64(at: 4))))
    }
  }

  /// Reads again what came with a snapshot, and where the log starts.
  package func refreshCheckpoint() throws(SQLiteError) {
    checkpointVersion += 1
    let statement = try connection.prepare("SELECT author, sequence, hash, time FROM atoll_base")
    for record in records where record.checkpoint != nil { record.checkpoint = nil }
    hasCheckpoint = false
    while try statement.step() {
      hasCheckpoint = true
      guard let hash = ChainHash(statement.bytes(at: 2)) else { continue }
      self[statement.int64(at: 0)]?.checkpoint = CheckpointHead(
        sequence: SequenceNumber(statement.uint64(at: 1)), hash: hash, time: statement.uint64(at: 3)
      )
    }
    try refreshLogStart()
  }

  /// Reads the truncation points and the gaps again.
  package func refreshLogStart() throws(SQLiteError) {
    for record in records where record.truncationPoint != nil { record.truncationPoint = nil }
    for record in records where record.gap != nil { record.gap = nil }
    let points = try connection.prepare("SELECT author, sequence, hash FROM atoll_floor")
    while try points.step() {
      guard let hash = ChainHash(points.bytes(at: 2)) else { continue }
      self[points.int64(at: 0)]?.truncationPoint = TruncationPoint(
        sequence: SequenceNumber(points.uint64(at: 1)), hash: hash)
    }
    let gaps = try connection.prepare(
      "SELECT author, sequence, hash, coming, coming_hash FROM atoll_gap")
    while try gaps.step() {
      guard let hash = ChainHash(gaps.bytes(at: 2)) else { continue }
      let coming = ChainHash(gaps.bytes(at: 4)).map {
        TruncationPoint(sequence: SequenceNumber(gaps.uint64(at: 3)), hash: $0)
      }
      self[gaps.int64(at: 0)]?.gap = LogGap(
        sequence: SequenceNumber(gaps.uint64(at: 1)), hash: hash, coming: coming)
    }
  }

  /// Stores the last changeset of another author that an author had applied.
  func storeSeen(by number: Int64, _ other: Int64, _ sequence: SequenceNumber) throws(SQLiteError) {
    let statement = try statement(
      "INSERT OR REPLACE INTO atoll_seen (author, other, sequence) VALUES (?, ?, ?)")
    statement.bind(number, at: 1)
    statement.bind(other, at: 2)
    statement.bind(sequence.rawValue, at: 3)
    try statement.run()
  }
}
