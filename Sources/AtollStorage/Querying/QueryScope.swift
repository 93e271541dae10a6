import AtollQuery
import AtollVocabulary

/// One level of a query: the queried rows, or the elements of a collection.
struct QueryScope {
  /// The tables before any link is followed, with the row's first.
  var from: String
  /// The table of the objects, or of the elements.
  var table: CellTable
  var alias: String
  /// The element's value; nil for objects.
  var node: FieldNode?
  /// The id of the object or the element.
  var id: String
  /// The identity of rows of the level.
  var row: String
  /// The columns of an element; nil for the row of an object.
  var elementColumns: String?
  /// The conditions on rows of this level.
  var conditions: [String] = []
  /// The order of rows that nothing else puts in order.
  var order: [String]
  var joins: [String] = []
  var aliases: [[PropertyPath.Step]: String] = [:]

  init(objects table: CellTable, alias: String) {
    from = "\(table.sql) \(alias)"
    self.table = table
    self.alias = alias
    id = "\(alias)._id"
    row = id
    order = [row]
  }

  /// The columns of a whole row.
  var columns: String { elementColumns ?? table.rowColumns(alias) }

  /// Elements of the collection that the row `owner` has, or any row; `isWhole` includes links to what
  /// is not alive, which are no elements.
  init(elements table: CellTable, alias: String, owner: String?, isWhole: Bool = false) {
    from = "\(table.sql) \(alias)"
    self.table = table
    self.alias = alias
    node = table.value
    id = "\(alias)._id"
    row = id
    elementColumns = id
    conditions = owner.map { ["\(alias)._owner = \($0)"] } ?? []
    conditions.append("\(alias)._removed = 0")
    let visibility = table.visibility(alias)
    if !visibility.isEmpty, !isWhole {
      conditions.append(String(visibility.dropFirst(" AND ".count)))
    }
    order = table.elementOrder(alias)
  }
}

/// The SQL of a path or an aggregate.
struct QueryValue {
  /// Nil where nothing is there, and for a link whose target is not alive.
  var sql: String
  /// The column as it stands.
  var raw: String
  var type: PersistedType
  var target: ClassID?
  /// The tag beside an any-typed value; see ``ValueTag``.
  var tag: String?
  /// True if ``sql`` is the ``key`` already, as the least and greatest of any-typed values are.
  var isKey = false

  /// True if ``sql`` has parameters, which are bound whether or not the value turns out to matter.
  var hasParameters = false

  /// A condition that holds always, or never, whatever the value.
  func constantly(_ holds: Bool) -> String {
    guard hasParameters else { return holds ? "1" : "0" }
    return "(\(sql) IS NULL \(holds ? "OR 1" : "AND 0"))"
  }

  var isFloating: Bool { type == .float || type == .double || type == .date }

  /// The order of values, in one or more terms.
  var order: [String] {
    switch type {
    case .any: [key]
    // NaN, whose bytes come before those of all numbers, is last; 1 and 1.00 are one number.
    case .decimal: ["\(sql) < x'01'", key]
    case .bool, .int, .float, .double, .string, .data, .date, .uuid, .objectId, .identity, .link,
      .embedded:
      [sql]
    }
  }

  /// An expression that is equal for equal values.
  var group: String { type == .any || type == .decimal ? key : sql }

  /// An expression that is equal for equal values of any type, and sorts as they do; see
  /// ``ValueKey``.
  var key: String {
    if isKey { return sql }
    let tag = tag ?? target.map { "\(ValueTag.link($0))" } ?? "\(type.rawValue)"
    return "\(QueryFunctions.key)(\(sql), \(tag))"
  }

  /// Above every number, and below what stands for NaN.
  private static let aboveNumbers = "x'00'"

  /// The ``key`` of a decimal or an any-typed value that is NaN.
  static let noNumber = "x'0200'"

  /// The name of what kind of value an any-typed one is.
  var kind: QueryValue {
    guard let tag else { return QueryValue(sql: "NULL", raw: "NULL", type: .string) }
    let names = AnyKind.allCases.map { "WHEN \($0.tag) THEN '\($0.rawValue)'" }
    let sql = """
      CASE WHEN \(self.sql) IS NULL AND ifnull(\(tag), 0) < \(ValueTag.firstCollection) THEN 'null' \
      WHEN \(tag) < 0 THEN 'object' ELSE CASE \(tag) \(names.joined(separator: " ")) END END
      """
    return QueryValue(sql: sql, raw: sql, type: .string)
  }

  /// That an any-typed value is neither NaN nor an object, a list or a map.
  var isOrdered: String { "\(key) <> \(Self.noNumber) AND \(key) < x'08'" }

  /// Has an aggregate pass over what stands for NaN.
  var number: String {
    switch type {
    case .float, .double, .date: " FILTER (WHERE \(sql) < \(Self.aboveNumbers))"
    case .decimal: " FILTER (WHERE \(sql) > x'00')"
    case .any: " FILTER (WHERE \(isOrdered))"
    case .bool, .int, .string, .data, .uuid, .objectId, .identity, .link, .embedded: ""
    }
  }

  /// The value if it is of a type, where any-typed ones are of several.
  func only(_ type: PersistedType) -> String {
    tag.map { "CASE WHEN \($0) = \(type.rawValue) THEN \(raw) END" } ?? sql
  }

  /// An any-typed value if it is a number.
  var onlyNumber: String {
    guard let tag else { return sql }
    let numbers = [PersistedType.int, .float, .double, .decimal].map { "\($0.rawValue)" }
    return "CASE WHEN \(tag) IN (\(numbers.joined(separator: ","))) THEN \(raw) END"
  }

  /// SQLite sorts what stands for NaN, a blob, above every number.
  func withoutNaN(_ condition: String) -> String {
    isFloating ? "(\(condition) AND \(sql) < \(Self.aboveNumbers))" : condition
  }

  /// A value in a column's own width, so that Float compares as Float.
  static func converted(_ value: PersistedValue, to type: PersistedType) -> PersistedValue {
    switch (type, value) {
    case (.float, .double(let number)): .float(Float(number))
    case (.decimal, .int(let number)): .decimal(Decimal128(number))
    case (.decimal, .double(let number)): .decimal(Decimal128(number))
    case (.decimal, .float(let number)): .decimal(Decimal128(number))
    case (.int, .decimal(let number)): .double(Double(number))
    case (.float, .decimal(let number)): .float(Float(number))
    case (.double, .decimal(let number)): .double(Double(number))
    case (_, _): value
    }
  }
}

extension CellTable {
  /// The order in which elements are shown.
  func elementOrder(_ alias: String) -> [String] {
    switch kind {
    case .elements(.list): ["\(alias)._position", "\(alias)._id"]
    case .elements(.map): ["\(alias)._key"]
    case .elements(.set): ["\(alias)._identity"]
    case .nested: ["\(alias)._position", "\(alias)._key"]
    case .elements(.none), .objects, .layout: ["\(alias)._id"]
    }
  }
}

/// The names that `@type` has for kinds of values, besides `object` and `null`.
enum AnyKind: String, CaseIterable {
  case bool, int, float, double, decimal, string, data, date, objectid, uuid, list, dictionary

  var tag: Int64 {
    switch self {
    case .bool: Int64(PersistedType.bool.rawValue)
    case .int: Int64(PersistedType.int.rawValue)
    case .float: Int64(PersistedType.float.rawValue)
    case .double: Int64(PersistedType.double.rawValue)
    case .decimal: Int64(PersistedType.decimal.rawValue)
    case .string: Int64(PersistedType.string.rawValue)
    case .data: Int64(PersistedType.data.rawValue)
    case .date: Int64(PersistedType.date.rawValue)
    case .objectid: Int64(PersistedType.objectId.rawValue)
    case .uuid: Int64(PersistedType.uuid.rawValue)
    case .list: ValueTag.collection(.list)
    case .dictionary: ValueTag.collection(.map)
    }
  }
}
