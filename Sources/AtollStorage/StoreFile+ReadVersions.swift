import AtollSQLite
package import AtollVocabulary

extension StoreFile {
  /// The last commit that reads see.
  package func commitNumber() throws(StorageError) -> CommitNumber {
    try doing("reading the commit number") { CommitNumber(try lookAtState()) }
  }

  /// Pins the present snapshot until ``endRead()`` or ``refresh()``; many reads are cheaper inside.
  package func beginRead() throws(StorageError) {
    try doing("beginning to read") {
      guard !version.isReading, transaction == nil else { return }
      try startRead()
    }
  }

  /// Lets go of the snapshot.
  package func endRead() throws(StorageError) {
    try doing("ending to read") {
      guard version.isReading else { return }
      try finishRead()
    }
  }

  /// Moves a pinned snapshot forward to the last commit.
  package func refresh() throws(StorageError) {
    try doing("refreshing the snapshot") {
      guard transaction == nil else { return }
      if version.isReading { try finishRead() }
      try startRead()
    }
  }

  func startRead() throws {
    try statement("BEGIN").run()
    version.isReading = true
    // SQLite takes the snapshot with the first read, not with BEGIN.
    version.pins?.pin(try lookAtState())
    version.lease?.hasSnapshot = true
  }

  func finishRead() throws {
    version.lease?.hasSnapshot = false
    try statement("COMMIT").run()
    version.isReading = false
    version.pins?.unpin()
  }

  /// Reads the commit number, and the schema again if it has grown.
  func lookAtState() throws -> Int64 {
    let seen = try presentState()
    guard transaction == nil, seen.schema != catalog.revision else { return seen.number }
    // Others may declare more between two reads, and what belongs together would not.
    return try connection.inOneSnapshot {
      let seen = try presentState()
      try reloadCatalog(seen.schema)
      return seen.number
    }
  }

  private func presentState() throws -> StoreState {
    let statement = try statement(StoreState.lastCommit)
    defer { statement.reset() }
    var seen = StoreState(
      storeID: storeID, author: state.author, key: state.key, time: .zero, number: 0,
      schema: 0)
    if try statement.step() { seen.take(statement) }
    return seen
  }
}
