import CSQLite

/// What SQLite answered instead of doing it.
package struct SQLiteError: Error, Hashable, Sendable {
  /// A result code of SQLite, extended where there is one.
  package struct Code: Hashable, Sendable {
    package let rawValue: Int32
    package init(_ rawValue: Int32) { self.rawValue = rawValue }

    /// The code without its extension.
    package var primary: Code { Code(rawValue & 0xFF) }

    package static let busy = Code(SQLITE_BUSY)
    package static let cantOpen = Code(SQLITE_CANTOPEN)
    package static let constraint = Code(SQLITE_CONSTRAINT)
    package static let corrupt = Code(SQLITE_CORRUPT)
    package static let full = Code(SQLITE_FULL)
    package static let inputOutput = Code(SQLITE_IOERR)
    package static let notADatabase = Code(SQLITE_NOTADB)
    package static let permission = Code(SQLITE_PERM)
    package static let readOnly = Code(SQLITE_READONLY)
    package static let tooBig = Code(SQLITE_TOOBIG)
  }

  package let code: Code
  /// The C library's own words.
  package let message: String
  /// The statement, where one was being prepared or run.
  package let sql: String?

  package init(code: Code, message: String, sql: String?) {
    self.code = code
    self.message = message
    self.sql = sql
  }

  init(_ code: Int32, of handle: OpaquePointer?, sql: String? = nil) {
    let message = handle.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
    self.init(
      code: Code(handle.map { sqlite3_extended_errcode($0) } ?? code),
      message: message.map { String(cString: $0) } ?? "no message", sql: sql)
  }
}

extension SQLiteError {
  /// The kind of virtual table that this library does not know, if that is what is wrong.
  package var missingModule: String? {
    let words = "no such module: "
    return message.hasPrefix(words) ? String(message.dropFirst(words.count)) : nil
  }
}

extension SQLiteError: CustomStringConvertible {
  package var description: String {
    let statement = sql.map { ", running \"\($0)\"" } ?? ""
    return "SQLite error \(code.rawValue): \(message)\(statement)"
  }
}
