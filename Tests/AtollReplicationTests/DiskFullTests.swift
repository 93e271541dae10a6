import AtollChanges
import AtollReplication
import AtollVocabulary
import AtollWire
import Testing

/// A full disk: nothing is applied, everything else goes on.
@Suite struct DiskFullTests {
  private let second = LinkID(2)
  private let closed = Frame.credit(Credit(window: 0, reason: "its disk is full"))
  private let open = Frame.credit(Credit(window: Limits.unacknowledgedBytes))
  private let batch = [Fixture.incoming(Fixture.b, 1)]

  @Test func `peers are told to wait, and the batch is tried again until the disk takes it`() {
    var engine = Engine.linked()
    engine.accept(second, from: Fixture.c)
    _ = engine.actions(on: .received(Fixture.link, .changesets([Fixture.run(Fixture.b, 1...1)])))
    #expect(
      engine.actions(on: .diskFull(Fixture.link, reason: "full"))
        == [
          .report(.diskFull(reason: "full")), .send(Fixture.link, closed), .send(second, closed),
        ])
    #expect(engine.diskFullReason == "full")
    #expect(engine.actions(on: .timer, at: 0.9).applies == [])
    #expect(engine.actions(on: .timer, at: 1).applies == [batch])
    #expect(engine.actions(on: .diskFull(Fixture.link, reason: "full"), at: 1) == [])
    #expect(engine.actions(on: .timer, at: 2).applies == [batch])
    let held = Fixture.holding((Fixture.b, 1))
    let actions = engine.actions(
      on: .applied(Fixture.link, [.applied(Fixture.id(Fixture.b, 1))], held), at: 2)
    #expect(
      actions.prefix(3)
        == [.report(.diskHasSpace), .send(Fixture.link, open), .send(second, open)])
    #expect(actions.frames().contains(.progress(held)))
    #expect(engine.diskFullReason == nil)
  }

  @Test func `what comes meanwhile waits in its order`() {
    var engine = full()
    let more = Frame.changesets([Fixture.run(Fixture.b, 2...2)])
    #expect(engine.actions(on: .received(Fixture.link, more)).applies == [])
    _ = engine.actions(on: .timer, at: 1)
    let applied = Event.applied(
      Fixture.link, [.applied(Fixture.id(Fixture.b, 1))], Fixture.holding((Fixture.b, 1)))
    #expect(
      engine.actions(on: applied, at: 1).applies == [[Fixture.incoming(Fixture.b, 2)]])
  }

  @Test func `what is here is sent as before`() {
    var engine = full()
    let request = LogRequest(
      lackedBy: Fixture.vector((Fixture.b, 1)), after: .start, byteLimit: Limits.batchBytes)
    #expect(
      engine.actions(on: .logAdvanced(Fixture.holding((Fixture.a, 1))))
        == [.store(.readLog(Fixture.link, request))])
  }

  @Test func `nothing is asked for that could not be written`() {
    var engine = full()
    engine.accept(second, from: Fixture.c)
    let theirs = Frame.keepAlive(Fixture.holding((Fixture.c, 9)))
    for time in [1.0, 6, 12] {
      let actions = engine.actions(on: .received(second, theirs), at: time)
      #expect(!actions.frames(on: second).map(\.kind).contains(.request))
    }
  }

  @Test func `who connects meanwhile is told to wait behind the hello`() {
    var engine = full()
    let opened = engine.actions(on: .linkOpened(second, .accepted(from: "test")))
    #expect(opened.frames(on: second).map(\.kind) == [.hello, .credit])
    #expect(opened.frames(on: second).last == closed)
  }

  @Test func `when the link of the batch is gone the others are let go on`() {
    var engine = full()
    engine.accept(second, from: Fixture.c)
    _ = engine.actions(on: .linkClosed(Fixture.link, reason: "cut"))
    let actions = engine.actions(on: .timer, at: 1)
    #expect(actions.contains(.report(.diskHasSpace)))
    #expect(actions.frames(on: second).contains(open))
    let frame = Frame.changesets([Fixture.run(Fixture.c, 1...1)])
    #expect(
      engine.actions(on: .received(second, frame), at: 1).applies
        == [[Fixture.incoming(Fixture.c, 1)]])
  }

  /// An engine whose disk did not take the first changeset of b.
  private func full() -> Engine {
    var engine = Engine.linked()
    _ = engine.actions(on: .received(Fixture.link, .changesets([Fixture.run(Fixture.b, 1...1)])))
    _ = engine.actions(on: .diskFull(Fixture.link, reason: "full"))
    return engine
  }
}

extension [Action] {
  var applies: [[IncomingChangeset]] {
    compactMap { if case .store(.apply(_, let batch)) = $0 { batch } else { nil } }
  }
}
