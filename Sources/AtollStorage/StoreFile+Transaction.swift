import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

// The beginning and end of every change to the file, of any origin.
extension StoreFile {
  /// Takes the write lock, begins, and reads again what others have changed.
  func begin(_ origin: Commit.Origin, timeout: Duration) throws {
    guard transaction == nil else {
      throw StorageError.alreadyInTransaction(doing: "beginning a write transaction")
    }
    let wasReading = version.isReading
    tables.cursors.detach()
    if version.isReading { try finishRead() }
    do {
      try lock?.acquire(timeout: timeout)
    } catch {
      if wasReading { try startRead() }
      throw error
    }
    do {
      if lock != nil { try checkPlace() }
      if origin == .local, let limit = options.maximumVersions { try checkVersions(limit) }
      try statement("BEGIN IMMEDIATE").run()
      if lock != nil { connection.makeLogRoom() }
      try refreshCaches()
      transaction = WriteTransaction(
        origin: origin, writer: numbers[try own], revision: catalog.revision, wasReading: wasReading
      )
      transaction?.changes.searched = catalog.searchedColumns
    } catch {
      abandon()
      throw error
    }
  }

  /// Reads what other connections changed since this one last wrote.
  func refreshCaches() throws {
    let number = state.number
    let last = try statement(StoreState.lastCommit)
    if try last.step() { state.take(last) }
    last.reset()
    tables.views.keep(for: state.number)
    let schema = state.schema
    guard isStale || number != state.number || schema != catalog.revision else { return }
    try refreshAuthor()
    if isStale || schema != catalog.revision { try reloadCatalog(schema) }
    if isStale { authors.clear() }
    incoming.lastArrival = nil
    try refreshAuthors()
    catalog.forgetCounters()
    author = try own.author
    isStale = false
  }

  /// Reads again who writes here, and with which key.
  private func refreshAuthor() throws {
    let author = try connection.integer("SELECT author FROM atoll_store") ?? 0
    guard author != state.author else { return }
    state.author = author
    state.key = try StoreState(reading: connection).key
    log.signer = state.signer
  }

  /// Takes in what the file has of authors and their declarations, and the tables in memory do not.
  func refreshAuthors() throws(SQLiteError) {
    try authors.refresh()
    try numbers.refresh(catalog)
  }

  /// Reads all that the file has of authors again.
  func rereadAuthors() throws(SQLiteError) {
    authors.clear()
    try refreshAuthors()
  }

  func reloadCatalog(_ revision: Int64) throws {
    tables.views.clear()
    catalog = try Catalog(reading: connection, revision: revision)
  }

  /// The author that writes here.
  var own: AuthorRecord {
    get throws {
      guard let record = authors[state.author] else {
        throw StorageError.damaged(path: path, detail: "its own author is missing")
      }
      return record
    }
  }

  /// The open transaction, unless an operation of a local one has failed midway.
  ///
  /// A full disk ends SQLite's transaction at once; what came then would be committed by itself.
  func current(_ what: @autoclosure () -> String) throws -> WriteTransaction {
    guard let transaction else { throw StorageError.notInTransaction(doing: what()) }
    if let failure = transaction.failure { throw failure }
    guard transaction.encoder == nil || connection.isInTransaction else {
      throw StorageError.notInTransaction(doing: what())
    }
    return transaction
  }

  /// Ends the transaction with everything that makes it a commit, and announces it.
  func finish(_ transaction: WriteTransaction) throws -> Commit {
    try tables.bringSearchIndexesUp(transaction)
    state.number += 1
    let commit = Commit(
      number: CommitNumber(state.number), origin: transaction.origin,
      changes: transaction.changes.finish(),
      heads: transaction.grown.compactMap { authors[$0]?.storedHead }
        .sorted { $0.author < $1.author })
    state.schema = catalog.revision
    try tables.storeDigests(transaction)
    try tables.storeGoneIDs(transaction)
    try tables.saveSeen(transaction)
    try store(commit)
    try statement("COMMIT").run()
    self.transaction = nil
    tables.views.keep(for: state.number, evenIfOlder: true)
    try checkpointIfLong()
    lock?.release()
    if transaction.wasReading { try startRead() }
    onCommit?(commit)
    return commit
  }

  /// Undoes everything since the transaction began.
  func abandon() {
    let wasReading = transaction?.wasReading ?? false
    transaction = nil
    tables.views.clear()
    caches.admitted = []
    if connection.isInTransaction { try? connection.execute("ROLLBACK") }
    isStale = true
    lock?.release()
    if wasReading { try? startRead() }
  }

  /// Moves the write-ahead log into the database when it has grown long.
  ///
  /// A pinned reader can hold that up; then it is tried again only when the log has grown by a
  /// quarter of the limit, since each attempt waits for the disk; likewise while the database has no
  /// room to grow, for what was committed is in the log already.
  private func checkpointIfLong() throws {
    let bound = Limits.checkpointWALBytes / Self.pageBytes
    if onDisk.writeAheadLog.pages <= bound { onDisk.nextCheckpoint = bound }
    guard lock != nil, onDisk.writeAheadLog.pages > onDisk.nextCheckpoint else { return }
    onDisk.nextCheckpoint = onDisk.writeAheadLog.pages + bound / 4
    VersionLeases.relieve(path, logBytes: onDisk.writeAheadLog.pages * Self.pageBytes)
    do {
      try connection.checkpoint()
    } catch  where error.isDiskFull {
      return
    }
  }

  /// SQLite's default, which every store has.
  private static let pageBytes = 4096
}
