import AtollChanges
import AtollVocabulary
import AtollWire

// Deferred changesets: those stamped too far ahead of the local clock, and those that come after one.
// The file decides which they are. The engine has it look again when the clock has caught up, and
// every `deferredSweepInterval`, because a clock may be set.

extension Engine {
  private var hasDeferred: Bool {
    holdings.heads.contains { holdings.applied[$0.author] < $0.sequence }
  }

  /// Has the file look at its deferred changesets, unless that is under way or planned.
  mutating func considerDeferred() {
    guard hasDeferred, !isSweeping, sweepAt == nil, !isStopping else { return }
    isSweeping = true
    perform(.applyDeferred)
  }

  /// Looks again if it is time.
  mutating func sweep(at now: Instant) {
    guard let due = sweepAt else { return }
    guard due <= now else { return arm(at: due) }
    sweepAt = nil
    considerDeferred()
  }

  mutating func deferredApplied(_ holdings: Holdings, _ next: Duration?, at now: Instant) {
    logAdvanced(to: holdings, at: now)
    for index in sessions.indices { announceApplied(index) }
    isSweeping = false
    planSweep(after: next ?? Limits.deferredSweepInterval, at: now)
  }

  mutating func deferredApplyFailed(at now: Instant) {
    isSweeping = false
    planSweep(after: Limits.deferredSweepInterval, at: now)
  }

  /// Plans when a changeset deferred by clock is applied, and reports the first of each author.
  mutating func recordClockDeferral(
    _ index: Int, _ id: ChangesetID, _ ahead: Duration, _ before: Holdings, at now: Instant
  ) {
    planSweep(after: ahead, at: now)
    guard before.sequence(of: id.author) == before.applied[id.author],
      id.sequence == before.sequence(of: id.author).next
    else { return }
    perform(.report(.deferredByClock(sessions[index].link, from: id, ahead: ahead)))
  }

  /// Tells a peer which of the changesets that it knows to be stored here were applied.
  mutating func announceApplied(_ index: Int) {
    guard sessions[index].isEstablished else { return }
    let announced = sessions[index].announced
    let news = holdings.heads.filter { head in
      announced.sequence(of: head.author) >= holdings.applied[head.author]
        && announced.applied[head.author] < holdings.applied[head.author]
    }
    announce(index, news)
  }

  private mutating func planSweep(after pause: Duration, at now: Instant) {
    guard hasDeferred else { return sweepAt = nil }
    let due = now.advanced(by: min(pause, Limits.deferredSweepInterval))
    if let sweepAt, sweepAt <= due { return }
    sweepAt = due
    arm(at: due)
  }
}
