import AtollSQLite
import AtollVocabulary

/// The columns of the elements of one table, and the values that they make together.
///
/// For embedded objects there is one field for each column of the embedded class, in its order; nil
/// where the table does not go so deep.
struct ElementLayout {
  let revision: Int64
  private let value: FieldNode
  private let fields: [FieldNode?]
  /// The any-typed ones among the value (−1) and the fields, in the order of their types' columns.
  private let anyPlaces: [Int]
  /// The selected columns of the alias `e`, value and fields first, then the types of the any-typed
  /// ones.
  let columns: String

  init(of value: FieldNode, revision: Int64) {
    let table = value.table
    self.value = value
    self.revision = revision
    fields = table.layoutNodes
    let nodes = [value] + fields
    anyPlaces = nodes.indices.filter { nodes[$0]?.isAny == true }.map { $0 - 1 }
    columns =
      (nodes.map { $0.map { table.columnValue($0, "e") } ?? "NULL" }
      + nodes.compactMap { $0 }.filter(\.isAny).map { "e.\($0.typeSQL)" })
      .joined(separator: ", ")
  }

  /// The element in the present row, whose selected columns start at `first`.
  func element(_ statement: Statement, id: Int64, at first: Int32) -> StoredElement {
    let types = first + 1 + Int32(fields.count)
    switch value.kind {
    case .scalar(.any):
      return StoredElement(
        id: ElementID(id), value: statement.anyValue(at: first, type: types))
    case .scalar(let type):
      return StoredElement(id: ElementID(id), value: .scalar(statement.value(type, at: first)))
    case .link(let target):
      return StoredElement(
        id: ElementID(id),
        value: statement.isNull(at: first)
          ? .scalar(.null) : .link(target, RowID(statement.int64(at: first))))
    case .presence where !statement.isNull(at: first):
      return embedded(statement, id, first, types)
    case .presence, .collection: return StoredElement(id: ElementID(id), value: .scalar(.null))
    }
  }

  private func embedded(
    _ statement: Statement, _ id: Int64, _ first: Int32, _ types: Int32
  ) -> StoredElement {
    var columns = fields.enumerated().map { index, node in
      node.map { statement.value($0.kind.columnType, at: first + 1 + Int32(index)) } ?? .null
    }
    var others: [Int: StoredElement.Value] = [:]
    for (place, index) in anyPlaces.enumerated() {
      let read = statement.anyValue(at: first + 1 + Int32(index), type: types + Int32(place))
      if case .scalar(let scalar) = read { columns[index] = scalar } else { others[index] = read }
    }
    return StoredElement(
      id: ElementID(id), value: .embedded(columns), others: others,
      instance: statement.int64(at: first))
  }
}

extension Statement {
  /// An any-typed value and its type; a link whose target is gone was selected as NULL.
  func anyValue(at index: Int32, type: Int32) -> StoredElement.Value {
    guard !isNull(at: type) else { return .scalar(.null) }
    let tag = int64(at: type)
    if let kind = ValueTag.kind(tag) { return .collection(kind) }
    if isNull(at: index) { return .scalar(.null) }
    if let target = ValueTag.target(tag) { return .link(target, RowID(int64(at: index))) }
    return .scalar(ValueTag.type(tag).map { value($0, at: index) } ?? .null)
  }
}

extension CellTable {
  /// For a collection of embedded objects: the node of each column of the embedded class, in its
  /// order; nil where this table does not have it.
  fileprivate var layoutNodes: [FieldNode?] {
    guard let value, case .presence(let target) = value.kind,
      let layout = owner.catalog.entry(target)?.table
    else { return [] }
    return layout.nodes.map { node in
      node.way.reduce(value) { $0?.child(at: $1.property.position) }
    }
  }
}
