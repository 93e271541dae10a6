import AtollChanges
import AtollReplication
import AtollVocabulary
import AtollWire
import Testing

/// The engine's reaction when the roster or the peers are changed while it runs.
@Suite struct TrustTests {
  @Test func `who is revoked gets a goodbye without a store's name, and nothing after it`() throws {
    var engine = Engine.started()
    _ = engine.actions(on: .linkOpened(Fixture.link, .accepted(from: "test")))
    let actions = engine.actions(on: .revoked(Fixture.link, .stranger))
    let goodbye = try #require(actions.goodbyes.first)
    #expect(
      actions == [
        .send(Fixture.link, .goodbye(goodbye)), .close(Fixture.link, .byUs(goodbye)),
      ])
    #expect(goodbye.code == .stranger)
    #expect(goodbye.text.contains("atoll peer accept"))
    #expect(!goodbye.text.contains("\(Fixture.store)"))
    #expect(engine.actions(on: .received(Fixture.link, Fixture.hello(Fixture.b))).isEmpty)
  }

  @Test func `a peer that does not know us is tried again late, or at once when it may`() throws {
    let peer = PeerID("b:1")
    var engine = Engine(
      EngineConfiguration(
        storeID: Fixture.store, author: Fixture.a, agent: "test", peers: [peer], seed: 7))
    _ = engine.handle(.start(.none), at: Fixture.seconds(0))
    _ = engine.handle(.linkOpened(Fixture.link, .dialed(peer)), at: Fixture.seconds(1))
    _ = engine.handle(.received(Fixture.link, .goodbye(.stranger)), at: Fixture.seconds(1))
    let actions = engine.handle(
      .linkClosed(Fixture.link, reason: "closed"), at: Fixture.seconds(1))
    let pause = actions.lazy.compactMap { action -> Duration? in
      guard case .report(.unlinked(_, _, _, _, let retryAfter)) = action else { return nil }
      return retryAfter
    }.first
    #expect(try #require(pause) >= Limits.reconnectLastDelay / 2)
    #expect(engine.handle(.connectAgain, at: Fixture.seconds(2)).contains(.connect(peer)))
  }

  @Test func `nothing is asked of a reader, whatever it has, and it gets what it lacks`() {
    var engine = Engine.started(holding: Fixture.holding((Fixture.a, 1)))
    _ = engine.actions(on: .linkOpened(Fixture.link, .accepted(from: "test")))
    _ = engine.actions(on: .reading(Fixture.link))
    let theirs = Fixture.holding((Fixture.b, 5))
    let actions =
      engine.actions(on: .received(Fixture.link, Fixture.hello(Fixture.b, theirs)))
      + engine.actions(on: .received(Fixture.link, .keepAlive(theirs)), at: 6)
      + engine.actions(on: .timer, at: 7)
    let isAsked = actions.contains { action in
      if case .send(_, .request) = action { true } else { false }
    }
    #expect(!isAsked)
    let isRead = actions.contains { action in
      if case .store(.readLog) = action { true } else { false }
    }
    #expect(isRead)
  }

  @Test func `peers that come and go with the roster are connected to and let go`() {
    let (old, new) = (PeerID("old:1"), PeerID("new:1"))
    var engine = Engine(
      EngineConfiguration(
        storeID: Fixture.store, author: Fixture.a, agent: "test", peers: [old], seed: 7))
    _ = engine.handle(.start(.none), at: Fixture.seconds(0))
    _ = engine.handle(.linkOpened(Fixture.link, .dialed(old)), at: Fixture.seconds(1))
    let actions = engine.handle(.peersChanged([new]), at: Fixture.seconds(2))
    #expect(actions.contains(.connect(new)))
    #expect(actions.goodbyes.count == 1)
    #expect(
      engine.handle(.peersChanged([new]), at: Fixture.seconds(3)).allSatisfy {
        $0 != .connect(new)
      })
  }
}
