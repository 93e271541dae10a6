import AtollSQLite
import AtollVocabulary

// Numbers made of two numbers, in the type of the wider one. Whole numbers wrap around, and have no
// quotient by zero; fractions follow IEEE 754. A Float with a Float stays a Float.

extension Predicate.Operation {
  /// The type of the result; nil if a side is no number.
  static func type(of a: PersistedType, _ b: PersistedType) -> PersistedType? {
    guard let a = rank(a), let b = rank(b) else { return nil }
    return widening[max(a, b)]
  }

  private static let widening: [PersistedType] = [.int, .float, .double, .decimal]

  /// Numbers among any-typed values count as decimals, because they are of several types.
  private static func rank(_ type: PersistedType) -> Int? {
    widening.firstIndex(of: type == .any ? .decimal : type)
  }

  /// How the operation is named in SQL.
  var code: Int64 {
    switch self {
    case .add: 1
    case .subtract: 2
    case .multiply: 3
    case .divide: 4
    }
  }

  init?(code: Int64) {
    let all: [Predicate.Operation] = [.add, .subtract, .multiply, .divide]
    guard let operation = all.first(where: { $0.code == code }) else { return nil }
    self = operation
  }

  /// The result for two values as the file has them; null where there is none.
  func callAsFunction(_ a: SQLiteValue, _ b: SQLiteValue, as type: PersistedType) -> SQLiteValue {
    switch type {
    case .int:
      guard case .integer(let a) = a, case .integer(let b) = b else { return .null }
      return whole(a, b).map { .integer($0) } ?? .null
    case .float:
      guard let a = a.double, let b = b.double else { return .null }
      return .real(Double(fraction(Float(a), Float(b))))
    case .double:
      guard let a = a.double, let b = b.double else { return .null }
      return .real(fraction(a, b))
    case .decimal:
      guard let a = a.decimal, let b = b.decimal else { return .null }
      return .blob(decimal(a, b).orderedBytes)
    case .bool, .string, .data, .date, .uuid, .objectId, .identity, .link, .embedded, .any:
      return .null
    }
  }

  private func whole(_ a: Int64, _ b: Int64) -> Int64? {
    switch self {
    case .add: a &+ b
    case .subtract: a &- b
    case .multiply: a &* b
    case .divide: b == 0 ? nil : a.dividedReportingOverflow(by: b).partialValue
    }
  }

  private func fraction<Number: FloatingPoint>(_ a: Number, _ b: Number) -> Number {
    switch self {
    case .add: a + b
    case .subtract: a - b
    case .multiply: a * b
    case .divide: a / b
    }
  }

  private func decimal(_ a: Decimal128, _ b: Decimal128) -> Decimal128 {
    switch self {
    case .add: a + b
    case .subtract: a - b
    case .multiply: a * b
    case .divide: a / b
    }
  }
}

extension SQLiteValue {
  fileprivate var double: Double? {
    switch self {
    case .null, .text: nil
    case .integer(let number): Double(number)
    case .real(let number): number
    case .blob(let bytes): bytes == Statement.notANumber ? .nan : nil
    }
  }

  fileprivate var decimal: Decimal128? {
    switch self {
    case .null, .text: nil
    case .integer(let number): Decimal128(number)
    case .real(let number): Decimal128(number)
    case .blob(let bytes):
      bytes == Statement.notANumber ? .nan : Decimal128(orderedBytes: bytes)
    }
  }
}

// MARK: - In SQL

extension QueryCompiler {
  /// Two numbers and what is done with them, in SQL.
  mutating func computed(
    _ left: Predicate.Expression, _ operation: Predicate.Operation, _ right: Predicate.Expression
  ) throws -> QueryValue {
    let (left, right) = (try number(left), try number(right))
    let type = Predicate.Operation.type(of: left.type, right.type) ?? .int
    let sql =
      "\(QueryFunctions.compute)(\(operation.code), \(type.rawValue), \(left.sql), \(right.sql))"
    return QueryValue(sql: sql, raw: sql, type: type)
  }

  /// One side of an operation; NULL where it is no number.
  private mutating func number(_ expression: Predicate.Expression) throws -> QueryValue {
    switch try side(expression) {
    case .constant(let constant):
      let type = constant.value.type ?? .int
      let parameter = bind(constant, .to(type))
      return QueryValue(sql: parameter, raw: parameter, type: type)
    case .sql(let value) where !value.isKey:
      var number = value
      number.sql = value.onlyNumber
      return number
    case .sql, .object, .keyed: return QueryValue(sql: "NULL", raw: "NULL", type: .int)
    }
  }
}
