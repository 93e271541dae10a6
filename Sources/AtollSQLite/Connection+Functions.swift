import CSQLite

/// A value on its way between SQL and a function written in Swift.
package enum SQLiteValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

extension Connection {
  static let functionFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS

  /// Lets SQL call a function that depends on nothing but its arguments.
  package func register(
    _ name: String, arguments: Int32, _ body: @escaping ([SQLiteValue]) -> SQLiteValue
  ) throws(SQLiteError) {
    let function = Unmanaged.passRetained(ScalarFunction(body)).toOpaque()
    let code = sqlite3_create_function_v2(
      handle, name, arguments, Self.functionFlags, function,
      { context, count, values in
        guard let data = sqlite3_user_data(context) else { return }
        let function = Unmanaged<ScalarFunction>.fromOpaque(data).takeUnretainedValue()
        function.body(SQLiteValue.read(count, values)).give(to: context)
      }, nil, nil, { $0.map { Unmanaged<ScalarFunction>.fromOpaque($0).release() } })
    guard code == SQLITE_OK else { throw SQLiteError(code, of: handle) }
  }
}

private final class ScalarFunction {
  let body: ([SQLiteValue]) -> SQLiteValue
  init(_ body: @escaping ([SQLiteValue]) -> SQLiteValue) { self.body = body }
}

extension SQLiteValue {
  fileprivate static func read(
    _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?
  ) -> [SQLiteValue] {
    (0..<Int(count)).map { index in
      guard let value = values?[index] else { return .null }
      switch sqlite3_value_type(value) {
      case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
      case SQLITE_FLOAT: return .real(sqlite3_value_double(value))
      case SQLITE_TEXT:
        guard let bytes = sqlite3_value_text(value) else { return .text("") }
        let length = Int(sqlite3_value_bytes(value))
        return .text(
          String(decoding: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self))
      case SQLITE_BLOB:
        let bytes = sqlite3_value_blob(value)
        let length = Int(sqlite3_value_bytes(value))
        return .blob(Array(UnsafeRawBufferPointer(start: bytes, count: length)))
      default: return .null
      }
    }
  }

  func give(to context: OpaquePointer?) {
    switch self {
    case .null: sqlite3_result_null(context)
    case .integer(let value): sqlite3_result_int64(context, value)
    case .real(let value):
      if value.isNaN {
        SQLiteValue.blob(Statement.notANumber).give(to: context)
      } else {
        sqlite3_result_double(context, value)
      }
    case .text(var value):
      value.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          csqlite_result_text(context, $0.baseAddress, UInt64($0.count))
        }
      }
    case .blob(let value):
      value.withUnsafeBytes { csqlite_result_blob(context, $0.baseAddress, UInt64($0.count)) }
    }
  }
}
