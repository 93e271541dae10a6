import AtollVocabulary

/// The times at which announced commits are looked for: a single one at once, those of a burst
/// together.
///
/// Between two announcements it counts how much time is, not since the last look: who writes again as
/// soon as a peer has answered is not kept waiting.
struct CommitPace {
  enum Answer: Hashable {
    case look
    /// Look when this has passed, for all that come by then.
    case gather(Duration)
    /// Somebody will look.
    case wait
  }

  private var announcedAt: Instant?
  private var isGathering = false
  private var delay = Limits.commitBurstDelay

  /// A process announced a commit.
  mutating func announced(at now: Instant) -> Answer {
    let isBurst = announcedAt.map { now.duration(since: $0) < Limits.commitBurstSpacing } ?? false
    announcedAt = now
    if isGathering { return .wait }
    guard isBurst else {
      delay = Limits.commitBurstDelay
      return .look
    }
    isGathering = true
    defer { delay = min(delay * 2, Limits.longestCommitBurstDelay) }
    return .gather(delay)
  }

  /// Records that the gathered commits were looked for.
  mutating func gathered() { isGathering = false }
}
