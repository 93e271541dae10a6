import AtollChanges
import AtollVocabulary
import AtollWire

// What the file holds and may not apply yet, since its stamp is too far ahead of the local clock or
// since it comes after such a one. The file decides; the engine has it look again when time has
// caught up, and now and then in between, for a clock may be set.

extension Engine {
  private var isHolding: Bool {
    holdings.heads.contains { holdings.applied[$0.author] < $0.sequence }
  }

  /// Has the file look at what it holds, unless that is under way or planned.
  mutating func considerHeld() {
    guard isHolding, !isSweeping, sweepAt == nil, !isStopping else { return }
    isSweeping = true
    perform(.applyDeferred)
  }

  /// Looks again if it is time.
  mutating func sweep(at now: Instant) {
    guard let due = sweepAt else { return }
    guard due <= now else { return arm(at: due) }
    sweepAt = nil
    considerHeld()
  }

  mutating func heldApplied(_ holdings: Holdings, _ next: Duration?, at now: Instant) {
    logAdvanced(to: holdings, at: now)
    for index in sessions.indices { tellApplied(index) }
    isSweeping = false
    planSweep(after: next ?? Limits.heldSweepInterval, at: now)
  }

  mutating func heldApplyFailed(at now: Instant) {
    isSweeping = false
    planSweep(after: Limits.heldSweepInterval, at: now)
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

  /// Tells a peer what was applied here of that which it knows to be held here.
  mutating func tellApplied(_ index: Int) {
    guard sessions[index].isEstablished else { return }
    let told = sessions[index].told
    let news = holdings.heads.filter { head in
      told.sequence(of: head.author) >= holdings.applied[head.author]
        && told.applied[head.author] < holdings.applied[head.author]
    }
    guard !news.isEmpty else { return }
    var applied = VersionVector()
    for head in news { applied[head.author] = holdings.applied[head.author] }
    let progress = Holdings(heads: news, applied: applied)
    sessions[index].told.formUnion(progress)
    send(index, .progress(progress))
  }

  private mutating func planSweep(after pause: Duration, at now: Instant) {
    guard isHolding else { return sweepAt = nil }
    let due = now.advanced(by: min(pause, Limits.heldSweepInterval))
    if let sweepAt, sweepAt <= due { return }
    sweepAt = due
    arm(at: due)
  }
}
