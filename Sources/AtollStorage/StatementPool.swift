import AtollSQLite

/// Compiled queries that nobody is reading from, by their SQL.
///
/// Compiling costs many times what a small query does, and programs ask the same few questions again
/// with other values.
final class StatementPool {
  private static let bound = 64
  private let connection: Connection
  private var idle: [String: Statement] = [:]
  /// The one given back last, which is often the next that is wanted.
  private var last: Statement?

  init(on connection: Connection) { self.connection = connection }

  /// A statement without bindings; give it back when its rows are read.
  func take(_ sql: String) throws -> Statement {
    guard let statement = takeIdle(sql) else { return try connection.prepare(sql) }
    statement.clear()
    return statement
  }

  private func takeIdle(_ sql: String) -> Statement? {
    // A plan's text is the very one that its statement has, so that this is no comparison of letters.
    guard let last, last.sql == sql else { return idle.removeValue(forKey: sql) }
    self.last = nil
    return last
  }

  /// Resets a statement and keeps it for the next one who asks.
  func give(_ statement: Statement) {
    statement.reset()
    if let last {
      if idle.count >= Self.bound { idle = [:] }
      idle[last.sql] = last
    }
    last = statement
  }

  func drain() {
    idle = [:]
    last = nil
  }
}
