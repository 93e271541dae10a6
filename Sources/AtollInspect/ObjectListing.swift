import AtollQuery
import AtollStorage
import AtollVocabulary

extension Inspection {
  /// The values that a column shows, as a path of properties.
  fileprivate func path(_ name: String, of subject: StoredClass) throws -> PropertyPath {
    if let key = subject.key, key.name == name { return PropertyPath(key) }
    guard let column = subject.columns.first(where: { $0.path.joined(separator: ".") == name })
    else { throw InspectionError.noSuchColumn(name, class: subject.name) }
    return PropertyPath(column.properties)
  }
}

/// Objects of one class, all or those that satisfy a predicate, not read yet.
///
/// Within one ``Inspection/atOneMoment(_:)`` with the call that made it, its columns and objects fit together.
package struct ObjectListing {
  private let inspection: Inspection
  private let query: StoreQuery
  /// The names of the columns: the key's, or `identity` for hidden ones, then paths with dots between.
  package let columns: [String]

  fileprivate init(_ inspection: Inspection, _ query: StoreQuery, _ subject: StoredClass) {
    self.inspection = inspection
    self.query = query
    columns =
      [subject.key?.name ?? "identity"] + subject.columns.map { $0.path.joined(separator: ".") }
  }

  /// Shows `body` each object: its key and its cells, as ``columns`` has them; one is in memory at a time.
  package func forEach(_ body: ([ObjectCell]) -> Void) throws {
    try inspection.atOneMoment {
      try inspection.file.forEachShown(of: query) { body($0.map(ObjectCell.init)) }
    }
  }

  /// Shows `body` each object as a line of canonical JSON, its newline included.
  package func forEachLine(_ body: (String) -> Void) throws {
    try inspection.atOneMoment { try inspection.file.export(query, to: body) }
  }

  /// The number of objects.
  package func count() throws -> Int { try inspection.file.count(query) }

  /// The SQL of the query, a line each.
  package func statement() throws -> [String] {
    try inspection.file.sql(of: query).split(separator: "\n").map(String.init)
  }

  /// The steps by which SQLite finds the rows.
  package func plan() throws -> [String] { try inspection.file.plan(of: query) }

  /// At most `count` objects from the one at `start` on, counted from 0.
  package func page(from start: Int, count: Int) throws -> ObjectPage {
    // One more than is shown tells whether there is another page.
    let (start, wanted) = (max(start, 0), max(count, 0))
    if start > Self.rowsPassedOver { return try farPage(from: start, wanted) }
    var rest = query
    rest.offset += start
    rest.limit = min(max((query.limit ?? .max) - start, 0), wanted + 1)
    var rows: [[ObjectCell]] = []
    let listing = ObjectListing(inspection: inspection, query: rest, columns: columns)
    try listing.forEach { rows.append($0) }
    return ObjectPage(
      columns: columns, rows: Array(rows.prefix(wanted)), start: start, isLast: rows.count <= wanted
    )
  }

  /// Rows that SQLite passes over for a page; beyond, the order of the whole listing is kept.
  private static let rowsPassedOver = 2_000

  /// A page that is found in the order of the whole listing: finding it anew would read, and sort, all before it.
  private func farPage(from start: Int, _ wanted: Int) throws -> ObjectPage {
    try inspection.atOneMoment {
      let ids = try inspection.order.ids(of: query, in: inspection.file)
      var rows: [[ObjectCell]] = []
      for id in ids.dropFirst(start).prefix(wanted) {
        var one = StoreQuery(query.source)
        one.predicate = .comparison(
          .path(PropertyPath(scope: 0)), .equal, .object(id, of: query.source))
        try inspection.file.forEachShown(of: one) { rows.append($0.map(ObjectCell.init)) }
      }
      return ObjectPage(
        columns: columns, rows: rows, start: start, isLast: ids.count <= start + wanted)
    }
  }

  private init(inspection: Inspection, query: StoreQuery, columns: [String]) {
    self.inspection = inspection
    self.query = query
    self.columns = columns
  }
}

extension Inspection {
  /// The objects of a class.
  ///
  /// - Parameters:
  ///   - className: The name of the class.
  ///   - condition: A predicate as text, with `SORT(…)`, `DISTINCT(…)` and `LIMIT(…)` after it; nil for all.
  ///   - limit: At most so many; nil for all.
  ///   - order: The path of a column, which comes before every order in the predicate; nil for none.
  ///   - isDescending: The greatest value of that column first.
  /// - Returns: The objects, which are read when they are asked for.
  /// - Throws: `InspectionError.noSuchClass`, `PredicateTextError` with the place in the text, or `StorageError`.
  package func objects(
    of className: String, where condition: String? = nil, limit: Int? = nil,
    sortedBy order: String? = nil, isDescending: Bool = false
  ) throws -> ObjectListing {
    try atOneMoment {
      let subject = try subject(className).stored
      var query = StoreQuery(subject.id)
      if let condition {
        let scope = PredicateScope(subject: subject, classes: try file.classes)
        query = try PredicateParser.query(condition, from: query, in: scope)
      }
      if let order {
        query = query.sorted(by: [
          StoreQuery.Order(try path(order, of: subject), isAscending: !isDescending)
        ])
      }
      return ObjectListing(self, limit.map { query.limited(to: $0) } ?? query, subject)
    }
  }
}
