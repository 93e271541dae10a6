import CSQLite

extension Connection {
  /// Writes every page of the database, as this connection sees it, into another one, which is empty.
  ///
  /// Inside a read transaction that is the transaction's snapshot, which `VACUUM INTO` cannot take.
  /// Room that deleted rows have left is copied too.
  package func copyPages(to other: Connection) throws(SQLiteError) {
    try checkIsOpen("copying pages")
    try other.checkIsOpen("taking pages")
    guard let backup = sqlite3_backup_init(other.handle, "main", handle, "main") else {
      throw SQLiteError(sqlite3_errcode(other.handle), of: other.handle)
    }
    sqlite3_backup_step(backup, -1)
    // It says what the step said, unless that was the end.
    let code = sqlite3_backup_finish(backup)
    guard code == SQLITE_OK else { throw SQLiteError(code, of: other.handle) }
  }
}
