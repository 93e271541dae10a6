import AtollVocabulary

/// A rate: the number of events per second, over the last while.
struct Throughput {
  private struct Second {
    var begin: Instant
    var count: UInt64
  }

  /// Ascending by time; as many as there were within `Limits.throughputSeconds` of the last.
  private var seconds: [Second] = []

  mutating func add(_ count: UInt64, at now: Instant) {
    guard count > 0 else { return }
    seconds = recent(at: now)
    if let last = seconds.last, now.duration(since: last.begin) < .seconds(1) {
      seconds[seconds.count - 1].count &+= count
    } else {
      seconds.append(Second(begin: now, count: count))
    }
  }

  /// Nil if there were none.
  func perSecond(at now: Instant) -> Double? {
    let recent = recent(at: now)
    guard let first = recent.first else { return nil }
    let total = recent.reduce(0) { $0 + Double($1.count) }
    return total / max(now.duration(since: first.begin).inSeconds, 1)
  }

  private func recent(at now: Instant) -> [Second] {
    seconds.filter { now.duration(since: $0.begin) <= .seconds(Limits.throughputSeconds) }
  }
}
