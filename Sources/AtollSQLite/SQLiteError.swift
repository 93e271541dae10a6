import CSQLite

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// SQLite's error for a call that it did not carry out.
package struct SQLiteError: Error, Hashable, Sendable {
  /// A result code of SQLite, extended where there is one.
  package struct Code: Hashable, Sendable {
    package let rawValue: Int32
    package init(_ rawValue: Int32) { self.rawValue = rawValue }

    /// The code without its extension.
    package var primary: Code { Code(rawValue & 0xFF) }

    /// Tells whether a call of the system failed, which has a code of its own.
    var isOfSystem: Bool { primary == .inputOutput || primary == .cantOpen }

    package static let busy = Code(SQLITE_BUSY)
    package static let cantOpen = Code(SQLITE_CANTOPEN)
    package static let constraint = Code(SQLITE_CONSTRAINT)
    package static let corrupt = Code(SQLITE_CORRUPT)
    package static let full = Code(SQLITE_FULL)
    package static let inputOutput = Code(SQLITE_IOERR)
    package static let memory = Code(SQLITE_NOMEM)
    /// The extended code for a file that no path leads to any more.
    package static let moved = Code(SQLITE_READONLY | 4 << 8)
    package static let notADatabase = Code(SQLITE_NOTADB)
    package static let permission = Code(SQLITE_PERM)
    package static let readOnly = Code(SQLITE_READONLY)
    package static let schema = Code(SQLITE_SCHEMA)
    package static let tooBig = Code(SQLITE_TOOBIG)
  }

  package let code: Code
  /// The C library's own words.
  package let message: String
  /// The statement, where one was being prepared or run.
  package let sql: String?
  /// The system's own code for an error of opening, reading or writing; else 0.
  package let systemCode: Int32

  package init(code: Code, message: String, sql: String?, systemCode: Int32 = 0) {
    self.code = code
    self.message = message
    self.sql = sql
    self.systemCode = systemCode
  }

  init(_ code: Int32, of handle: OpaquePointer?, sql: String? = nil) {
    let message = handle.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
    let code = Code(handle.map { sqlite3_extended_errcode($0) } ?? code)
    self.init(
      code: code,
      message: message.map { String(cString: $0) } ?? "no message", sql: sql,
      systemCode: code.isOfSystem ? handle.map { sqlite3_system_errno($0) } ?? 0 : 0)
  }
}

extension SQLiteError {
  /// The disk is full, or its user's share of it, or a file of this process may not grow further.
  package var isDiskFull: Bool {
    code.primary == .full || systemFailure(path: "")?.isDiskFull == true
  }

  /// Tells whether there was not enough memory.
  package var isOutOfMemory: Bool {
    code.primary == .memory || code.rawValue == SQLITE_IOERR | 12 << 8
  }

  /// The call of the system that failed; nil if none did, or SQLite does not say which error it was.
  ///
  /// `path` is that of the database: SQLite does not say whether it was a file beside it.
  package func systemFailure(path: String) -> FileFailure? {
    guard code.isOfSystem, !isOutOfMemory, systemCode != 0 else { return nil }
    let call = code.primary == .cantOpen ? "open" : "read or write"
    return FileFailure(call, path: path, number: systemCode)
  }

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
