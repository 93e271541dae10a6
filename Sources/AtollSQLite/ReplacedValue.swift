package import AtollVocabulary
import CSQLite

/// The value that a statement has just replaced.
///
/// `UPDATE club SET count = ?, _stamps = atoll_keep(?, count) WHERE …` gives `_stamps` its parameter and
/// keeps what `count` was. The old value comes with the write: no statement reads it before.
package final class ReplacedValue {
  /// The function's name: it returns its first argument and keeps the second.
  package static let function = "atoll_keep"

  /// The type by which the value is read; set before the statement runs.
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
        replaced.value = StoredScalar(handle: arguments[1]).value(replaced.type)
        sqlite3_result_value(context, arguments[0])
      }, nil, nil, { $0.map { Unmanaged<ReplacedValue>.fromOpaque($0).release() } })
    guard code == SQLITE_OK else { throw SQLiteError(code, of: handle) }
    return replaced
  }
}
