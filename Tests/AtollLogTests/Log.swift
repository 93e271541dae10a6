import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

/// A log in memory: its tables, and nothing of a store around them.
final class Log {
  let connection: Connection
  let authors: AuthorTable
  let log: ChangesetLog

  init() throws {
    connection = try Connection(path: ":memory:", access: .readWrite)
    let tables =
      [LogTables.author, LogTables.log, LogTables.seen, LogTables.arrival, LogTables.backfill]
      + LogTables.deferral + LogTables.control + LogTables.start
    for table in tables { try connection.execute(table.sql) }
    try connection.execute(LogTables.logIndex)
    authors = AuthorTable(on: connection)
    log = ChangesetLog(FixedStatements(on: connection), authors: authors)
  }

  /// Reads the tables into memory again, as another process would.
  func reread() throws {
    authors.clear()
    try authors.refresh()
  }

  /// The record of an author as it is in memory now.
  func record(_ author: Author) throws -> AuthorRecord { try authors.intern(author) }

  /// Appends the next changeset of an author and makes it the head; gives its name and bytes.
  @discardableResult
  func write(
    _ author: Author, _ sequence: UInt64, depending dependencies: [Dependency] = [],
    isContinued: Bool = false, mark: UInt64 = 0
  ) throws -> ChangesetID {
    let record = try record(author)
    let number = SequenceNumber(sequence)
    let bytes = Self.bytes(
      author, number, depending: dependencies, isContinued: isContinued, mark: mark)
    let hash = try log.hash(record, before: number).following(bytes)
    _ = try log.append(bytes, record, number, hash)
    try log.advance(record, to: number, hash)
    return ChangesetID(author: author, sequence: number, hash: hash)
  }

  /// Appends the changeset after an author's last stored one, not applied.
  func `defer`(
    _ author: Author, _ sequence: UInt64, after hash: ChainHash, isContinued: Bool = false,
    bytes count: Int = 0
  ) throws -> ChangesetID {
    let record = try record(author)
    let number = SequenceNumber(sequence)
    let bytes = Self.bytes(author, number, isContinued: isContinued, padding: count)
    let hash = hash.following(bytes)
    let position = try log.append(bytes, record, number, hash)
    try log.defer(
      ChangesetReader(bytes, author: author), hash, of: record, at: position, size: bytes.count)
    return ChangesetID(author: author, sequence: number, hash: hash)
  }

  /// A changeset with one operation, which releases changesets of its author: the log does not look at it.
  static func bytes(
    _ author: Author, _ sequence: SequenceNumber, depending dependencies: [Dependency] = [],
    isContinued: Bool = false, mark: UInt64 = 0, padding: Int = 0
  ) -> [UInt8] {
    Changeset(
      author: author, sequence: sequence,
      time: HybridTime(milliseconds: 1_000 * sequence.rawValue, counter: 0),
      isContinued: isContinued, dependencies: dependencies,
      declarations: dependencies.isEmpty ? [] : dependencies.map { _ in .author(Log.other) },
      operations: Array(
        repeating: .control(.release(.ownself, through: SequenceNumber(1 + mark))),
        count: 1 + padding / 4)
    ).encoded()
  }

  static let author = Author(replica: ReplicaID(high: 1, low: 1), incarnation: Incarnation(1))
  static let other = Author(replica: ReplicaID(high: 2, low: 2), incarnation: Incarnation(2))
}
