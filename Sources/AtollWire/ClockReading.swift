package import AtollVocabulary

/// The time of a sender's clock, with what the receiver needs to compare it with its own.
///
/// Times are of 1970 at the earliest, and have at most `Limits.wallClockMilliseconds`.
package struct ClockReading: Hashable, Sendable {
  /// The sender's clock when this was sent.
  package var sent: WallTime
  /// The last reading that came from the receiver; nil if none has come.
  package var answered: Answered?

  package struct Answered: Hashable, Sendable {
    /// The receiver's clock when it was sent.
    package var sent: WallTime
    /// The sender's clock when it came.
    package var received: WallTime

    package init(sent: WallTime, received: WallTime) {
      self.sent = sent
      self.received = received
    }
  }

  package init(sent: WallTime, answered: Answered? = nil) {
    self.sent = sent
    self.answered = answered
  }
}
