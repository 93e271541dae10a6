import AtollChanges
import AtollVocabulary
import AtollWire

// A deferred changeset contradicts what the file began with: it goes on from another snapshot only, of a peer that
// has applied that. One peer is asked at a time, the next if nothing has come of it after a while.

/// The peer that was asked for a snapshot, and the time.
struct AskedForSnapshot: Hashable, Sendable {
  var link: LinkID
  var at: Instant
}

extension Engine {
  /// The file says what a snapshot must have for it to go on; nil if it needs none.
  mutating func request(snapshotWith vector: VersionVector?, at now: Instant) {
    wantedOfSnapshot = vector
    if vector == nil { askedForSnapshot = nil }
    seekSnapshot(at: now)
  }

  /// Asks the next peer that may have such a snapshot.
  private mutating func seekSnapshot(at now: Instant) {
    guard let wanted = wantedOfSnapshot, bootstrap == nil, missing == nil, !isStopping else {
      return
    }
    if let asked = askedForSnapshot, asked.at.advanced(by: Limits.backfillPause) > now,
      index(of: asked.link) != nil
    {
      return
    }
    let able = sessions.indices.filter {
      sessions[$0].isEstablished && sessions[$0].theirs.applied.includes(wanted)
    }
    let next = able.first { sessions[$0].link > askedForSnapshot?.link ?? LinkID(0) } ?? able.first
    guard let index = next else { return }
    askedForSnapshot = AskedForSnapshot(link: sessions[index].link, at: now)
    perform(.report(.wantingSnapshot(sessions[index].link)))
    send(index, .snapshotWanted(wanted))
  }

  /// Tells whether a snapshot is one that the file needs, whatever else is here.
  func isWanted(_ offer: SnapshotOffer) -> Bool {
    guard let wanted = wantedOfSnapshot else { return false }
    return offer.frontier.stored.includes(wanted)
  }

  /// A peer needs a snapshot that has all of this.
  mutating func wanted(_ index: Int, _ vector: VersionVector) {
    sessions[index].snapshot.wanted = vector
    sessions[index].snapshot.offered = nil
    sessions[index].snapshot.isDeclined = false
    pump(index)
  }

  /// Tells whether the peer has asked for a snapshot that this file can give, or has made.
  func isWanted(by session: Session) -> Bool {
    guard let wanted = session.snapshot.wanted else { return false }
    return holdings.applied.includes(wanted)
  }
}
