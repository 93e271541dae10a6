import AtollSQLite

// Files of which several threads read one version, as frozen instances do.
//
// Such a file stays at the version that it shows. Whoever does something with it has it alone for as long
// as that takes; it cannot be written to. When the version has to go, because it keeps the write-ahead
// log from being shortened, what is asked next fails with `versionEnded`.
extension StoreFile {
  /// Lets every thread read the version that is shown, and no other one from now on.
  package func share() throws(StorageError) {
    guard version.turns == nil else { return }
    try doing("freezing a version") {
      guard transaction == nil else {
        throw StorageError.alreadyInTransaction(doing: "freezing a version")
      }
      tables.cursors.detach()
      if !version.isReading { try startRead() }
    }
    let logBytes = FileFacts.size(path: path + "-wal") ?? 0
    version.lease?.hold(logBytes: Int(clamping: logBytes))
    version.turns = RecursiveLock()
  }

  /// Ends the version, and makes the file that of one thread again; nobody else may use it any more.
  package func unshare() throws(StorageError) {
    do {
      version.turns = nil
      let hasSnapshot = version.lease?.end() ?? version.isReading
      version.lease = nil
      tables.cursors.detach()
      if version.isReading, hasSnapshot { try finishRead() }
      version.isReading = false
      version.pins?.unpin()
    } catch {
      throw StorageError(error, path: path, doing: "letting go of a frozen version")
    }
  }

  /// True if the version that is shared was ended.
  package var hasEndedVersion: Bool {
    guard let lease = version.lease, lease.isHeld else { return false }
    return !lease.hasSnapshot
  }

  /// Runs `body` while no other thread uses the file.
  package func alone<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let turns = version.turns else { return try body() }
    return try turns.withLock(body)
  }

  /// Keeps the version that is shown from being ended until ``letGoOfVersion()``.
  package func keepVersion() throws(StorageError) {
    try doing("keeping a version") { version.lease?.addCursor() }
  }

  package func letGoOfVersion() { version.lease?.removeCursor() }

  /// Runs `body` with the turn of the owner, so that nobody takes the snapshot away meanwhile.
  func withTurn<Result>(_ body: () throws -> Result) throws -> Result {
    guard let lease = version.lease, !version.isAtWork else { return try body() }
    lease.enter()
    version.isAtWork = true
    defer {
      version.isAtWork = false
      lease.leave()
    }
    if version.isReading, !lease.hasSnapshot {
      if lease.isHeld { throw StorageError.versionEnded(path: path) }
      try startRead()
    }
    return try body()
  }
}
