import AtollSQLite
import AtollVocabulary

extension StoreFile {
  /// Tells whether there is a file at a path, of whatever kind.
  package static func exists(_ path: String) -> Bool { FileFacts(path: path) != nil }

  /// Deletes a store and the files that SQLite and nodes keep beside it, but for the lock.
  ///
  /// - Returns: Whether there was a store.
  /// - Throws: `inUse` while anybody has it open; nothing has happened then. Other databases are refused.
  package static func delete(
    _ path: String, options: StoreOptions = StoreOptions()
  ) throws(StorageError) -> Bool {
    guard exists(path) else { return false }
    let path = FileFacts.resolved(path)
    do {
      let lock = try WriteLock(path: path + "-lock", holderName: options.holderName)
      try lock.acquire(timeout: options.lockTimeout)
      defer { lock.release() }
      try closeOff(path)
      for suffix in ["", "-wal", "-shm", "-status", "-daemon", "-socket"] {
        try FileFacts.remove(path: path + suffix)
      }
      try FileFacts.synchronise(folderOf: path)
      return true
    } catch {
      throw StorageError(error, path: path, doing: purpose)
    }
  }

  private static let purpose = "deleting the store"

  /// Makes sure that it is a store, and that nobody has it open.
  private static func closeOff(_ path: String) throws {
    let connection = try Connection(path: path, access: .readWrite)
    defer { connection.close() }
    let id = Int32(truncatingIfNeeded: try connection.integer("PRAGMA application_id") ?? 0)
    guard id == StoreLayout.applicationID else {
      throw StorageError.notAStore(path: path, applicationID: id)
    }
    do {
      // Leaving WAL takes a lock that every open connection of whatever process stands against.
      _ = try connection.texts("PRAGMA journal_mode = DELETE")
    } catch {
      guard error.code.primary == .busy else { throw error }
      throw StorageError.inUse(path: path, doing: purpose)
    }
  }
}
