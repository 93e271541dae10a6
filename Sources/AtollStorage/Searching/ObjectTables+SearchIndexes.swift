import AtollQuery
import AtollSQLite
import AtollVocabulary

// Full-text and spatial indexes are brought up to the rows that a transaction has changed.
extension ObjectTables {
  func fill(_ index: SearchIndex) throws {
    let rows = try connection.prepare("SELECT _id FROM \(index.entry.table.sql) ORDER BY _id")
    defer { rows.finalize() }
    while try rows.step() { try bring(index, to: rows.int64(at: 0)) }
  }

  /// Brings the indexes to what the transaction has written so far.
  func bringSearchIndexesUp(_ transaction: WriteTransaction) throws {
    guard transaction.changes.unindexedCount > 0 else { return }
    // An R*Tree is not written while somebody reads it.
    cursors.detach()
    let rows = transaction.changes.takeUnindexed().mapValues { $0.sorted() }
    for index in catalog.searchIndexes {
      for row in rows[index.entry.id] ?? [] { try bring(index, to: row) }
    }
  }

  /// The same before more has gathered than is to be kept in memory.
  func bringSearchIndexesUpIfLong() throws {
    guard let transaction, transaction.changes.unindexedCount > Limits.unindexedRows else { return }
    try bringSearchIndexesUp(transaction)
  }

  private func bring(_ index: SearchIndex, to row: Int64) throws {
    switch index.kind {
    case .value: return
    case .fullText:
      let words = try index.words(of: row)
      guard try words != index.keptWords(of: row) else { return }
      guard let words else { return try remove(row, "rowid", from: index) }
      let statement = try index.entry.table.statement(
        "INSERT OR REPLACE INTO \(index.name) (rowid, words) VALUES (?, ?)")
      statement.bind(row, at: 1)
      statement.bind(words, at: 2)
      try statement.run()
    case .spatial:
      guard let bounds = try index.bounds(of: row) else {
        return try remove(row, "id", from: index)
      }
      let statement = try index.entry.table.statement(
        "INSERT OR REPLACE INTO \(index.name) VALUES (?, ?, ?, ?, ?)")
      statement.bind(row, at: 1)
      statement.bind(bounds.west, at: 2)
      statement.bind(bounds.east, at: 3)
      statement.bind(bounds.south, at: 4)
      statement.bind(bounds.north, at: 5)
      try statement.run()
    }
  }

  private func remove(_ row: Int64, _ column: String, from index: SearchIndex) throws {
    let statement = try index.entry.table.statement(
      "DELETE FROM \(index.name) WHERE \(column) = ?")
    statement.bind(row, at: 1)
    try statement.run()
  }
}
