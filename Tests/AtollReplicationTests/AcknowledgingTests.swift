import AtollChanges
import AtollReplication
import AtollVocabulary
import AtollWire
import Testing

/// Acknowledgements of others are passed on, once, and again where they were lost.
@Suite struct AcknowledgingTests {
  private let second = LinkID(2)
  private let holding = Fixture.holding((Fixture.a, 2))

  /// B in the middle, linked with A and C.
  private func middle() -> Engine {
    var engine = Engine.linked(Fixture.b, holding: holding, to: Fixture.a, holding: holding)
    engine.accept(second, from: Fixture.c, at: 0.1)
    _ = engine.actions(on: .timer, at: 1)
    return engine
  }

  private func told(
    _ number: UInt64, follows: UInt64, received: UInt64 = 0, _ replicas: PeerProgress...
  ) -> Frame {
    .acknowledgements(
      Acknowledgements(number: number, follows: follows, received: received, replicas: replicas))
  }

  private var ofC: PeerProgress { PeerProgress(peer: Fixture.c, holdings: holding) }

  @Test func `in a line the first hears of the last, through the one between them`() {
    var engine = middle()
    _ = engine.actions(on: .received(second, .progress(holding)), at: 2)
    let actions = engine.actions(on: .timer, at: 2.1)
    #expect(actions.frames() == [told(1, follows: 0, ofC)])
    #expect(actions.frames(on: second) == [])
    #expect(actions.contains(.store(.persistProgress([ofC]))))
    #expect(engine.actions(on: .timer, at: 3).frames() == [])
  }

  @Test func `what was told is known, kept, and not told back`() {
    var engine = Engine.linked(holding: holding)
    _ = engine.actions(on: .received(Fixture.link, told(1, follows: 0, ofC)), at: 1)
    #expect(engine.known.contains(ofC))
    let actions = engine.actions(on: .timer, at: 1.5)
    #expect(actions == [.store(.persistProgress([ofC]))])
  }

  @Test func `of this replica nothing is believed, whoever says it`() {
    var engine = Engine.linked()
    let own = PeerProgress(peer: Fixture.a, holdings: holding)
    #expect(engine.actions(on: .received(Fixture.link, told(1, follows: 0, own)), at: 1) == [])
    #expect(!engine.known.contains { $0.peer == Fixture.a })
  }

  @Test func `what was known is known after a restart, less is not believed again`() {
    var engine = Engine.started()
    _ = engine.actions(on: .remembered([ofC]))
    engine.accept(Fixture.link, from: Fixture.b)
    let less = PeerProgress(peer: Fixture.c, holdings: Fixture.holding((Fixture.a, 1)))
    _ = engine.actions(on: .received(Fixture.link, told(1, follows: 0, less)), at: 1)
    #expect(engine.known.contains(ofC))
  }

  @Test func `what is not confirmed is told again, and what is confirmed is not`() {
    var engine = middle()
    _ = engine.actions(on: .received(second, .progress(holding)), at: 2)
    #expect(engine.actions(on: .timer, at: 2.1).frames() == [told(1, follows: 0, ofC)])
    var later: [Frame] = []
    for time in [5.0, 6, 10, 10.5] { later += tick(&engine, time) }
    #expect(later == [told(2, follows: 0, ofC)])
    let confirmation = told(0, follows: 0, received: 2)
    _ = engine.actions(on: .received(Fixture.link, confirmation), at: 11)
    later = []
    for time in [15.0, 16, 20, 21, 25] { later += tick(&engine, time) }
    #expect(later == [])
  }

  @Test func `a frame that follows one that was lost is taken and not confirmed`() {
    var engine = Engine.linked()
    _ = engine.actions(on: .received(Fixture.link, told(2, follows: 1, ofC)), at: 1)
    #expect(engine.known.contains(ofC))
    #expect(tick(&engine, 5) == [])
    _ = engine.actions(on: .received(Fixture.link, told(3, follows: 0, ofC)), at: 6)
    #expect(tick(&engine, 10) == [told(0, follows: 0, received: 3)])
    #expect(tick(&engine, 15) == [])
  }

  /// Returns the frames of a timer at `time`, both peers being alive.
  private func tick(_ engine: inout Engine, _ time: Double) -> [Frame] {
    for link in [Fixture.link, second] {
      _ = engine.actions(on: .received(link, .keepAlive(.none)), at: time)
    }
    return engine.actions(on: .timer, at: time).frames().filter { $0.kind == .acknowledgements }
  }
}
