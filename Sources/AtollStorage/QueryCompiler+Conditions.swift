import AtollVocabulary

extension QueryCompiler {
  /// One side of a comparison, as SQL sees it.
  private enum Side {
    case constant(PersistedValue)
    case object(RowID, ClassID?)
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
    case .exists(let collection, let inner):
      let select = try subselect(collection, inner) { _ in "1" }
      return "\(isNegated ? "NOT " : "")EXISTS (\(select))"
    }
  }

  private mutating func joined(
    _ parts: [Predicate], _ word: String, _ isNegated: Bool
  ) throws -> String {
    guard !parts.isEmpty else { return word == "AND" ? "1" : "0" }
    var conditions: [String] = []
    for part in parts { conditions.append(try condition(part, isNegated: isNegated)) }
    return Self.balanced(conditions[...], " \(word) ")
  }

  /// Joins many conditions as a tree, because SQLite bounds how deep an expression may be.
  private static func balanced(_ conditions: ArraySlice<String>, _ word: String) -> String {
    guard conditions.count > 64 else { return "(" + conditions.joined(separator: word) + ")" }
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

  private mutating func side(_ expression: Predicate.Expression) throws -> Side {
    switch expression {
    case .value(let value): return .constant(value)
    case .object(let id, let target): return .object(id, target)
    case .path(let path): return .sql(try value(path))
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
      if aggregate == .average, type != .decimal { type = .double }
      return .sql(QueryValue(sql: "(\(select))", raw: "(\(select))", type: type))
    }
  }

  // MARK: Comparisons

  private mutating func comparison(
    _ left: Predicate.Expression, _ comparator: Predicate.Comparator,
    _ right: Predicate.Expression
  ) throws -> String {
    switch (try side(left), try side(right)) {
    case (.sql(let left), .sql(let right)): return compare(left, comparator, right)
    case (.sql(let left), .constant(let value)):
      return compare(left, comparator, left.converted(value))
    case (.constant(let value), .sql(let right)):
      return compare(right, comparator.mirrored, right.converted(value))
    case (.sql(let left), .object(let id, let target)):
      return compare(left, comparator, id, of: target)
    case (.object(let id, let target), .sql(let right)):
      return compare(right, comparator.mirrored, id, of: target)
    case (.constant, .constant), (.constant, .object), (.object, .constant), (.object, .object):
      throw StorageError.noSuchProperty(
        class: scopes[0].table.owner.name, property: "a comparison of two constants")
    }
  }

  private mutating func compare(
    _ left: QueryValue, _ comparator: Predicate.Comparator, _ value: PersistedValue
  ) -> String {
    if left.type == .any { return compareAny(left, comparator, value) }
    let isEquality = comparator == .equal || comparator == .notEqual
    if value.isNotANumber { return comparator == .notEqual ? "1" : "0" }
    if value.isNull {
      guard isEquality else { return "0" }
      return "\(left.sql) IS \(comparator == .equal ? "" : "NOT ")NULL"
    }
    if left.type == .decimal, case .decimal(let number) = value {
      return compare(left, comparator, number)
    }
    let parameter = bind(value)
    switch comparator {
    case .equal: return "\(left.sql) IS \(parameter)"
    case .notEqual: return "\(left.sql) IS NOT \(parameter)"
    case .less: return "\(left.sql) < \(parameter)"
    case .lessOrEqual: return "\(left.sql) <= \(parameter)"
    case .greater: return left.withoutNaN("\(left.sql) > \(parameter)")
    case .greaterOrEqual: return left.withoutNaN("\(left.sql) >= \(parameter)")
    }
  }

  /// An any-typed value with a constant: values of the same kind only have an order.
  private mutating func compareAny(
    _ left: QueryValue, _ comparator: Predicate.Comparator, _ value: PersistedValue
  ) -> String {
    guard !value.isNotANumber, let key = ValueKey.bytes(value) else {
      let isNull = "\(left.key) IS NULL"
      switch comparator {
      case .equal: return value.isNull ? isNull : "0"
      case .notEqual: return value.isNull ? "(\(isNull) IS NOT TRUE)" : "1"
      case .less, .lessOrEqual, .greater, .greaterOrEqual: return "0"
      }
    }
    let parameter = bind(.data(key))
    let low = key[0] == 2 ? QueryValue.noNumber : "x'0\(key[0])'"
    let isAboveKind = "\(left.key) > \(low)"
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
  private mutating func compare(
    _ left: QueryValue, _ comparator: Predicate.Comparator, _ number: Decimal128
  ) -> String {
    let first = PersistedValue.data(number.orderedPrefix)
    let end = PersistedValue.data(number.orderedPrefix + [0xFF])
    let isNumber = "\(left.sql) > x'00'"
    switch comparator {
    case .equal: return "(\(left.sql) >= \(bind(first)) AND \(left.sql) < \(bind(end)))"
    case .notEqual:
      return "((\(left.sql) >= \(bind(first)) AND \(left.sql) < \(bind(end))) IS NOT TRUE)"
    case .less: return "(\(left.sql) < \(bind(first)) AND \(isNumber))"
    case .lessOrEqual: return "(\(left.sql) < \(bind(end)) AND \(isNumber))"
    case .greater: return "\(left.sql) >= \(bind(end))"
    case .greaterOrEqual: return "\(left.sql) >= \(bind(first))"
    }
  }

  private func compare(
    _ left: QueryValue, _ comparator: Predicate.Comparator, _ id: RowID, of target: ClassID?
  ) -> String {
    guard let isEqual = isObject(left, [id], of: target) else {
      return comparator == .notEqual ? "1" : "0"
    }
    switch comparator {
    case .equal: return isEqual
    case .notEqual: return "(\(isEqual) IS NOT TRUE)"
    case .less, .lessOrEqual, .greater, .greaterOrEqual: return "0"
    }
  }

  /// Whether a link leads to one of these rows and the row is alive; nil if it cannot.
  private func isObject(_ left: QueryValue, _ ids: [RowID], of target: ClassID?) -> String? {
    if let tag = left.tag, let target {
      let list = ids.map { "\($0.rawValue)" }.joined(separator: ",")
      return "(\(tag) = \(ValueTag.link(target)) AND \(left.sql) IN (\(list)))"
    }
    guard let own = left.target, target == nil || target == own, let entry = catalog.entry(own)
    else { return nil }
    let list = ids.map { "\($0.rawValue)" }.joined(separator: ",")
    let isOne = ids.count == 1 ? "\(left.raw) = \(list)" : "\(left.raw) IN (\(list))"
    if left.sql == left.raw { return isOne }
    return "(\(isOne) AND EXISTS (SELECT 1 FROM \(entry.table.sql) WHERE _id = \(left.raw)))"
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
    let areNumbers = [left, right].map { "ifnull(\($0.key), x'') <> \(QueryValue.noNumber)" }
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
    guard case .sql(let left) = try side(left) else { return "0" }
    var conditions: [String] = []
    var sought: [PersistedValue] = []
    var objects: [ClassID?: [RowID]] = [:]
    for value in values {
      switch value {
      case .value(.null): conditions.append(compare(left, .equal, .null))
      case .value(let value):
        let value = left.converted(value)
        if value.isNotANumber { continue }
        if case .decimal(let number) = value, left.type == .decimal {
          conditions.append(compare(left, .equal, number))
        } else if left.type == .any, let key = ValueKey.bytes(value) {
          sought.append(.data(key))
        } else {
          sought.append(value)
        }
      case .object(let id, let target): objects[target, default: []].append(id)
      case .path, .count, .aggregate: continue
      }
    }
    if !sought.isEmpty {
      let marks = sought.map { bind($0) }.joined(separator: ",")
      conditions.append("\(left.type == .any ? left.key : left.sql) IN (\(marks))")
    }
    for (target, ids) in objects.sorted(by: { ($0.key?.rawValue ?? 0) < ($1.key?.rawValue ?? 0) }) {
      if let isOne = isObject(left, ids, of: target) { conditions.append(isOne) }
    }
    if conditions.isEmpty { return "0" }
    return conditions.count == 1 ? conditions[0] : Self.balanced(conditions[...], " OR ")
  }

  // MARK: Text

  /// Compares bytes, since SQLite's own text functions stop at NUL.
  private mutating func matching(
    _ left: Predicate.Expression, _ match: Predicate.TextMatch, _ options: Predicate.TextOptions,
    _ right: Predicate.Expression
  ) throws -> String {
    guard case .sql(let left) = try side(left) else { return "0" }
    let text = folded(left.only(.string), options)
    switch try side(right) {
    case .constant(.string(let needle)):
      return matching(text, match, options, needle: needle)
    case .constant(.data(let bytes)): return matching(left.only(.data), match, needle: bytes)
    case .constant, .object: return "0"
    case .sql(let right): return matching(text, match, folded(right.sql, options))
    }
  }

  private func folded(_ sql: String, _ options: Predicate.TextOptions) -> String {
    options.isEmpty ? sql : "\(QueryFunctions.fold)(\(sql), \(options.rawValue))"
  }

  private mutating func matching(
    _ text: String, _ match: Predicate.TextMatch, _ options: Predicate.TextOptions, needle: String
  ) -> String {
    if match == .pattern {
      return
        "\(QueryFunctions.like)(\(text), \(bind(.string(TextFolding.fold(needle, options)))), 0)"
    }
    let needle = options.isEmpty ? needle : TextFolding.fold(needle, options)
    switch match {
    case .equal: return "\(text) = \(bind(.string(needle)))"
    case .prefix:
      // A range of code points is the same, and an index can find it.
      guard !needle.isEmpty else { return "0" }
      let isAfter = "\(text) >= \(bind(.string(needle)))"
      guard let end = needle.followingPrefix else { return isAfter }
      return "(\(isAfter) AND \(text) < \(bind(.string(end))))"
    case .suffix, .infix, .pattern: return matching(text, match, needle: Array(needle.utf8))
    }
  }

  private mutating func matching(
    _ sql: String, _ match: Predicate.TextMatch, needle: [UInt8]
  ) -> String {
    let blob = "CAST(\(sql) AS BLOB)"
    if match == .equal { return "\(blob) = \(bind(.data(needle)))" }
    guard !needle.isEmpty else { return "0" }
    let parameter = bind(.data(needle))
    switch match {
    case .infix: return "instr(\(blob), \(parameter)) > 0"
    case .suffix: return "substr(\(blob), -\(needle.count)) = \(parameter)"
    case .prefix: return "substr(\(blob), 1, \(needle.count)) = \(parameter)"
    case .equal, .pattern: return "0"
    }
  }

  private func matching(
    _ text: String, _ match: Predicate.TextMatch, _ needle: String
  ) -> String {
    let (blob, part) = ("CAST(\(text) AS BLOB)", "CAST(\(needle) AS BLOB)")
    switch match {
    case .equal: return "\(text) = \(needle)"
    case .pattern: return "\(QueryFunctions.like)(\(text), \(needle), 0)"
    case .infix: return "(length(\(part)) > 0 AND instr(\(blob), \(part)) > 0)"
    case .prefix: return "(length(\(part)) > 0 AND substr(\(blob), 1, length(\(part))) = \(part))"
    case .suffix: return "(length(\(part)) > 0 AND substr(\(blob), -length(\(part))) = \(part))"
    }
  }
}

extension String {
  /// The least text that is after every text that begins with this one; nil if there is none.
  var followingPrefix: String? {
    var scalars = Array(unicodeScalars)
    while let last = scalars.popLast() {
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let scalar = Unicode.Scalar(next) else { continue }
      scalars.append(scalar)
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars)
      return String(text)
    }
    return nil
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
