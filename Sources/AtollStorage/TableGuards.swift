import AtollSQLite

/// The triggers that refuse what other programs would change in a table of a store.
///
/// Connections of this project do not fire triggers.
enum TableGuards {
  /// Makes those of `tables`, in the transaction that made the tables.
  ///
  /// A file of this process alone needs none.
  static func make(for tables: [String], on connection: Connection) throws(SQLiteError) {
    guard !StoreFile.isPrivate(connection.path) else { return }
    try connection.makeTriggers(tables.flatMap(triggers))
  }

  /// Those of one table.
  static func triggers(of table: String) -> [TriggerText] {
    let text = table.replacing("'", with: "''")
    return ["INSERT", "UPDATE", "DELETE"].map { action in
      let name = "refuse \(action.lowercased()) \(table)"
      return TriggerText(
        name: name, table: table,
        sql: """
          CREATE TRIGGER \(StoreLayout.quoted(name)) \
          BEFORE \(action) ON \(StoreLayout.quoted(table)) BEGIN \
          SELECT RAISE(ABORT, '\(text) belongs to Atoll: change it through an application or the \
          atoll command, so that peers hear of it'); END
          """)
    }
  }
}
