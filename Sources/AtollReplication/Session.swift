import AtollChanges
import AtollVocabulary
import AtollWire

/// One link, from its opening to its end.
struct Session: Hashable, Sendable {
  let link: LinkID
  let origin: LinkOrigin
  var phase = Phase.handshaking
  let openedAt: Instant
  var lastReceived: Instant
  var nextKeepAlive: Instant
  /// Known after the handshake.
  var peer: Author?
  /// The peer's holdings: those that it announced, and the changesets that it sent.
  var theirs = Holdings.none
  /// The holdings of this side that were announced to the peer.
  var announced: Holdings
  var outgoing = Outgoing()
  var incoming = Incoming()
  /// The window that the peer was granted; both sides know the first one.
  var granted = Credit(window: Limits.unacknowledgedBytes)
  /// True once a frame granted it.
  var hasGranted = false
  /// True if nothing is taken from the peer, its own or others', so that nothing is requested.
  var isReader = false
  /// True if our hello asked the peer to be eager.
  let hasAskedForEager: Bool
  /// True if the peer is eager: it sends new changesets at once.
  var isEager = false
  /// True if it was made lazy, because others sent the same.
  var hasPruned = false
  /// The time since when the peer, which is lazy, is known to have changesets that are not here.
  var laggingSince: Instant?
  /// The snapshots that the peer was offered, and that it offers.
  var snapshot = SnapshotSending()
  var offer: SnapshotOffer?
  var backfill = BackfillExchange()
  var digests = DigestExchange()
  var acknowledgements = AcknowledgementExchange()
  /// True if a question is being looked into.
  var isAnswering = false
  /// Known from the moment either side gives the link up.
  var closeReason: CloseReason?

  /// The states of a session; the module's essay has the table.
  enum Phase: Hashable, Sendable {
    case handshaking
    case catchingUp
    case streaming
    /// Somebody looks for differences, and says no hello.
    case inspecting
    case closing
  }

  init(link: LinkID, origin: LinkOrigin, announced: Holdings, isEagerWanted: Bool, at now: Instant)
  {
    hasAskedForEager = isEagerWanted
    self.link = link
    self.origin = origin
    self.announced = announced
    openedAt = now
    lastReceived = now
    nextKeepAlive = now.advanced(by: Limits.keepAliveInterval)
  }

  /// True if the handshake succeeded and nobody gave the link up.
  var isEstablished: Bool {
    switch phase {
    case .catchingUp, .streaming: true
    case .handshaking, .inspecting, .closing: false
    }
  }

  /// True if changesets pass or will, as far as is known.
  var isExchanging: Bool {
    switch phase {
    case .handshaking, .catchingUp, .streaming: true
    case .inspecting, .closing: false
    }
  }

  /// The time at which this link has to be checked although nothing came.
  var deadline: Instant? {
    switch phase {
    case .handshaking: openedAt.advanced(by: Limits.handshakeTimeout)
    case .catchingUp, .streaming:
      min(nextKeepAlive, lastReceived.advanced(by: Limits.linkTimeout))
    case .inspecting:
      lastReceived.advanced(by: isAnswering ? Limits.digestTimeout : Limits.linkTimeout)
    case .closing: nil
    }
  }

  /// Learns what the peer has; what it confirms is no longer in flight.
  ///
  /// Returns whether any of it is new.
  mutating func adopt(_ holdings: Holdings) -> Bool {
    let isNew = theirs.formUnion(holdings)
    outgoing.acknowledge(theirs, of: holdings.heads)
    return isNew
  }

  /// Of `heads` of ours those the peer waits for, or has itself and does not know to be here.
  func unannounced(among heads: [ChangesetID], of ours: Holdings) -> [ChangesetID] {
    heads.filter { head in
      let known = announced.sequence(of: head.author)
      let hasAppliedMore = announced.applied[head.author] < ours.applied[head.author]
      return theirs.sequence(of: head.author) > known && (known < head.sequence || hasAppliedMore)
    }
  }
}
