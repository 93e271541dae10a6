import AtollSQLite

/// The rows of one query, read one by one as they are asked for.
///
/// It shows the snapshot it was made in to its end: when a write transaction begins on the same
/// file, or the snapshot is moved, the rows not yet read are taken into memory first.
package final class RowCursor {
  private let statement: Statement
  private let pool: StatementPool
  private let table: CellTable
  private let path: String
  private var isAtEnd = false
  private var buffer: [ObjectRow] = []
  private var place = 0
  private var failure: (any Error)?

  init(_ statement: Statement, of pool: StatementPool, _ table: CellTable, path: String) {
    self.statement = statement
    self.pool = pool
    self.table = table
    self.path = path
  }

  deinit { if !isAtEnd { pool.give(statement) } }

  /// The next row, nil after the last.
  package func next() throws(StorageError) -> ObjectRow? {
    do {
      if place < buffer.count {
        place += 1
        return buffer[place - 1]
      }
      if let failure { throw failure }
      return try read()
    } catch {
      throw StorageError(error, path: path, doing: "reading objects of \(table.owner.name)")
    }
  }

  /// Whether the statement still has rows to give.
  var isOpen: Bool { !isAtEnd }

  /// Takes what is left into memory and lets go of the snapshot.
  func detach() {
    do {
      while let row = try read() { buffer.append(row) }
    } catch {
      finish()
      failure = error
    }
  }

  private func finish() {
    isAtEnd = true
    pool.give(statement)
  }

  private func read() throws -> ObjectRow? {
    guard !isAtEnd else { return nil }
    guard try statement.step() else {
      finish()
      return nil
    }
    return table.objectRow(statement)
  }
}

/// The cursors of a file that may still be read.
struct CursorRegister {
  private struct Entry {
    weak var cursor: RowCursor?
  }

  private var entries: [Entry] = []

  mutating func add(_ cursor: RowCursor) {
    entries.removeAll { $0.cursor?.isOpen != true }
    entries.append(Entry(cursor: cursor))
  }

  mutating func detach() {
    for entry in entries { entry.cursor?.detach() }
    entries = []
  }
}
