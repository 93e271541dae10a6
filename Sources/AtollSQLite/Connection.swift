import CSQLite

/// One open database.
///
/// Confined to the thread that uses it. Triggers do not fire, and nothing is checkpointed unless
/// ``checkpoint()`` is called.
package final class Connection {
  /// The access of a connection to its file; ``create`` makes one that is missing.
  package enum Access: Sendable {
    case readOnly
    case readWrite
    case create
    /// Reading what the file itself holds, without its write-ahead log and without locks: where nobody
    /// writes the file meanwhile.
    case withoutLog
    /// Reading file and write-ahead log without locks and without a `-shm` file: where nobody can write.
    case withoutLocks
  }

  /// Opens a database that is gone when it is closed, in a file without a name where it gets large.
  ///
  /// No file can have this path.
  package static let temporary = "\0temporary"

  package let path: String
  let handle: OpaquePointer
  /// True if the schema can be changed by statements made for that only.
  let isDefensive: Bool
  private var isOpen = true
  /// Statements that are not finalised yet.
  ///
  /// SQLite would name those of virtual tables, too, which are not ours to finalise.
  private var statements: Set<OpaquePointer> = []
  /// Must outlive the handle.
  private let disk: FaultDisk?
  private let mapping: KeptMapping?
  private var logRoom: LogRoom?

  /// Opens a database; `firesTriggers` has it refused, and allowed, what other programs are.
  ///
  /// - Parameters:
  ///   - path: Of the file.
  ///   - access: Whether it may be written.
  ///   - firesTriggers: Whether triggers fire, as for other programs.
  ///   - disk: What stands between SQLite and the file in tests; nil for nothing.
  /// - Throws: What SQLite says if it cannot be opened.
  package init(
    path: String, access: Access, firesTriggers: Bool = false, disk: FaultDisk? = nil
  ) throws(SQLiteError) {
    self.path = path
    self.disk = disk
    isDefensive = !firesTriggers
    var handle: OpaquePointer?
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    var name = path == Self.temporary ? "" : path
    switch access {
    case .readOnly, .withoutLocks: flags |= SQLITE_OPEN_READONLY
    case .readWrite: flags |= SQLITE_OPEN_READWRITE
    case .create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .withoutLog:
      flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      name = Self.immutable(path)
    }
    let code = sqlite3_open_v2(
      name, &handle, flags, access == .withoutLocks ? "unix-none" : disk?.name)
    guard let handle, code == SQLITE_OK else {
      let error = SQLiteError(code, of: handle)
      sqlite3_close_v2(handle)
      throw error
    }
    self.handle = handle
    mapping = disk == nil ? KeptMapping(handle) : nil
    _ = csqlite_config_flag(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    _ = csqlite_config_flag(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, firesTriggers ? 1 : 0)
    _ = csqlite_config_flag(handle, SQLITE_DBCONFIG_DEFENSIVE, isDefensive ? 1 : 0)
    sqlite3_wal_autocheckpoint(handle, 0)
    if access == .withoutLocks {
      // The index of the log is in memory then.
      sqlite3_exec(handle, "PRAGMA locking_mode = EXCLUSIVE", nil, nil, nil)
    }
  }

  /// The path as a URI that SQLite opens without looking for a log.
  private static func immutable(_ path: String) -> String {
    var text: [UInt8] = []
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"):
        text += "%\(String(byte, radix: 16))".utf8
      case _: text.append(byte)
      }
    }
    return "file:" + String(decoding: text, as: UTF8.self) + "?immutable=1"
  }

  deinit { close() }

  /// Finalises every statement and closes; calling again does nothing.
  ///
  /// - Parameter movingLog: Whether the write-ahead log is moved into the database and removed if nobody
  ///   else has it open, of any process. SQLite takes a lock for it that excludes all others.
  package func close(movingLog: Bool = false) {
    guard isOpen else { return }
    if movingLog { _ = csqlite_config_flag(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0) }
    isOpen = false
    for statement in statements { sqlite3_finalize(statement) }
    statements = []
    mapping?.end()
    logRoom?.end()
    sqlite3_close_v2(handle)
  }

  func enter(_ statement: OpaquePointer) { statements.insert(statement) }

  /// Gives a statement back, unless closing did.
  func finalize(_ statement: OpaquePointer) {
    if statements.remove(statement) != nil { sqlite3_finalize(statement) }
  }

  func checkIsOpen(_ sql: String) throws(SQLiteError) {
    guard isOpen else {
      throw SQLiteError(
        code: SQLiteError.Code(SQLITE_MISUSE), message: "the connection was closed", sql: sql)
    }
  }

  /// Sets the time for which SQLite itself waits for a lock of a foreign connection.
  package func setBusyTimeout(_ timeout: Duration) {
    let (seconds, attoseconds) = timeout.components
    let milliseconds = seconds &* 1000 &+ attoseconds / 1_000_000_000_000_000
    sqlite3_busy_timeout(handle, Int32(clamping: milliseconds))
  }

  /// Runs statements that return nothing of interest.
  package func execute(_ sql: String) throws(SQLiteError) {
    try checkIsOpen(sql)
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(code, of: handle, sql: sql) }
  }

  /// Compiles a statement that will run many times.
  package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    try checkIsOpen(sql)
    return try Statement(sql, on: self)
  }

  /// The first column of the first row as a number, nil if there is no row.
  package func integer(_ sql: String) throws(SQLiteError) -> Int64? {
    let statement = try prepare(sql)
    defer { statement.finalize() }
    return try statement.step() ? statement.int64(at: 0) : nil
  }

  /// The first column of every row as text.
  package func texts(_ sql: String) throws(SQLiteError) -> [String] {
    let statement = try prepare(sql)
    defer { statement.finalize() }
    var texts: [String] = []
    while try statement.step() { texts.append(statement.string(at: 0)) }
    return texts
  }

  /// True if the system or the caller allows reading only.
  package var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  package var isInTransaction: Bool { isOpen && sqlite3_get_autocommit(handle) == 0 }

  /// Runs several reads in one snapshot: the one that is open, or one of their own.
  package func inOneSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
    if isInTransaction { return try body() }
    try execute("BEGIN")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      if isInTransaction { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// Runs again what found the schema changed, in one snapshot, where nobody changes it.
  ///
  /// SQLite itself tries again once, but reading a large schema can take longer than somebody else
  /// takes to change it again.
  func inOneSchema<Result>(_ run: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
    let begins = !isInTransaction
    if begins { try execute("BEGIN") }
    // A statement that goes on reading keeps the snapshot to its end.
    defer { if begins { sqlite3_exec(handle, "COMMIT", nil, nil, nil) } }
    // Begins to read, and needs no schema itself.
    try execute("PRAGMA schema_version")
    return try run()
  }

  /// The row id that the last insert gave.
  package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Rows that the last statement inserted, changed or deleted.
  package var changedRows: Int { Int(sqlite3_changes64(handle)) }

  /// Moves the write-ahead log into the database as far as no reader needs it.
  ///
  /// - Returns: The frames the log holds and those moved.
  @discardableResult
  package func checkpoint() throws(SQLiteError) -> (logFrames: Int, movedFrames: Int) {
    var log: Int32 = 0
    var moved: Int32 = 0
    let code = sqlite3_wal_checkpoint_v2(
      handle, nil, SQLITE_CHECKPOINT_PASSIVE, &log, &moved)
    guard code == SQLITE_OK || code == SQLITE_BUSY else { throw SQLiteError(code, of: handle) }
    return (Int(log), Int(moved))
  }

  /// Waits until the write-ahead log is on the disk, as far as it is written.
  package func flushLog() throws(SQLiteError) {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file)
    guard code == SQLITE_OK, let file, let methods = file.pointee.pMethods else { return }
    let result = methods.pointee.xSync(file, SQLITE_SYNC_NORMAL)
    guard result == SQLITE_OK else { throw SQLiteError(result, of: nil) }
  }

  /// Has the write-ahead log made longer ahead of the commits from now on, in a transaction.
  package func makeLogRoom() {
    guard logRoom == nil else { return }
    let synchronous = try? integer("PRAGMA synchronous")
    logRoom = LogRoom(handle, isSynchronous: synchronous ?? 0 >= 2)
  }

  /// Asks for `frames(pages)` after each commit: how many pages the write-ahead log has now.
  package func onWriteAheadLog(_ note: WriteAheadLogNote) {
    sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        if let context {
          Unmanaged<WriteAheadLogNote>.fromOpaque(context).takeUnretainedValue().pages = Int(pages)
        }
        return SQLITE_OK
      }, Unmanaged.passUnretained(note).toOpaque())
  }
}

/// The length of the write-ahead log at the last commit; its owner must outlive the connection.
package final class WriteAheadLogNote {
  package fileprivate(set) var pages = 0
  package init() {}
}
