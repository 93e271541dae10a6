import AtollChanges
import AtollVocabulary
import AtollWire

// Handshaking: both sides send a hello at once; the session is established when the other's came.

extension Engine {
  mutating func open(_ link: LinkID, _ origin: LinkOrigin, at now: Instant) {
    guard index(of: link) == nil else { return }
    let isFirst = dials.count <= 1 && !sessions.contains { $0.isExchanging }
    let session = Session(
      link: link, origin: origin, announced: holdings, isEagerWanted: isFirst, at: now)
    let index = sessions.firstIndex { $0.link > link } ?? sessions.endIndex
    sessions.insert(session, at: index)
    if case .dialed(let peer) = origin,
      let dial = dials.firstIndex(where: { $0.peer == peer })
    {
      dials[dial].state = .linked(link)
    }
    guard !isStopping else {
      return farewell(index, Goodbye(.stopping, "this node is stopping"), at: now)
    }
    guard sessions.count <= memory.links else {
      let text = "this node has \(memory.links) links already, as many as it has memory for"
      return farewell(index, Goodbye(.overload, text), at: now)
    }
    send(index, .hello(ownHello(isEagerWanted: isFirst)))
    grant()
    arm(at: now.advanced(by: Limits.handshakeTimeout))
  }

  private func ownHello(isEagerWanted: Bool) -> Hello {
    Hello(
      storeID: configuration.storeID, author: configuration.author, agent: configuration.agent,
      isEagerWanted: isEagerWanted, holdings: holdings)
  }

  /// Anything but hello and goodbye has overtaken the hello, and is repeated later.
  mutating func handshake(_ index: Int, _ frame: Frame, at now: Instant) {
    switch frame {
    case .hello(let hello):
      if let refusal = refusal(of: hello) {
        farewell(index, refusal, at: now)
      } else if !yields(index, to: hello.author, at: now) {
        establish(index, hello, at: now)
      }
    case .goodbye(let goodbye): takeLeave(index, goodbye)
    case .question(let question): inspect(index, question, at: now)
    case .changesets, .expedited, .chunk, .chunkReceipt, .progress, .request, .keepAlive, .digest,
      .prune, .declined, .credit, .clock, .acknowledgements, .snapshotOffer, .snapshotRequest,
      .snapshotWanted, .snapshotPage, .backfillRequest, .backfill:
      break
    case .answer, .pair, .paired, .localHello, .committed: outOfTurn(index, frame, at: now)
    }
  }

  /// Why there is nothing to exchange with that peer; nil if there is.
  private func refusal(of hello: Hello) -> Goodbye? {
    if hello.storeID != configuration.storeID {
      return Goodbye(
        .store,
        "replica \(hello.author.replica) holds store \(hello.storeID), this node store "
          + "\(configuration.storeID); stores of different ids never exchange. Connect it to a "
          + "replica of its own store, or let one of them join the other with `atoll join`")
    }
    if hello.author == configuration.author {
      return Goodbye(
        .ownself,
        "both ends of the link are replica \(hello.author.replica): the address is this node's "
          + "own, or a copy of its file runs there. Correct the peer list")
    }
    return nil
  }

  /// Tells whether the link at `index` gives way to another one to the same peer; or that one to it.
  ///
  /// Both sides decide alike: the link dialed by the lesser author is kept. Of two that one side
  /// dialed, the side that accepted them keeps the newer, for the older may be half dead.
  private mutating func yields(_ index: Int, to peer: Author, at now: Instant) -> Bool {
    let others = sessions.indices.filter {
      $0 != index && sessions[$0].isEstablished && sessions[$0].peer == peer
    }
    for other in others {
      let isOwn = sessions[index].origin.isDialed
      guard isOwn != sessions[other].origin.isDialed else {
        if !isOwn { giveUpDuplicate(other, keeping: index, at: now) }
        continue
      }
      let isOwnKept = configuration.author < peer
      if isOwn == isOwnKept {
        giveUpDuplicate(other, keeping: index, at: now)
      } else {
        sessions[index].peer = peer
        giveUpDuplicate(index, keeping: other, at: now)
        return true
      }
    }
    return false
  }

  private mutating func giveUpDuplicate(_ index: Int, keeping other: Int, at now: Instant) {
    let text = "another link between the same replicas is kept (\(sessions[other].origin))"
    farewell(index, Goodbye(.duplicate, text), at: now)
  }

  private mutating func establish(_ index: Int, _ hello: Hello, at now: Instant) {
    sessions[index].peer = hello.author
    sessions[index].phase = .catchingUp
    sessions[index].incoming.lastAccepted = now
    sessions[index].nextKeepAlive = now.advanced(by: Limits.keepAliveInterval)
    sessions[index].outgoing.begin(with: hello.holdings, logEndsAt: holdings)
    arm(at: sessions[index].nextKeepAlive)
    perform(
      .report(
        .linked(
          sessions[index].link, sessions[index].origin, peer: hello.author, agent: hello.agent)))
    learn(index, hello.holdings, at: now)
    decideEagerness(index, from: hello, at: now)
    pump(index)
    startBackfill(at: now)
  }
}

extension LinkOrigin {
  var isDialed: Bool {
    switch self {
    case .dialed: true
    case .accepted: false
    }
  }
}
