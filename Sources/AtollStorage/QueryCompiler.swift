import AtollSQLite
import AtollVocabulary

/// Turns a query into one SQL statement and its bindings.
///
/// Every path through a link becomes one `LEFT JOIN` by row id, shared by all that go the same way;
/// a target that is not alive has no row, so what lies behind it is NULL. SQL has three truth values
/// and the query language two: a condition is compiled either so that NULL means false, or, under a
/// `not`, wrapped in `IS NOT TRUE`. Negation is pushed down to the comparisons, so that what is not
/// negated can use an index.
struct QueryCompiler {
  enum Output {
    case count
    case ids
    case rows
  }

  private let catalog: Catalog
  private let source: CellTable
  private(set) var bindings: [PersistedValue] = []
  private var joins: [String] = []
  private var aliases: [[PropertyID]: String] = [:]

  init(_ catalog: Catalog, source: CellTable) {
    self.catalog = catalog
    self.source = source
  }

  mutating func compile(_ query: StoreQuery, _ output: Output) throws -> String {
    let condition = try condition(query.predicate)
    let selected =
      switch output {
      case .count: query.limit == nil && query.offset == 0 ? "count(*)" : "1"
      case .ids: "t._id"
      case .rows: source.rowColumns("t")
      }
    var order: [String] = []
    for item in query.order where output != .count {
      order.append(try value(item.path).sql + (item.isAscending ? "" : " DESC"))
    }
    var sql = "SELECT \(selected) FROM \(source.sql) t\(joins.joined())"
    if condition != "1" { sql += " WHERE \(condition)" }
    if output != .count { sql += " ORDER BY \((order + ["t._id"]).joined(separator: ", "))" }
    guard query.limit != nil || query.offset != 0 else { return sql }
    sql += " LIMIT ? OFFSET ?"
    bindings.append(.int(Int64(query.limit ?? -1)))
    bindings.append(.int(Int64(query.offset)))
    return output == .count ? "SELECT count(*) FROM (\(sql))" : sql
  }

  // MARK: Conditions

  /// A condition whose NULL counts as false; negated if asked.
  private mutating func condition(
    _ predicate: Predicate, isNegated: Bool = false
  ) throws -> String {
    switch predicate {
    case .always: return isNegated ? "0" : "1"
    case .never: return isNegated ? "1" : "0"
    case .not(let inner): return try condition(inner, isNegated: !isNegated)
    case .all(let parts): return try joined(parts, isNegated ? "OR" : "AND", isNegated)
    case .any(let parts): return try joined(parts, isNegated ? "AND" : "OR", isNegated)
    case .comparison(let path, let comparator, let operand):
      return Self.negated(try comparison(path, comparator, operand), isNegated)
    case .contained(let path, let values):
      return Self.negated(try contained(path, values), isNegated)
    case .text(let path, let match, let text):
      return Self.negated(try matching(path, match, text), isNegated)
    }
  }

  private mutating func joined(
    _ parts: [Predicate], _ word: String, _ isNegated: Bool
  ) throws -> String {
    guard !parts.isEmpty else { return word == "AND" ? "1" : "0" }
    var conditions: [String] = []
    for part in parts { conditions.append(try condition(part, isNegated: isNegated)) }
    return "(" + conditions.joined(separator: " \(word) ") + ")"
  }

  private static func negated(_ condition: String, _ isNegated: Bool) -> String {
    guard isNegated else { return condition }
    switch condition {
    case "0": return "1"
    case "1": return "0"
    default: return "((\(condition)) IS NOT TRUE)"
    }
  }

  private mutating func comparison(
    _ path: PropertyPath, _ comparator: Predicate.Comparator, _ operand: Predicate.Operand
  ) throws -> String {
    let left = try value(path)
    switch operand {
    case .value(let value): return try compare(left, comparator, left.converted(value))
    case .object(let id): return compare(left, comparator, id)
    case .path(let other): return try compare(left, comparator, try value(other))
    }
  }

  private mutating func compare(
    _ left: Value, _ comparator: Predicate.Comparator, _ value: PersistedValue
  ) throws -> String {
    let isEquality = comparator == .equal || comparator == .notEqual
    if value.isNotANumber { return comparator == .notEqual ? "1" : "0" }
    if value.isNull {
      guard isEquality else { return "0" }
      return "\(left.sql) IS \(comparator == .equal ? "" : "NOT ")NULL"
    }
    bindings.append(value)
    switch comparator {
    case .equal: return "\(left.sql) IS ?"
    case .notEqual: return "\(left.sql) IS NOT ?"
    case .less: return "\(left.sql) < ?"
    case .lessOrEqual: return "\(left.sql) <= ?"
    case .greater: return left.withoutNaN("\(left.sql) > ?")
    case .greaterOrEqual: return left.withoutNaN("\(left.sql) >= ?")
    }
  }

  private func compare(
    _ left: Value, _ comparator: Predicate.Comparator, _ id: RowID
  ) -> String {
    guard let target = left.target.flatMap({ catalog.entry($0) }) else { return "0" }
    let isAlive = "EXISTS (SELECT 1 FROM \(target.table.sql) WHERE _id = \(id.rawValue))"
    let isEqual = "(\(left.raw) = \(id.rawValue) AND \(isAlive))"
    switch comparator {
    case .equal: return isEqual
    case .notEqual: return "(\(isEqual) IS NOT TRUE)"
    case .less, .lessOrEqual, .greater, .greaterOrEqual: return "0"
    }
  }

  private func compare(
    _ left: Value, _ comparator: Predicate.Comparator, _ right: Value
  ) throws -> String {
    let symbol =
      switch comparator {
      case .equal: "IS"
      case .notEqual: "IS NOT"
      case .less: "<"
      case .lessOrEqual: "<="
      case .greater: ">"
      case .greaterOrEqual: ">="
      }
    let plain = "\(left.sql) \(symbol) \(right.sql)"
    guard left.isFloating, right.isFloating else { return plain }
    let numbers = "typeof(\(left.sql)) <> 'blob' AND typeof(\(right.sql)) <> 'blob'"
    return comparator == .notEqual
      ? "(\(plain) OR NOT (\(numbers)))" : "(\(plain) AND \(numbers))"
  }

  private mutating func contained(
    _ path: PropertyPath, _ values: [PersistedValue]
  ) throws -> String {
    let left = try value(path)
    let sought = values.map(left.converted).filter { !$0.isNull && !$0.isNotANumber }
    guard sought.count <= 30_000 else {
      throw StorageError.tooLarge(what: "a query", size: sought.count, limit: 30_000)
    }
    bindings += sought
    let marks = Array(repeating: "?", count: sought.count).joined(separator: ",")
    let isIn = "\(left.sql) IN (\(marks))"
    return values.contains(where: \.isNull) ? "(\(isIn) OR \(left.sql) IS NULL)" : isIn
  }

  /// Compares bytes, since SQLite's own text functions stop at NUL.
  private mutating func matching(
    _ path: PropertyPath, _ match: Predicate.TextMatch, _ text: String
  ) throws -> String {
    let left = try value(path)
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty else { return "\(left.sql) IS NOT NULL" }
    bindings.append(.data(bytes))
    let blob = "CAST(\(left.sql) AS BLOB)"
    switch match {
    case .infix: return "instr(\(blob), ?) > 0"
    case .suffix: return "substr(\(blob), -\(bytes.count)) = ?"
    case .prefix:
      bindings.append(.string(text))
      return "(substr(\(blob), 1, \(bytes.count)) = ? AND \(left.sql) >= ?)"
    }
  }

  // MARK: Paths

  /// What a path reads, in SQL.
  private struct Value {
    /// Nil where nothing is there, and for a link whose target is not alive.
    var sql: String
    /// The column as it stands.
    var raw: String
    var type: PersistedType
    var target: ClassID?

    var isFloating: Bool { type == .float || type == .double || type == .date }

    /// SQLite sorts what stands for NaN above every number.
    func withoutNaN(_ condition: String) -> String {
      isFloating ? "(\(condition) AND \(sql) <= 9e999)" : condition
    }

    /// A value in the column's own width, so that Float compares as Float.
    func converted(_ value: PersistedValue) -> PersistedValue {
      if type == .float, case .double(let number) = value { return .float(Float(number)) }
      return value
    }
  }

  private mutating func value(_ path: PropertyPath) throws -> Value {
    var table = source
    var alias = "t"
    var level: FieldNode?
    var way: [PropertyID] = []
    for (index, step) in path.steps.enumerated() {
      let isLast = index == path.steps.count - 1
      way.append(step.id)
      if step.isKey {
        guard isLast, level == nil else { break }
        let sql = "\(alias).\(table.keySQL)"
        return Value(sql: sql, raw: sql, type: table.owner.keyType)
      }
      guard let node = Self.node(step, level, table), !node.isCollection else { break }
      if isLast { return value(node, alias) }
      if case .link(let target) = node.kind, let entry = catalog.entry(target) {
        alias = join(entry.table, "\(alias).\(node.sql)", way)
        table = entry.table
        level = nil
      } else {
        level = node
      }
    }
    throw StorageError.noSuchProperty(
      class: source.owner.name, property: path.steps.map(\.name).joined(separator: "."))
  }

  private static func node(
    _ property: StoredProperty, _ level: FieldNode?, _ table: CellTable
  ) -> FieldNode? {
    let found =
      level.map { $0.child(at: property.position) }
      ?? (table.top.indices.contains(property.position) ? table.top[property.position] : nil)
    return found?.property.id == property.id ? found : nil
  }

  private func value(_ node: FieldNode, _ alias: String) -> Value {
    let raw = "\(alias).\(node.sql)"
    let target: ClassID? = if case .link(let target) = node.kind { target } else { nil }
    return Value(
      sql: node.table.columnValue(node, alias), raw: raw, type: node.kind.columnType,
      target: target)
  }

  private mutating func join(_ table: CellTable, _ link: String, _ way: [PropertyID]) -> String {
    if let alias = aliases[way] { return alias }
    let alias = "t\(aliases.count + 1)"
    aliases[way] = alias
    joins.append(" LEFT JOIN \(table.sql) \(alias) ON \(alias)._id = \(link)")
    return alias
  }
}

extension PersistedValue {
  fileprivate var isNotANumber: Bool {
    switch self {
    case .float(let value): value.isNaN
    case .double(let value), .date(let value): value.isNaN
    case .null, .bool, .int, .string, .data, .uuid, .objectId, .decimal, .identity: false
    }
  }
}

extension StoreFile {
  /// A query's statement, bound and ready to step; to be given back to ``queries``.
  func compiled(_ query: StoreQuery, _ output: QueryCompiler.Output) throws -> Statement {
    var compiler = QueryCompiler(catalog, source: try objects(query.source))
    let statement = try queries.take(try compiler.compile(query, output))
    for (index, value) in compiler.bindings.enumerated() {
      statement.bind(value, at: Int32(index + 1))
    }
    return statement
  }

  /// The SQL of a query, for tests and for people.
  package func sql(of query: StoreQuery) throws(StorageError) -> String {
    try doing("compiling a query") {
      var compiler = QueryCompiler(catalog, source: try objects(query.source))
      return try compiler.compile(query, .rows)
    }
  }
}
