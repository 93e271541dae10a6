import AtollSQLite
package import AtollVocabulary

/// What a person is shown of one cell of an object.
package enum ShownCell: Hashable, Sendable {
  /// The value; of a link, the key of its target.
  case value(PersistedValue)
  /// Whether a to-one embedded object is there.
  case presence(Bool)
  /// How many elements a list, set or map has.
  case count(Int)
  /// What kind of thing an any-typed slot holds that is no value.
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
