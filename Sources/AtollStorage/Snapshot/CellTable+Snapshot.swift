import AtollSQLite

extension CellTable {
  /// Every row, ascending by number, as ``DigestedRow`` reads it; `_owner` of an element at its end.
  var snapshotSQL: String {
    let owner = kind == .objects ? "" : ", _owner"
    return "SELECT \(digestColumns(nodes))\(owner) FROM \(sql) ORDER BY _id"
  }
}

extension DigestedRow {
  /// Of an element, in a row of ``CellTable/snapshotSQL``.
  var owner: Int64 {
    statement.int64(
      at: CellTable.firstDigestColumn + Int32(table.nodes.count + table.anyNodes.count))
  }
}
