/// The statements on the bookkeeping tables of one connection, each compiled once.
///
/// Their texts come from a fixed set, so there are never more than the code has.
package final class FixedStatements {
  package let connection: Connection
  private var compiled: [String: Statement] = [:]

  package init(on connection: Connection) { self.connection = connection }

  /// A statement, compiled when it is first asked for; `sql` must come from a fixed set.
  package func callAsFunction(_ sql: String) throws(SQLiteError) -> Statement {
    if let statement = compiled[sql] { return statement }
    let statement = try connection.prepare(sql)
    compiled[sql] = statement
    return statement
  }

  /// Takes a statement out, for one who reads its rows while others may need the same; give it back.
  package func take(_ sql: String) throws(SQLiteError) -> Statement {
    if let statement = compiled.removeValue(forKey: sql) { return statement }
    return try connection.prepare(sql)
  }

  package func give(_ statement: Statement, _ sql: String) {
    statement.reset()
    compiled[sql] = statement
  }

  /// Lets go of all, before the connection is closed.
  package func drain() { compiled = [:] }
}
