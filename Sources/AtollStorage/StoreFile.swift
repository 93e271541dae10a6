import AtollChanges
import AtollLog
import AtollSQLite
package import AtollVocabulary

/// One connection to a store file: reads, writes, and applies what peers wrote.
///
/// Confined to the thread that uses it; other threads and processes open the same file again. One
/// file is one connection, so reads inside a write transaction see what it did so far.
package final class StoreFile {
  package let path: String
  /// The author of this file; changes when the file is found to be a copy.
  package internal(set) var author: Author
  /// The one door: called after each commit made through this object, local and remote alike.
  package var onCommit: ((Commit) -> Void)?

  let options: StoreOptions
  let connection: Connection
  /// The statements on the bookkeeping tables.
  let statements: FixedStatements
  /// Nil for a store in memory, which nobody else can open.
  let lock: WriteLock?
  let log: ChangesetLog
  let numbers: NumberTable
  let tables: ObjectTables
  // Every write goes through these; nothing accesses them twice at once.
  @exclusivity(unchecked) var version: ShownVersion
  @exclusivity(unchecked) var caches: StoreCaches
  /// The file's own row, as of the last write transaction.
  var state: StoreState
  /// True if the caches must be read again before the next write.
  var isStale = false
  var incoming = IncomingState()
  var onDisk = OnDisk()

  init(
    path: String, options: StoreOptions, connection: Connection, lock: WriteLock?,
    pins: VersionPins?, catalog: Catalog, numbers: NumberTable, state: StoreState, author: Author
  ) throws(SQLiteError) {
    self.path = path
    self.options = options
    self.connection = connection
    self.lock = lock
    statements = FixedStatements(on: connection)
    tables = try ObjectTables(
      path: path, connection: connection, statements: statements, catalog: catalog, numbers: numbers
    )
    log = tables.log
    self.numbers = numbers
    self.state = state
    self.author = author
    version = ShownVersion(pins: pins)
    caches = StoreCaches(on: connection)
    connection.onWriteAheadLog(onDisk.writeAheadLog)
    log.checkpoint = RecentChangesets(store: self)
    log.signer = state.signer
  }

  /// Rolls back what was not committed and lets go of the file; the object is of no use then.
  ///
  /// Whoever is the last of all processes to close a file that may be written moves the write-ahead log
  /// into it, so that the one file is the whole store.
  ///
  /// - Parameter movingLog: False leaves the log, as the end of a killed process does.
  package func close(movingLog: Bool = true) {
    _ = version.lease?.end()
    version.lease = nil
    rollback()
    version.pins?.unpin()
    tables.cursors.detach()
    statements.drain()
    caches.queries.drain()
    tables.walks.drain()
    catalog.dissolve()
    let isHeld = movingLog && lockToMoveLog()
    connection.close(movingLog: isHeld)
    if isHeld { lock?.release() }
  }

  /// Takes the write lock if there is a log that may be moved.
  ///
  /// A process that holds it for longer has the file open, and closes it later.
  private func lockToMoveLog() -> Bool {
    guard let lock, LogFile(of: path) != nil,
      (try? lock.acquire(timeout: Limits.closingLockTimeout)) != nil
    else { return false }
    guard (try? checkPlace()) != nil else {
      lock.release()
      return false
    }
    return true
  }
}

extension StoreFile {
  package var storeID: StoreID { state.storeID }
  var authors: AuthorTable { log.authors }

  var catalog: Catalog {
    get { tables.catalog }
    set { tables.catalog = newValue }
  }

  /// All that the open write transaction has gathered so far; nil outside of one.
  var transaction: WriteTransaction? {
    get { tables.transaction }
    set { tables.transaction = newValue }
  }
}

/// The state that the file records: `atoll_store`, and the last commit's record.
struct StoreState {
  var storeID: StoreID
  /// The number of the author that writes here.
  var author: Int64
  /// The private key, which names the replica; nil in a copy that nobody has opened for writing.
  var key: ReplicaKey?

  var signer: Signer? { key.map { Signer(key: $0, storeID: storeID) } }
  /// The last hybrid time given or received.
  var time: HybridTime
  var number: Int64
  var schema: Int64
}

// MARK: - Errors and statements

extension StoreFile {
  /// Runs `body` and says what was being done if it fails.
  func doing<Result>(
    _ what: @autoclosure () -> String, _ body: () throws -> Result
  ) throws(StorageError) -> Result {
    do {
      guard let turns = version.turns else { return try withTurn(body) }
      return try turns.withLock { try withTurn(body) }
    } catch {
      throw StorageError(error, path: path, doing: what())
    }
  }

  /// A statement on the bookkeeping tables, compiled once; `sql` must come from a fixed set.
  func statement(_ sql: String) throws(SQLiteError) -> Statement {
    try statements(sql)
  }
}
