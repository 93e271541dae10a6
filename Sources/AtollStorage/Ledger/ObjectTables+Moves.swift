import AtollChanges
import AtollSQLite
import AtollVocabulary

// Moves that were lost: to a later move, or with the element, the list or the object.
extension LedgerPlace {
  /// The place of a list's element among the others.
  init(positionOf row: LoadedRow) {
    cell = Cell(table: row.table.id, row: row.id, ordinal: RowState.position)
  }
}

extension ObjectTables {
  /// A move meets a place that another move gave, by `isLate` the earlier or the later of the two.
  ///
  /// No conflict if both put the element between the same neighbours.
  func recordMove(
    _ row: LoadedRow, to position: PositionKey, _ stamp: LocalStamp, isLate: Bool,
    _ source: MergeSource
  ) throws {
    guard isLedgerOpen, let held = row.state.exception(RowState.position)?.stamp?.stamp,
      held.author != stamp.author, try isLate || isConcurrent(held, with: source)
    else { return }
    let place = try self.position(of: row)
    guard try isElementBetween(place, position, row) else { return }
    let (losing, winning) = isLate ? (position, place) : (place, position)
    let (before, after) = isLate ? (stamp, held) : (held, stamp)
    try enter(
      Loss(
        rule: Self.rule(before, after), losing: .moved(losing), losingStamp: before,
        winning: .moved(winning), winningStamp: after),
      at: LedgerPlace(positionOf: row), source)
  }

  /// Notes where an element that ends had been moved to unseen.
  func recordMoved(_ row: LoadedRow, _ end: Ending, _ source: MergeSource) throws {
    guard let moved = row.state.exception(RowState.position)?.stamp?.stamp,
      try isConcurrent(moved, with: source)
    else { return }
    try enter(
      Loss(
        rule: end.rule, losing: .moved(try position(of: row)), losingStamp: moved,
        winning: end.winning, winningStamp: end.stamp),
      at: LedgerPlace(positionOf: row), source)
  }

  private func position(of row: LoadedRow) throws -> PositionKey {
    let statement = try row.table.statement("SELECT _position FROM \(row.table.sql) WHERE _id = ?")
    statement.bind(row.id, at: 1)
    defer { statement.reset() }
    return PositionKey(bytes: try statement.step() ? statement.bytes(at: 0) : [])
  }

  private func isElementBetween(
    _ one: PositionKey, _ other: PositionKey, _ row: LoadedRow
  ) throws -> Bool {
    let statement = try row.table.statement(
      """
      SELECT EXISTS (SELECT 1 FROM \(row.table.sql) WHERE _owner = ? AND _position > ?
      AND _position < ? AND _removed = 0 AND _id <> ?)
      """)
    statement.bind(row.owner, at: 1)
    statement.bind(min(one, other).bytes, at: 2)
    statement.bind(max(one, other).bytes, at: 3)
    statement.bind(row.id, at: 4)
    defer { statement.reset() }
    return try statement.step() && statement.int64(at: 0) != 0
  }

}
