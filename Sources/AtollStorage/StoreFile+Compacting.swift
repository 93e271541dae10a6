import AtollSQLite
import AtollVocabulary

// The disk space of the database and of its write-ahead log.
extension StoreFile {
  /// Writes the database anew without its unused pages, under the write lock.
  ///
  /// Readers go on with what they see; the file is shorter once the last of them has ended.
  ///
  /// - Returns: The bytes of the database before and after.
  /// - Throws: `diskFull` if a second copy does not fit on the disk; nothing is changed then.
  package func compact() throws(StorageError) -> (before: Int64, after: Int64) {
    try checkpoint()
    let before = try databaseBytes()
    try underWriteLock("compacting") { try connection.execute("VACUUM") }
    try checkpoint()
    return (before, try databaseBytes())
  }

  /// The bytes of the database, and those of them that hold anything.
  package func byteCounts() throws(StorageError) -> (total: Int64, used: Int64) {
    let total = try databaseBytes()
    return try doing("measuring the database") {
      let free = try connection.integer("PRAGMA freelist_count") ?? 0
      return (total, total - free * (try connection.integer("PRAGMA page_size") ?? 0))
    }
  }

  private func databaseBytes() throws(StorageError) -> Int64 {
    try doing("measuring the database") {
      let pages = try connection.integer("PRAGMA page_count") ?? 0
      return pages * (try connection.integer("PRAGMA page_size") ?? 0)
    }
  }

  /// Moves the write-ahead log into the database now, as far as no reader needs it.
  ///
  /// The file does so by itself when the log has grown long.
  package func checkpoint() throws(StorageError) {
    try underWriteLock("moving the write-ahead log into the database") {
      try connection.checkpoint()
    }
  }

  /// Does something that no writer of any process may do at the same time, outside transactions.
  func underWriteLock(_ words: String, _ body: () throws -> Void) throws(StorageError) {
    try doing(words) {
      guard transaction == nil else {
        throw StorageError.alreadyInTransaction(doing: words)
      }
      try lock?.acquire(timeout: options.lockTimeout)
      defer { lock?.release() }
      try body()
    }
  }
}
