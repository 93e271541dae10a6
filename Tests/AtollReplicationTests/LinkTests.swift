import AtollChanges
import AtollReplication
import AtollVocabulary
import AtollWire
import Testing

@Suite struct LinkTests {
  private let dialed = LinkOrigin.dialed(Fixture.peer)

  @Test func `a silent link gets a keep-alive, and then a goodbye`() throws {
    let ours = Fixture.holding((Fixture.a, 1))
    var engine = Engine.linked(holding: ours, holding: ours)
    let progress = PeerProgress(peer: Fixture.b, holdings: ours)
    #expect(
      engine.actions(on: .timer, at: 5)
        == [.send(Fixture.link, .keepAlive(ours)), .store(.persistProgress([progress]))])
    let actions = engine.actions(on: .timer, at: 20)
    let goodbye = try #require(actions.goodbyes.first)
    #expect(goodbye.code == .silent)
    #expect(actions.last == .close(Fixture.link, .byUs(goodbye)))
  }

  @Test func `the timer is set again for what comes next`() {
    var engine = Engine.linked()
    #expect(
      engine.handle(.timer, at: Fixture.seconds(5))
        == [
          .send(Fixture.link, .keepAlive(.none)), .setTimer(Fixture.seconds(10)),
        ])
  }

  @Test func `a failed connection is tried again after twice the pause`() throws {
    var engine = Engine.started(peers: [Fixture.peer])
    var previous = Duration.zero
    for attempt in 0..<12 {
      let actions = engine.actions(on: .connectFailed(Fixture.peer, reason: "refused"))
      guard case .report(.connectFailed(Fixture.peer, "refused", let pause)) = actions.first else {
        Issue.record("attempt \(attempt): \(actions)")
        return
      }
      let whole = min(Limits.reconnectFirstDelay * (1 << attempt), Limits.reconnectLastDelay)
      #expect(pause >= whole / 2 && pause <= whole)
      #expect(pause != previous)
      previous = pause
      #expect(engine.actions(on: .timer, at: 1e6 * Double(attempt + 1)) == [.connect(Fixture.peer)])
    }
  }

  @Test func `equal seeds pause equally`() {
    let first = Engine.started(peers: [Fixture.peer])
    var one = first
    var two = first
    let event = Event.connectFailed(Fixture.peer, reason: "refused")
    #expect(one.actions(on: event) == two.actions(on: event))
  }

  @Test func `a lost link is dialed again soon, a refused one late`() throws {
    #expect(try pause(after: nil) <= Limits.reconnectFirstDelay)
    #expect(try pause(after: Goodbye(.stopping, "")) <= Limits.reconnectFirstDelay)
    #expect(try pause(after: Goodbye(.store, "")) >= Limits.reconnectLastDelay / 2)
    #expect(try pause(after: Goodbye(.refused, "")) >= Limits.reconnectLastDelay / 2)
  }

  /// The peer's end of a link that is dead here still counts as one, until it has been silent for long.
  @Test func `who is told that another link is kept tries again ever more seldom`() throws {
    var engine = Engine.started(Fixture.c, peers: [Fixture.peer])
    for attempt in 0..<10 {
      let (link, time) = (LinkID(UInt64(attempt) + 2), 20 * Double(attempt))
      _ = engine.actions(on: .linkOpened(link, dialed), at: time)
      _ = engine.actions(on: .received(link, Fixture.hello(Fixture.b)), at: time)
      _ = engine.actions(on: .received(link, .goodbye(Goodbye(.duplicate, ""))), at: time)
      let actions = engine.actions(on: .linkClosed(link, reason: "closed"), at: time)
      guard case .report(.unlinked(_, _, _, _, let pause?)) = actions.last else {
        throw Missing(actions: actions)
      }
      let whole = min(Limits.reconnectFirstDelay * (1 << attempt), Limits.reconnectLastDelay)
      #expect(pause >= whole / 2 && pause <= whole)
      #expect(engine.actions(on: .timer, at: time + 15) == [.connect(Fixture.peer)])
    }
  }

  @Test func `of two links the one that the lesser author dialed is kept`() throws {
    var engine = Engine.started(Fixture.a, peers: [Fixture.peer])
    engine.accept(Fixture.link, from: Fixture.b)
    _ = engine.actions(on: .linkOpened(LinkID(2), dialed))
    let actions = engine.actions(on: .received(LinkID(2), Fixture.hello(Fixture.b)))
    #expect(actions.goodbyes.map(\.code) == [.duplicate])
    #expect(actions.frames(on: Fixture.link).count == 1)
    #expect(actions.contains(.report(.caughtUp(LinkID(2), peer: Fixture.b))))
  }

  @Test func `of two links the greater author gives up the one it dialed`() throws {
    var engine = Engine.started(Fixture.c, peers: [Fixture.peer])
    engine.accept(Fixture.link, from: Fixture.b)
    _ = engine.actions(on: .linkOpened(LinkID(2), dialed))
    let actions = engine.actions(on: .received(LinkID(2), Fixture.hello(Fixture.b)))
    let goodbye = try #require(actions.goodbyes.first)
    #expect(
      actions == [
        .send(LinkID(2), .goodbye(goodbye)), .close(LinkID(2), .byUs(goodbye)),
      ])
  }

  @Test func `of two links that the peer dialed the newer is kept`() {
    var engine = Engine.linked(to: Fixture.b)
    let actions = engine.accept(LinkID(2), from: Fixture.b)
    #expect(actions.frames(on: Fixture.link).count == 1)
    #expect(actions.goodbyes.map(\.code) == [.duplicate])
    #expect(actions.contains(.report(.caughtUp(LinkID(2), peer: Fixture.b))))
  }

  @Test func `a peer that is linked another way is dialed when that link ends`() {
    var engine = Engine.started(Fixture.c, peers: [Fixture.peer])
    engine.accept(Fixture.link, from: Fixture.b)
    _ = engine.actions(on: .linkOpened(LinkID(2), dialed))
    _ = engine.actions(on: .received(LinkID(2), Fixture.hello(Fixture.b)))
    _ = engine.actions(on: .linkClosed(LinkID(2), reason: "closed"))
    #expect(!engine.actions(on: .timer, at: 4).contains(.connect(Fixture.peer)))
    _ = engine.actions(on: .linkClosed(Fixture.link, reason: "reset"), at: 4)
    #expect(engine.actions(on: .timer, at: 5) == [.connect(Fixture.peer)])
  }

  @Test func `stop says goodbye to everyone and connects no more`() throws {
    var engine = Engine.started(peers: [Fixture.peer])
    engine.accept(Fixture.link, from: Fixture.b)
    let goodbye = Goodbye(.stopping, "this node is stopping")
    #expect(
      engine.actions(on: .stop)
        == [.send(Fixture.link, .goodbye(goodbye)), .close(Fixture.link, .byUs(goodbye))])
    #expect(engine.actions(on: .connectFailed(Fixture.peer, reason: "refused")) == [])
    #expect(engine.actions(on: .timer, at: 100) == [])
  }

  @Test func `how far a peer is goes to the file a little later, and when its link ends`() {
    var engine = Engine.linked()
    let theirs = Fixture.holding((Fixture.b, 1))
    #expect(engine.actions(on: .received(Fixture.link, .progress(theirs)), at: 1) == [])
    let progress = PeerProgress(peer: Fixture.b, holdings: theirs)
    #expect(engine.actions(on: .timer, at: 2) == [.store(.persistProgress([progress]))])
    #expect(
      engine.actions(on: .linkClosed(Fixture.link, reason: "reset"), at: 3)
        == [
          .report(
            .unlinked(
              Fixture.link, .accepted(from: "test"), peer: Fixture.b, reason: .lost("reset"),
              retryAfter: nil))
        ])
  }

  @Test func `events of a link that is gone are ignored`() {
    var engine = Engine.started()
    let frame = Frame.changesets([Fixture.run(Fixture.b, 1...1)])
    #expect(engine.actions(on: .received(Fixture.link, frame)) == [])
    #expect(engine.actions(on: .linkClosed(Fixture.link, reason: "")) == [])
    let batch = LogBatch(entries: [], next: .start, isAtEnd: true)
    #expect(engine.actions(on: .logRead(Fixture.link, batch)) == [])
  }

  /// Returns the time for which a dialed peer is left alone after its link ended with a goodbye of
  /// it, or none.
  private func pause(after goodbye: Goodbye?) throws -> Duration {
    var engine = Engine.started(peers: [Fixture.peer])
    _ = engine.actions(on: .linkOpened(Fixture.link, dialed))
    _ = engine.actions(on: .received(Fixture.link, Fixture.hello(Fixture.b)))
    if let goodbye { _ = engine.actions(on: .received(Fixture.link, .goodbye(goodbye))) }
    let actions = engine.actions(on: .linkClosed(Fixture.link, reason: "reset"))
    guard case .report(.unlinked(_, _, _, _, let pause?)) = actions.last else {
      throw Missing(actions: actions)
    }
    return pause
  }

  private struct Missing: Error { let actions: [Action] }
}
