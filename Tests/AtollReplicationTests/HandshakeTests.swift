import AtollChanges
import AtollReplication
import AtollVocabulary
import AtollWire
import Testing

@Suite struct HandshakeTests {
  @Test func `start connects to every configured peer once, in order`() {
    let peers = [PeerID("z:1"), PeerID("b:1"), PeerID("z:1")]
    var engine = Engine(
      EngineConfiguration(
        storeID: Fixture.store, author: Fixture.a, agent: "test", peers: peers, seed: 7))
    #expect(
      engine.handle(.start(.none), at: Fixture.seconds(0))
        == [.connect(PeerID("z:1")), .connect(PeerID("b:1"))])
  }

  @Test func `an open link is greeted with what the file holds`() {
    let ours = Fixture.holding((Fixture.a, 3))
    var engine = Engine.started(holding: ours)
    #expect(
      engine.handle(.linkOpened(Fixture.link, .accepted(from: "test")), at: Fixture.seconds(1))
        == [
          .send(Fixture.link, Fixture.hello(Fixture.a, ours)),
          .setTimer(Fixture.seconds(11)),
        ])
  }

  @Test func `two replicas that hold the same are caught up without reading the log`() {
    let both = Fixture.holding((Fixture.a, 3), (Fixture.b, 2))
    var engine = Engine.started(holding: both)
    _ = engine.actions(on: .linkOpened(Fixture.link, .accepted(from: "test")))
    #expect(
      engine.actions(on: .received(Fixture.link, Fixture.hello(Fixture.b, both)))
        == [
          .report(
            .linked(
              Fixture.link, .accepted(from: "test"), peer: Fixture.b, agent: "test")),
          .report(.caughtUp(Fixture.link, peer: Fixture.b)),
          .store(.readDigest(Fixture.link)),
        ])
  }

  @Test func `a new incarnation says hello anew`() throws {
    let both = Fixture.holding((Fixture.a, 3), (Fixture.b, 2))
    var engine = Engine.started(holding: both)
    engine.accept(Fixture.link, from: Fixture.b, holding: both)
    #expect(engine.actions(on: .incarnationStarted(Fixture.a)).isEmpty)
    let next = Author(replica: Fixture.a.replica, incarnation: Incarnation(0xA9))
    let goodbye = try #require(engine.actions(on: .incarnationStarted(next)).goodbyes.first)
    #expect(goodbye.code == .branched)
    _ = engine.actions(on: .linkClosed(Fixture.link, reason: "gone"))
    let other = LinkID(Fixture.link.rawValue + 1)
    #expect(
      engine.actions(on: .linkOpened(other, .accepted(from: "test")))
        .contains(.send(other, Fixture.hello(next, both))))
  }

  @Test func `another store is refused with both ids and what to do`() throws {
    var engine = Engine.started()
    _ = engine.actions(on: .linkOpened(Fixture.link, .accepted(from: "test")))
    let actions = engine.actions(
      on: .received(Fixture.link, Fixture.hello(Fixture.b, store: Fixture.otherStore)))
    let goodbye = try #require(actions.goodbyes.first)
    #expect(actions == farewell(goodbye))
    #expect(goodbye.code == .store)
    #expect(goodbye.text.contains("\(Fixture.store)"))
    #expect(goodbye.text.contains("\(Fixture.otherStore)"))
    #expect(goodbye.text.contains("atoll join"))
  }

  @Test func `a replica does not talk to itself`() throws {
    var engine = Engine.started()
    _ = engine.actions(on: .linkOpened(Fixture.link, .accepted(from: "test")))
    let actions = engine.actions(on: .received(Fixture.link, Fixture.hello(Fixture.a)))
    let goodbye = try #require(actions.goodbyes.first)
    #expect(actions == farewell(goodbye))
    #expect(goodbye.code == .ownself)
  }

  @Test func `bytes of another protocol are answered with a reason`() throws {
    var engine = Engine.started()
    _ = engine.actions(on: .linkOpened(Fixture.link, .accepted(from: "test")))
    let actions = engine.actions(
      on: .malformed(Fixture.link, .notAtoll(found: Array("GET / HT".utf8))))
    let goodbye = try #require(actions.goodbyes.first)
    #expect(actions == farewell(goodbye))
    #expect(goodbye.code == .malformed)
    #expect(goodbye.text.contains("not an Atoll peer"))
  }

  @Test func `a peer of other versions is told both ranges`() throws {
    var engine = Engine.started()
    _ = engine.actions(on: .linkOpened(Fixture.link, .accepted(from: "test")))
    let actions = engine.actions(on: .malformed(Fixture.link, .otherVersions(found: 3...5)))
    let goodbye = try #require(actions.goodbyes.first)
    #expect(actions == farewell(goodbye))
    #expect(goodbye.code == .version)
    #expect(goodbye.text.contains("3 to 5"))
  }

  @Test func `frames that overtake the hello are ignored`() {
    var engine = Engine.started()
    _ = engine.actions(on: .linkOpened(Fixture.link, .accepted(from: "test")))
    let run = Fixture.run(Fixture.b, 1...1)
    #expect(engine.actions(on: .received(Fixture.link, .changesets([run]))) == [])
  }

  @Test func `a hello that comes twice changes nothing`() {
    var engine = Engine.linked()
    #expect(engine.actions(on: .received(Fixture.link, Fixture.hello(Fixture.b))) == [])
  }

  @Test func `a link without a hello is given up in time`() throws {
    var engine = Engine.started()
    _ = engine.actions(on: .linkOpened(Fixture.link, .accepted(from: "test")))
    #expect(engine.actions(on: .timer, at: 9) == [])
    let actions = engine.actions(on: .timer, at: 10)
    let goodbye = try #require(actions.goodbyes.first)
    #expect(actions == farewell(goodbye))
    #expect(goodbye.code == .silent)
  }

  @Test func `a frame of the local socket is out of turn`() throws {
    var engine = Engine.linked()
    let actions = engine.actions(on: .received(Fixture.link, .committed(number: 1)))
    let goodbye = try #require(actions.goodbyes.first)
    #expect(actions == farewell(goodbye))
    #expect(goodbye.code == .malformed)
  }

  private func farewell(_ goodbye: Goodbye) -> [Action] {
    [.send(Fixture.link, .goodbye(goodbye)), .close(Fixture.link, .byUs(goodbye))]
  }
}

extension [Action] {
  /// The goodbyes among the frames sent.
  var goodbyes: [Goodbye] {
    compactMap { if case .send(_, .goodbye(let goodbye)) = $0 { goodbye } else { nil } }
  }

  /// The frames sent over one link.
  func frames(on link: LinkID = Fixture.link) -> [Frame] {
    compactMap { action in
      if case .send(link, let frame) = action { frame } else { nil }
    }
  }
}
