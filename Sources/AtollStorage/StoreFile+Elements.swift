import AtollChanges
import AtollSQLite
import AtollVocabulary

// List elements as operations change them. A removed element keeps its row, empty, as a tombstone:
// later operations on it are ignored, and its place still separates its neighbours.
extension StoreFile {
  func mergeInsert(
    _ place: Place, _ position: PositionKey, _ value: FieldValue, _ stamp: LocalStamp,
    _ source: MergeSource
  ) throws {
    guard let table = place.node.list, let node = table.top.first ?? nil else { return }
    try expandIfDeep(node, value, source)
    let statement = try table.insert()
    statement.clear()
    var state = RowState(base: stamp)
    let order = CellStamp(isAssigned: true, stamp: stamp)
    try self.place(value, at: node, order, statement, &state, source)
    statement.bind(place.row.id, at: 2)
    statement.bind(source.sequence.rawValue, at: 3)
    statement.bind(stamp.time, at: 4)
    statement.bind(stamp.mark, at: 5)
    statement.bind(state.assigned, at: 6)
    statement.bind(state.recorded, at: 7)
    if !state.exceptions.isEmpty { statement.bind(state.exceptionBytes, at: 8) }
    statement.bind(position.bytes, at: 9)
    try statement.run()
    transaction?.madeID = connection.lastInsertedRow
    noteList(place)
  }

  func mergeMove(
    _ row: LoadedRow, _ place: Place, _ position: PositionKey, _ stamp: LocalStamp
  ) throws {
    let new = CellStamp(isAssigned: true, stamp: stamp)
    guard try order(new) > order(row.state.positionOrder) else { return }
    row.state.setOrder(new, at: RowState.position, steps: 0)
    let statement = try row.table.statement(
      "UPDATE \(row.table.sql) SET _position = ?, _stamps = ? WHERE _id = ?")
    statement.bind(position.bytes, at: 1)
    statement.bind(row.state.exceptionBytes, at: 2)
    statement.bind(row.id, at: 3)
    try statement.run()
    noteList(place)
  }

  /// Empties an element for good, with the lists inside it.
  func removeElement(_ row: LoadedRow) throws {
    for node in row.table.nodes where node.isList { try deleteElements(of: node, owner: row.id) }
    let values = row.table.columns.map { "\($0.sql) = NULL" }.joined(separator: ", ")
    let statement = try row.table.statement(
      """
      UPDATE \(row.table.sql) SET _removed = 1, _stamps = NULL, _recorded = 0, _assigned = 0, \
      \(values) WHERE _id = ?
      """)
    statement.bind(row.id, at: 1)
    try statement.run()
    transaction?.loadedRow = nil
  }

  /// Takes away every element of a list whose owner, or whose instance around it, is gone.
  func deleteElements(of list: FieldNode, owner: Int64) throws {
    guard let table = list.list else { return }
    if table.nodes.contains(where: \.isList) {
      let ids = try table.statement("SELECT _id FROM \(table.sql) WHERE _owner = ?")
      ids.bind(owner, at: 1)
      var elements: [Int64] = []
      while try ids.step() { elements.append(ids.int64(at: 0)) }
      for node in table.nodes where node.isList {
        for element in elements { try deleteElements(of: node, owner: element) }
      }
    }
    let statement = try table.statement("DELETE FROM \(table.sql) WHERE _owner = ?")
    statement.bind(owner, at: 1)
    try statement.run()
    if transaction?.view?.table === table { transaction?.view = nil }
    if transaction?.loadedRow?.table === table { transaction?.loadedRow = nil }
  }
}
