import AtollSQLite
package import AtollVocabulary

/// The rows of one query, read one by one as they are asked for.
///
/// It shows the snapshot it was made in to its end: when a write transaction begins on the same
/// file, or the snapshot is moved, the rows not yet read are taken into memory first.
package final class RowCursor {
  private let statement: Statement
  private let pool: StatementPool
  private let table: CellTable
  private let path: String
  // Every row asks for these; confined like the file, and never accessed twice at once.
  @exclusivity(unchecked) private var isAtEnd = false
  /// True if the statement was given back, and the snapshot let go.
  private var isFinished = false
  private var buffer: [ObjectRow] = []
  private var place = 0
  private var failure: (any Error)?
  private let lease: VersionLease?
  private let turns: RecursiveLock?
  fileprivate let entry = CursorEntry()
  /// True if rows can be read value by value: no column is any-typed, none is in memory yet, and no
  /// other thread uses the file.
  @exclusivity(unchecked) package private(set) var readsValues: Bool
  /// Called before rows are taken into memory: the cursor then leaves the one that ``advance()`` went to.
  package var willDetach: (() -> Void)?

  init(
    _ statement: Statement, of pool: StatementPool, _ table: CellTable, path: String,
    lease: VersionLease?, turns: RecursiveLock?
  ) {
    self.lease = lease
    self.turns = turns
    lease?.addCursor()
    self.statement = statement
    self.pool = pool
    self.table = table
    self.path = path
    readsValues = table.anyNodes.isEmpty && turns == nil
    entry.cursor = self
  }

  deinit {
    entry.cursor = nil
    if isFinished { return }
    if let turns { turns.withLock { finish() } } else { finish() }
  }

  /// The next row, nil after the last.
  package func next() throws(StorageError) -> ObjectRow? {
    guard let turns else { return try nextAlone() }
    return try turns.withLock { () throws(StorageError) in try nextAlone() }
  }

  private func nextAlone() throws(StorageError) -> ObjectRow? {
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

  /// Goes to the next row, of which nothing is read yet; false after the last.
  ///
  /// Only while ``readsValues``. The snapshot stays until the cursor goes.
  package func advance() throws(StorageError) -> Bool {
    do {
      return try move()
    } catch {
      throw StorageError(error, path: path, doing: "reading objects of \(table.owner.name)")
    }
  }

  /// A value of the row that the cursor is at, as ``ObjectRow/columns`` has it.
  package func value(_ column: Int) -> PersistedValue { table.value(column, of: statement) }

  /// The row id of the object that the cursor is at.
  package var id: RowID { RowID(statement.int64(at: 0)) }

  /// The key of the object that the cursor is at.
  package var key: PersistedValue { statement.value(table.owner.keyType, at: 1) }

  /// The whole row that the cursor is at.
  package func row() -> ObjectRow { table.objectRow(statement) }

  /// True if the statement still has rows to give.
  var isOpen: Bool { !isFinished }

  /// Takes what is left into memory and lets go of the snapshot.
  fileprivate func detach() {
    willDetach?()
    readsValues = false
    do {
      while let row = try read() { buffer.append(row) }
    } catch {
      if !isFinished { finish() }
      failure = error
    }
  }

  private func finish() {
    isAtEnd = true
    isFinished = true
    pool.give(statement)
    lease?.removeCursor()
  }

  private func read() throws -> ObjectRow? {
    if try move() { return table.objectRow(statement) }
    if !isFinished { finish() }
    return nil
  }

  private func move() throws -> Bool {
    // Stepped on after its end, a statement would begin again.
    if isAtEnd { return false }
    if try statement.step() { return true }
    isAtEnd = true
    return false
  }
}

/// The file's entry of a cursor, which does not keep it alive.
///
/// No weak reference: that would slow down every retain of the cursor, and reading has many.
private final class CursorEntry {
  /// Set to nil when the cursor goes.
  unowned(unsafe) var cursor: RowCursor?
}

/// The cursors of a file that may still be read.
struct CursorRegister {
  private var entries: [CursorEntry] = []

  mutating func add(_ cursor: RowCursor) {
    entries.removeAll { $0.cursor?.isOpen != true }
    entries.append(cursor.entry)
  }

  mutating func detach() {
    for entry in entries { entry.cursor?.detach() }
    entries = []
  }
}
