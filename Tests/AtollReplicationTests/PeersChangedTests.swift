import AtollReplication
import AtollWire
import Testing

@Suite struct `peers that change while the node runs` {
  private let first = PeerID("127.0.0.1:1")
  private let second = PeerID("127.0.0.1:2")

  /// An engine with a link to its first peer.
  private func linked() -> Engine {
    var engine = Engine.started(peers: [first])
    _ = engine.actions(on: .linkOpened(Fixture.link, .dialed(first)))
    _ = engine.actions(on: .received(Fixture.link, Fixture.hello(Fixture.b)))
    return engine
  }

  @Test func `a peer that is new is connected to, and the link to the other goes on`() {
    var engine = linked()
    #expect(engine.actions(on: .peersChanged([second, first])) == [.connect(second)])
    #expect(engine.actions(on: .peersChanged([second, first])) == [])
  }

  @Test func `a peer that is gone is told so, and not connected to again`() {
    var engine = linked()
    let goodbye = Goodbye(.unspecified, "this node is no longer told to connect to \(first)")
    #expect(
      engine.actions(on: .peersChanged([])) == [
        .send(Fixture.link, .goodbye(goodbye)), .close(Fixture.link, .byUs(goodbye)),
      ])
    let actions = engine.actions(on: .linkClosed(Fixture.link, reason: "closed"), at: 1)
    #expect(
      actions.contains(
        .report(
          .unlinked(
            Fixture.link, .dialed(first), peer: Fixture.b, reason: .byUs(goodbye), retryAfter: nil))
      ))
    #expect(!engine.actions(on: .timer, at: 60).contains(.connect(first)))
  }

  @Test func `a peer that waits for its next attempt keeps its pause`() {
    var engine = Engine.started(peers: [first])
    _ = engine.actions(on: .connectFailed(first, reason: "no"), at: 0)
    #expect(engine.actions(on: .peersChanged([first, second]), at: 0) == [.connect(second)])
    #expect(engine.actions(on: .timer, at: 1).contains(.connect(first)))
  }
}
