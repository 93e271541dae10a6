import AtollChanges
import AtollReplication
import AtollStorage
import AtollTransport
import AtollVocabulary
import AtollWire

// The effects of a roster's roles: the changesets that are not taken, and the peers that are told.
extension Hub {
  func sender(at link: LinkID) -> WritePermissions.Sender {
    WritePermissions.Sender(
      identity: links[link]?.peer?.identity, author: board.peer(at: link))
  }

  /// Tells whether nothing is taken that comes over a link.
  func isReader(_ link: LinkID) -> Bool { role(of: link) == .read }

  /// Returns the role of the node at the other end of a link; nil while it is not known.
  func role(of link: LinkID) -> PeerRole? {
    links[link]?.peer.flatMap { peer in roster.first { $0.identity == peer.identity }?.role }
  }

  /// A reader sends what is not taken, and a relay a snapshot, which goes no further.
  func refuse(_ frame: Frame, from link: LinkID) -> Bool {
    guard let role = role(of: link), role != .write else { return false }
    switch frame {
    // Nothing in a snapshot says who wrote it.
    case .snapshotOffer, .snapshotPage: return true
    case .changesets, .expedited, .chunk:
      guard role == .read else { return false }
      decline(board.peer(at: link).map { [$0] } ?? [], at: link)
      return true
    case .hello, .goodbye, .chunkReceipt, .progress, .request, .keepAlive, .digest, .prune,
      .question,
      .acknowledgements, .answer, .pair, .paired, .declined, .credit, .clock, .snapshotRequest,
      .snapshotWanted, .backfillRequest, .backfill, .localHello, .committed:
      return false
    }
  }

  /// A link is established: people want to know whose it is, and others whose this replica is.
  func identified(_ link: LinkID) {
    guard let peer = links[link]?.peer else { return }
    board.identify(link, peer, roster)
    guard !isIntroduced, let identity = security.context?.identity else { return }
    isIntroduced = true
    service.request(.introduce(identity))
  }

  /// Has a replica admitted whose node may write by the roster, or is of the same user on this machine: at once, if
  /// an owner's file is served here, or else by asking owners.
  func admit(_ replica: ReplicaID, at link: LinkID) {
    guard storeID.isOwned, links[link]?.peer == nil || role(of: link) == .write,
      !isOfRemoved(link)
    else { return }
    service.request(.admit(replica))
  }

  /// Tells who brought them, once on a link, and the log.
  func decline(_ authors: [Author], at link: LinkID, because why: LeavingOut = .role) {
    if why == .notAdmitted, let peer = board.peer(at: link),
      authors.contains(where: { $0.replica == peer.replica })
    {
      admit(peer.replica, at: link)
    }
    for author in authors where !declined[link, default: []].contains(author) {
      guard declined[link, default: []].count < Limits.vectorEntries else { return }
      declined[link, default: []].append(author)
      log.declining(author, why)
      let reason =
        why == .notAdmitted
        ? "no owner of the store has admitted replica \(author.replica), as far as replica "
          + "\(replica.shortDescription) knows; ask an owner to run `atoll admit`"
        : "the role of its node in the roster of replica \(replica.shortDescription) does not let it "
          + "write; ask the operator there to run `atoll peer add` with --role write"
      links[link]?.send(.declined(author, reason: reason))
    }
  }

  /// A peer, or one behind it, takes nothing that an author writes.
  func heard(_ link: LinkID, _ author: Author, _ reason: String) {
    log.declined(author, by: links[link]?.peerName ?? "\(link)", reason)
    board.record(declined: author, reason: reason, at: link)
    announceStatus()
    if author.replica != replica.replica { passOn(Declining(author, reason), from: link) }
  }

  /// The author shall hear of it, whoever brought what it wrote: itself if it is linked, else through
  /// the others, each once.
  private func passOn(_ declining: Declining, from link: LinkID) {
    let others = links.keys.filter { $0 != link && board.peer(at: $0) != nil }
    let direct = others.filter { board.peer(at: $0)?.replica == declining.author.replica }
    for other in direct.isEmpty ? others : direct
    where passedOn[other, default: []].count < Limits.declinesPassedOn
      && passedOn[other, default: []].insert(declining).inserted
    {
      links[other]?.send(.declined(declining.author, reason: declining.reason))
    }
  }

  /// Tells whether an event tells in the engine's words what ``decline(_:at:)`` has told better.
  func isAboutDeclined(_ event: StatusEvent) -> Bool {
    guard case .overflowing(let link, let author, _, _, let reason) = event,
      reason == .role || reason == .notAdmitted
    else { return false }
    return declined[link]?.contains(author) == true
  }
}

/// That somebody takes nothing that an author writes, and who and why, in words.
struct Declining: Hashable {
  let author: Author
  let reason: String

  init(_ author: Author, _ reason: String) {
    self.author = author
    self.reason = reason
  }
}
