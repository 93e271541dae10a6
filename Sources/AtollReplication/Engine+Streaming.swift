import AtollChanges
import AtollVocabulary
import AtollWire

// Streaming, and the conversation it shares with catching up: what each frame means once both
// sides know each other.

extension Engine {
  mutating func converse(_ index: Int, _ frame: Frame, at now: Instant) {
    switch frame {
    case .hello: break
    case .goodbye(let goodbye): takeLeave(index, goodbye)
    case .changesets(let runs): receive(index, runs, at: now)
    case .expedited(let runs): receive(index, runs, isExpedited: true, at: now)
    case .credit(let credit): receive(index, credit)
    case .chunk(let chunk): receive(index, chunk, at: now)
    case .chunkReceipt(let receipt):
      sessions[index].outgoing.acknowledge(receipt)
      pump(index)
    case .progress(let theirs):
      learn(index, theirs, at: now)
      pump(index)
    case .request(let vector):
      offerDeclined(index)
      sessions[index].outgoing.restart(after: vector)
      pump(index)
      askBack(index, at: now)
    case .prune: pruned(index, at: now)
    case .acknowledgements(let known): receive(index, known, at: now)
    case .keepAlive(let theirs): keptAlive(index, theirs, at: now)
    case .digest(let theirs): receive(index, theirs)
    case .snapshotOffer(let offer): offered(index, offer, at: now)
    case .snapshotRequest(let request): requested(index, request)
    case .snapshotWanted(let vector): wanted(index, vector)
    case .snapshotPage(let page): receive(index, page, at: now)
    case .backfillRequest(let request): requested(index, request)
    case .backfill(let answer): receive(index, answer, at: now)
    // The host of the engine shows it to people; nothing is sent in another way because of it.
    case .declined, .clock: break
    case .question, .answer, .pair, .paired, .localHello, .committed:
      outOfTurn(index, frame, at: now)
    }
  }

  /// Learns what the peer has, and notices an author with two histories.
  mutating func learn(_ index: Int, _ theirs: Holdings, at now: Instant) {
    adopt(index, theirs, at: now)
    recordLag(index, at: now)
    for head in theirs.heads {
      guard let known = holdings.head(of: head.author), known.sequence == head.sequence,
        known.hash != head.hash, !sessions[index].incoming.isTracing(head.author)
      else { continue }
      trace(index, head.author, back: known.sequence)
      startOver(index, at: now)
    }
  }

  /// Records what the peer has; others are told of it.
  mutating func adopt(_ index: Int, _ theirs: Holdings, at now: Instant) {
    guard sessions[index].adopt(theirs), let peer = sessions[index].peer else { return }
    scheduleProgress(at: now)
    let known = sessions[index].theirs
    let heads = theirs.heads.compactMap { known.head(of: $0.author) }
    record(
      peer, Holdings(heads: heads, applied: known.applied), from: sessions[index].link, at: now)
  }

  /// Announces those of our `heads` that the peer waits for, if any.
  mutating func announce(_ index: Int, among heads: [ChangesetID]) {
    announce(index, sessions[index].unannounced(among: heads, of: holdings))
  }

  /// Announces some of our heads, if any, and how much of each is applied.
  mutating func announce(_ index: Int, _ news: [ChangesetID]) {
    guard !news.isEmpty else { return }
    let progress = holdings.part(of: news)
    sessions[index].announced.formUnion(progress)
    send(index, .progress(progress))
  }

  /// Takes no more of an author's changesets from a peer that has another history of it.
  mutating func withhold(
    _ index: Int, known: ChangesetID, received: ChainHash, at now: Instant
  ) {
    guard !sessions[index].incoming.withheld.contains(known.author) else { return }
    sessions[index].incoming.withheld.append(known.author)
    perform(
      .report(.equivocation(sessions[index].link, known: known, received: received)))
    sessions[index].incoming.requestedAt = nil
    request(index, at: now)
  }

  /// A keep-alive says all the peer has.
  ///
  /// Changesets that the peer has and has not sent while nothing else came were lost on the way, or
  /// wait for an acknowledgement that was.
  private mutating func keptAlive(_ index: Int, _ theirs: Holdings, at now: Instant) {
    learn(index, theirs, at: now)
    let incoming = sessions[index].incoming
    let quietSince = incoming.lastAccepted.advanced(by: Limits.keepAliveInterval)
    if sessions[index].isEager, diskFull == nil, incoming.isEmpty,
      applying?.link != sessions[index].link,
      quietSince <= now,
      isBehind(index)
    {
      request(index, at: now)
    }
    pump(index)
  }

  /// Tells whether the peer has changesets that this side lacks and would take.
  func isBehind(_ index: Int) -> Bool {
    let session = sessions[index]
    guard !session.isReader else { return false }
    return session.theirs.heads.contains { head in
      head.sequence > session.incoming.end(of: head.author, holdings)
        && !isHeldBack(head.author) && !session.incoming.withheld.contains(head.author)
    }
  }

  /// Asks the peer to begin again after what is here; once an interval, unless it helped.
  mutating func request(_ index: Int, at now: Instant) {
    // A peer that is asked for changesets sends no pages any more.
    if let bootstrap, bootstrap.link == sessions[index].link || holdings.heads.isEmpty { return }
    if let last = sessions[index].incoming.requestedAt,
      now < last.advanced(by: Limits.keepAliveInterval)
    {
      return
    }
    sessions[index].incoming.requestedAt = now
    send(index, .request(requestVector(index)))
    if let receipt = sessions[index].incoming.partialReceipt { send(index, .chunkReceipt(receipt)) }
  }

  /// The vector of a request: the changesets that came already, and all of the authors that are
  /// held back.
  private func requestVector(_ index: Int) -> VersionVector {
    let incoming = sessions[index].incoming
    var vector = holdings.stored
    for session in sessions { vector.formUnion(session.incoming.received) }
    for trace in incoming.traces { vector[trace.author] = incoming.end(of: trace.author, holdings) }
    for author in incoming.withheld + heldBack.map(\.author) { vector[author] = .max }
    return vector
  }
}
