import AtollQuery
import AtollSQLite
import AtollVocabulary

// Numbers made of two numbers, in the type of the wider one. Whole numbers wrap around, and have no
// quotient by zero; fractions follow IEEE 754. A Float with a Float stays a Float.

extension Predicate.Operation {
  /// The operation in the shape of a query.
  var code: Int64 {
    switch self {
    case .add: 1
    case .subtract: 2
    case .multiply: 3
    case .divide: 4
    }
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
  /// A number that is computed, in SQL: one call of a function, however many operations there are.
  ///
  /// Calls inside calls would fill the stack of SQLite's parser after a dozen.
  mutating func computed(
    _ left: Predicate.Expression, _ operation: Predicate.Operation, _ right: Predicate.Expression
  ) throws -> QueryValue {
    var computation = Computation()
    let type = try add(.computed(left, operation, right), to: &computation)
    guard computation.arguments.count <= Limits.computedTerms else {
      throw StorageError.tooLarge(
        what: "the terms of one computed number in a query", size: computation.arguments.count,
        limit: Limits.computedTerms)
    }
    let arguments = computation.arguments.joined(separator: ", ")
    let sql = "\(QueryFunctions.compute)('\(computation.program)', \(arguments))"
    return QueryValue(sql: sql, raw: sql, type: type)
  }

  /// Adds what an expression comes to; the type of the number.
  private mutating func add(
    _ expression: Predicate.Expression, to computation: inout Computation
  ) throws -> PersistedType {
    guard case .computed(let left, let operation, let right) = expression else {
      let number = try number(expression)
      computation.program += "."
      computation.arguments.append(number.sql)
      return number.type
    }
    let a = try add(left, to: &computation)
    let b = try add(right, to: &computation)
    let type = Predicate.Operation.type(of: a, b) ?? .int
    computation.program += operation.rawValue + Computation.letter(of: type)
    return type
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

/// Operations on a stack of numbers, as one text: `.` puts the next argument on it, and a sign with the
/// letter of the result's type takes two and puts one.
struct Computation {
  var program = ""
  var arguments: [String] = []

  static func letter(of type: PersistedType) -> String {
    switch type {
    case .int: "i"
    case .float: "f"
    case .double: "d"
    case .decimal: "n"
    case .bool, .string, .data, .date, .uuid, .objectId, .identity, .link, .embedded, .any: "x"
    }
  }

  private static func type(of letter: UInt8) -> PersistedType? {
    [.int, .float, .double, .decimal].first { letter == self.letter(of: $0).utf8.first }
  }

  /// The result for a program and its arguments; null where there is none.
  static func result(_ values: [SQLiteValue]) -> SQLiteValue {
    guard case .text(let program)? = values.first else { return .null }
    var stack: [SQLiteValue] = []
    var next = 1
    var operation: Predicate.Operation?
    for byte in program.utf8 {
      if let pending = operation {
        guard let type = type(of: byte), let right = stack.popLast(), let left = stack.popLast()
        else { return .null }
        stack.append(pending(left, right, as: type))
        operation = nil
      } else if byte == UInt8(ascii: ".") {
        guard next < values.count else { return .null }
        stack.append(values[next])
        next += 1
      } else {
        operation = Predicate.Operation(rawValue: String(Unicode.Scalar(byte)))
      }
    }
    return stack.count == 1 ? stack[0] : .null
  }
}
