package import AtollChanges
package import AtollVocabulary

/// The events of an engine that people may want to know; the text of each is a line of a log.
package enum StatusEvent: Hashable, Sendable {
  case connectFailed(PeerID, reason: String, retryAfter: Duration)
  /// A handshake succeeded.
  case linked(LinkID, LinkOrigin, peer: Author, agent: String)
  /// The peer has been sent everything that was here.
  case caughtUp(LinkID, peer: Author)
  /// A link ended; the peer's author is nil if the handshake did not get that far.
  case unlinked(LinkID, LinkOrigin, peer: Author?, reason: CloseReason, retryAfter: Duration?)
  /// An author's changesets are deferred by clock: stored, forwarded, and applied once the local clock
  /// has caught up with their stamps.
  case deferredByClock(LinkID, from: ChangesetID, ahead: Duration)
  /// Changesets were not kept, and their author is left out for a while.
  case overflowing(
    LinkID, author: Author, from: SequenceNumber, retryAfter: Duration,
    because: LeavingOut = .deferred)
  /// Two changesets of one author and number exist, since a disk was rolled back; both histories are
  /// kept.
  case branched(LinkID, ChangesetID, beside: ChangesetID)
  /// A peer says so and does not show the other one.
  case equivocation(LinkID, known: ChangesetID, received: ChainHash)
  /// A changeset was refused and its link closed.
  case refused(LinkID, author: Author, sequence: SequenceNumber, reason: String)
  /// The disk is full, and changesets of peers are not applied; tried again every
  /// ``Limits/diskFullRetryInterval``.
  case diskFull(reason: String)
  /// The disk is no longer full, and changesets of peers are applied again.
  case diskHasSpace
  /// A peer takes nothing, because its disk is full.
  case peerDiskFull(LinkID, peer: Author, reason: String)
  /// A peer takes changesets again.
  case peerDiskHasSpace(LinkID, peer: Author)
  /// So many bytes may be on their way to each of so many peers, and from it.
  case window(byteCount: Int, links: Int)
  /// Both sides have applied the same and hold something else.
  case diverged(LinkID, peer: Author, ours: FrontierDigest, theirs: FrontierDigest)
  /// A deferred changeset contradicts what the file began with: a peer is asked for another snapshot.
  case wantingSnapshot(LinkID)
  /// A snapshot is being taken, and was.
  case bootstrapping(LinkID, SnapshotOffer)
  case bootstrapped(LinkID)
  /// A snapshot has stamps that are too far ahead of this clock.
  case snapshotEarly(LinkID, ahead: Duration)
  /// A snapshot is not one that this file can begin with.
  case snapshotRefused(LinkID, reason: String)
  /// No peer has this number of changesets that a snapshot was made of.
  case backfillLost(UInt64)
  /// They hold the same again.
  case agreed(LinkID, peer: Author)
}

extension StatusEvent {
  /// True if a person should look at it.
  package var isWarning: Bool {
    switch self {
    case .linked, .caughtUp, .agreed, .diskHasSpace, .peerDiskHasSpace, .window, .bootstrapping,
      .bootstrapped:
      false
    case .connectFailed, .unlinked, .deferredByClock, .overflowing, .branched, .equivocation,
      .refused, .diverged, .diskFull, .peerDiskFull, .wantingSnapshot, .snapshotEarly,
      .snapshotRefused, .backfillLost:
      true
    }
  }
}

extension StatusEvent: CustomStringConvertible {
  package var description: String {
    switch self {
    case .connectFailed(let peer, let reason, let retryAfter):
      "connecting to \(peer) failed: \(reason); trying again in \(retryAfter)"
    case .linked(let link, let origin, let peer, let agent):
      "\(link) with \(origin) is up: replica \(peer.shortDescription), \(agent)"
    case .caughtUp(let link, let peer):
      "\(link): replica \(peer.shortDescription) has been sent everything"
    case .unlinked(let link, let origin, let peer, let reason, let retryAfter):
      "\(link) with \(origin)\(peer.map { " (replica \($0.shortDescription))" } ?? "") \(reason)"
        + (retryAfter.map { "; connecting again in \($0)" } ?? "")
    case .deferredByClock(let link, let id, let ahead):
      "\(link): changeset \(id.sequence) of \(id.author.shortDescription) is stamped too far ahead "
        + "of this clock; it and what follows it are deferred, and applied in \(ahead). Check the clocks "
        + "of both machines; `atoll clock repair` there, or `atoll clock release` here, ends the wait"
    case .overflowing(let link, let author, let sequence, let retryAfter, let reason):
      "\(link): changeset \(sequence) of \(author.shortDescription) was not taken: \(reason); "
        + "asking again in \(retryAfter)"
    case .branched(let link, let id, let known):
      "\(link): changeset \(id.sequence) of \(id.author.commonHistory) exists twice, with hash "
        + "\(known.hash) here and with \(id.hash) at the peer: a disk of that replica was rolled back "
        + "as it had been. Both histories are kept and merged, as \(known.author) and \(id.author)"
    case .equivocation(let link, let known, let received) where received == known.hash:
      "\(link): what the peer sends after changeset \(known.sequence) of \(known.author) does not give the hash "
        + "that it names for it. That author's further changesets are not exchanged on this link"
    case .equivocation(let link, let known, let received):
      "\(link): changeset \(known.sequence) of \(known.author) exists twice, here with hash "
        + "\(known.hash) and at the peer with \(received), which it does not show. That author's "
        + "further changesets are not exchanged on this link"
    case .refused(let link, let author, let sequence, let reason):
      "\(link): changeset \(sequence) of \(author.shortDescription) was refused: \(reason)"
    case .diskFull(let reason):
      "the disk is full: what peers send is not applied, and tried again every "
        + "\(Limits.diskFullRetryInterval): \(reason). Links stay, and what is here is sent as before"
    case .diskHasSpace: "what peers send is applied again"
    case .peerDiskFull(let link, let peer, let reason):
      "\(link): replica \(peer.shortDescription) takes nothing at present: \(reason)"
    case .peerDiskHasSpace(let link, let peer):
      "\(link): replica \(peer.shortDescription) takes changesets again"
    case .window(let byteCount, let links):
      "\(links) links share the memory for peers: \(byteCount) bytes of changesets may be on their "
        + "way to each of them, and as many from it"
    case .diverged(let link, let peer, let ours, let theirs):
      "\(link): DIVERGED from replica \(peer.shortDescription): both have applied exactly the same, "
        + "the digest here is \(ours.digest) and there \(theirs.digest). `atoll verify` on both "
        + "files tells which is wrong, `atoll verify --against` which objects differ"
    case .wantingSnapshot(let link):
      "\(link): deferred changesets contradict the snapshot with which this file began; the peer is "
        + "asked for one that has them"
    case .bootstrapping(let link, let offer):
      "\(link): taking a snapshot of \(offer.objects) objects in \(offer.pages) pages"
    case .bootstrapped(let link): "\(link): the snapshot is installed"
    case .snapshotEarly(let link, let ahead):
      "\(link): the snapshot has stamps that are \(ahead) too far ahead of this clock, and is not "
        + "taken yet. Check the clocks of both machines"
    case .snapshotRefused(let link, let reason):
      "\(link): the snapshot was refused: \(reason)"
    case .backfillLost(let count):
      "\(count) changesets that came with a snapshot are in nobody's log who is connected: a disk of the "
        + "replica that gave it was rolled back, or it is gone. Their objects are here, and peers that lack "
        + "them are given a snapshot"
    case .agreed(let link, let peer):
      "\(link): replica \(peer.shortDescription) holds the same again"
    }
  }
}
