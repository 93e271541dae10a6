package import AtollChanges
package import AtollSQLite
package import AtollVocabulary

/// Every author this file knows of, by its small number.
///
/// Rows and stamps hold the small numbers; they are local and never change.
package final class AuthorTable {
  @exclusivity(unchecked) package private(set) var records: [AuthorRecord] = []
  private var numbers: [Author: Int] = [:]
  /// The greatest time that was applied because its author was released; the clocks of all who
  /// applied it go on from there.
  package internal(set) var releasedTime = HybridTime.zero
  /// Any author has a reissued range.
  package internal(set) var hasReissues = false
  /// The file began with a snapshot.
  package internal(set) var hasCheckpoint = false
  /// Another number whenever the checkpoint may be another.
  package internal(set) var checkpointVersion = 1
  /// Raised when the records are read anew: a record that is kept elsewhere has to be dropped.
  package private(set) var revision = 0
  /// The number of records that go on after others; 0 while every author has one branch.
  @exclusivity(unchecked) package private(set) var branchCount = 0

  package let connection: Connection
  /// Compiled once, since an author's first changeset may declare all others.
  let statement: FixedStatements

  package convenience init(on connection: Connection) {
    self.init(FixedStatements(on: connection))
  }

  init(_ statements: FixedStatements) {
    statement = statements
    connection = statements.connection
  }

  package subscript(number: Int64) -> AuthorRecord? {
    number > 0 && number <= records.count ? records[Int(number) - 1] : nil
  }

  package subscript(author: Author) -> AuthorRecord? { numbers[author].map { records[$0] } }

  /// The author that a changeset of `source` names by a number; nil if it is not declared.
  package func author(_ number: AuthorNumber, declaredBy source: AuthorRecord) -> AuthorRecord? {
    number.rawValue == 0 ? source : source.declarations[number].flatMap { self[$0] }
  }

  /// Ascending by author.
  package var sorted: [AuthorRecord] { records.sorted { $0.author < $1.author } }

  /// All that is known of one author: the common history of its branches, and each of them.
  package func branches(of author: Author) -> [AuthorRecord] {
    guard branchCount > 0 else { return self[author.commonHistory].map { [$0] } ?? [] }
    return records.filter { $0.author.commonHistory == author.commonHistory && !$0.isUnknownBranch }
  }

  /// Some changeset is deferred.
  package var hasDeferred: Bool { records.contains { $0.deferred != nil } }

  /// Forgets everything, for a transaction that was rolled back.
  package func clear() {
    revision += 1
    records = []
    numbers = [:]
    branchCount = 0
  }

  // MARK: Growing

  /// The record of an author, made if the file does not know it.
  package func intern(_ author: Author) throws(SQLiteError) -> AuthorRecord {
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

  /// Gives a branch its place: after its parent's last changeset.
  package func place(_ record: AuthorRecord) throws(SQLiteError) {
    let statement = try statement(
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
    branchCount = try storedBranchCount()
    linkBranches()
  }

  /// Stores the end of an author's applied chain.
  package func storeHead(_ record: AuthorRecord) throws(SQLiteError) {
    let statement = try statement(
      "UPDATE atoll_author SET sequence = ?, hash = ?, named = ? WHERE number = ?")
    statement.bind(record.sequence.rawValue, at: 1)
    statement.bind(record.hash.bytes, at: 2)
    statement.bind(record.named.rawValue, at: 3)
    statement.bind(record.number, at: 4)
    try statement.run()
  }

  /// Forgets the dependencies that this file's changesets have named: another author writes here now.
  ///
  /// - Parameter number: The author that wrote here until now; its changesets come from peers from now on,
  ///   if at all.
  /// - Throws: If the file fails.
  package func endWriting(by number: Int64) throws(SQLiteError) {
    for record in records where record.named > .none {
      try storeSeen(by: number, record.number, record.named)
      record.named = .none
    }
    try connection.execute("UPDATE atoll_author SET named = 0")
  }

  // MARK: Reading

  /// Takes in what the file has and this table does not.
  package func refresh() throws(SQLiteError) {
    let branches = try storedBranchCount()
    // An author has been forked: all that was known of it has another name.
    if branches != branchCount { clear() }
    branchCount = branches
    let statement = try connection.prepare(
      """
      SELECT number, replica, incarnation, sequence, hash, named, branch, parent, first, began
      FROM atoll_author ORDER BY number
      """)
    while try statement.step() { adopt(statement) }
    if branchCount > 0 { linkBranches() }
    try refreshDeferred()
    try refreshControlOperations()
    try refreshCheckpoint()
  }

  private func adopt(_ row: Statement) {
    let sequence = SequenceNumber(row.uint64(at: 3))
    let named = SequenceNumber(row.uint64(at: 5))
    guard let hash = ChainHash(row.bytes(at: 4)) else { return }
    if let record = self[row.int64(at: 0)] {
      if record.sequence != sequence { record.seen = nil }
      record.sequence = sequence
      record.hash = hash
      record.named = named
    } else if let author = Author(row, at: (replica: 1, incarnation: 2, branch: 6)) {
      let record = AuthorRecord(
        number: row.int64(at: 0), author: author, sequence: sequence, hash: hash, named: named)
      record.parent = row.int64(at: 7)
      record.first = SequenceNumber(row.uint64(at: 8))
      record.began = row.uint64(at: 9)
      append(record)
    }
  }

  private func storedBranchCount() throws(SQLiteError) -> Int {
    Int(try connection.integer("SELECT count(*) FROM atoll_author WHERE parent != 0") ?? 0)
  }

  private func linkBranches() {
    for record in records { record.children = [] }
    for record in records.sorted(by: { $0.author < $1.author }) where record.parent != 0 {
      self[record.parent]?.children.append(record.number)
    }
  }

  private func append(_ record: AuthorRecord) {
    numbers[record.author] = records.count
    records.append(record)
  }
}

extension Author {
  /// An author as three columns of a row name it; nil if they do not.
  init?(_ row: Statement, at columns: (replica: Int32, incarnation: Int32, branch: Int32)) {
    guard let replica = ReplicaID(bytes: row.bytes(at: columns.replica)) else { return nil }
    self.init(
      replica: replica, incarnation: Incarnation(row.uint64(at: columns.incarnation)),
      branch: Branch(row.uint64(at: columns.branch)))
  }
}
