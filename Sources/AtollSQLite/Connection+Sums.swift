import AtollVocabulary
import CSQLite

extension Connection {
  /// Lets SQL call two aggregate functions of one argument, the sum of numbers and their average.
  ///
  /// SQLite's own fail where whole numbers overflow, and count what stands for NaN, and decimals, as
  /// zero. These cost the same: a group's ``NumberSum`` lies in SQLite's memory, and nothing is
  /// allocated or counted for a row.
  package func registerSums(sum: String, average: String) throws(SQLiteError) {
    try register(sum) { NumberSum.taken(from: $0).total.give(to: $0) }
    try register(average) { NumberSum.taken(from: $0).average.give(to: $0) }
  }

  private func register(
    _ name: String, _ finish: @convention(c) (OpaquePointer?) -> Void
  ) throws(SQLiteError) {
    let code = sqlite3_create_function_v2(
      handle, name, 1, Self.functionFlags, nil, nil,
      { context, _, values in
        guard let value = values?[0], let sum = NumberSum.place(in: context) else { return }
        sum.pointee.add(value)
      }, finish, nil)
    guard code == SQLITE_OK else { throw SQLiteError(code, of: handle) }
  }
}

/// The sum of numbers of one kind, or of several; a blob of eight bytes is NaN.
///
/// All of it is zero bits before the first row, as SQLite gives the memory.
private struct NumberSum {
  private var count = 0
  /// The sum of whole numbers, which wraps around.
  private var whole: Int64 = 0
  /// The sum of everything, for the average, which must not wrap around.
  private var approximate = 0.0
  private var fraction = 0.0
  private var hasFraction = false
  /// The sum of decimals, if there were any.
  private var decimal = Decimal128(high: 0, low: 0)
  private var hasDecimal = false

  /// Returns the place of a group's sum; nil if there is no memory for it, which SQLite reports.
  @inline(__always)
  static func place(in context: OpaquePointer?) -> UnsafeMutablePointer<NumberSum>? {
    sqlite3_aggregate_context(context, Int32(MemoryLayout<NumberSum>.size))?
      .assumingMemoryBound(to: NumberSum.self)
  }

  /// The sum of a group that has ended, which may have had no row.
  static func taken(from context: OpaquePointer?) -> NumberSum {
    sqlite3_aggregate_context(context, 0)?.assumingMemoryBound(to: NumberSum.self).pointee
      ?? NumberSum()
  }

  @inline(__always)
  mutating func add(_ value: OpaquePointer) {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER:
      let number = sqlite3_value_int64(value)
      whole &+= number
      approximate += Double(number)
    case SQLITE_FLOAT: add(sqlite3_value_double(value))
    case SQLITE_BLOB:
      let length = Int(sqlite3_value_bytes(value))
      let bytes = UnsafeRawBufferPointer(start: sqlite3_value_blob(value), count: length)
      guard add(bytes) else { return }
    default: return
    }
    count += 1
  }

  private mutating func add(_ number: Double) {
    fraction += number
    approximate += number
    hasFraction = true
  }

  /// Eight bytes are what stands for NaN; those of a decimal begin with less.
  private mutating func add(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if bytes.elementsEqual(Statement.notANumber) {
      add(.nan)
      return true
    }
    guard let number = Decimal128(orderedBytes: bytes) else { return false }
    decimal = hasDecimal ? decimal + number : .zero + number
    hasDecimal = true
    return true
  }

  var total: SQLiteValue {
    if hasDecimal { return .blob(decimalTotal.orderedBytes) }
    return hasFraction ? .real(fraction + Double(whole)) : .integer(whole)
  }

  /// The sum of everything as a decimal.
  private var decimalTotal: Decimal128 {
    let others = whole == 0 ? decimal : decimal + Decimal128(whole)
    return hasFraction ? others + Decimal128(fraction) : others
  }

  var average: SQLiteValue {
    if count == 0 { return .null }
    if hasDecimal { return .blob((decimalTotal / Decimal128(count)).orderedBytes) }
    return .real(approximate / Double(count))
  }
}
