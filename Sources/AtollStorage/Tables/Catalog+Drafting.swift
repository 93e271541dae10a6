import AtollSQLite
import AtollVocabulary

// Tables that are new are made at once, with all their columns, when the growing has ended: SQLite
// reads the whole schema again after every column that is added to a table.
extension Catalog {
  /// Grows as `body` says, and then makes what it has drafted.
  ///
  /// Nothing may read a table in between. Calls inside one another end with the outermost.
  func growing<Value>(
    on connection: Connection, _ body: () throws -> Value
  ) throws -> Value {
    growthDepth += 1
    defer { growthDepth -= 1 }
    let value = try body()
    if growthDepth == 1 {
      if hasNewTargets {
        for table in tables where !table.anyNodes.isEmpty { table.forgetStatements() }
        hasNewTargets = false
      }
      try makeDrafts(on: connection)
    }
    return value
  }

  /// Drafts a table; its columns follow.
  func draft(_ table: CellTable, columns: [String], indexes: [String] = []) {
    table.draft = TableDraft(columns: columns, indexes: indexes)
    drafts.append(table)
  }

  /// Adds a column to a table that stands, or to the draft of one.
  func addColumn(
    _ name: String, _ type: String, to table: CellTable, on connection: Connection
  ) throws(SQLiteError) {
    guard table.kind != .layout else { return }
    guard table.draft == nil else {
      table.draft?.columns.append("\(name) \(type)")
      return
    }
    try connection.execute("ALTER TABLE \(table.sql) ADD COLUMN \(name) \(type)")
  }

  private func makeDrafts(on connection: Connection) throws(SQLiteError) {
    let waiting = drafts
    drafts = []
    var made: [String] = []
    for table in waiting {
      guard let draft = table.draft else { continue }
      table.draft = nil
      let create = "CREATE TABLE \(table.sql) (\(draft.columns.joined(separator: ", ")))"
      try connection.execute(([create] + draft.indexes).joined(separator: ";\n"))
      made.append(table.name)
    }
    try TableGuards.make(for: made, on: connection)
  }
}

/// A draft of a table that does not exist yet.
struct TableDraft {
  /// With their types and constraints.
  var columns: [String]
  /// Statements that make its indexes.
  var indexes: [String]
}
