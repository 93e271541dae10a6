import AtollSQLite
import AtollVocabulary

extension StoreFile {
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
