import AtollChanges
import AtollReplication
import AtollVocabulary
import AtollWire
import Testing

@Suite struct TroubleTests {
  private let known = Fixture.id(Fixture.c, 4)
  private let other = Fixture.id(Fixture.c, 4, branch: 9)

  @Test func `equal numbers with different hashes in a hello are looked into`() {
    var engine = Engine.started(holding: Holdings(heads: [known]))
    _ = engine.actions(on: .linkOpened(Fixture.link, .accepted(from: "test")))
    let hello = Fixture.hello(Fixture.b, Holdings(heads: [other]))
    #expect(
      engine.actions(on: .received(Fixture.link, hello))
        == [
          .report(
            .linked(Fixture.link, .accepted(from: "test"), peer: Fixture.b, agent: "test")),
          .send(Fixture.link, .want(Fixture.vector((Fixture.c, 3)))),
          .report(.caughtUp(Fixture.link, peer: Fixture.b)),
        ])
  }

  @Test func `a second history is asked for once a link`() {
    var engine = Engine.linked(
      holding: Holdings(heads: [known]), holding: Holdings(heads: [other]))
    let frame = Frame.keepAlive(Holdings(heads: [other]))
    #expect(engine.actions(on: .received(Fixture.link, frame), at: 1) == [])
  }

  @Test func `what may not be applied and finds no room is left out, and asked for again`() {
    var engine = Engine.linked()
    _ = engine.actions(on: .received(Fixture.link, .changesets([Fixture.run(Fixture.b, 1...1)])))
    #expect(
      engine.actions(
        on: .applied(Fixture.link, [.overflowing(retryAfter: .seconds(15))], .none), at: 1)
        == [
          .report(
            .overflowing(
              Fixture.link, author: Fixture.b, from: .first, retryAfter: .seconds(15))),
          .send(Fixture.link, .want(Fixture.vector((Fixture.b, UInt64.max)))),
        ])
    _ = engine.actions(on: .received(Fixture.link, .keepAlive(.none)), at: 15)
    let actions = engine.actions(on: .timer, at: 16)
    #expect(actions.contains(.send(Fixture.link, .want(VersionVector()))))
  }

  @Test func `what lacks others' changesets twice is asked for when these have come`() {
    var engine = Engine.linked()
    let runs = Frame.changesets([Fixture.run(Fixture.c, 1...2)])
    let missing: [ApplyOutcome] = [
      .missing(Fixture.vector((Fixture.b, 1))), .missing(Fixture.vector((Fixture.c, 1))),
    ]
    func wants(_ actions: [Action]) -> [VersionVector] {
      actions.compactMap { if case .send(_, .want(let vector)) = $0 { vector } else { nil } }
    }
    _ = engine.actions(on: .received(Fixture.link, runs), at: 1)
    let first = engine.actions(on: .applied(Fixture.link, missing, .none), at: 1)
    #expect(wants(first) == [VersionVector()])
    // It begins again, and its log has not what they depend on.
    _ = engine.actions(on: .received(Fixture.link, runs), at: 12)
    let second = engine.actions(on: .applied(Fixture.link, missing, .none), at: 12)
    #expect(wants(second) == [Fixture.vector((Fixture.c, UInt64.max))])
    // For as long as nothing comes, nothing is asked for.
    let told = Frame.keepAlive(Fixture.holding((Fixture.c, 2)))
    for second in stride(from: 20, through: 150, by: 5) {
      _ = engine.actions(on: .received(Fixture.link, told), at: Double(second))
      #expect(wants(engine.actions(on: .timer, at: Double(second))).isEmpty, "\(second)")
    }
    let found = Fixture.holding((Fixture.b, 1))
    _ = engine.actions(on: .logAdvanced(found), at: 151)
    #expect(wants(engine.actions(on: .timer, at: 151)) == [Fixture.vector((Fixture.b, 1))])
  }

  @Test func `who depends on a held back author waits with it`() {
    var engine = Engine.linked()
    let runs = [Fixture.run(Fixture.b, 1...1), Fixture.run(Fixture.c, 1...1)]
    _ = engine.actions(on: .received(Fixture.link, .changesets(runs)))
    let outcomes: [ApplyOutcome] = [
      .overflowing(retryAfter: .seconds(15)), .missing(Fixture.vector((Fixture.b, 1))),
    ]
    let actions = engine.actions(on: .applied(Fixture.link, outcomes, .none))
    let both = Fixture.vector((Fixture.b, UInt64.max), (Fixture.c, UInt64.max))
    #expect(actions.frames() == [.want(both)])
    // Somebody else brings what the other waits for.
    let came = Fixture.holding((Fixture.b, 1))
    _ = engine.actions(on: .logAdvanced(came), at: 1)
    _ = engine.actions(
      on: .received(Fixture.link, .keepAlive(Fixture.holding((Fixture.c, 1)))), at: 2)
    let released = engine.actions(on: .timer, at: 12)
    #expect(released.frames().contains(.want(Fixture.vector((Fixture.b, UInt64.max)))))
  }
}
