import AtollLog
import AtollSQLite

// Collection of the tombstones of removed list elements. Operations on a removed element are ignored, and
// so are those on an element that is not there: causality brings every insert before what is done to it.
// So a tombstone only fixes the places of elements that are inserted concurrently, by authors who may not
// know that the element existed.
extension ObjectTables {
  /// Collects the tombstones of elements whose inserts the checkpoint has, `rowsAtOnce` rows at a time, each
  /// time in a transaction that `transact` opens.
  func collectTombstones(_ transact: (() throws -> Void) throws -> Void) throws {
    let stored = Set(try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'table'"))
    for table in catalog.tables where table.holdsLists && stored.contains(table.name) {
      let last = Int(try connection.integer("SELECT max(_id) FROM \(table.sql)") ?? 0)
      for first in stride(from: 0, through: last, by: Self.rowsAtOnce) {
        try transact {
          try connection.execute(
            """
            DELETE FROM \(table.sql) WHERE _id BETWEEN \(first) AND \(first + Self.rowsAtOnce - 1)
            AND \(CellTable.isRemovedFromList)
            AND \(ChangesetLog.isInCheckpoint(author: "_mark >> 32", sequence: "_sequence"))
            """)
        }
      }
    }
  }

  /// Rows that are looked at in one transaction, for which writers wait.
  private static let rowsAtOnce = 10_000
}
