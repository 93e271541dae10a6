import AtollSQLite
import AtollVocabulary

/// Bytes by which values of any type are compared: a rank, then the value in an order of its own.
///
/// ```
///  01 bool   02 number   03 string   04 data   05 date   06 object id   07 UUID   08 link
///  09 list   0A map, both without what is in them
/// ```
///
/// Numbers are those of four types, told apart by value only: 1, 1.0 and decimal 1.00 are equal. A
/// `Float` counts as the `Double` it is, and a fraction as the shortest decimal that stands for it.
/// NaN is `02 00`, before all numbers.
enum ValueKey {
  /// The key of a value as a column has it; nil for nil.
  static func bytes(_ value: SQLiteValue, type: Int64) -> [UInt8]? {
    if type < 0, case .integer(let row) = value {
      return [8] + word(UInt64(bitPattern: -type)) + word(UInt64(bitPattern: row))
    }
    switch ValueTag.kind(type) {
    case .list: return [9]
    case .map: return [10]
    case .set, .some(.none), nil: break
    }
    guard let type = UInt8(exactly: type).flatMap(PersistedType.init) else { return nil }
    switch (type, value) {
    case (.bool, .integer(let flag)): return [1, flag == 0 ? 0 : 1]
    case (.int, .integer(let number)): return numeric(Decimal128(number))
    case (.float, .real(let number)), (.double, .real(let number)), (.int, .real(let number)):
      return numeric(number)
    case (.float, .integer(let number)), (.double, .integer(let number)):
      return numeric(Decimal128(number))
    case (.float, .blob), (.double, .blob): return numeric(Decimal128.nan)
    case (.decimal, .blob(let bytes)): return Decimal128(orderedBytes: bytes).map(numeric)
    case (.string, .text(let text)): return [3] + Array(text.utf8)
    case (.data, .blob(let bytes)): return [4] + bytes
    case (.date, .real(let seconds)): return [5] + word(ordered(seconds))
    case (.date, .integer(let seconds)): return [5] + word(ordered(Double(seconds)))
    case (.objectId, .blob(let bytes)): return [6] + bytes
    case (.uuid, .blob(let bytes)): return [7] + bytes
    case (_, _): return nil
    }
  }

  /// The key of a constant; nil for nil.
  static func bytes(_ value: PersistedValue) -> [UInt8]? {
    switch value {
    case .null: nil
    case .bool(let flag): [1, flag ? 1 : 0]
    case .int(let number): numeric(Decimal128(number))
    case .float(let number): numeric(Double(number))
    case .double(let number): numeric(number)
    case .decimal(let number): numeric(number)
    case .string(let text): [3] + Array(text.utf8)
    case .data(let bytes): [4] + bytes
    case .date(let seconds): [5] + word(ordered(seconds))
    case .objectId(let id): [6] + id.bytes
    case .uuid(let bytes): [7] + word(bytes.high) + word(bytes.low)
    case .identity: nil
    }
  }

  private static func numeric(_ value: Decimal128) -> [UInt8] { [2] + value.orderedPrefix }

  private static func numeric(_ value: Double) -> [UInt8] {
    numeric(Int64(exactly: value).map { Decimal128($0) } ?? Decimal128(value))
  }

  /// Ascending as the numbers do.
  private static func ordered(_ value: Double) -> UInt64 {
    let bits = (value == 0 ? 0 : value).bitPattern
    return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
  }

  private static func word(_ word: UInt64) -> [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
  }
}
