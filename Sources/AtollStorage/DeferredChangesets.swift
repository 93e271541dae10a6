import AtollChanges
import AtollLog
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
      func ahead(_ time: HybridTime) -> Duration {
        .milliseconds(Int64(clamping: time.milliseconds).subtractingSaturated(now))
      }
      return try log.deferredSummaries().map { summary in
        DeferredChangesets(
          author: summary.author, count: summary.count, byteCount: summary.byteCount,
          firstAhead: ahead(summary.firstTime), lastAhead: ahead(summary.lastTime),
          awaitsRest: summary.awaitsRest)
      }
    }
  }
}

extension Int64 {
  fileprivate func subtractingSaturated(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }
}
