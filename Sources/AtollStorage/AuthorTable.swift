import AtollChanges
import AtollSQLite
import AtollVocabulary

/// Every author this file has heard of, by its small number.
///
/// Rows and stamps hold the small numbers; they are local and never change.
final class AuthorTable {
  @exclusivity(unchecked) private(set) var records: [AuthorRecord] = []
  private var numbers: [Author: Int] = [:]
  /// Rows of `atoll_declared` already known.
  private var declaredRows: Int64 = 0
  /// The greatest time that was applied because its author was released; the clocks of all who
  /// applied it go on from there.
  var releasedTime = HybridTime.zero
  /// Any author has a reissued range.
  var hasReissues = false
  let connection: Connection

  /// Raised when the records are read anew: whoever holds one has to let it go.
  private(set) var revision = 0
  /// Compiled once, since an author's first changeset may declare all others.
  private var statements: [String: Statement] = [:]

  init(on connection: Connection) { self.connection = connection }

  subscript(number: Int64) -> AuthorRecord? {
    number > 0 && number <= records.count ? records[Int(number) - 1] : nil
  }

  subscript(author: Author) -> AuthorRecord? { numbers[author].map { records[$0] } }

  /// Ascending by author.
  var sorted: [AuthorRecord] { records.sorted { $0.author < $1.author } }

  /// How many records go on after others; 0 while every author has one history.
  @exclusivity(unchecked) private(set) var branchCount = 0

  /// All that is known of one author: what its histories have in common, and each of them.
  func histories(of author: Author) -> [AuthorRecord] {
    guard branchCount > 0 else { return self[author.commonHistory].map { [$0] } ?? [] }
    return records.filter { $0.author.commonHistory == author.commonHistory && !$0.isUnknownBranch }
  }

  /// Forgets everything, for a transaction that was rolled back.
  func clear() {
    revision += 1
    records = []
    numbers = [:]
    declaredRows = 0
    branchCount = 0
  }

  /// Takes in what the file has and this table does not.
  func refresh(_ catalog: Catalog) throws(SQLiteError) {
    let branches = try connection.integer("SELECT count(*) FROM atoll_author WHERE parent != 0")
    // What was one history is several: all that was known of it has another name.
    if Int(branches ?? 0) != branchCount { clear() }
    branchCount = Int(branches ?? 0)
    let statement = try connection.prepare(
      """
      SELECT number, replica, incarnation, sequence, hash, named, branch, parent, first, began
      FROM atoll_author ORDER BY number
      """)
    while try statement.step() {
      let sequence = SequenceNumber(statement.uint64(at: 3))
      let named = SequenceNumber(statement.uint64(at: 5))
      guard let hash = ChainHash(statement.bytes(at: 4)) else { continue }
      if let record = self[statement.int64(at: 0)] {
        if record.sequence != sequence { record.seen = nil }
        record.sequence = sequence
        record.hash = hash
        record.named = named
      } else if let replica = ReplicaID(bytes: statement.bytes(at: 1)) {
        let record = AuthorRecord(
          number: statement.int64(at: 0),
          author: Author(
            replica: replica, incarnation: Incarnation(statement.uint64(at: 2)),
            branch: Branch(statement.uint64(at: 6))),
          sequence: sequence, hash: hash, named: named)
        record.parent = statement.int64(at: 7)
        record.first = SequenceNumber(statement.uint64(at: 8))
        record.began = statement.uint64(at: 9)
        append(record)
      }
    }
    if branchCount > 0 { linkBranches() }
    try refreshDeclarations(catalog)
    try refreshWaiting()
    try refreshControlOperations()
    try refreshCheckpoint()
  }

  private func linkBranches() {
    for record in records { record.children = [] }
    for record in records.sorted(by: { $0.author < $1.author }) where record.parent != 0 {
      self[record.parent]?.children.append(record.number)
    }
  }

  /// Whether the file began with a snapshot.
  private(set) var hasCheckpoint = false
  /// Another number whenever the checkpoint may be another.
  private(set) var checkpointVersion = 1

  func refreshCheckpoint() throws(SQLiteError) {
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
    try refreshTruncationPoint()
  }

  /// Reads again what the log does not go back behind, and what is missing in it.
  func refreshTruncationPoint() throws(SQLiteError) {
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

  /// Reads the effect of control operations again: released and superseded changesets.
  private func refreshControlOperations() throws(SQLiteError) {
    for record in records where !record.superseded.isEmpty {
      (record.superseded, record.reissued) = ([], [])
    }
    releasedTime = .zero
    hasReissues = false
    let released = try connection.prepare("SELECT author, through, time FROM atoll_released")
    while try released.step() {
      self[released.int64(at: 0)]?.released = SequenceNumber(released.uint64(at: 1))
      releasedTime = max(releasedTime, HybridTime(rawValue: released.uint64(at: 2)))
    }
    let superseded = try connection.prepare("SELECT author, first, last FROM atoll_superseded")
    while try superseded.step() {
      let (first, last) = (superseded.uint64(at: 1), superseded.uint64(at: 2))
      guard first <= last else { continue }
      self[superseded.int64(at: 0)]?.superseded.append(
        SequenceNumber(first)...SequenceNumber(last))
    }
    // A file of an earlier build that is only read has no such table.
    guard records.contains(where: { !$0.superseded.isEmpty }),
      try connection.integer(
        "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'atoll_rewritten')") == 1
    else { return }
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

  /// Reads again what is held and not applied.
  private func refreshWaiting() throws(SQLiteError) {
    let known = records.map(\.waiting)
    for record in records where record.waiting != nil { record.waiting = nil }
    let statement = try connection.prepare(
      """
      SELECT author, max(sequence), hash, count(*), sum(size) FROM atoll_held GROUP BY author
      """)
    while try statement.step() {
      guard let record = self[statement.int64(at: 0)], let hash = ChainHash(statement.bytes(at: 2))
      else { continue }
      record.waiting = AuthorRecord.Waiting(
        last: SequenceNumber(statement.uint64(at: 1)), hash: hash,
        count: Int(statement.int64(at: 3)), byteCount: Int(statement.int64(at: 4)))
      let former = known[Int(record.number) - 1]
      if former?.last == record.waiting?.last, former?.hash == hash {
        record.waiting?.declarations = former?.declarations
      }
    }
    try refreshOpen()
  }

  /// How much of each author's last transaction is here, where the rest has still to come.
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
      self[statement.int64(at: 0)]?.waiting?.openBytes = Int(statement.int64(at: 1))
    }
  }

  /// Whether anything is held and not applied.
  var isAnyWaiting: Bool { records.contains { $0.waiting != nil } }

  private func refreshDeclarations(_ catalog: Catalog) throws(SQLiteError) {
    let statement = try connection.prepare(
      "SELECT number, author, kind, local FROM atoll_declared WHERE number > ? ORDER BY number")
    statement.bind(declaredRows, at: 1)
    let isFirst = declaredRows == 0
    var inheriting = isFirst ? records.filter { $0.parent != 0 } : []
    while try statement.step() {
      declaredRows = statement.int64(at: 0)
      guard let record = self[statement.int64(at: 1)] else { continue }
      // All that its parents have declared stands before it.
      inherit(record, &inheriting)
      let local = statement.int64(at: 3)
      switch DeclaredKind(rawValue: statement.int64(at: 2)) {
      case .class: note(ClassID(Int32(truncatingIfNeeded: local)), of: record, catalog)
      case .property: note(PropertyID(Int32(truncatingIfNeeded: local)), of: record, catalog)
      case .author: note(author: local, of: record)
      case nil: continue
      }
    }
    while let record = inheriting.last { inherit(record, &inheriting) }
  }

  private func inherit(_ record: AuthorRecord, _ inheriting: inout [AuthorRecord]) {
    guard let index = inheriting.firstIndex(where: { $0 === record }) else { return }
    inheriting.remove(at: index)
    guard let parent = self[record.parent] else { return }
    inherit(parent, &inheriting)
    record.inherit(from: parent)
  }

  /// How many declarations the file has of each author, its parents' not counted.
  func declaredCounts() throws(SQLiteError) -> [Int64: Int] {
    let statement = try connection.prepare(
      "SELECT author, count(*) FROM atoll_declared GROUP BY author")
    var counts: [Int64: Int] = [:]
    while try statement.step() { counts[statement.int64(at: 0)] = Int(statement.int64(at: 1)) }
    return counts
  }

  /// Forgets all declarations, which are taken again from the log.
  func emptyDeclarations() throws(SQLiteError) {
    try connection.execute("DELETE FROM atoll_declared")
    declaredRows = 0
    for record in records { record.forgetDeclarations() }
  }

  /// What a row of `atoll_declared` gives a number to; the raw value is the column's.
  enum DeclaredKind: Int64 {
    case `class` = 0
    case property = 1
    case author = 2
  }

  // MARK: Growing

  /// The record of an author, made if the file does not know it.
  func intern(_ author: Author) throws(SQLiteError) -> AuthorRecord {
    if let record = self[author] { return record }
    let record = AuthorRecord(
      number: Int64(records.count + 1), author: author, sequence: .none,
      hash: .origin(of: author), named: .none)
    let statement = try statement(
      """
      INSERT INTO atoll_author (number, replica, incarnation, sequence, hash, named, branch)
      VALUES (?, ?, ?, 0, ?, 0, ?)
      """)
    statement.bind(record.number, at: 1)
    statement.bind(author.replica.bytes, at: 2)
    statement.bind(author.incarnation.rawValue, at: 3)
    statement.bind(record.hash.bytes, at: 4)
    statement.bind(author.branch.rawValue, at: 5)
    try statement.run()
    append(record)
    return record
  }

  /// Gives a history its place: after its parent's last changeset.
  func place(_ record: AuthorRecord) throws(SQLiteError) {
    let statement = try connection.prepare(
      """
      UPDATE atoll_author SET sequence = ?, hash = ?, named = ?, parent = ?, first = ?, began = ?
      WHERE number = ?
      """)
    statement.bind(record.sequence.rawValue, at: 1)
    statement.bind(record.hash.bytes, at: 2)
    statement.bind(record.named.rawValue, at: 3)
    statement.bind(record.parent, at: 4)
    statement.bind(record.first.rawValue, at: 5)
    statement.bind(record.began, at: 6)
    statement.bind(record.number, at: 7)
    try statement.run()
    branchCount = Int(
      try connection.integer("SELECT count(*) FROM atoll_author WHERE parent != 0") ?? 0)
    linkBranches()
  }

  /// Remembers that an author's next number of a kind means this local one.
  func store(_ kind: DeclaredKind, local: Int64, of record: AuthorRecord) throws(SQLiteError) {
    let statement = try statement(
      "INSERT INTO atoll_declared (number, author, kind, local) VALUES (?, ?, ?, ?)")
    statement.bind(declaredRows + 1, at: 1)
    statement.bind(record.number, at: 2)
    statement.bind(kind.rawValue, at: 3)
    statement.bind(local, at: 4)
    try statement.run()
    declaredRows += 1
  }

  private func statement(_ sql: String) throws(SQLiteError) -> Statement {
    if let statement = statements[sql] { return statement }
    let statement = try connection.prepare(sql)
    statements[sql] = statement
    return statement
  }

  private func append(_ record: AuthorRecord) {
    numbers[record.author] = records.count
    records.append(record)
  }

  // MARK: Meaning

  private func note(_ id: ClassID, of record: AuthorRecord, _ catalog: Catalog) {
    guard let declaration = catalog.declaration(id) else { return }
    try? record.declarations.adopt([.class(declaration)])
    record.note(id)
  }

  private func note(_ id: PropertyID, of record: AuthorRecord, _ catalog: Catalog) {
    guard let property = catalog.property(id),
      let declaration = catalog.declaration(id, of: record)
    else { return }
    try? record.declarations.adopt([.property(declaration)])
    record.note(property)
  }

  private func note(author number: Int64, of record: AuthorRecord) {
    guard let other = self[number] else { return }
    try? record.declarations.adopt([.author(other.author)])
    record.note(author: number)
  }
}

extension Catalog {
  /// A class as any author declares it.
  func declaration(_ id: ClassID) -> ClassDeclaration? {
    entry(id).map {
      ClassDeclaration(
        name: $0.name, isEmbedded: $0.isEmbedded, keyType: $0.keyType, keyName: $0.keyName)
    }
  }

  /// A property as one author declares it, whose classes it must know.
  func declaration(_ id: PropertyID, of record: AuthorRecord) -> PropertyDeclaration? {
    guard let property = property(id), let owner = record.number(of: property.owner) else {
      return nil
    }
    let target = property.target.flatMap { record.number(of: $0) }
    guard property.target == nil || target != nil else { return nil }
    return PropertyDeclaration(
      owner: owner, name: property.name, type: property.type, collection: property.collection,
      target: target)
  }
}

extension ReplicaID {
  /// Sixteen bytes, big-endian.
  var bytes: [UInt8] {
    [high, low].flatMap { word in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
    }
  }

  init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    func word(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
    self.init(high: word(bytes[..<8]), low: word(bytes[8...]))
  }
}
