import CSQLite

/// The statements that a connection ran while it was traced.
package final class ConnectionTrace {
  /// The SQL of each statement that began to run, without values.
  package private(set) var statements: [String] = []
  /// Rows that statements gave.
  package private(set) var rows = 0
  /// Statements that were compiled and kept.
  package private(set) var compiled = 0
  /// Instructions of SQLite's machine that were run by statements that have ended: what it cost to find
  /// the rows, those that were passed over included.
  package private(set) var instructions = 0

  fileprivate static let begins = UInt32(SQLITE_TRACE_STMT)
  fileprivate static let givesRow = UInt32(SQLITE_TRACE_ROW)
  fileprivate static let ends = UInt32(SQLITE_TRACE_PROFILE)

  fileprivate func record(_ event: UInt32, _ statement: OpaquePointer?) {
    switch event {
    case Self.givesRow: rows += 1
    case Self.ends: instructions += Self.takeInstructions(of: statement)
    default:
      _ = Self.takeInstructions(of: statement)
      if let sql = sqlite3_sql(statement) { statements.append(String(cString: sql)) }
    }
  }

  /// Those since the last time.
  private static func takeInstructions(of statement: OpaquePointer?) -> Int {
    Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1))
  }

  fileprivate func recordCompiled(_ count: Int) { compiled = count }
}

extension Connection {
  /// Runs `body` and tells what the connection did meanwhile.
  package func traced<Failure: Error>(
    _ body: () throws(Failure) -> Void
  ) throws(Failure) -> ConnectionTrace {
    let trace = ConnectionTrace()
    let before = statementCount
    sqlite3_trace_v2(
      handle, ConnectionTrace.begins | ConnectionTrace.givesRow | ConnectionTrace.ends,
      { event, context, statement, _ in
        guard let context else { return 0 }
        let trace = Unmanaged<ConnectionTrace>.fromOpaque(context).takeUnretainedValue()
        trace.record(event, statement.map { OpaquePointer($0) })
        return 0
      }, Unmanaged.passUnretained(trace).toOpaque())
    defer {
      sqlite3_trace_v2(handle, 0, nil, nil)
      trace.recordCompiled(statementCount - before)
    }
    try body()
    return trace
  }

  private var statementCount: Int {
    var count = 0
    var statement = sqlite3_next_stmt(handle, nil)
    while statement != nil {
      count += 1
      statement = sqlite3_next_stmt(handle, statement)
    }
    return count
  }
}
