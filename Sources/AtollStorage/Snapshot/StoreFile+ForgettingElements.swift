import AtollSQLite

// Removed list elements. Operations on them are ignored, and so are operations on an element that is not
// there, for causality brings every insert before what is done to it. So nothing depends on their rows
// but where the next ones are put, concurrently with others: as long as those may not know of the element.
extension StoreFile {
  /// Forgets the removed elements whose inserts the base has, a few rows at a time.
  func forgetRemovedElements() throws {
    let stored = Set(try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'table'"))
    for table in catalog.tables where table.holdsLists && stored.contains(table.name) {
      let last = Int(try connection.integer("SELECT max(_id) FROM \(table.sql)") ?? 0)
      for first in stride(from: 0, through: last, by: Self.rowsAtOnce) {
        try quietly("forgetting removed list elements") {
          try connection.execute(
            """
            DELETE FROM \(table.sql) WHERE _id BETWEEN \(first) AND \(first + Self.rowsAtOnce - 1)
            AND \(CellTable.isRemovedFromList) AND EXISTS (
              SELECT 1 FROM atoll_base b
              WHERE b.author = _mark >> 32 AND b.sequence >= _sequence)
            """)
        }
      }
    }
  }

  /// Rows that are looked at in one transaction, for which writers wait.
  private static let rowsAtOnce = 10_000
}
