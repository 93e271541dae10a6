import AtollLog
import AtollSQLite
import AtollVocabulary

/// The tables of a store's objects: rows and their cells, what operations do to them, their digests, the
/// search indexes over them, and the ledger of what was lost.
///
/// Operations on data are merged here, whoever wrote them. ``StoreFile`` begins and ends transactions,
/// keeps the log, and carries out what is said of replicas; it calls these tables and they never call it.
/// Of the log they only ask who had seen what.
final class ObjectTables {
  let path: String
  let connection: Connection
  /// The statements on the bookkeeping tables.
  let statements: FixedStatements
  let log: ChangesetLog
  let numbers: NumberTable
  /// The value that the statement which last changed a single cell found in it.
  let replaced: ReplacedValue
  // Every write goes through these; nothing accesses them twice at once.
  @exclusivity(unchecked) var catalog: Catalog
  /// All that the open write transaction has gathered so far; nil outside of one.
  @exclusivity(unchecked) var transaction: WriteTransaction?
  /// The order of lists that were read or written by index.
  @exclusivity(unchecked) var views = ListViews()
  /// Statements of walks over everything, which ask the same of every object.
  let walks: StatementPool
  var cursors = CursorRegister()
  var ledger = LedgerState()

  init(
    path: String, connection: Connection, statements: FixedStatements, catalog: Catalog,
    numbers: NumberTable
  ) throws(SQLiteError) {
    self.path = path
    self.connection = connection
    self.statements = statements
    self.catalog = catalog
    self.numbers = numbers
    log = ChangesetLog(statements, authors: numbers.authors)
    walks = StatementPool(on: connection)
    replaced = try connection.keepReplaced()
  }
}

extension ObjectTables {
  var authors: AuthorTable { log.authors }

  func entry(_ id: ClassID) throws -> ClassEntry {
    guard let entry = catalog.entry(id) else { throw StorageError.noSuchClass(id) }
    return entry
  }

  /// A statement on the bookkeeping tables, compiled once; `sql` must come from a fixed set.
  func statement(_ sql: String) throws(SQLiteError) -> Statement {
    try statements(sql)
  }

  // MARK: Row ids

  /// The next row id of a class.
  ///
  /// Over every id that an object has or had, so that no id is given twice: placeholders are in
  /// `atoll_ghost`, the greatest id of the deleted without one in `atoll_gone`.
  func nextID(_ entry: ClassEntry) throws -> Int64 {
    if let next = entry.nextID {
      entry.nextID = next + 1
      return next
    }
    let next = try max(greatestID(entry), transaction?.goneIDs[entry.id] ?? 0) + 1
    entry.nextID = next + 1
    return next
  }

  private func greatestID(_ entry: ClassEntry) throws -> Int64 {
    let statement = try entry.table.statement(
      """
      SELECT max(coalesce((SELECT max(_id) FROM \(entry.table.sql)), 0),
        coalesce((SELECT max(id) FROM atoll_ghost WHERE class = ?1), 0),
        coalesce((SELECT id FROM atoll_gone WHERE class = ?1), 0))
      """)
    statement.bind(Int64(entry.id.rawValue), at: 1)
    defer { statement.reset() }
    return try statement.step() ? statement.int64(at: 0) : 0
  }

  /// Notes the row ids that nothing else would show to have been given.
  func storeGoneIDs(_ transaction: WriteTransaction) throws {
    for (id, gone) in transaction.goneIDs {
      guard let entry = catalog.entry(id), try greatestID(entry) < gone else { continue }
      let statement = try statement("INSERT OR REPLACE INTO atoll_gone (class, id) VALUES (?, ?)")
      statement.bind(Int64(id.rawValue), at: 1)
      statement.bind(gone, at: 2)
      try statement.run()
    }
  }
}
