import AtollChanges
import AtollVocabulary
import AtollWire

// Digests: peers that have applied the same changesets compare the results. And links on which a program
// only looks for differences; these have no handshake and get no changesets.

/// The digests of the two sides of a session.
struct DigestExchange: Hashable, Sendable {
  /// The heads at which our digest was last sent, and those at which theirs was last compared.
  var announced: [ChangesetID] = []
  var compared: [ChangesetID] = []
  /// The peer's last digest, and whether it is still to be compared.
  var theirs: FrontierDigest?
  var isToCompare = false
  var isReading = false
  /// True if ours is to be sent when it is read.
  var isDue = false
}

extension Engine {
  /// Sends our digest to a peer that has applied what we have, unless that was done.
  mutating func offerDigest(_ index: Int) {
    let exchange = sessions[index].digests
    let theirs = sessions[index].theirs
    guard !holdings.heads.isEmpty, theirs.heads == holdings.heads,
      theirs.applied == holdings.applied,
      exchange.announced != holdings.heads || exchange.compared != holdings.heads
    else { return }
    sessions[index].digests.isDue = true
    readDigest(index)
  }

  mutating func receive(_ index: Int, _ theirs: FrontierDigest) {
    sessions[index].digests.theirs = theirs
    sessions[index].digests.isToCompare = true
    readDigest(index)
  }

  /// One read at a time, whatever the peer sends.
  private mutating func readDigest(_ index: Int) {
    guard !sessions[index].digests.isReading else { return }
    sessions[index].digests.isReading = true
    perform(.readDigest(sessions[index].link))
  }

  mutating func digestRead(_ link: LinkID, _ ours: FrontierDigest?) {
    guard let index = index(of: link), sessions[index].isEstablished else { return }
    sessions[index].digests.isReading = false
    guard let ours else { return }
    let isPresent = ours.frontier == FrontierDigest(heads: holdings.heads, digest: .zero).frontier
    if sessions[index].digests.isDue {
      sessions[index].digests.isDue = false
      if isPresent { sessions[index].digests.announced = holdings.heads }
      send(index, .digest(ours))
    }
    guard sessions[index].digests.isToCompare, let theirs = sessions[index].digests.theirs else {
      return
    }
    sessions[index].digests.isToCompare = false
    // At another moment of the two it says nothing.
    guard ours.frontier == theirs.frontier, let peer = sessions[index].peer else { return }
    if isPresent { sessions[index].digests.compared = holdings.heads }
    if ours.digest != theirs.digest {
      guard recordDivergence(of: peer.replica) else { return }
      perform(.report(.diverged(link, peer: peer, ours: ours, theirs: theirs)))
    } else if let place = diverged.firstIndex(of: peer.replica) {
      diverged.remove(at: place)
      perform(.report(.agreed(link, peer: peer)))
    }
  }

  /// Remembers over all links to a replica that it has diverged; whether that is new.
  ///
  /// So many digests are compared until it agrees again, which is said once too. Beyond its bound the one with
  /// the greatest id is forgotten, and reported again.
  private mutating func recordDivergence(of replica: ReplicaID) -> Bool {
    guard !diverged.contains(replica) else { return false }
    let place = diverged.firstIndex { $0 > replica } ?? diverged.endIndex
    diverged.insert(replica, at: place)
    if diverged.count > Limits.peers { diverged.removeLast() }
    return true
  }

  /// The file was found to have another digest than was sent.
  mutating func digestChanged() {
    for index in sessions.indices where sessions[index].isEstablished {
      sessions[index].digests.announced = []
      sessions[index].digests.isToCompare = true
      offerDigest(index)
    }
  }

  // MARK: Looking only

  /// Answers somebody who looks for differences; one question at a time.
  mutating func inspect(_ index: Int, _ question: DigestQuestion, at now: Instant) {
    guard question.storeID == configuration.storeID else {
      let text = "the question is about store \(question.storeID), this node serves store "
      return farewell(index, Goodbye(.store, text + "\(configuration.storeID)"), at: now)
    }
    sessions[index].phase = .inspecting
    if let deadline = sessions[index].deadline { arm(at: deadline) }
    guard !sessions[index].isAnswering else { return }
    sessions[index].isAnswering = true
    perform(.answer(sessions[index].link, question))
  }

  mutating func inspect(_ index: Int, _ frame: Frame, at now: Instant) {
    switch frame {
    case .question(let question): inspect(index, question, at: now)
    case .goodbye(let goodbye): takeLeave(index, goodbye)
    case .hello, .changesets, .expedited, .chunk, .chunkReceipt, .progress, .request, .keepAlive,
      .digest, .prune, .declined, .credit, .clock, .acknowledgements, .snapshotOffer,
      .snapshotRequest, .snapshotWanted, .snapshotPage, .backfillRequest, .backfill:
      break
    case .answer, .pair, .paired, .localHello, .committed: outOfTurn(index, frame, at: now)
    }
  }

  mutating func answered(_ link: LinkID, _ answer: DigestAnswer, at now: Instant) {
    guard let index = index(of: link), sessions[index].phase == .inspecting else { return }
    sessions[index].isAnswering = false
    sessions[index].lastReceived = now
    send(index, .answer(answer))
    if let deadline = sessions[index].deadline { arm(at: deadline) }
  }
}
