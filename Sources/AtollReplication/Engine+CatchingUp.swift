import AtollChanges
import AtollVocabulary
import AtollWire

// Catching up: the peer is sent what it lacks, in the order of this file's log. Every dependency
// of a changeset stands before it in the log, so that the peer can apply as it receives. The first
// time nothing is left, the session is streaming; from then on the same steps run whenever the
// log grows.

extension Engine {
  /// Sends what the window has room for, and reads on when there is nothing left to send.
  mutating func pump(_ index: Int) {
    guard sessions[index].isEstablished, !offersSnapshot(index) else { return }
    while let frame = sessions[index].outgoing.nextFrame() {
      if case .changesets(let runs) = frame { markAnnounced(index, by: runs) }
      send(index, frame)
    }
    if let request = sessions[index].outgoing.nextRequest() {
      perform(.readLog(sessions[index].link, request))
    }
    expedite(index)
    if sessions[index].phase == .catchingUp, hasSentAll(index),
      let peer = sessions[index].peer
    {
      sessions[index].phase = .streaming
      perform(.report(.caughtUp(sessions[index].link, peer: peer)))
      offerDigest(index)
    }
  }

  mutating func logRead(_ link: LinkID, _ batch: LogBatch, at now: Instant) {
    guard let index = index(of: link) else { return }
    sessions[index].outgoing.take(batch)
    pump(index)
  }

  mutating func logReadFailed(_ link: LinkID, _ reason: String, at now: Instant) {
    guard let index = index(of: link), sessions[index].isEstablished else { return }
    let text = "this node could not read its log: \(reason)"
    farewell(index, Goodbye(.storage, text), at: now)
  }

  /// A commit of any origin: peers that lack it are sent it, and those that have it get an announcement.
  mutating func logAdvanced(to holdings: Holdings, at now: Instant) {
    guard let hasBranched = hasBranched(holdings) else { return }
    let news = holdings.heads(beyond: self.holdings)
    if hasBranched { branched(to: holdings, at: now) } else { self.holdings.formUnion(holdings) }
    recordForLag(at: now)
    for index in sessions.indices where sessions[index].isEstablished {
      sessions[index].outgoing.logAdvanced(to: news)
      announce(index, among: news)
      pump(index)
      if !news.isEmpty, !sessions[index].outgoing.isEager { planAnnouncement(at: now) }
    }
    considerDeferred()
  }

  /// Tells whether the peer was sent, or has from others, everything that is here.
  private func hasSentAll(_ index: Int) -> Bool {
    let session = sessions[index]
    return session.outgoing.isEager
      ? session.outgoing.isDrained : session.theirs.stored.includes(holdings.stored)
  }

  /// A replica that sends a changeset announces by it that it has it.
  mutating func markAnnounced(_ index: Int, by runs: [ChangesetRun]) {
    for run in runs {
      let id = ChangesetID(author: run.author, sequence: run.last, hash: run.headHash)
      sessions[index].announced.formUnion(Holdings(storedBy: configuration.author, upTo: id))
    }
  }
}

extension Holdings {
  /// The holdings of a sender of changesets up to `id`: it has stored them, and has surely applied
  /// them only if they are its own.
  init(storedBy sender: Author?, upTo id: ChangesetID) {
    self.init(heads: [id], applied: VersionVector())
    if id.author == sender { applied[id.author] = id.sequence }
  }
}
