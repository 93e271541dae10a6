import AtollVocabulary
import Synchronization

/// A wall clock that stands where the test put it.
final class WallClock: Sendable {
  /// The scenarios' `@t` is in seconds after this moment.
  static let start = WallTime(milliseconds: 1_700_000_000_000)

  private let milliseconds = Mutex(WallClock.start.milliseconds)

  var now: WallTime { WallTime(milliseconds: milliseconds.withLock { $0 }) }

  func set(secondsAfterStart seconds: Int64) {
    milliseconds.withLock { $0 = Self.start.milliseconds + 1000 * seconds }
  }
}
