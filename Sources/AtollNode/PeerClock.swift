import AtollVocabulary
import AtollWire

/// The offset of the clock at the other end of a link, as NTP finds it (RFC 5905, section 8).
///
///     here    t1 ────────▶            ▲ t4        ahead = ((t2 − t1) + (t3 − t4)) / 2
///     there         t2 ▼ ───────── t3             under way = (t4 − t1) − (t3 − t2)
///
/// It is wrong by at most half of what the two frames were under way, so the sample with the least of
/// that counts, of the last few: a clock that is set is noticed before long.
struct PeerClock {
  private struct Sample {
    var ahead: Int64
    var underWay: Int64
  }

  private var heard: ClockReading.Answered?
  /// The last one last.
  private var samples: [Sample] = []

  /// Milliseconds by which the other clock is ahead, negative if it is behind; nil while nobody knows.
  var ahead: Int64? { samples.min { $0.underWay < $1.underWay }?.ahead }

  /// Returns the reading to send when the clock here shows `now`.
  func reading(at now: WallTime) -> ClockReading { ClockReading(sent: now, answered: heard) }

  /// A reading came, when the clock here showed `now`.
  ///
  /// Returns whether the other side waits for an answer.
  mutating func record(_ reading: ClockReading, at now: WallTime) -> Bool {
    heard = .init(sent: reading.sent, received: now)
    guard let answered = reading.answered else { return true }
    let (sent, came) = (answered.sent.milliseconds, now.milliseconds)
    let (heard, back) = (answered.received.milliseconds, reading.sent.milliseconds)
    // One of the clocks was set meanwhile.
    guard came >= sent, back >= heard, came - sent >= back - heard else { return false }
    samples.append(
      Sample(ahead: ((heard - sent) + (back - came)) / 2, underWay: (came - sent) - (back - heard)))
    samples = samples.suffix(Limits.clockReadings)
    return false
  }
}
