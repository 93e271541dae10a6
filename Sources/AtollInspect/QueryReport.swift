import AtollStorage

/// A query as SQLite sees it, and what it costs.
package struct QueryReport: Codable, Hashable, Sendable {
  /// The SQL, a line each.
  package let sql: [String]
  /// The steps by which SQLite finds the rows.
  package let plan: [String]
  /// The objects found.
  package let count: Int
  /// The time it took to find and to read them all.
  package let milliseconds: Double
}

extension ObjectListing {
  /// Runs the query once and tells how.
  package func report() throws -> QueryReport {
    let clock = ContinuousClock()
    var count = 0
    let time = try clock.measure { try forEach { _ in count += 1 } }
    return QueryReport(
      sql: try statement(), plan: try plan(), count: count, milliseconds: time / .milliseconds(1))
  }
}
