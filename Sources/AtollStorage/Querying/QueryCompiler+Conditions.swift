import AtollQuery
import AtollVocabulary

extension QueryCompiler {
  /// One side of a comparison, as SQL sees it.
  enum Side {
    case constant(QueryConstant)
    case object(QueryConstant, ClassID?)
    case keyed(QueryConstant, ClassID)
    case sql(QueryValue)
  }

  /// A condition whose NULL counts as false; negated if asked.
  mutating func condition(_ predicate: Predicate, isNegated: Bool = false) throws -> String {
    switch predicate {
    case .always: return isNegated ? "0" : "1"
    case .never: return isNegated ? "1" : "0"
    case .not(let inner): return try condition(inner, isNegated: !isNegated)
    case .all(let parts): return try joined(parts, isNegated ? "OR" : "AND", isNegated)
    case .any(let parts): return try joined(parts, isNegated ? "AND" : "OR", isNegated)
    case .comparison(let left, let comparator, let right):
      return Self.negated(try comparison(left, comparator, right), isNegated)
    case .contained(let left, let values):
      return Self.negated(try contained(left, values), isNegated)
    case .text(let left, let match, let options, let right):
      return Self.negated(try matching(left, match, options, right), isNegated)
    case .linked(let path, let rows):
      let raw = try value(path).raw
      let list = rows.map { bind(row($0), .to(.int)) }.joined(separator: ",")
      return Self.negated("\(raw) IN (\(list))", isNegated)
    case .exists(let collection, let inner):
      if let owners = try owners(collection, inner) {
        return "(\(scopes[0].id) \(isNegated ? "NOT " : "")IN (\(owners)))"
      }
      let select = try subselect(collection, inner) { _ in "1" }
      return "\(isNegated ? "NOT " : "")EXISTS (\(select))"
    }
  }

  private mutating func joined(
    _ parts: [Predicate], _ word: String, _ isNegated: Bool
  ) throws -> String {
    guard !parts.isEmpty else { return word == "AND" ? "1" : "0" }
    guard parts.count <= Limits.queryConditions else {
      throw StorageError.tooLarge(
        what: "the conditions side by side in a query", size: parts.count,
        limit: Limits.queryConditions)
    }
    let outer = bounded
    defer { bounded = outer }
    if word == "AND", !isNegated { bounded.formUnion(parts.compactMap(\.pathBoundedAbove)) }
    var conditions: [String] = []
    for part in parts { conditions.append(try condition(part, isNegated: isNegated)) }
    return Self.balanced(conditions[...], " \(word) ")
  }

  /// Joins many conditions as a tree, because SQLite bounds how deep an expression may be.
  private static func balanced(_ conditions: ArraySlice<String>, _ word: String) -> String {
    guard conditions.count > 64 else {
      var text = "("
      for (place, condition) in conditions.enumerated() {
        if place > 0 { text += word }
        text += condition
      }
      return text + ")"
    }
    let middle = (conditions.startIndex + conditions.endIndex) / 2
    return "(" + balanced(conditions[..<middle], word) + word
      + balanced(conditions[middle...], word) + ")"
  }

  private static func negated(_ condition: String, _ isNegated: Bool) -> String {
    guard isNegated else { return condition }
    switch condition {
    case "0": return "1"
    case "1": return "0"
    default: return "((\(condition)) IS NOT TRUE)"
    }
  }

  mutating func side(_ expression: Predicate.Expression) throws -> Side {
    let bound = recipe.count
    let side = try plainSide(expression)
    guard case .sql(var value) = side else { return side }
    value.hasParameters = recipe.count > bound
    return .sql(value)
  }

  private mutating func plainSide(_ expression: Predicate.Expression) throws -> Side {
    switch expression {
    case .value(let value): return .constant(constant(value))
    case .object(let id, let target): return .object(row(id), target)
    case .keyed(let target, let key): return .keyed(constant(key), target)
    case .shape: return .constant(constant(.null))
    case .path(let path): return .sql(try value(path))
    case .kind(let path): return .sql(try value(path).kind)
    case .computed(let left, let operation, let right):
      return .sql(try computed(left, operation, right))
    case .count(let collection, let inner):
      let sql = "(\(try subselect(collection, inner) { _ in "count(*)" }))"
      return .sql(QueryValue(sql: sql, raw: sql, type: .int))
    case .aggregate(let aggregate, let member, let collection):
      var type = PersistedType.int
      let select = try subselect(collection, .always) { compiler in
        let value = try compiler.value(member)
        type = value.type
        return Self.aggregate(aggregate, value)
      }
      var value = QueryValue(sql: "(\(select))", raw: "(\(select))", type: type)
      switch (aggregate, type) {
      case (.sum, .any), (.average, .any): value.type = .decimal
      case (.minimum, .any), (.maximum, .any): value.isKey = true
      case (.average, _) where type != .decimal: value.type = .double
      case (_, _): break
      }
      return .sql(value)
    }
  }

  // MARK: Comparisons

  private mutating func comparison(
    _ left: Predicate.Expression, _ comparator: Predicate.Comparator,
    _ right: Predicate.Expression
  ) throws -> String {
    switch (try side(left), try side(right)) {
    case (.sql(let left), .sql(let right)): return compare(left, comparator, right)
    case (.sql(let value), .constant(let constant)):
      return compare(value, comparator, constant, isBounded: isBounded(left))
    case (.constant(let constant), .sql(let value)):
      return compare(value, comparator.mirrored, constant, isBounded: isBounded(right))
    case (.sql(let left), .object(let id, let target)):
      return Self.compare(comparator, isObject(left, [id], of: target))
    case (.object(let id, let target), .sql(let right)):
      return Self.compare(comparator, isObject(right, [id], of: target))
    case (.sql(let left), .keyed(let key, let target)):
      return Self.compare(comparator, isObject(left, key: key, of: target))
    case (.keyed(let key, let target), .sql(let right)):
      return Self.compare(comparator, isObject(right, key: key, of: target))
    case (.constant, _), (.object, _), (.keyed, _):
      throw StorageError.noSuchProperty(
        class: scopes[0].table.owner.name, property: "a comparison of two constants")
    }
  }

  /// Tells whether a NaN is kept away by another condition.
  private func isBounded(_ expression: Predicate.Expression) -> Bool {
    guard case .path(let path) = expression else { return false }
    return bounded.contains(path)
  }

  private mutating func compare(
    _ left: QueryValue, _ comparator: Predicate.Comparator, _ constant: QueryConstant,
    isBounded: Bool = false
  ) -> String {
    if left.type == .any { return compareAny(left, comparator, constant) }
    let value = constant.value
    if value.isNotANumber { return left.constantly(comparator == .notEqual) }
    if value.isNull {
      if comparator == .notEqual { return "\(left.sql) IS NOT NULL" }
      return comparator.allowsEqual ? "\(left.sql) IS NULL" : left.constantly(false)
    }
    if left.type == .decimal { return compareDecimal(left, comparator, constant) }
    let parameter = bind(constant, .to(left.type))
    switch comparator {
    case .equal: return "\(left.sql) IS \(parameter)"
    case .notEqual: return "\(left.sql) IS NOT \(parameter)"
    case .less: return "\(left.sql) < \(parameter)"
    case .lessOrEqual: return "\(left.sql) <= \(parameter)"
    case .greater, .greaterOrEqual:
      let sign = comparator == .greater ? ">" : ">="
      let condition = "\(left.sql) \(sign) \(parameter)"
      return isBounded ? condition : left.withoutNaN(condition)
    }
  }

  /// An any-typed value with a constant: values of the same kind only have an order.
  private mutating func compareAny(
    _ left: QueryValue, _ comparator: Predicate.Comparator, _ constant: QueryConstant
  ) -> String {
    let value = constant.value
    guard !value.isNotANumber, let key = ValueKey.bytes(value) else {
      let isNull = "\(left.key) IS NULL"
      switch comparator {
      case .equal, .lessOrEqual, .greaterOrEqual: return value.isNull ? isNull : "0"
      case .notEqual: return value.isNull ? "(\(isNull) IS NOT TRUE)" : "1"
      case .less, .greater: return "0"
      }
    }
    let parameter = bind(constant, .key)
    // The key of the empty text is that of its kind, and NaN is before all numbers.
    let isAboveKind =
      key[0] == 2 ? "\(left.key) > \(QueryValue.noNumber)" : "\(left.key) >= x'0\(key[0])'"
    let isBelowNext = "\(left.key) < x'0\(key[0] + 1)'"
    switch comparator {
    case .equal: return "\(left.key) = \(parameter)"
    case .notEqual: return "\(left.key) IS NOT \(parameter)"
    case .less: return "(\(left.key) < \(parameter) AND \(isAboveKind))"
    case .lessOrEqual: return "(\(left.key) <= \(parameter) AND \(isAboveKind))"
    case .greater: return "(\(left.key) > \(parameter) AND \(isBelowNext))"
    case .greaterOrEqual: return "(\(left.key) >= \(parameter) AND \(isBelowNext))"
    }
  }

  /// Equal decimals are a range of bytes, because 1.0 and 1.00 are told apart there.
  private mutating func compareDecimal(
    _ left: QueryValue, _ comparator: Predicate.Comparator, _ constant: QueryConstant
  ) -> String {
    let (first, end) = (QueryConstant.Conversion.decimal, QueryConstant.Conversion.decimalEnd)
    let isNumber = "\(left.sql) > x'00'"
    switch comparator {
    case .equal:
      return "(\(left.sql) >= \(bind(constant, first)) AND \(left.sql) < \(bind(constant, end)))"
    case .notEqual:
      return
        "((\(left.sql) >= \(bind(constant, first)) AND \(left.sql) < \(bind(constant, end))) IS NOT TRUE)"
    case .less: return "(\(left.sql) < \(bind(constant, first)) AND \(isNumber))"
    case .lessOrEqual: return "(\(left.sql) < \(bind(constant, end)) AND \(isNumber))"
    case .greater: return "\(left.sql) >= \(bind(constant, end))"
    case .greaterOrEqual: return "\(left.sql) >= \(bind(constant, first))"
    }
  }

  /// Tells whether an object is another, as `isEqual` tells, which is nil if it cannot be; objects have no
  /// order.
  private static func compare(
    _ comparator: Predicate.Comparator, _ isEqual: String?
  ) -> String {
    guard let isEqual else { return comparator == .notEqual ? "1" : "0" }
    switch comparator {
    case .equal: return isEqual
    case .notEqual: return "(\(isEqual) IS NOT TRUE)"
    case .less, .lessOrEqual, .greater, .greaterOrEqual: return "0"
    }
  }

  /// Tells whether a link leads to one of these rows and the row is alive; nil if it cannot.
  private mutating func isObject(
    _ left: QueryValue, _ ids: [QueryConstant], of target: ClassID?
  ) -> String? {
    if let tag = left.tag, let target {
      let list = ids.map { bind($0, .to(.int)) }.joined(separator: ",")
      return "(\(tag) = \(ValueTag.link(target)) AND \(left.sql) IN (\(list)))"
    }
    guard let own = left.target, target == nil || target == own, let entry = schema.entry(own)
    else { return nil }
    let list = ids.map { bind($0, .to(.int)) }.joined(separator: ",")
    let isOne = ids.count == 1 ? "\(left.raw) = \(list)" : "\(left.raw) IN (\(list))"
    if left.sql == left.raw { return isOne }
    return "(\(isOne) AND EXISTS (SELECT 1 FROM \(entry.table.sql) WHERE _id = \(left.raw)))"
  }

  /// Tells whether a link leads to the object that has a key, if there is one; nil if it cannot.
  private mutating func isObject(
    _ left: QueryValue, key: QueryConstant, of target: ClassID
  ) -> String? {
    guard let table = schema.entry(target)?.table else { return nil }
    let type = table.owner.keyType
    let row = "(SELECT _id FROM \(table.sql) WHERE \(table.keySQL) IS \(bind(key, .to(type))))"
    if let tag = left.tag { return "(\(tag) = \(ValueTag.link(target)) AND \(left.sql) = \(row))" }
    return left.target == target ? "\(left.raw) = \(row)" : nil
  }

  private func compare(
    _ left: QueryValue, _ comparator: Predicate.Comparator, _ right: QueryValue
  ) -> String {
    let symbol =
      switch comparator {
      case .equal: "IS"
      case .notEqual: "IS NOT"
      case .less: "<"
      case .lessOrEqual: "<="
      case .greater: ">"
      case .greaterOrEqual: ">="
      }
    let ordered = ordered(left, comparator, symbol, right)
    guard comparator.isOrder, comparator.allowsEqual else { return ordered }
    return "(\(ordered) OR (\(left.group) IS NULL AND \(right.group) IS NULL))"
  }

  /// The comparison of two values of which one at least is not nil, unless it asks for equality.
  private func ordered(
    _ left: QueryValue, _ comparator: Predicate.Comparator, _ symbol: String, _ right: QueryValue
  ) -> String {
    if left.group != left.sql || right.group != right.sql {
      return compareKeys(left, comparator, symbol, right)
    }
    let plain = "\(left.sql) \(symbol) \(right.sql)"
    guard left.isFloating || right.isFloating else { return plain }
    let numbers = [left, right].filter(\.isFloating).map { "typeof(\($0.sql)) <> 'blob'" }
    let areNumbers = numbers.joined(separator: " AND ")
    return comparator == .notEqual
      ? "(\(plain) OR NOT (\(areNumbers)))" : "(\(plain) AND \(areNumbers))"
  }

  /// Two values of which one at least is a decimal or any-typed, by their kinds and values.
  private func compareKeys(
    _ left: QueryValue, _ comparator: Predicate.Comparator, _ symbol: String, _ right: QueryValue
  ) -> String {
    let plain = "\(left.key) \(symbol) \(right.key)"
    // NaN equals nothing, and neither does a list or a map as a whole.
    let areNumbers = [left, right]
      .map { "ifnull(\($0.key) NOT IN (\(QueryValue.noNumber), x'09', x'0A'), 1)" }
      .joined(separator: " AND ")
    switch comparator {
    case .equal: return "(\(plain) AND \(areNumbers))"
    case .notEqual: return "(\(plain) OR NOT (\(areNumbers)))"
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      let isOneKind = "substr(\(left.key), 1, 1) = substr(\(right.key), 1, 1)"
      return "(\(plain) AND \(isOneKind) AND \(areNumbers))"
    }
  }

  // MARK: Membership

  private mutating func contained(
    _ left: Predicate.Expression, _ values: [Predicate.Expression]
  ) throws -> String {
    guard values.count <= Limits.queryValues else {
      throw StorageError.tooLarge(
        what: "a query's list of values", size: values.count, limit: Limits.queryValues)
    }
    if case .path(let path) = left, case .shape(let shape)? = values.first {
      return try within(path, shape)
    }
    guard case .sql(let left) = try side(left) else { return "0" }
    var conditions: [String] = []
    var marks: [String] = []
    var objects: [ClassID?: [QueryConstant]] = [:]
    for value in values {
      switch value {
      case .value(let value):
        let constant = constant(value)
        if value.isNotANumber { continue }
        if value.isNull || left.type == .decimal {
          conditions.append(compare(left, .equal, constant))
        } else if left.type != .any {
          marks.append(bind(constant, .to(left.type)))
        } else if ValueKey.bytes(value) != nil {
          marks.append(bind(constant, .key))
        }
      case .object(let id, let target): objects[target, default: []].append(row(id))
      case .keyed(let target, let key):
        if let isOne = isObject(left, key: constant(key), of: target) { conditions.append(isOne) }
      case .path, .kind, .count, .aggregate, .computed, .shape: continue
      }
    }
    if !marks.isEmpty {
      let list = marks.joined(separator: ",")
      conditions.append("\(left.type == .any ? left.key : left.sql) IN (\(list))")
    }
    for (target, ids) in objects.sorted(by: { ($0.key?.rawValue ?? 0) < ($1.key?.rawValue ?? 0) }) {
      if let isOne = isObject(left, ids, of: target) { conditions.append(isOne) }
    }
    if conditions.isEmpty { return left.constantly(false) }
    return conditions.count == 1 ? conditions[0] : Self.balanced(conditions[...], " OR ")
  }
}

extension PersistedValue {
  var isNotANumber: Bool {
    switch self {
    case .float(let value): value.isNaN
    case .double(let value), .date(let value): value.isNaN
    case .decimal(let value): value.isNaN
    case .null, .bool, .int, .string, .data, .uuid, .objectId, .identity: false
    }
  }
}
