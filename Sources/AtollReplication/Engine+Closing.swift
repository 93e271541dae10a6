import AtollChanges
import AtollVocabulary
import AtollWire

// Closing: one side has said why; what still comes is ignored until the stream is gone.

extension Engine {
  mutating func stop(at now: Instant) {
    isStopping = true
    for index in sessions.indices {
      farewell(index, Goodbye(.stopping, "this node is stopping"), at: now)
    }
    applyQueue = []
  }

  mutating func malformed(_ link: LinkID, _ error: WireError, at now: Instant) {
    guard let index = index(of: link) else { return }
    switch error {
    case .otherVersions: farewell(index, Goodbye(.version, "\(error)"), at: now)
    case .notAtoll, .unknownKind, .frameTooLong, .checksum, .payload, .decompressedTooLong,
      .compression:
      farewell(index, Goodbye(.malformed, "\(error)"), at: now)
    }
  }

  /// Ends a link whose peer may not connect any more, or to which nobody may connect now.
  mutating func revoke(_ link: LinkID, _ goodbye: Goodbye, at now: Instant) {
    guard let index = index(of: link) else { return }
    farewell(index, goodbye, at: now)
  }

  /// A frame that belongs on another kind of link.
  mutating func outOfTurn(_ index: Int, _ frame: Frame, at now: Instant) {
    let text = "a \(frame.kind) frame has no place on a link between peers"
    farewell(index, Goodbye(.malformed, text), at: now)
  }

  /// Gives a link up and tells the peer why.
  mutating func farewell(_ index: Int, _ goodbye: Goodbye, at now: Instant) {
    guard sessions[index].phase != .closing else { return }
    send(index, .goodbye(goodbye))
    close(index, .byUs(goodbye))
  }

  /// The peer gave the link up.
  mutating func takeLeave(_ index: Int, _ goodbye: Goodbye) {
    close(index, .byPeer(goodbye))
  }

  mutating func linkClosed(_ link: LinkID, _ reason: String, at now: Instant) {
    guard let index = index(of: link) else { return }
    save()
    let session = sessions.remove(at: index)
    applyQueue.removeAll { $0 == link }
    let reason = session.closeReason ?? .lost(reason)
    let delay = redial(after: session, reason, at: now)
    perform(
      .report(
        .unlinked(link, session.origin, peer: session.peer, reason: reason, retryAfter: delay)))
    if let peer = session.peer { unpark(peer, at: now) }
    abandonSnapshot(link, at: now)
    abandonBackfill(link, at: now)
    chooseEager(at: now)
    grant()
    applyNext()
  }

  private mutating func close(_ index: Int, _ reason: CloseReason) {
    sessions[index].phase = .closing
    sessions[index].closeReason = reason
    perform(.close(sessions[index].link, reason))
  }
}

extension CloseReason {
  /// True if another link between the same nodes was kept, as far as one of them knows.
  var isForAnother: Bool {
    switch self {
    case .lost: false
    case .byUs(let goodbye), .byPeer(let goodbye): goodbye.code == .duplicate
    }
  }

  /// True if the next link would end the same way until somebody changes something.
  var isLasting: Bool {
    switch self {
    case .lost: false
    case .byUs(let goodbye), .byPeer(let goodbye):
      switch goodbye.code {
      case .version, .store, .ownself, .malformed, .refused, .storage, .overload, .stranger,
        .unpaired, .removed:
        true
      case .unspecified, .stopping, .duplicate, .silent, .branched, .paused: false
      }
    }
  }
}
