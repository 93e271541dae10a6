import AtollChanges
import AtollReplication
import AtollVocabulary
import AtollWire
import Testing

/// The share that one peer can take of the memory that all share.
@Suite struct `hostile peers at the engine` {
  private func chunk(_ author: Author, offset: Int, of total: Int) -> Frame {
    .chunk(
      ChangesetChunk(
        id: Fixture.id(author, 1), total: total, offset: offset,
        bytes: [UInt8](repeating: 0, count: Limits.offerBytes),
        seal: Fixture.seal(Fixture.id(author, 1))))
  }

  private func isAnswered(_ actions: [Action], on link: LinkID) -> Bool {
    actions.contains { if case .send(link, .chunkReceipt) = $0 { true } else { false } }
  }

  @Test func `issue 28.16: unfinished chunks of all links stay within the memory for peers`() {
    var engine = Engine(
      EngineConfiguration(
        storeID: Fixture.store, author: Fixture.a, agent: "test", peers: [], seed: 7,
        memory: ExchangeMemory(totalBytes: 64 << 20, peerBytes: 8 << 20)))
    _ = engine.handle(.start(.none), at: Fixture.seconds(0))
    let peers = (1...6).map { (LinkID(UInt64($0)), Fixture.author(UInt64(0x10 + $0))) }
    for (link, peer) in peers { engine.accept(link, from: peer) }
    var answered = 0
    for (link, peer) in peers {
      let actions = engine.actions(
        on: .received(link, chunk(peer, offset: 0, of: 30 << 20)), at: 0.1)
      if isAnswered(actions, on: link) { answered += 1 }
    }
    #expect(answered == 2)
    #expect(engine.waitingBytes <= 2 * Limits.offerBytes)
    // A changeset that does not go on makes room after a keep-alive; one of any size is taken
    // alone.
    let late = engine.actions(
      on: .received(peers[5].0, chunk(peers[5].1, offset: 0, of: 100 << 20)), at: 6)
    #expect(isAnswered(late, on: peers[5].0))
    let other = engine.actions(
      on: .received(peers[4].0, chunk(peers[4].1, offset: 0, of: 1 << 20)), at: 6.1)
    #expect(!isAnswered(other, on: peers[4].0))
  }

  @Test func `issue 28.16: heads of authors that nobody has take no place of others'`() {
    let here = Fixture.holding((Fixture.a, 3))
    var engine = Engine.linked(holding: here, to: Fixture.b)
    let invented = (1...5000).map { number in
      ChangesetID(
        author: Author(
          replica: ReplicaID(high: 8, low: UInt64(number)), incarnation: Incarnation(1)),
        sequence: .first, hash: Fixture.id(Fixture.a, 1).hash)
    }
    _ = engine.actions(on: .received(Fixture.link, .keepAlive(Holdings(heads: invented))))
    engine.accept(LinkID(2), from: Fixture.c, holding: here)
    let known = engine.known
    #expect(known.first { $0.peer == Fixture.b }?.holdings.heads.count == Limits.strangeHeads)
    #expect(known.first { $0.peer == Fixture.c }?.holdings.heads == here.heads)
    // The first peer is known all the same to have the changesets that are here.
    _ = engine.actions(on: .received(Fixture.link, .keepAlive(here)))
    let heads = engine.known.first { $0.peer == Fixture.b }?.holdings.heads ?? []
    #expect(heads.contains(here.heads[0]))
  }

  @Test(arguments: [
    LeavingOut.histories(16), .authors(2048), .unknown, .role, .deferredOfAuthor(8192),
  ])
  func `issue 28.15: what is left out closes no link, and is told with its reason`(
    reason: LeavingOut
  ) {
    var engine = Engine.linked()
    _ = engine.actions(on: .received(Fixture.link, .changesets([Fixture.run(Fixture.c, 1...1)])))
    let actions = engine.actions(
      on: .applied(
        Fixture.link, [.overflowing(retryAfter: .seconds(600), because: reason)], .none), at: 1)
    #expect(
      actions.contains(
        .report(
          .overflowing(
            Fixture.link, author: Fixture.c, from: .first, retryAfter: .seconds(600),
            because: reason))))
    #expect(!actions.contains { if case .close = $0 { true } else { false } })
    let told = StatusEvent.overflowing(
      Fixture.link, author: Fixture.c, from: .first, retryAfter: .seconds(600), because: reason)
    #expect(told.isWarning && "\(told)".contains("\(reason)"))
  }
}
