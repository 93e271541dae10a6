import AtollSQLite

/// Compiled queries that nobody is reading from, by their SQL.
///
/// Compiling costs many times what a small query does, and programs ask the same few questions again
/// with other values.
final class StatementPool {
  private static let bound = 64
  private let connection: Connection
  private var idle: [String: Statement] = [:]

  init(on connection: Connection) { self.connection = connection }

  /// A statement without bindings; give it back when its rows are read.
  func take(_ sql: String) throws -> Statement {
    guard let statement = idle.removeValue(forKey: sql) else {
      return try connection.prepare(sql)
    }
    statement.clear()
    return statement
  }

  /// Resets a statement and keeps it for the next one who asks.
  func give(_ statement: Statement) {
    statement.reset()
    if idle.count >= Self.bound { idle = [:] }
    idle[statement.sql] = statement
  }

  func drain() { idle = [:] }
}
