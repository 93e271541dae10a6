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
  /// What the peer said it has, and what it sent.
  var theirs = Holdings.none
  /// What this side has told the peer of its own holdings.
  var told: Holdings
  var outgoing = Outgoing()
  var incoming = Incoming()
  /// What the peer was told that it may send; everybody knows how it begins.
  var granted = Credit(window: Limits.unacknowledgedBytes)
  /// Whether it was told so in a frame.
  var hasGranted = false
  /// Whether nothing is taken from the peer, whoever wrote it, so that nothing is asked of it.
  var isReader = false
  /// Whether our hello asked the peer to push.
  let didWantPush: Bool
  /// Whether the peer sends what is new at once, as far as is known here.
  var isPushed = false
  /// Whether it was told to stop that, since others did.
  var hasEased = false
  /// Since when the peer, which does not push, is known to have what is not here.
  var laggingSince: Instant?
  /// What the peer was offered, and what it offers.
  var snapshot = SnapshotSending()
  var offer: SnapshotOffer?
  var backfill = BackfillExchange()
  var digests = DigestExchange()
  var acknowledgements = AcknowledgementExchange()
  /// Whether a question is being looked into.
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

  init(link: LinkID, origin: LinkOrigin, told: Holdings, wantsPush: Bool, at now: Instant) {
    didWantPush = wantsPush
    self.link = link
    self.origin = origin
    self.told = told
    openedAt = now
    lastReceived = now
    nextKeepAlive = now.advanced(by: Limits.keepAliveInterval)
  }

  /// Whether the handshake succeeded and nobody gave the link up.
  var isEstablished: Bool {
    switch phase {
    case .catchingUp, .streaming: true
    case .handshaking, .inspecting, .closing: false
    }
  }

  /// Whether changesets pass or will, as far as is known.
  var isExchanging: Bool {
    switch phase {
    case .handshaking, .catchingUp, .streaming: true
    case .inspecting, .closing: false
    }
  }

  /// When this link has to be looked at again although nothing came.
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
  func untold(among heads: [ChangesetID], of ours: Holdings) -> Holdings {
    let heads = heads.filter { head in
      let known = told.sequence(of: head.author)
      let hasAppliedMore = told.applied[head.author] < ours.applied[head.author]
      return theirs.sequence(of: head.author) > known && (known < head.sequence || hasAppliedMore)
    }
    var applied = VersionVector()
    for head in heads { applied[head.author] = ours.applied[head.author] }
    return Holdings(heads: heads, applied: applied)
  }
}
