import AtollSQLite
package import AtollVocabulary

/// The form of an object's cell for people.
package enum ShownCell: Hashable, Sendable {
  /// The value; of a link, the key of its target.
  case value(PersistedValue)
  /// A to-one embedded object, present or not.
  case presence(Bool)
  /// The number of elements of a list, set or map.
  case count(Int)
  /// The kind of an any-typed slot that holds no value.
  case kind(String)
}

extension Statement {
  /// The cell at `place`, which is moved behind it.
  func cell(
    of node: FieldNode, _ catalog: Catalog, _ place: inout Int32
  ) -> ShownCell {
    defer { place += node.isAny ? 2 : 1 }
    switch node.kind {
    case .scalar(.any):
      return switch anyValue(at: place, type: place + 1) {
      case .scalar(let value): .value(value)
      case .collection(let kind): .kind(kind == .list ? "list" : "dictionary")
      case .link, .embedded: .kind("object")
      }
    case .scalar(let type): return .value(value(type, at: place))
    case .presence: return .presence(!isNull(at: place))
    case .link(let target):
      return .value(catalog.entry(target).map { value($0.keyType, at: place) } ?? .null)
    case .collection: return .count(Int(int64(at: place)))
    }
  }
}
