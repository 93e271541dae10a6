import AtollChanges
import AtollSQLite
import AtollVocabulary

// How every change to the file begins and ends, whoever makes it.
extension StoreFile {
  /// Takes the write lock, begins, and reads again what others have changed.
  func begin(_ origin: Commit.Origin, timeout: Duration) throws {
    guard transaction == nil else {
      throw StorageError.alreadyInTransaction(doing: "beginning a write transaction")
    }
    let wasReading = isReading
    cursors.detach()
    if isReading { try finishRead() }
    do {
      try lock?.acquire(timeout: timeout)
    } catch WriteLock.Failure.timedOut(let holder) {
      if wasReading { try startRead() }
      throw StorageError.locked(path: path, holder: holder, waited: timeout)
    }
    do {
      try statement("BEGIN IMMEDIATE").run()
      try refreshCaches()
      transaction = WriteTransaction(
        origin: origin, own: try own, generation: catalog.generation, wasReading: wasReading)
    } catch {
      abandon()
      throw error
    }
  }

  /// Reads what other connections changed since this one last wrote.
  func refreshCaches() throws {
    let statement = try statement("SELECT author, time, number, schema FROM atoll_store")
    guard try statement.step() else {
      throw StorageError.damaged(path: path, detail: "its own row is missing")
    }
    let isOthers = isStale || statement.int64(at: 2) != state.number
    let schema = statement.int64(at: 3)
    state.author = statement.int64(at: 0)
    state.time = HybridTime(rawValue: statement.uint64(at: 1))
    state.number = statement.int64(at: 2)
    state.schema = schema
    statement.reset()
    guard isOthers || schema != catalog.generation else { return }
    if isStale || schema != catalog.generation { try reloadCatalog(schema) }
    if isStale { authors.clear() }
    try authors.refresh(catalog)
    catalog.forgetCounters()
    author = try own.author
    isStale = false
  }

  func reloadCatalog(_ generation: Int64) throws {
    catalog = try Catalog(reading: connection, generation: generation)
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

  /// The open transaction.
  func current(_ what: @autoclosure () -> String) throws -> WriteTransaction {
    guard let transaction else { throw StorageError.notInTransaction(doing: what()) }
    return transaction
  }

  /// Ends the transaction with everything that makes it a commit, and announces it.
  func finish(_ transaction: WriteTransaction) throws -> Commit {
    state.number += 1
    let commit = Commit(
      number: CommitNumber(state.number), origin: transaction.origin,
      changes: transaction.changes.finish(),
      heads: transaction.grown.compactMap { authors[$0]?.head }.sorted { $0.author < $1.author })
    try storeCounters()
    try store(commit)
    try storeState()
    try statement("COMMIT").run()
    self.transaction = nil
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
    if connection.isInTransaction { try? connection.execute("ROLLBACK") }
    isStale = true
    lock?.release()
    if wasReading { try? startRead() }
  }

  private func storeCounters() throws {
    for entry in catalog.entries {
      guard let next = entry.nextID, next != entry.savedNextID else { continue }
      let statement = try statement("UPDATE atoll_class SET next = ? WHERE id = ?")
      statement.bind(next, at: 1)
      statement.bind(Int64(entry.id.rawValue), at: 2)
      try statement.run()
      entry.savedNextID = next
    }
  }

  private func storeState() throws {
    state.schema = catalog.generation
    let statement = try statement("UPDATE atoll_store SET time = ?, number = ?, schema = ?")
    statement.bind(state.time.rawValue, at: 1)
    statement.bind(state.number, at: 2)
    statement.bind(state.schema, at: 3)
    try statement.run()
  }

  /// Moves the write-ahead log into the database when it has grown long; readers may delay it.
  private func checkpointIfLong() throws {
    guard lock != nil, log.pages * 4096 > Limits.checkpointWALBytes else { return }
    try connection.checkpoint()
  }

  /// The next row id of a class; a list's elements take theirs from the class that owns the list.
  func nextID(_ entry: ClassEntry) throws -> Int64 {
    if let next = entry.nextID {
      entry.nextID = next + 1
      return next
    }
    let statement = try statement("SELECT next FROM atoll_class WHERE id = ?")
    statement.bind(Int64(entry.id.rawValue), at: 1)
    let next = try statement.step() ? statement.int64(at: 0) : 1
    statement.reset()
    entry.savedNextID = next
    entry.nextID = next + 1
    return next
  }
}
