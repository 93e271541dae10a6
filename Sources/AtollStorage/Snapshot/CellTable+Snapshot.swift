import AtollSQLite

extension CellTable {
  /// Every row but removed list elements, ascending by number, as ``DigestedRow`` reads it; `_owner` of
  /// an element at its end.
  var snapshotSQL: String {
    let owner = kind == .objects ? "" : ", _owner"
    let present = holdsLists ? " WHERE NOT (\(Self.isRemovedFromList))" : ""
    return "SELECT \(digestColumns(nodes))\(owner) FROM \(sql)\(present) ORDER BY _id"
  }

  /// True if elements of lists may be among the rows.
  var holdsLists: Bool { placeColumns.contains("_position") }

  static let isRemovedFromList = "_removed = 1 AND _position IS NOT NULL"
}

extension DigestedRow {
  /// Of an element, in a row of ``CellTable/snapshotSQL``.
  var owner: Int64 {
    statement.int64(
      at: CellTable.firstDigestColumn + Int32(table.nodes.count + table.anyNodes.count))
  }
}
