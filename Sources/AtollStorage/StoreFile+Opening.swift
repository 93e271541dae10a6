import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

extension StoreFile {
  /// The path that opens a store in memory, for tests.
  package static let inMemory = ":memory:"
  /// The path that opens a store that is gone when it is closed.
  static let temporary = Connection.temporary

  /// Tells whether nobody else can open what has this path.
  static func isPrivate(_ path: String) -> Bool { path == inMemory || path == temporary }

  /// Opens a store file, or makes one.
  ///
  /// A file that was copied or restored since it was last written gets a new incarnation here,
  /// before anything else can be written.
  ///
  /// - Parameters:
  ///   - path: Of the file; `-wal`, `-shm` and `-lock` stand beside it.
  ///   - options: How, and with which clocks.
  /// - Returns: The file, ready to read and write.
  /// - Throws: What the file is instead, or why it cannot be written; it is not changed then.
  package static func open(
    _ path: String, options: StoreOptions = StoreOptions()
  ) throws(StorageError) -> StoreFile {
    do {
      let opening = StoreOpening(path: path, options: options)
      return try opening.open()
    } catch {
      throw StorageError(error, path: path, doing: "opening \(path)")
    }
  }
}

/// The steps from a path to a store file that may be used.
struct StoreOpening {
  let path: String
  let options: StoreOptions

  /// The time that a program which does not know our lock may keep the database locked.
  static let foreignTimeout = Duration.seconds(5)

  private var isPrivate: Bool { StoreFile.isPrivate(path) }

  /// Beside the file itself, as SQLite's own: processes that name it by different links share one lock.
  private var lockPath: String { FileFacts.resolved(path) + "-lock" }

  func open() throws -> StoreFile {
    if !isPrivate { try makeFile() }
    if !isPrivate { try checkLog() }
    let connection = try Connection(path: path, access: access, disk: options.disk)
    // Before the first read: the first process that opens the file after a kill repairs its log, and others wait.
    connection.setBusyTimeout(Self.foreignTimeout)
    let isNew = try checkHeader(connection)
    if connection.isReadOnly, !options.isReadOnly {
      throw StorageError.notWritable(
        path: path, doing: "opening \(path)", detail: "the system allows reading only")
    }
    let lock =
      isPrivate || options.isReadOnly
      ? nil : try WriteLock(path: lockPath, holderName: options.holderName)
    if !options.isReadOnly { try chooseJournal(connection, lock) }
    try configure(connection)
    if isNew { try initialise(connection, lock) }
    return try load(connection, lock)
  }

  /// A file that nobody can write needs no lock, and no `-shm` file can be made for it.
  private var access: Connection.Access {
    guard options.isReadOnly else { return .readWrite }
    guard !isPrivate, FileFacts.isOnReadOnlySystem(path: path),
      FileFacts(path: FileFacts.resolved(path) + "-shm") == nil
    else { return .readOnly }
    return LogFile(of: path) == nil ? .withoutLog : .withoutLocks
  }

  /// Refuses a write-ahead log that was written for another file.
  ///
  /// Under the write lock, without which a checkpoint may change the file while it is read; who only reads
  /// looks again instead.
  private func checkLog() throws {
    guard let log = LogFile(of: path), let bare = BareFile(path, disk: options.disk),
      log.objection(to: bare) != nil
    else { return }
    let lock =
      options.isReadOnly ? nil : try WriteLock(path: lockPath, holderName: options.holderName)
    try acquire(lock)
    defer { lock?.release() }
    var objection: String?
    for _ in 0..<Limits.foreignLogLooks {
      guard let log = LogFile(of: path), let bare = BareFile(path, disk: options.disk),
        let found = log.objection(to: bare)
      else { return }
      objection = found
      if options.isReadOnly { SystemClock.pause(milliseconds: 20) }
    }
    if let objection { throw StorageError.foreignLog(path: path, detail: objection) }
  }

  private func makeFile() throws {
    if path.isEmpty {
      throw StorageError.wrongPath(
        path: path, detail: "a store is a file, and has a path", remedy: "Give the path of the file"
      )
    }
    if FileFacts.isFolder(path: path) {
      throw StorageError.wrongPath(
        path: path, detail: "there is a folder, and a store is one file",
        remedy: "Name a file in the folder")
    }
    guard FileFacts(path: path) == nil else { return }
    guard options.mayCreate, !options.isReadOnly else {
      throw StorageError.noSuchFile(path: path)
    }
    if LogFile(of: path) != nil {
      throw StorageError.foreignLog(path: path, detail: "there is no file beside it")
    }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    guard FileFacts.isFolder(path: folder) else {
      throw StorageError.wrongPath(
        path: path, detail: "there is no folder \(folder)",
        remedy: "Make it first, or check the path")
    }
    try FileFacts.make(path: path)
  }

  /// Refuses what is not a store of a known format; true for a database with nothing in it.
  private func checkHeader(_ connection: Connection) throws -> Bool {
    let id = Int32(truncatingIfNeeded: try connection.integer("PRAGMA application_id") ?? 0)
    if id == 0, try connection.integer("SELECT count(*) FROM sqlite_schema") == 0 {
      if options.isReadOnly { throw StorageError.notAStore(path: path, applicationID: 0) }
      return true
    }
    guard id == StoreLayout.applicationID else {
      throw StorageError.notAStore(path: path, applicationID: id)
    }
    let format = Int32(truncatingIfNeeded: try connection.integer("PRAGMA user_version") ?? 0)
    guard (1...StoreLayout.greatestFormat).contains(format) else {
      throw StorageError.damaged(path: path, detail: "its format is said to be \(format)")
    }
    guard format == StoreLayout.format else {
      throw StorageError.otherFormat(path: path, found: format, supported: StoreLayout.format)
    }
    return false
  }

  /// Has SQLite keep a write-ahead log, which a new file and a copy do not have yet.
  ///
  /// Under the write lock: where two connections change it at once, SQLite fails without waiting.
  private func chooseJournal(_ connection: Connection, _ lock: WriteLock?) throws {
    if isPrivate {
      _ = try connection.texts("PRAGMA journal_mode = MEMORY")
      return
    }
    if try connection.texts("PRAGMA journal_mode") == ["wal"] { return }
    try acquire(lock)
    defer { lock?.release() }
    _ = try connection.texts("PRAGMA journal_mode = WAL")
  }

  private func configure(_ connection: Connection) throws {
    try QueryFunctions.register(on: connection)
    try connection.execute(
      """
      PRAGMA synchronous = \(options.durability.synchronous); PRAGMA cache_size = -65536;
      PRAGMA mmap_size = 1073741824; PRAGMA temp_store = MEMORY;
      PRAGMA journal_size_limit = \(Limits.checkpointWALBytes)
      """)
    if let pages = options.maximumPageCount {
      try connection.execute("PRAGMA max_page_count = \(pages)")
    }
  }

  // MARK: A new file

  private func initialise(_ connection: Connection, _ lock: WriteLock?) throws {
    try acquire(lock)
    defer { lock?.release() }
    try connection.execute("BEGIN IMMEDIATE")
    do {
      // Another process may have made the store while this one waited.
      if try connection.integer("SELECT count(*) FROM sqlite_schema") == 0 {
        try fill(connection)
      }
      try connection.execute("COMMIT")
    } catch {
      if connection.isInTransaction { try? connection.execute("ROLLBACK") }
      throw error
    }
  }

  private func fill(_ connection: Connection) throws {
    for table in StoreLayout.tables { try connection.execute(table) }
    try TableGuards.make(for: StoreLayout.tableNames, on: connection)
    try addTables(StoreLayout.localTables, connection)
    let key = options.key ?? ReplicaKey(random: options.random)
    let storeID =
      options.storeID
      ?? (options.isOwned ? StoreID(foundedBy: key.replica) : StoreID(unowned: options.random))
    let authors = AuthorTable(on: connection)
    let record = try authors.intern(
      Author(replica: key.replica, incarnation: Incarnation(options.random())))
    let statement = try connection.prepare(
      """
      INSERT INTO atoll_store
      (one, store, author, secret, device, inode, birth, machine)
      VALUES (1, ?, ?, ?, 0, 0, 0, '')
      """)
    statement.bind(ReplicaID(high: storeID.high, low: storeID.low).bytes, at: 1)
    statement.bind(record.number, at: 2)
    statement.bind(key.secret, at: 3)
    try statement.run()
    try FileIdentity(path: path).store(connection)
    try connection.execute("PRAGMA application_id = \(StoreLayout.applicationID)")
    try connection.execute("PRAGMA user_version = \(StoreLayout.format)")
  }

  private func addTables(
    _ tables: [(name: String, sql: String)], _ connection: Connection
  ) throws {
    for table in tables { try connection.execute(table.sql) }
    try TableGuards.make(for: tables.map(\.name), on: connection)
  }

  // MARK: A known file

  /// Refuses a file that lacks one of the tables that every store has.
  private func checkTables(_ connection: Connection) throws {
    let known = Set(try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'table'"))
    let all = StoreLayout.tableNames + StoreLayout.localTables.map(\.name)
    guard let missing = all.first(where: { !known.contains($0) }) else { return }
    throw StorageError.damaged(path: path, detail: "it has no table \(missing)")
  }

  private func load(_ connection: Connection, _ lock: WriteLock?) throws -> StoreFile {
    try ForeignObjects(connection: connection).refuse()
    try checkTables(connection)
    // Before what the log adds to it is read: others may commit in between.
    let place = isPrivate ? nil : StorePlace(path, of: connection, disk: options.disk)
    var state = try StoreState(reading: connection)
    if let mark = place?.mark, state.number < mark.number {
      throw StorageError.foreignLog(
        path: path,
        detail: "it ends with commit \(state.number), and the file with commit \(mark.number)")
    }
    if let expected = options.storeID, expected != state.storeID {
      throw StorageError.otherStore(path: path, found: state.storeID, expected: expected)
    }
    if !isPrivate, !options.isReadOnly,
      try state.key == nil || FileIdentity(storedIn: connection) != FileIdentity(path: path)
    {
      state = try startIncarnation(connection, lock)
    }
    let authors = AuthorTable(on: connection)
    let numbers = NumberTable(of: authors, FixedStatements(on: connection))
    // Others may write between two reads, and what belongs together would not: a declaration of a class
    // that the catalog does not have yet would be passed over.
    let catalog = try connection.inOneSnapshot {
      state = try StoreState(reading: connection)
      let catalog = try Catalog(reading: connection, revision: state.schema)
      try authors.refresh()
      try numbers.refresh(catalog)
      return catalog
    }
    guard let record = authors[state.author] else {
      throw StorageError.damaged(path: path, detail: "its own author is missing")
    }
    guard state.key.map({ $0.replica == record.author.replica }) != false else {
      throw StorageError.damaged(path: path, detail: "its private key is another replica's")
    }
    if options.durability == .full, !options.isReadOnly {
      // A process that was killed may have left a commit that is written and not flushed. It is
      // seen from here on, so it must not be lost any more.
      try connection.flushLog()
    }
    let file = try StoreFile(
      path: path, options: options, connection: connection, lock: lock,
      pins: isPrivate
        ? nil : VersionPins(path: lockPath, isReadOnly: options.isReadOnly), catalog: catalog,
      numbers: numbers, state: state, author: record.author)
    file.onDisk.place = place
    return file
  }

  /// Starts a new incarnation of a copied or restored file; of a copy without a key, a replica of its own.
  private func startIncarnation(
    _ connection: Connection, _ lock: WriteLock?
  ) throws -> StoreState {
    try acquire(lock)
    defer { lock?.release() }
    try connection.execute("BEGIN IMMEDIATE")
    do {
      var state = try StoreState(reading: connection)
      let authors = AuthorTable(on: connection)
      try authors.refresh()
      try state.startIncarnation(
        in: authors, of: connection,
        key: state.key == nil ? ReplicaKey(random: options.random) : nil, random: options.random)
      try FileIdentity(path: path).store(connection)
      try connection.execute("COMMIT")
      return state
    } catch {
      if connection.isInTransaction { try? connection.execute("ROLLBACK") }
      throw error
    }
  }

  private func acquire(_ lock: WriteLock?) throws(WriteLock.Failure) {
    try lock?.acquire(timeout: options.lockTimeout)
  }
}

extension StoreState {
  /// Makes a new author the one that writes in the file: of the same replica, or of the one given.
  mutating func startIncarnation(
    in authors: AuthorTable, of connection: Connection, key: ReplicaKey? = nil,
    random: () -> UInt64
  ) throws {
    guard let old = authors[author] else { return }
    let record = try authors.intern(
      Author(replica: key?.replica ?? old.author.replica, incarnation: Incarnation(random())))
    author = record.number
    try authors.endWriting(by: old.number)
    try connection.execute("UPDATE atoll_store SET author = \(record.number)")
    guard let key else { return }
    try sealAll(in: authors, of: connection)
    let statement = try connection.prepare("UPDATE atoll_store SET secret = ?")
    defer { statement.finalize() }
    statement.bind(key.secret, at: 1)
    try statement.run()
    self.key = key
  }

  /// Takes the key out of a copy that goes to others: the first that opens it gets a replica of its own.
  mutating func removeKey(_ authors: AuthorTable, of connection: Connection) throws {
    try sealAll(in: authors, of: connection)
    try connection.execute("UPDATE atoll_store SET secret = NULL")
    key = nil
  }

  /// Signs what the replica wrote whose key leaves the file, so that the log can still be passed on.
  private func sealAll(in authors: AuthorTable, of connection: Connection) throws {
    guard let key else { return }
    let log = ChangesetLog(FixedStatements(on: connection), authors: authors)
    let signer = Signer(key: key, storeID: storeID)
    for record in authors.records where record.author.replica == key.replica {
      try log.sealAll(of: record, with: signer)
    }
  }
}

extension StoreState {
  /// Reads the file's own row.
  init(reading connection: Connection) throws {
    let statement = try connection.prepare("SELECT store, author, secret FROM atoll_store")
    guard try statement.step(), let id = ReplicaID(bytes: statement.bytes(at: 0)) else {
      throw StorageError.damaged(path: connection.path, detail: "its own row is missing")
    }
    let secret = statement.isNull(at: 2) ? nil : statement.bytes(at: 2)
    let key = secret.flatMap(ReplicaKey.init)
    guard (key == nil) == (secret == nil) else {
      throw StorageError.damaged(path: connection.path, detail: "its private key is none")
    }
    self.init(
      storeID: StoreID(high: id.high, low: id.low), author: statement.int64(at: 1), key: key,
      time: .zero, number: 0, schema: 0)
    statement.reset()
    let last = try connection.prepare(Self.lastCommit)
    if try last.step() { take(last) }
    last.reset()
  }

  /// The last commit's record, which carries what every commit changes of the file itself.
  static let lastCommit =
    "SELECT time, number, schema FROM atoll_effect ORDER BY number DESC LIMIT 1"

  /// Takes over a row of ``lastCommit``.
  mutating func take(_ statement: Statement) {
    time = HybridTime(rawValue: statement.uint64(at: 0))
    number = statement.int64(at: 1)
    schema = statement.int64(at: 2)
  }
}
