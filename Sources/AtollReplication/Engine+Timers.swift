import AtollChanges
import AtollVocabulary
import AtollWire

// Timers: the engine acts because nothing happened.

extension Engine {
  mutating func timer(at now: Instant) {
    disarm()
    guard !isStopping else { return }
    connectAgain(at: now)
    for index in sessions.indices { checkOn(index, at: now) }
    releaseHeldBack(at: now)
    sweep(at: now)
    tryAgain(at: now)
    announce(at: now)
    seek(at: now)
    if let due = progressAt, due <= now {
      progressAt = nil
      for index in sessions.indices { announceApplied(index) }
    }
    if let due = progressAt { arm(at: due) }
    acknowledge(at: now)
  }

  /// Has peers told soon what is applied here by now.
  mutating func scheduleProgress(at now: Instant) {
    guard progressAt == nil else { return }
    let due = now.advanced(by: Limits.progressInterval)
    progressAt = due
    arm(at: due)
  }

  private mutating func checkOn(_ index: Int, at now: Instant) {
    // Of many sessions few are due, and copying one counts all that it has.
    guard let due = sessions[index].deadline else { return }
    guard due <= now else { return arm(at: due) }
    let session = sessions[index]
    let silence = now.duration(since: session.lastReceived)
    switch session.phase {
    case .handshaking where session.openedAt.advanced(by: Limits.handshakeTimeout) <= now:
      let text = "no hello came within \(Limits.handshakeTimeout)"
      farewell(index, Goodbye(.silent, text), at: now)
    case .catchingUp where silence >= Limits.linkTimeout,
      .streaming where silence >= Limits.linkTimeout:
      let text = "nothing was heard for \(Limits.linkTimeout)"
      farewell(index, Goodbye(.silent, text), at: now)
    case .catchingUp where session.nextKeepAlive <= now,
      .streaming where session.nextKeepAlive <= now:
      sessions[index].nextKeepAlive = now.advanced(by: Limits.keepAliveInterval)
      sessions[index].announced = holdings
      send(index, .keepAlive(holdings))
      grantAgain(index)
      confirm(index, at: now)
      checkOnSnapshot(index, at: now)
      checkBackfill(index, at: now)
      offerDigest(index)
    case .inspecting where session.deadline.map({ $0 <= now }) ?? false:
      farewell(index, Goodbye(.silent, "nothing was asked for \(Limits.linkTimeout)"), at: now)
    case .inspecting, .handshaking, .catchingUp, .streaming, .closing: break
    }
    if let deadline = sessions[index].deadline { arm(at: deadline) }
  }
}
