import AtollChanges
import AtollSQLite
import AtollVocabulary

/// The rows of a table that a digest covers, and their parts.
enum DigestRows: Hashable {
  /// Every object.
  case all
  /// One row by `_id`.
  case row
  /// One row by `_id`, only the cells in and below a node.
  case node(Int)
  /// The elements of a container, by `_owner`.
  case held
}

// Rows as digests read them: `_id`, key and generation of an object or `_sequence` and `_removed` of an
// element, the five of stamps, `_position` and `_key` as far as there are any, then every column as
// it stands and the types of the any-typed ones.
extension CellTable {
  /// The index of the first column.
  static let firstDigestColumn: Int32 = 10

  func digestStatement(_ rows: DigestRows) throws(SQLiteError) -> Statement {
    if let statement = digestStatements[rows] { return statement }
    let statement = try connection.prepare(digestSQL(rows))
    digestStatements[rows] = statement
    return statement
  }

  private func digestSQL(_ rows: DigestRows) -> String {
    switch rows {
    case .all: "SELECT \(digestColumns(nodes)) FROM \(sql)"
    case .row: "SELECT \(digestColumns(nodes)) FROM \(sql) WHERE _id = ?"
    case .node(let ordinal):
      "SELECT \(digestColumns(nodes[ordinal].subtree)) FROM \(sql) WHERE _id = ?"
    case .held: "SELECT \(digestColumns(nodes)) FROM \(sql) WHERE _owner = ?"
    }
  }

  func digestColumns(_ wanted: [FieldNode]) -> String {
    let head = kind == .objects ? [keySQL, "_life"] : ["_sequence", "_removed"]
    let places = ["_position", "_key"].map { placeColumns.contains($0) ? $0 : "NULL" }
    let ordinals = Set(wanted.map(\.ordinal))
    let values = nodes.map { ordinals.contains($0.ordinal) && !$0.isCollection ? $0.sql : "NULL" }
    let types = anyNodes.map { ordinals.contains($0.ordinal) ? $0.typeSQL : "NULL" }
    return
      (["_id"] + head + ["_time", "_mark", "_assigned", "_recorded", "_stamps"] + places + values
      + types).joined(separator: ", ")
  }
}

/// The present row of a ``CellTable/digestStatement(_:)``.
struct DigestedRow {
  let table: CellTable
  let statement: Statement

  var id: Int64 { statement.int64(at: 0) }
  /// Of an object.
  var key: PersistedValue { statement.value(table.owner.keyType, at: 1) }
  var generation: Generation { Generation(UInt32(truncatingIfNeeded: statement.int64(at: 2))) }
  /// Of an element.
  var sequence: SequenceNumber { SequenceNumber(statement.uint64(at: 1)) }
  var isRemoved: Bool { statement.int64(at: 2) != 0 }

  var state: RowState {
    var state = RowState(
      base: LocalStamp(time: statement.uint64(at: 3), mark: statement.uint64(at: 4)),
      assigned: statement.uint64(at: 5), recorded: statement.uint64(at: 6))
    if !statement.isNull(at: 7) { state.exceptions = RowState.exceptions(statement.bytes(at: 7)) }
    return state
  }

  func place(_ state: RowState) -> ElementPlace {
    if !statement.isNull(at: 9) { return .entry(statement.string(at: 9)) }
    if statement.isNull(at: 8) { return .member }
    return .listed(PositionKey(bytes: statement.bytes(at: 8)), state.positionOrder)
  }

  func column(_ node: FieldNode) -> Int32 {
    CellTable.firstDigestColumn + Int32(node.ordinal)
  }

  /// The type in the column beside an any-typed value; nil for nil.
  func tag(_ node: FieldNode) -> Int64? {
    guard let place = table.anyNodes.firstIndex(where: { $0 === node }) else { return nil }
    let column = CellTable.firstDigestColumn + Int32(table.nodes.count + place)
    return statement.isNull(at: column) ? nil : statement.int64(at: column)
  }

  /// The collections, and the any-typed values that hold one.
  var holders: [FieldNode] {
    table.nodes.filter { node in
      guard node.elements != nil else { return false }
      return node.isCollection || tag(node).flatMap(ValueTag.kind) != nil
    }
  }
}
