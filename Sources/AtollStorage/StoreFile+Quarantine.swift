import AtollChanges
import AtollSQLite
package import AtollVocabulary

/// What is held of one author and not applied yet.
package struct HeldChangesets: Hashable, Sendable {
  package var author: Author
  package var count: Int
  package var byteCount: Int
  /// How far the first and the last of them are ahead of the local clock; negative for what only
  /// waits for another author's.
  package var firstAhead: Duration
  package var lastAhead: Duration
  /// Whether the last of them is continued: what it goes on with has still to come.
  package var awaitsRest: Bool
}

extension StoreFile {
  /// The authors of whom something is held and not applied, ascending.
  package func quarantine() throws(StorageError) -> [HeldChangesets] {
    try doing("reading what is held") {
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
      var held: [HeldChangesets] = []
      while try statement.step() {
        guard let replica = ReplicaID(bytes: statement.bytes(at: 0)) else { continue }
        held.append(
          HeldChangesets(
            author: Author(
              replica: replica, incarnation: Incarnation(statement.uint64(at: 1)),
              branch: Branch(statement.uint64(at: 6))),
            count: Int(statement.int64(at: 2)), byteCount: Int(statement.int64(at: 3)),
            firstAhead: ahead(statement.uint64(at: 4)), lastAhead: ahead(statement.uint64(at: 5)),
            awaitsRest: statement.int64(at: 7) != 0))
      }
      return held.sorted { $0.author < $1.author }
    }
  }
}

extension Int64 {
  fileprivate func subtractingSaturated(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }
}
