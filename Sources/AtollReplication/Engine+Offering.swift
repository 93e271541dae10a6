import AtollChanges
import AtollVocabulary
import AtollWire

// Offering a snapshot: to a peer that needs what the log does not have any more, and to one that has
// nothing, where the log is long. Until the peer has it, or says that it does without, the log is
// not sent.

/// The snapshot that a session's peer was offered.
struct SnapshotSending: Hashable, Sendable {
  var offered: SnapshotOffer?
  /// The peer would rather have the log.
  var isDeclined = false
  /// The changesets that a requested snapshot must have, whatever the peer has.
  var wanted: VersionVector?
  /// Asked for and not yet sent, the first being read; at most two, more are dropped.
  var requests: [SnapshotRequest] = []
}

extension Engine {
  /// Offers a snapshot instead of the log, if it has to be or had better be; whether it does.
  mutating func offersSnapshot(_ index: Int) -> Bool {
    let session = sessions[index]
    guard session.isEstablished, session.outgoing.isEager else { return false }
    let isNeeded = !session.outgoing.sent.includes(truncationPoint)
    let isWanted = isWanted(by: session)
    guard isNeeded || isWanted || isWorthwhile(session) else { return false }
    // An offered snapshot's changesets have to be in the log as well, or cut off it.
    guard missing == nil else { return true }
    // Deferred changesets are in no snapshot.
    let stale = snapshot.map { holdings.applied.count(beyond: $0.frontier.stored) } ?? .max
    guard let snapshot, snapshot.frontier.stored.includes(truncationPoint),
      !isTooOld(snapshot, session),
      session.snapshot.wanted.map(snapshot.frontier.stored.includes) ?? true,
      isNeeded || isWanted || stale < configuration.snapshotChangesets ?? 0
    else {
      if !isMakingSnapshot { perform(.makeSnapshot) }
      isMakingSnapshot = true
      return true
    }
    if session.snapshot.offered != snapshot {
      sessions[index].snapshot.offered = snapshot
      send(index, .snapshotOffer(snapshot))
    }
    return true
  }

  /// Tells whether the peer would rather not, and has something itself that a new one would have as well.
  private func isTooOld(_ snapshot: SnapshotOffer, _ session: Session) -> Bool {
    session.snapshot.isDeclined
      && session.theirs.stored.entries.contains { entry in
        snapshot.frontier.stored[entry.author] < min(entry.sequence, holdings.applied[entry.author])
      }
  }

  /// Tells whether the peer has next to nothing, or is taking what it was offered for that reason.
  private func isWorthwhile(_ session: Session) -> Bool {
    guard let least = configuration.snapshotChangesets, !session.snapshot.isDeclined,
      missing == nil
    else { return false }
    if let offered = session.snapshot.offered {
      return !session.theirs.stored.includes(offered.frontier.stored)
    }
    // A peer with some of an author's log and not all may have another history of it, and would not know.
    guard !session.theirs.heads.contains(where: { $0.sequence < holdings.sequence(of: $0.author) })
    else { return false }
    // Nor is all of it given to who has most of what there is.
    let lacking = holdings.applied.count(beyond: session.theirs.stored)
    return lacking >= max(least, session.theirs.stored.count(beyond: VersionVector()))
  }

  mutating func snapshotMade(_ offer: SnapshotOffer?, at now: Instant) {
    isMakingSnapshot = false
    // One that does not serve is none, so that it is not made again at once.
    let offer = offer.flatMap { $0.frontier.stored.includes(truncationPoint) ? $0 : nil }
    if let offer { snapshot = offer }
    for index in sessions.indices {
      if offer == nil, sessions[index].snapshot.offered == nil {
        sessions[index].snapshot.isDeclined = true
      }
      // A snapshot that could not be made is tried again with the next keep-alive, not at once.
      if offer != nil || sessions[index].outgoing.sent.includes(truncationPoint) { pump(index) }
    }
  }

  /// Takes back an offer: a peer that asks for changesets does without the snapshot, or has it by now.
  mutating func offerDeclined(_ index: Int) {
    sessions[index].snapshot.wanted = nil
    guard sessions[index].snapshot.offered != nil else { return }
    sessions[index].snapshot.offered = nil
    sessions[index].snapshot.isDeclined = true
  }

  mutating func requested(_ index: Int, _ request: SnapshotRequest) {
    sessions[index].snapshot.isDeclined = false
    guard sessions[index].snapshot.requests.count < 2 else { return }
    sessions[index].snapshot.requests.append(request)
    if sessions[index].snapshot.requests.count == 1 {
      perform(.readSnapshot(sessions[index].link, request))
    }
  }

  /// No pages: what was offered is not there any more, and what is there is offered anew.
  mutating func snapshotRead(
    _ link: LinkID, _ pages: [SnapshotPage], offer: SnapshotOffer?, at now: Instant
  ) {
    guard let index = index(of: link) else { return }
    guard !sessions[index].snapshot.requests.isEmpty, sessions[index].isEstablished else { return }
    sessions[index].snapshot.requests.removeFirst()
    for page in pages { send(index, .snapshotPage(page)) }
    if let next = sessions[index].snapshot.requests.first { perform(.readSnapshot(link, next)) }
    guard pages.isEmpty else { return }
    snapshot = offer
    sessions[index].snapshot.offered = nil
    pump(index)
  }
}
