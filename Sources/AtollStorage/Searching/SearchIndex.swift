import AtollQuery
import AtollSQLite
import AtollVocabulary

/// A full-text or a spatial index: a virtual table of SQLite's beside the table of a class.
///
/// Its rows have the row ids of the objects. A full-text index keeps the words of each text
/// (``SearchWords``), joined by single spaces: FTS5 can only forget a text that it is given again, and
/// what is kept tells which texts have changed. A spatial index keeps a rectangle of degrees around each
/// point, whose edges SQLite rounds outwards. A text without words and an object without a point have
/// no row.
struct SearchIndex {
  let kind: IndexKind
  let property: StoredProperty
  let entry: ClassEntry
  /// The text, or the slot of the point.
  let node: FieldNode

  /// Classes of peers cannot have such a name, see `StoreLayout.isPlain`.
  var name: String { Self.name(kind, property.id) }

  static func name(_ kind: IndexKind, _ id: PropertyID) -> String {
    "atoll_\(kind == .spatial ? "spatial" : "text")_\(id.rawValue)"
  }

  /// The columns of the class that it depends on.
  var columns: ColumnSet {
    var columns = ColumnSet()
    for node in node.subtree { columns.insert(node.ordinal) }
    return columns
  }

  var creation: String { Self.creation(of: kind, named: name) }

  static func creation(of kind: IndexKind, named name: String) -> String {
    kind == .spatial
      ? "CREATE VIRTUAL TABLE \(name) USING rtree(id, west, east, south, north)"
      // The words are folded already; this tokenizer parts them at the spaces and changes nothing.
      : "CREATE VIRTUAL TABLE \(name) USING fts5(words, tokenize = 'ascii', columnsize = 0)"
  }

  /// The property as messages name it.
  var place: String { "\(entry.name).\(property.name)" }
}

extension Catalog {
  func makeSearchIndexes() -> [SearchIndex] {
    properties.compactMap { property in
      guard let kind = [.fullText, .spatial].first(where: { has($0, on: property.id) }),
        let entry = entry(property.owner), !entry.isEmbedded,
        entry.table.top.indices.contains(property.position),
        let node = entry.table.top[property.position]
      else { return nil }
      return SearchIndex(kind: kind, property: property, entry: entry, node: node)
    }
  }

  /// By class, the columns that some full-text or spatial index depends on.
  var searchedColumns: [ClassID: ColumnSet] {
    var columns: [ClassID: ColumnSet] = [:]
    for index in searchIndexes {
      columns[index.entry.id, default: ColumnSet()].formUnion(index.columns)
    }
    return columns
  }
}

// MARK: - What rows say

extension SearchIndex {
  /// The words of a row's text; nil if there are none.
  func words(of row: Int64) throws -> String? {
    let statement = try entry.table.value(node)
    statement.bind(row, at: 1)
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(at: 0) else { return nil }
    let words = SearchWords.joined(in: statement.string(at: 0))
    return words.isEmpty ? nil : words
  }

  /// The words that the index has of a row.
  func keptWords(of row: Int64) throws -> String? {
    let statement = try entry.table.statement("SELECT words FROM \(name) WHERE rowid = ?")
    statement.bind(row, at: 1)
    defer { statement.reset() }
    return try statement.step() ? statement.string(at: 0) : nil
  }

  /// The rectangle that a row's point is looked for in; nil without a point.
  func bounds(of row: Int64) throws -> GeoBounds? {
    guard let sql = pointSQL else { return nil }
    let statement = try entry.table.statement(sql)
    statement.bind(row, at: 1)
    defer { statement.reset() }
    guard try statement.step(), statement.string(at: 0) == "Point", !statement.isNull(at: 1),
      !statement.isNull(at: 2)
    else { return nil }
    return GeoBounds(
      around: GeoShape.Point(
        longitude: statement.double(at: 1), latitude: statement.double(at: 2)))
  }

  /// The condition under which a row is a point: type, longitude, latitude.
  private var pointSQL: String? {
    guard case .presence(let target) = node.kind,
      let point = entry.catalog.entry(target)?.storedClass,
      let type = point.geoType.flatMap({ node.child(at: $0.position) }),
      let elements = point.geoCoordinates.flatMap({ node.child(at: $0.position)?.elements }),
      let value = elements.value
    else { return nil }
    func coordinate(_ index: Int) -> String {
      """
      (SELECT \(value.sql) FROM \(elements.sql) WHERE _owner = t._id AND _removed = 0 \
      ORDER BY _position, _id LIMIT 1 OFFSET \(index))
      """
    }
    return """
      SELECT \(type.sql), \(coordinate(0)), \(coordinate(1)) FROM \(entry.table.sql) t WHERE _id = ?
      """
  }
}
