import AtollQuery
import AtollSQLite
import AtollVocabulary

/// Turns a query into one SQL statement and its bindings.
///
/// Every path through a link becomes one `LEFT JOIN` by row id, shared by all that go the same way;
/// a target that is not alive has no row, so what lies behind it is NULL. What holds for some
/// element of a collection becomes an `EXISTS` with joins of its own; a ``QueryScope`` is one such
/// level, and the queried rows are the outermost. SQL has three truth values and the query language
/// two: a condition is compiled either so that NULL means false, or, under a `not`, wrapped in
/// `IS NOT TRUE`. Negation is pushed down to the comparisons, so that what is not negated can use an
/// index.
///
/// Parameters are numbered, because joins are written before the conditions that need them.
struct QueryCompiler {
  enum Output {
    case count
    case ids
    /// The identities of rows: objects that are several times in a list have one id.
    case places
    case rows
    /// The cells of each row for people; see ``cells()``.
    case cells
    /// The id of each row, and what it has at a path.
    case values(PropertyPath)
    case aggregate(Predicate.Aggregate, PropertyPath)
  }

  let schema: QuerySchema
  /// The values that are bound to the parameters.
  private(set) var recipe: [QueryPlan.Binding] = []
  /// Those of the predicates, as they were met.
  private(set) var constants: [PersistedValue] = []
  /// Of which type the selected values are, or those that are aggregated.
  private(set) var selectedType = PersistedType.int
  var scopes: [QueryScope] = []
  /// Paths that have to be less than something wherever the condition under way can matter.
  var bounded: Set<PropertyPath> = []
  /// True if the query under way asks only of rows that it names.
  private(set) var isOfRows = false
  /// True if the statement asks a full-text or spatial index, which has to be brought up to date with
  /// the transaction before it runs.
  var asksSearchIndex = false
  private var aliasCount = 0
  /// The number of queries around the one under way that choose from it.
  private var depth = 0

  init(_ schema: QuerySchema) {
    self.schema = schema
    recipe.reserveCapacity(8)
    constants.reserveCapacity(8)
  }

  mutating func compile(_ query: StoreQuery, _ output: Output) throws -> String {
    let isCut = query.limit != nil || query.offset != 0
    let conditions = try begin(query)
    let root = scopes[0]
    let selected: String
    var isOrdered = true
    var aggregated = QueryValue(sql: "v", raw: "v", type: .int)
    switch output {
    case .count:
      selected = isCut ? "1" : "count(*)"
      isOrdered = false
    case .ids: selected = root.id
    case .places: selected = root.row
    case .rows: selected = root.columns
    case .cells: selected = try cells()
    case .values(let path):
      let value = try value(path)
      selectedType = value.type
      selected = ([root.id, value.sql] + (value.tag.map { [$0] } ?? [])).joined(separator: ", ")
    case .aggregate(let aggregate, let path):
      aggregated = try value(path)
      selectedType = aggregated.type
      selected = isCut ? aggregated.asColumns : Self.result(of: aggregate, aggregated)
      isOrdered = isCut
    }
    var order = isOrdered ? try order(of: query) : []
    if !isCut, query.order.isEmpty, order.count == 1, isRangeByIndex(query.predicate) {
      // Without the sign SQLite reads the whole table, because that is in this order already.
      order[0] = "+" + order[0]
    }
    var sql = "SELECT \(selected)\(tail(conditions))"
    if isOrdered { sql += " ORDER BY \(order.joined(separator: ", "))" }
    guard isCut else { return sql }
    sql += " LIMIT \(bind(.limit(depth))) OFFSET \(bind(.offset(depth)))"
    switch output {
    case .count: return "SELECT count(*) FROM (\(sql))"
    case .aggregate(let aggregate, _):
      return "SELECT \(Self.result(of: aggregate, aggregated.column)) FROM (\(sql))"
    case .ids, .places, .rows, .cells, .values: return sql
    }
  }

  /// A new parameter for what a constant of the predicate becomes.
  mutating func bind(
    _ constant: QueryConstant, _ conversion: QueryConstant.Conversion
  ) -> String {
    bind(.constant(constant.index, conversion))
  }

  /// A new parameter.
  mutating func bind(_ binding: QueryPlan.Binding) -> String {
    recipe.append(binding)
    return "?\(recipe.count)"
  }

  /// The next constant of the predicate, in the order of ``QueryShape``.
  mutating func constant(_ value: PersistedValue) -> QueryConstant {
    constants.append(value)
    return QueryConstant(value: value, index: constants.count - 1)
  }

  /// The next constant, the number of an object's row.
  mutating func row(_ id: RowID) -> QueryConstant { constant(.int(id.rawValue)) }

  mutating func alias() -> String {
    aliasCount += 1
    return "t\(aliasCount)"
  }

  // MARK: The parts of a statement

  /// Opens the outermost scope; what its rows must satisfy.
  private mutating func begin(_ query: StoreQuery) throws -> [String] {
    let root = try rootScope(query)
    scopes = [root]
    var conditions = root.conditions
    if let base = query.base {
      guard query.levels <= Limits.queryLevels else {
        throw StorageError.tooLarge(
          what: "a query of queries", size: query.levels, limit: Limits.queryLevels)
      }
      depth += 1
      conditions.append("\(scopes[0].row) IN (\(try nested { try $0.compile(base, .places) }))")
      depth -= 1
    }
    isOfRows = query.predicate.isOfRows
    conditions.append(try condition(query.predicate))
    guard !query.distinct.isEmpty else { return conditions }
    // The first row of each group, found by its place among the rows of the group.
    var keys: [String] = []
    for path in query.distinct {
      keys.append(try value(path).group)
      for way in path.linksOnTheWay { conditions.append("\(try value(way).sql) IS NOT NULL") }
    }
    let order = try order(of: query)
    let groups = """
      SELECT \(scopes[0].row) AS id, row_number() OVER (PARTITION BY \(keys.joined(separator: ", ")) \
      ORDER BY \(order.joined(separator: ", "))) AS place\(tail(conditions))
      """
    scopes = [root]
    return ["\(scopes[0].row) IN (SELECT id FROM (\(groups)) WHERE place = 1)"]
  }

  /// Returns the SQL after the outermost scope and its conditions: `FROM` and on.
  private func tail(_ conditions: [String]) -> String {
    let conditions = conditions.filter { $0 != "1" }
    let filter = conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
    return " FROM \(scopes[0].from)\(scopes[0].joins.joined())\(filter)"
  }

  private mutating func order(of query: StoreQuery) throws -> [String] {
    var order: [String] = []
    for item in query.order {
      order += try value(item.path).order.map { item.isAscending ? $0 : $0 + " DESC" }
    }
    return order + scopes[0].order
  }

  /// Tells whether a condition that always must hold is a range of an indexed property of the row.
  private func isRangeByIndex(_ predicate: Predicate) -> Bool {
    switch predicate {
    case .all(let parts): parts.contains { isRangeByIndex($0) }
    case .comparison(.path(let path), let comparator, .value): isIndexed(path) && comparator.isOrder
    case .comparison(.value, let comparator, .path(let path)): isIndexed(path) && comparator.isOrder
    case .comparison, .always, .never, .any, .not, .contained, .linked, .text, .exists: false
    }
  }

  private func isIndexed(_ path: PropertyPath) -> Bool {
    path.scope == 0 && path.steps.count == 1
      && path.property.map { schema.has(.value, on: $0.id) } ?? false
  }

  /// Compiles a statement that stands on its own inside another.
  private mutating func nested(_ body: (inout QueryCompiler) throws -> String) rethrows -> String {
    let outer = scopes
    defer { scopes = outer }
    return try body(&self)
  }
}
