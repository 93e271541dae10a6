import AtollSQLite
import AtollVocabulary

extension StoreFile {
  /// Moves the write-ahead log into the database now, as far as no reader needs it.
  ///
  /// The file does so by itself when the log has grown long.
  package func checkpoint() throws(StorageError) {
    try doing("moving the write-ahead log into the database") {
      guard transaction == nil else {
        throw StorageError.alreadyInTransaction(doing: "moving the log")
      }
      do {
        try lock?.acquire(timeout: options.lockTimeout)
      } catch WriteLock.Failure.timedOut(let holder) {
        throw StorageError.locked(path: path, holder: holder, waited: options.lockTimeout)
      }
      defer { lock?.release() }
      try connection.checkpoint()
    }
  }
}
