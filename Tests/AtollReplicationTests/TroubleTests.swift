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
          .send(Fixture.link, .request(Fixture.vector((Fixture.c, 3)))),
          .report(.caughtUp(Fixture.link, peer: Fixture.b)),
        ])
  }

  @Test func `a second history is asked for once a link`() {
    var engine = Engine.linked(
      holding: Holdings(heads: [known]), holding: Holdings(heads: [other]))
    let frame = Frame.keepAlive(Holdings(heads: [other]))
    #expect(engine.actions(on: .received(Fixture.link, frame), at: 1) == [])
  }

  @Test func `issue 28.4: what depends on another history may come before it again and again`() {
    var engine = Engine.linked(
      holding: Holdings(heads: [known]), holding: Holdings(heads: [other]))
    for time in [1.0, 2, 3, 4] {
      let run = Frame.changesets([Fixture.run(Fixture.b, 1...1)])
      _ = engine.actions(on: .received(Fixture.link, run), at: time)
      let outcome = ApplyOutcome.equivocation(known: known, received: other.hash)
      let actions = engine.actions(
        on: .applied(Fixture.link, [outcome], Holdings(heads: [known])), at: time)
      // The other history is asked for already, and nothing is given up.
      #expect(actions == [])
    }
    let history = Frame.changesets([Fixture.run(Fixture.c, 4...4)])
    let actions = engine.actions(on: .received(Fixture.link, history), at: 5)
    #expect(
      actions.contains {
        if case .store(.apply(_, let batch)) = $0 {
          batch.map(\.author) == [Fixture.c]
        } else {
          false
        }
      })
  }

  @Test func `a run whose bytes are others than its hash says is told so`() {
    let twice = StatusEvent.equivocation(Fixture.link, known: known, received: other.hash)
    #expect("\(twice)".contains("exists twice"))
    let changed = StatusEvent.equivocation(Fixture.link, known: known, received: known.hash)
    #expect(!"\(changed)".contains("exists twice"))
    #expect("\(changed)".contains("does not give the hash that it names"))
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
          .send(Fixture.link, .request(Fixture.vector((Fixture.b, UInt64.max)))),
        ])
    _ = engine.actions(on: .received(Fixture.link, .keepAlive(.none)), at: 15)
    let actions = engine.actions(on: .timer, at: 16)
    #expect(actions.contains(.send(Fixture.link, .request(VersionVector()))))
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
    #expect(actions.frames() == [.request(both)])
  }
}
