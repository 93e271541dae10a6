/// What SQLite answered instead of doing it.
package struct SQLiteError: Error, Hashable, Sendable {
  /// A result code of SQLite, extended where there is one.
  package struct Code: Hashable, Sendable {
    package let rawValue: Int32
    package init(_ rawValue: Int32) { self.rawValue = rawValue }

    /// The code without its extension.
    package var primary: Code { Code(rawValue & 0xFF) }
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
}
