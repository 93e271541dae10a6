import AtollStorage
import AtollVocabulary
import Testing

// The text of a peer's values, as one writes them in a scenario: `2`, `nil`, `[0, 1, 50, 3]`, `T1`,
// `{5, 0}`; embedded objects as their fields in the order of the model, collections in them
// included; sets as `{1, 5}`, maps as `{a: 1}`, and the contents of any-typed slots likewise.
extension Peer {
  /// A property of an object; "deleted" if the object is not there.
  func shows(_ property: String, of className: String = "Document", _ key: Int = 1) throws
    -> String
  {
    let type = try #require(try store.storedClass(named: className))
    guard let row = try store.row(of: type.id, key: .int(Int64(key))) else { return "deleted" }
    let named = try #require(type.property(named: property))
    return try Showing(store: store, type: type, row: row).text(FieldPath(named))
  }

  func exists(_ className: String = "Document", _ key: Int = 1) throws -> Bool {
    let type = try #require(try store.storedClass(named: className))
    return try store.find(type.id, key: .int(Int64(key))) != nil
  }
}

/// The text of one object's properties.
private struct Showing {
  let store: StoreFile
  let type: StoredClass
  let row: ObjectRow

  func text(_ path: FieldPath) throws -> String {
    let property = path.property
    guard property.collection == .none else { return try text(property.collection, path) }
    let column = try #require(type.column(path.slots + [property]))
    if let other = row.others[column] { return try text(other, in: path.inside()) }
    let value = row.columns[column]
    switch property.type {
    case .embedded:
      return value.isNull ? "nil" : try fields(of: property, path.steps + [.slot(property)])
    case .link:
      guard case .int(let id) = value else { return "nil" }
      return try text(try #require(property.target), RowID(id))
    case .bool, .int, .float, .double, .string, .data, .date, .uuid, .objectId, .identity,
      .decimal, .any:
      return text(value)
    }
  }

  /// The fields of an embedded object, whose own class says which.
  private func fields(of property: StoredProperty, _ steps: [FieldPath.Step]) throws -> String {
    let inner = try store.storedClass(try #require(property.target))
    let fields = try inner.properties.map { try text(FieldPath(steps: steps, property: $0)) }
    return "{\(fields.joined(separator: ", "))}"
  }

  private func text(_ kind: CollectionKind, _ path: FieldPath) throws -> String {
    switch kind {
    case .none: return ""
    case .list:
      let elements = try store.elements(of: type.id, id: row.id, list: path)
      return "[\(try elements.map { try text($0, in: path) }.joined(separator: ", "))]"
    case .set:
      let members = try store.members(of: type.id, id: row.id, set: path)
      return "{\(try members.map { try text($0, in: path) }.joined(separator: ", "))}"
    case .map:
      let entries = try store.entries(of: type.id, id: row.id, map: path)
      let texts = try entries.map { "\($0.key): \(try text($0.element, in: path))" }
      return "{\(texts.joined(separator: ", "))}"
    }
  }

  private func text(_ element: StoredElement, in path: FieldPath) throws -> String {
    guard case .embedded(let columns) = element.value else {
      return try text(element.value, in: path.inside(element.id))
    }
    let inner = try store.storedClass(try #require(path.property.target))
    let fields = try zip(inner.columns, columns).map { column, value in
      guard let property = column.properties.last, property.collection != .none else {
        return text(value)
      }
      let steps = path.steps + [.element(path.property, element.id)]
      return try text(FieldPath(steps: steps, property: property))
    }
    return "{\(fields.joined(separator: ", "))}"
  }

  /// `path` leads to the collection, if the value is one.
  private func text(_ value: StoredElement.Value, in path: FieldPath) throws -> String {
    switch value {
    case .scalar(let scalar): text(scalar)
    case .link(let target, let id): try text(target, id)
    case .embedded(let columns): "{\(columns.map(text).joined(separator: ", "))}"
    case .collection(let kind): try text(kind, path)
    }
  }

  /// The first letter of the target's class, and its key.
  private func text(_ target: ClassID, _ id: RowID) throws -> String {
    let row = try #require(try store.row(of: target, id: id))
    return "\(try store.storedClass(target).name.prefix(1))\(row.key)"
  }

  private func text(_ value: PersistedValue) -> String {
    if case .string(let text) = value { text } else { value.description }
  }
}

extension FieldPath {
  /// The properties on the way, as long as it passes no collection.
  fileprivate var slots: [StoredProperty] {
    steps.compactMap { if case .slot(let property) = $0 { property } else { nil } }
  }

  /// The collection in the any-typed slot at the end, or in an element or entry of it.
  func inside(_ element: ElementID? = nil) -> FieldPath {
    var path = self
    path.nested = (nested ?? []) + (element.map { [$0] } ?? [])
    return path
  }
}
