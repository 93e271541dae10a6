import AtollVocabulary

/// A configured peer, from this side: whether a connection to it exists, is tried, or has to wait.
struct Dial: Hashable, Sendable {
  let peer: PeerID
  var state = State.waiting(until: Instant(nanoseconds: 0))
  /// Connections that came to nothing since the last good one.
  var failures = 0

  enum State: Hashable, Sendable {
    case waiting(until: Instant)
    /// Asked for, not yet answered.
    case connecting
    case linked(LinkID)
    /// The same replica is linked another way; tried again when that link ends.
    case parked(Author)
  }

  /// The pause after one more failure: doubled each time, the second half of it by chance.
  mutating func nextDelay(using random: inout SeededGenerator) -> Duration {
    let doublings = min(failures, 20)
    failures += 1
    let whole = min(
      Limits.reconnectFirstDelay * (1 << doublings), Limits.reconnectLastDelay)
    let percent = Int64.random(in: 50...100, using: &random)
    return whole * Int(percent) / 100
  }

  /// The longest pause, after which nothing is expected to have changed by itself.
  mutating func longestDelay(using random: inout SeededGenerator) -> Duration {
    failures = 20
    return nextDelay(using: &random)
  }
}
