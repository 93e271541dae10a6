import AtollSQLite
package import AtollQuery
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

extension StoreFile {
  /// Shows `body` the objects of a query: the key, and the cells of ``StoredClass/columns``.
  ///
  /// One statement, however many links and collections there are; one object is in memory at a time.
  package func forEachShown(
    of query: StoreQuery, _ body: ([ShownCell]) -> Void
  ) throws(StorageError) {
    try doing("reading objects") {
      let table = try objects(query.source)
      let statement = try compiled(query, .cells)
      defer { caches.queries.give(statement) }
      while try statement.step() {
        var cells: [ShownCell] = [.value(statement.value(table.owner.keyType, at: 0))]
        var place: Int32 = 1
        for node in table.nodes { cells.append(statement.cell(of: node, catalog, &place)) }
        body(cells)
      }
    }
  }
}

extension Statement {
  /// The cell at `place`, which is moved behind it.
  fileprivate func cell(
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
