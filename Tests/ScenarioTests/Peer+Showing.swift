import AtollStorage
import AtollVocabulary
import Testing

// What a peer shows, as one writes it in a scenario: `2`, `nil`, `[0, 1, 50, 3]`, `T1`, `{5, 0}`;
// embedded objects as their fields in the order of the model, lists in them included.
extension Peer {
  /// A property of an object; "deleted" if the object is not there.
  func shows(_ property: String, of className: String = "Document", _ key: Int = 1) throws
    -> String
  {
    let type = try #require(try store.storedClass(named: className))
    guard let row = try store.row(of: type.id, key: .int(Int64(key))) else { return "deleted" }
    let named = try #require(type.property(named: property))
    return try text(FieldPath(named), of: type, row)
  }

  func exists(_ className: String = "Document", _ key: Int = 1) throws -> Bool {
    let type = try #require(try store.storedClass(named: className))
    return try store.find(type.id, key: .int(Int64(key))) != nil
  }

  private func text(_ path: FieldPath, of type: StoredClass, _ row: ObjectRow) throws -> String {
    let property = path.property
    if property.collection == .list {
      let elements = try store.elements(of: type.id, id: row.id, list: path)
      return "[\(try elements.map { try text($0, path, type, row) }.joined(separator: ", "))]"
    }
    let column = try #require(type.column(path.slots + [property]))
    let value = row.columns[column]
    guard property.type == .embedded else { return try text(value, property) }
    guard !value.isNull else { return "nil" }
    let inner = try store.storedClass(try #require(property.target))
    let fields = try inner.properties.map {
      try text(FieldPath(steps: path.steps + [.slot(property)], property: $0), of: type, row)
    }
    return "{\(fields.joined(separator: ", "))}"
  }

  private func text(
    _ element: StoredElement, _ list: FieldPath, _ type: StoredClass, _ row: ObjectRow
  ) throws -> String {
    switch element.value {
    case .scalar(let value): return try text(value, list.property)
    case .link(_, let id): return try text(.int(id.rawValue), list.property)
    case .collection(let kind): return kind.name
    case .embedded(let columns):
      let inner = try store.storedClass(try #require(list.property.target))
      let fields = try zip(inner.columns, columns).map { column, value in
        guard column.kind == .collection(.list), let property = column.properties.last else {
          return try text(value, column.properties[0])
        }
        let steps = list.steps + [.element(list.property, element.id)]
        return try text(FieldPath(steps: steps, property: property), of: type, row)
      }
      return "{\(fields.joined(separator: ", "))}"
    }
  }

  /// A link shows the first letter of its class and the key.
  private func text(_ value: PersistedValue, _ property: StoredProperty) throws -> String {
    switch value {
    case .int(let id) where property.type == .link:
      let target = try store.storedClass(try #require(property.target))
      let row = try #require(try store.row(of: target.id, id: RowID(id)))
      return "\(target.name.prefix(1))\(row.key)"
    case .string(let text): return text
    default: return value.description
    }
  }
}

extension FieldPath {
  /// The properties on the way, as long as it passes no list.
  fileprivate var slots: [StoredProperty] {
    steps.compactMap { if case .slot(let property) = $0 { property } else { nil } }
  }
}
