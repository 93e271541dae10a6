import AtollVocabulary
import Synchronization

/// The clocks and the chance of one node, as its file gets them; moved by the world alone.
///
/// The file asks for `@Sendable` closures; the lock is what makes them so.
final class VirtualClock: Sendable {
  private struct State {
    var now: Instant
    var skew: Duration
    var random: SeededGenerator
  }

  /// 2026-01-01 00:00 UTC; virtual time begins here.
  private static let epochMilliseconds: Int64 = 1_767_225_600_000

  private let state: Mutex<State>

  init(skew: Duration, seed: UInt64) {
    state = Mutex(
      State(now: Instant(nanoseconds: 0), skew: skew, random: SeededGenerator(seed: seed)))
  }

  func advance(to now: Instant) { state.withLock { $0.now = now } }

  func setSkew(_ skew: Duration) { state.withLock { $0.skew = skew } }

  var instant: Instant { state.withLock { $0.now } }

  var wallTime: WallTime {
    state.withLock { state in
      let elapsed = Int64(clamping: state.now.nanoseconds / 1_000_000)
      let skew = Int64(state.skew / .milliseconds(1))
      return WallTime(milliseconds: Self.epochMilliseconds + elapsed + skew)
    }
  }

  func random() -> UInt64 { state.withLock { $0.random.next() } }
}
