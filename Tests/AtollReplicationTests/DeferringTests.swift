import AtollChanges
import AtollReplication
import AtollVocabulary
import AtollWire
import Testing

@Suite struct `deferred changesets` {
  private let id = Fixture.id(Fixture.b, 1)
  /// The first changeset of b, deferred.
  private let held = Holdings(heads: [Fixture.id(Fixture.b, 1)], applied: VersionVector())

  private func receiving() -> Engine {
    var engine = Engine.linked()
    engine.accept(LinkID(2), from: Fixture.c)
    _ = engine.actions(on: .received(Fixture.link, .changesets([Fixture.run(Fixture.b, 1...1)])))
    return engine
  }

  @Test
  func `scenario 46 a changeset from the future is acknowledged as stored, forwarded, reported`() {
    var engine = receiving()
    let request = LogRequest(
      lackedBy: VersionVector(), after: .start, byteLimit: Limits.batchBytes)
    #expect(
      engine.actions(
        on: .applied(Fixture.link, [.deferred(id, ahead: .seconds(15))], held), at: 1)
        == [
          .send(Fixture.link, .progress(held)), .store(.readLog(LinkID(2), request)),
          .store(.applyDeferred),
          .report(.deferredByClock(Fixture.link, from: id, ahead: .seconds(15))),
        ])
  }

  @Test func `an author is reported once, and who waits for it is not`() {
    var engine = receiving()
    _ = engine.actions(
      on: .applied(Fixture.link, [.deferred(id, ahead: .seconds(15))], held), at: 1)
    _ = engine.actions(
      on: .received(
        Fixture.link, .changesets([Fixture.run(Fixture.b, 2...2), Fixture.run(Fixture.c, 1...1)])),
      at: 2)
    let heads = [Fixture.id(Fixture.b, 2), Fixture.id(Fixture.c, 1)]
    let actions = engine.actions(
      on: .applied(
        Fixture.link, [.deferred(heads[0], ahead: .seconds(16)), .deferred(heads[1], ahead: nil)],
        Holdings(heads: heads, applied: VersionVector())), at: 3)
    #expect(!actions.contains { if case .report = $0 { true } else { false } })
  }

  @Test func `the file is asked again when time has caught up, and peers are told`() {
    var engine = receiving()
    _ = engine.actions(on: .applied(Fixture.link, [.deferred(id, ahead: .seconds(3))], held), at: 1)
    #expect(engine.actions(on: .deferredApplied(held, next: .seconds(3)), at: 1) == [])
    #expect(!engine.actions(on: .timer, at: 3.9).contains(.store(.applyDeferred)))
    #expect(engine.actions(on: .timer, at: 4).contains(.store(.applyDeferred)))
    let applied = Fixture.holding((Fixture.b, 1))
    #expect(
      engine.actions(on: .deferredApplied(applied, next: nil), at: 4)
        == [.send(Fixture.link, .progress(applied))])
    #expect(!engine.actions(on: .timer, at: 60).contains(.store(.applyDeferred)))
  }

  @Test func `the file is asked now and then although time is far away, for a clock may be set`() {
    var engine = receiving()
    _ = engine.actions(
      on: .applied(Fixture.link, [.deferred(id, ahead: .seconds(9e8))], held), at: 1)
    _ = engine.actions(on: .deferredApplied(held, next: .seconds(9e8)), at: 1)
    #expect(engine.actions(on: .timer, at: 11).contains(.store(.applyDeferred)))
    #expect(!engine.actions(on: .timer, at: 12).contains(.store(.applyDeferred)))
    _ = engine.actions(on: .deferredApplyFailed, at: 12)
    #expect(engine.actions(on: .timer, at: 22).contains(.store(.applyDeferred)))
  }

  @Test func `a start with deferred changesets looks whether its time has come`() {
    var engine = Engine(
      EngineConfiguration(storeID: Fixture.store, author: Fixture.a, agent: "test", seed: 7))
    #expect(engine.actions(on: .start(held)) == [.store(.applyDeferred)])
  }

  @Test func `a relay of what it has not applied is not taken to have applied it`() {
    var engine = Engine.linked()
    _ = engine.actions(
      on: .received(
        Fixture.link, .changesets([Fixture.run(Fixture.b, 1...1), Fixture.run(Fixture.c, 1...1)])),
      at: 1)
    let actions = engine.actions(on: .timer, at: 3)
    let both = Fixture.holding((Fixture.b, 1), (Fixture.c, 1))
    let progress = PeerProgress(
      peer: Fixture.b,
      holdings: Holdings(heads: both.heads, applied: Fixture.vector((Fixture.b, 1))))
    #expect(actions.contains(.store(.persistProgress([progress]))))
    let told = engine.actions(
      on: .received(Fixture.link, .progress(Fixture.holding((Fixture.c, 1)))), at: 4)
    #expect(told == [])
    #expect(
      engine.actions(on: .timer, at: 6).contains(
        .store(.persistProgress([PeerProgress(peer: Fixture.b, holdings: both)]))))
  }
}
