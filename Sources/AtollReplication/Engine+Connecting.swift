import AtollChanges
import AtollVocabulary
import AtollWire

// Connecting: from the configuration, or from the end of a link, to an open stream.

extension Engine {
  mutating func start(with holdings: Holdings, at now: Instant) {
    self.holdings = holdings
    recordForLag(at: now)
    for index in dials.indices { connect(index) }
    considerDeferred()
  }

  /// Connects to peers that are new in the configuration, and lets go of those that are gone from it.
  ///
  /// Links to the others go on, and so do links that the other side opened.
  mutating func change(to peers: [PeerID], at now: Instant) {
    guard !isStopping else { return }
    let former = dials
    dials = []
    for peer in peers where !dials.contains(where: { $0.peer == peer }) {
      dials.append(former.first { $0.peer == peer } ?? Dial(peer: peer))
    }
    for dial in former where !dials.contains(where: { $0.peer == dial.peer }) {
      guard case .linked(let link) = dial.state, let index = index(of: link) else { continue }
      let text = "this node is no longer told to connect to \(dial.peer)"
      farewell(index, Goodbye(.unspecified, text), at: now)
    }
    for index in dials.indices where !former.contains(where: { $0.peer == dials[index].peer }) {
      connect(index)
    }
  }

  mutating func waitNoLonger(at now: Instant) {
    guard !isStopping else { return }
    for index in heldBack.indices { heldBack[index].until = now }
    releaseHeldBack(at: now)
    for index in dials.indices {
      guard case .waiting = dials[index].state else { continue }
      dials[index].failures = 0
      connect(index)
    }
  }

  mutating func connectFailed(_ peer: PeerID, _ reason: String, at now: Instant) {
    guard !isStopping, let index = dials.firstIndex(where: { $0.peer == peer }),
      dials[index].state == .connecting
    else { return }
    let delay = dials[index].nextDelay(using: &random)
    wait(index, delay, at: now)
    perform(.report(.connectFailed(peer, reason: reason, retryAfter: delay)))
  }

  /// Connects to every peer whose pause is over.
  mutating func connectAgain(at now: Instant) {
    for index in dials.indices {
      guard case .waiting(let until) = dials[index].state else { continue }
      if until <= now { connect(index) } else { arm(at: until) }
    }
  }

  /// Decides when a dialed peer is tried again after its link ended; nil if not by the clock.
  mutating func redial(after session: Session, _ reason: CloseReason, at now: Instant) -> Duration?
  {
    guard !isStopping,
      let index = dials.firstIndex(where: { $0.state == .linked(session.link) })
    else { return nil }
    if let peer = session.peer, isLinked(to: peer) {
      dials[index].state = .parked(peer)
      dials[index].failures = 0
      return nil
    }
    if session.peer != nil, !reason.isLasting, !reason.isForAnother { dials[index].failures = 0 }
    let delay =
      reason.isLasting
      ? dials[index].longestDelay(using: &random) : dials[index].nextDelay(using: &random)
    wait(index, delay, at: now)
    return delay
  }

  /// Tries the peers again that were linked another way until `author`'s link ended.
  mutating func unpark(_ author: Author, at now: Instant) {
    guard !isStopping, !isLinked(to: author) else { return }
    for index in dials.indices where dials[index].state == .parked(author) {
      wait(index, dials[index].nextDelay(using: &random), at: now)
    }
  }

  func isLinked(to author: Author) -> Bool {
    sessions.contains { $0.isEstablished && $0.peer == author }
  }

  private mutating func connect(_ index: Int) {
    dials[index].state = .connecting
    perform(.connect(dials[index].peer))
  }

  private mutating func wait(_ index: Int, _ delay: Duration, at now: Instant) {
    let until = now.advanced(by: delay)
    dials[index].state = .waiting(until: until)
    arm(at: until)
  }
}
