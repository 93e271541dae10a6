import CSQLite

/// A trigger that is to be made, with the text that `CREATE TRIGGER` takes.
package struct TriggerText {
  package let name: String
  package let table: String
  package let sql: String

  package init(name: String, table: String, sql: String) {
    self.name = name
    self.table = table
    self.sql = sql
  }
}

extension Connection {
  /// Makes triggers of tables that stand.
  ///
  /// SQLite goes through its schema table after each `CREATE TRIGGER`, so that many would cost their
  /// square. Rows of many are written as it would write them, and the whole schema is read once. The
  /// caller is in a transaction, and rolls it back when this throws.
  package func makeTriggers(_ triggers: [TriggerText]) throws(SQLiteError) {
    // Few are made sooner than a large schema is read.
    guard triggers.count >= 32 else {
      for trigger in triggers { try execute(trigger.sql) }
      return
    }
    try withWritableSchema { () throws(SQLiteError) in try enter(triggers) }
  }

  private func enter(_ triggers: [TriggerText]) throws(SQLiteError) {
    let statement = try prepare(
      """
      INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) \
      VALUES ('trigger', ?, ?, 0, ?)
      """)
    defer { statement.finalize() }
    for trigger in triggers {
      statement.bind(trigger.name, at: 1)
      statement.bind(trigger.table, at: 2)
      statement.bind(trigger.sql, at: 3)
      try statement.run()
    }
    // Other connections read the schema again when this number changes.
    let version = try integer("PRAGMA schema_version") ?? 0
    try execute("PRAGMA schema_version = \((version + 1) % Int64(Int32.max))")
  }

  private func withWritableSchema(
    _ body: () throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    _ = csqlite_config_flag(handle, SQLITE_DBCONFIG_DEFENSIVE, 0)
    defer { _ = csqlite_config_flag(handle, SQLITE_DBCONFIG_DEFENSIVE, isDefensive ? 1 : 0) }
    try execute("PRAGMA writable_schema = ON")
    do {
      try body()
    } catch {
      sqlite3_exec(handle, "PRAGMA writable_schema = OFF", nil, nil, nil)
      throw error
    }
    try execute("PRAGMA writable_schema = RESET")
  }
}
