import AtollSQLite
package import AtollVocabulary

// Whether this file's node exchanges anything with others. Not replicated, and no commit.
extension StoreFile {
  /// Since when nothing is exchanged with other nodes, by this machine's clock; nil while it is.
  package func pausedSince() throws(StorageError) -> WallTime? {
    try doing("looking whether exchange is paused") {
      let statement = try statement("SELECT since FROM atoll_pause")
      defer { statement.reset() }
      return try statement.step() ? WallTime(milliseconds: statement.int64(at: 0)) : nil
    }
  }

  /// Has nothing exchanged with other nodes until ``resume()``, whoever serves the file.
  ///
  /// Writing goes on, and so do applications of the same file.
  package func pause() throws(StorageError) {
    try changeTrust("pausing exchange") {
      let statement = try statement("INSERT OR IGNORE INTO atoll_pause VALUES (1, ?)")
      statement.bind(options.wallClock().milliseconds, at: 1)
      try statement.run()
    }
  }

  /// Has exchange go on; nothing happens if it was not paused.
  package func resume() throws(StorageError) {
    try changeTrust("resuming exchange") { try statement("DELETE FROM atoll_pause").run() }
  }
}
