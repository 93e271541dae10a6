import AtollQuery
import AtollSQLite
import AtollVocabulary

// Conditions on full-text and spatial indexes: the row ids of objects, for a condition to look
// among.
extension QueryCompiler {
  /// Tells whether the text at a path has the words of a search.
  mutating func searching(
    _ left: Predicate.Expression, _ right: Predicate.Expression
  ) throws -> String {
    let owner = scopes[0].table.owner.name
    guard case .path(let path) = left, let property = path.property else {
      throw StorageError.noFullTextIndex(class: owner, property: "a value")
    }
    guard schema.has(.fullText, on: property.id) else {
      throw StorageError.noFullTextIndex(
        class: schema.entry(property.owner)?.name ?? owner, property: property.name)
    }
    guard case .constant(let constant) = try side(right), case .string = constant.value
    else { return "0" }
    let index = asked(.fullText, property)
    let words = bind(constant, .search)
    return "\(try holder(of: path)) IN (SELECT rowid FROM \(index) WHERE words MATCH \(words))"
  }

  /// Tells whether the point at a path may be in an area, by its rectangle; nil if no index can tell.
  ///
  /// The rectangles around the area are given as ``GeoShape/constants`` has them.
  mutating func near(
    _ path: PropertyPath, _ rectangles: ArraySlice<QueryConstant>
  ) throws -> String? {
    guard let property = path.property, schema.has(.spatial, on: property.id),
      !rectangles.isEmpty
    else { return nil }
    let index = asked(.spatial, property)
    var selects: [String] = []
    for start in stride(from: rectangles.startIndex, to: rectangles.endIndex, by: 4) {
      let edges = rectangles[start..<(start + 4)].map { bind($0, .to(.double)) }
      selects.append(
        """
        SELECT id FROM \(index) WHERE west <= \(edges[1]) AND east >= \(edges[0]) \
        AND south <= \(edges[3]) AND north >= \(edges[2])
        """)
    }
    return "\(try holder(of: path)) IN (\(selects.joined(separator: " UNION ALL ")))"
  }

  /// The id of the object that has the property at the end of a path.
  ///
  /// Of a link as it stands: an index has no row of an object that is gone.
  private mutating func holder(of path: PropertyPath) throws -> String {
    try value(PropertyPath(scope: path.scope, steps: path.steps.dropLast())).raw
  }

  private mutating func asked(_ kind: IndexKind, _ property: StoredProperty) -> String {
    asksSearchIndex = true
    return SearchIndex.name(kind, property.id)
  }
}
