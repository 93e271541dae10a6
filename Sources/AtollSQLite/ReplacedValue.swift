package import AtollVocabulary
import CSQLite

/// What a statement has just replaced.
///
/// `UPDATE club SET count = ?, _stamps = atoll_keep(?, count) WHERE …` gives `_stamps` its parameter and
/// keeps what `count` was. The old value comes with the write: no statement reads it before.
package final class ReplacedValue {
  /// The function's name: it returns its first argument and keeps the second.
  package static let function = "atoll_keep"

  /// How the value is read; set before the statement runs.
  package var type = PersistedType.any
  package fileprivate(set) var value = PersistedValue.null

  init() {}

  /// Forgets the last one, for a statement that may find no row.
  package func expect(_ type: PersistedType) {
    self.type = type
    value = .null
  }
}

extension Connection {
  /// Lets statements of this connection keep what they replace; returns where.
  package func keepReplaced() throws(SQLiteError) -> ReplacedValue {
    let replaced = ReplacedValue()
    let code = sqlite3_create_function_v2(
      handle, ReplacedValue.function, 2, SQLITE_UTF8 | SQLITE_DIRECTONLY,
      Unmanaged.passRetained(replaced).toOpaque(),
      { context, _, arguments in
        guard let arguments, let data = sqlite3_user_data(context) else { return }
        let replaced = Unmanaged<ReplacedValue>.fromOpaque(data).takeUnretainedValue()
        replaced.value = Argument(handle: arguments[1]).value(replaced.type)
        sqlite3_result_value(context, arguments[0])
      }, nil, nil, { $0.map { Unmanaged<ReplacedValue>.fromOpaque($0).release() } })
    guard code == SQLITE_OK else { throw SQLiteError(code, of: handle) }
    return replaced
  }
}

/// An argument, read as ``Statement`` reads a column.
private struct Argument: StoredScalar {
  let handle: OpaquePointer?

  var isNull: Bool { sqlite3_value_type(handle) == SQLITE_NULL }

  var int64: Int64 { sqlite3_value_int64(handle) }

  var double: Double {
    sqlite3_value_type(handle) == SQLITE_BLOB ? .nan : sqlite3_value_double(handle)
  }

  var string: String {
    guard let bytes = sqlite3_value_text(handle) else { return "" }
    let count = Int(sqlite3_value_bytes(handle))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  var bytes: [UInt8] {
    let address = sqlite3_value_blob(handle)
    let count = Int(sqlite3_value_bytes(handle))
    return Array(UnsafeRawBufferPointer(start: address, count: count))
  }
}
