import AtollChanges
import AtollSQLite
package import AtollVocabulary

/// The deferred changesets of one author: stored and not applied yet.
package struct DeferredChangesets: Hashable, Sendable {
  package var author: Author
  package var count: Int
  package var byteCount: Int
  /// The time by which the first and the last are ahead of the local clock; negative for those that
  /// only wait for another author's changesets.
  package var firstAhead: Duration
  package var lastAhead: Duration
  /// The last is continued, and the rest of its transaction has still to come.
  package var awaitsRest: Bool
}

extension StoreFile {
  /// The deferred changesets, by author, ascending.
  package func deferredChangesets() throws(StorageError) -> [DeferredChangesets] {
    try doing("reading deferred changesets") {
      let now = options.wallClock().milliseconds
      func ahead(_ time: UInt64) -> Duration {
        .milliseconds(
          Int64(clamping: HybridTime(rawValue: time).milliseconds).subtractingSaturated(now))
      }
      let statement = try statement(
        """
        SELECT replica, incarnation, count(*), sum(size), min(time), max(time), branch,
          max(h.sequence) = max(ifnull(c.sequence, 0))
        FROM atoll_held h JOIN atoll_author a ON a.number = h.author
        LEFT JOIN atoll_continued c ON c.author = h.author AND c.sequence = h.sequence
        GROUP BY h.author
        """)
      var deferred: [DeferredChangesets] = []
      while try statement.step() {
        guard let replica = ReplicaID(bytes: statement.bytes(at: 0)) else { continue }
        deferred.append(
          DeferredChangesets(
            author: Author(
              replica: replica, incarnation: Incarnation(statement.uint64(at: 1)),
              branch: Branch(statement.uint64(at: 6))),
            count: Int(statement.int64(at: 2)), byteCount: Int(statement.int64(at: 3)),
            firstAhead: ahead(statement.uint64(at: 4)), lastAhead: ahead(statement.uint64(at: 5)),
            awaitsRest: statement.int64(at: 7) != 0))
      }
      return deferred.sorted { $0.author < $1.author }
    }
  }
}

extension Int64 {
  fileprivate func subtractingSaturated(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }
}
