/// Milliseconds since 1970-01-01 00:00 UTC, as the local clock tells them.
package struct WallTime: Hashable, Sendable, Comparable {
  package var milliseconds: Int64

  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  package static func < (a: WallTime, b: WallTime) -> Bool { a.milliseconds < b.milliseconds }
}

/// Nanoseconds on a clock that never steps back; its zero means nothing.
package struct Instant: Hashable, Sendable, Comparable {
  package var nanoseconds: UInt64

  package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  package static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }

  /// The instant `duration` later; negative durations and overflow saturate.
  package func advanced(by duration: Duration) -> Instant {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else { return self }
    let whole = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let sum = nanoseconds.addingReportingOverflow(
      whole.partialValue &+ UInt64(attoseconds / 1_000_000_000))
    return Instant(
      nanoseconds: whole.overflow || sum.overflow ? UInt64.max : sum.partialValue)
  }

  /// Returns the time from `earlier` to this instant; zero if it is later.
  package func duration(since earlier: Instant) -> Duration {
    self <= earlier ? .zero : .nanoseconds(Int64(clamping: nanoseconds - earlier.nanoseconds))
  }
}

/// A hybrid logical clock reading: wall milliseconds and a counter that breaks ties within one.
///
/// Layout of `rawValue`, most significant first: 48 bits of milliseconds since 1970, 16 bits of
/// counter. The counter's overflow carries into the milliseconds, so that the successor is
/// `rawValue + 1`. Strictly increasing per author, and moved forward by everything received
/// (Kulkarni et al., "Logical Physical Clocks", 2014).
package struct HybridTime: Hashable, Sendable, Comparable {
  package var rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  package init(milliseconds: UInt64, counter: UInt16 = 0) {
    rawValue = milliseconds << 16 | UInt64(counter)
  }

  package static let zero = HybridTime(rawValue: 0)

  package var milliseconds: UInt64 { rawValue >> 16 }
  package var counter: UInt16 { UInt16(truncatingIfNeeded: rawValue) }

  package static func < (a: HybridTime, b: HybridTime) -> Bool { a.rawValue < b.rawValue }

  /// The reading for a new event after `self` at `now`: the wall clock, or the successor of `self`.
  package func next(at now: WallTime) -> HybridTime {
    let bound = min(UInt64(clamping: now.milliseconds), 0xFFFF_FFFF_FFFF)
    return max(HybridTime(milliseconds: bound), HybridTime(rawValue: rawValue &+ 1))
  }
}

extension HybridTime: CustomStringConvertible {
  /// Milliseconds and counter, joined by a plus sign.
  package var description: String { "\(milliseconds)+\(counter)" }
}
