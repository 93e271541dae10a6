import AtollChanges
import AtollReplication
import AtollVocabulary
import AtollWire
import Testing

/// Who is offered a snapshot, and what is asked for after one.
@Suite struct SnapshotTests {
  private static let held = Fixture.holding((Fixture.a, 300), (Fixture.c, 8))

  private func offer(_ frontier: Holdings) -> SnapshotOffer {
    SnapshotOffer(id: Fixture.id(Fixture.a, 1).hash, pages: 1, objects: 1, frontier: frontier)
  }

  private func engine(
    from changesets: UInt64?, floor: VersionVector = VersionVector(), _ offer: SnapshotOffer? = nil
  ) -> Engine {
    var engine = Engine(
      EngineConfiguration(
        storeID: Fixture.store, author: Fixture.a, agent: "test", seed: 7,
        snapshotChangesets: changesets))
    _ = engine.handle(
      .logBegins(LogBeginning(floor: floor, offer: offer)), at: Fixture.seconds(0))
    _ = engine.handle(.start(Self.held), at: Fixture.seconds(0))
    return engine
  }

  private func isMaking(_ actions: [Action]) -> Bool { actions.contains(.makeSnapshot) }

  @Test(arguments: [
    // Nothing, and only its own: it is new. Some of somebody's log: it goes on with that.
    (300, Holdings.none, true), (300, Fixture.holding((Fixture.b, 4)), true),
    (300, Fixture.holding((Fixture.c, 7)), false), (300, Fixture.holding((Fixture.c, 8)), true),
    (309, Holdings.none, false), (nil, Holdings.none, false),
  ])
  func `who has nothing yet is given a snapshot where the log is long`(
    changesets: UInt64?, theirs: Holdings, isGiven: Bool
  ) {
    var engine = engine(from: changesets)
    #expect(isMaking(engine.accept(Fixture.link, from: Fixture.b, holding: theirs)) == isGiven)
  }

  @Test func `who lacks what the log does not have is offered a snapshot in any case`() {
    let whole = offer(Self.held)
    var engine = engine(from: nil, floor: Fixture.vector((Fixture.c, 3)), whole)
    let actions = engine.accept(
      Fixture.link, from: Fixture.b, holding: Fixture.holding((Fixture.c, 2)))
    #expect(actions.contains(.send(Fixture.link, .snapshotOffer(whole))))
  }

  @Test func `a snapshot that lacks some of the floor itself is not offered, and made anew`() {
    let old = offer(Fixture.holding((Fixture.c, 2)))
    var engine = engine(from: nil, floor: Fixture.vector((Fixture.c, 3)), old)
    let actions = engine.accept(Fixture.link, from: Fixture.b)
    #expect(isMaking(actions))
    #expect(!actions.contains(.send(Fixture.link, .snapshotOffer(old))))
  }

  @Test func `a snapshot that cannot be made is tried again with a keep-alive, not at once`() {
    var engine = engine(from: nil, floor: Fixture.vector((Fixture.c, 3)))
    #expect(isMaking(engine.accept(Fixture.link, from: Fixture.b)))
    #expect(!isMaking(engine.actions(on: .snapshotMade(nil), at: 1)))
    let heard = Event.received(Fixture.link, .keepAlive(.none))
    #expect(isMaking(engine.actions(on: heard, at: 5)))
  }

  @Test func `a peer that sends the same again and again is passed over`() {
    let missing = BacklogRequest(after: VersionVector(), through: Fixture.vector((Fixture.c, 8)))
    let lacking = LogBeginning(floor: missing.through, missing: missing)
    var further = lacking
    further.missing?.after = Fixture.vector((Fixture.c, 5))
    var engine = engine(from: nil)
    engine.accept(Fixture.link, from: Fixture.b, holding: Self.held)
    _ = engine.actions(on: .logBegins(lacking))
    let answer = Backlog(floor: .none, state: .more, parts: [])
    for (beginning, isAsked) in [(further, true), (further, false)] {
      _ = engine.actions(on: .received(Fixture.link, .backlog(answer)))
      let actions = engine.actions(on: .backlogKept(Fixture.link, beginning, refusal: nil))
      #expect(actions.isEmpty != isAsked)
    }
  }

  @Test func `what a snapshot was made of is asked of one peer after another`() {
    let missing = BacklogRequest(
      after: VersionVector(), through: Fixture.vector((Fixture.c, 8)))
    let lacking = LogBeginning(floor: missing.through, missing: missing)
    var engine = engine(from: nil)
    let (one, two) = (LinkID(1), LinkID(2))
    engine.accept(one, from: Fixture.b, holding: Self.held)
    engine.accept(two, from: Fixture.c, holding: Self.held)
    let question = Action.send(one, .backlogRequest(missing))
    #expect(engine.actions(on: .logBegins(lacking)).contains(question))
    // The first waits for it as well; the second has all there is, and that is not enough.
    let waiting = Backlog(floor: .none, state: .waiting, parts: [])
    #expect(
      engine.actions(on: .received(one, .backlog(waiting)))
        == [.send(two, .backlogRequest(missing))])
    let end = Backlog(floor: .none, state: .end, parts: [])
    #expect(engine.actions(on: .received(two, .backlog(end))) == [.keepBacklog(two, end)])
    #expect(engine.actions(on: .backlogKept(two, lacking, refusal: nil)) == [])
    // Nobody is asked before a while has passed, and then the first again.
    _ = engine.actions(on: .timer, at: 5)
    for second in stride(from: 10.0, through: 65, by: 5) {
      for link in [one, two] {
        _ = engine.actions(on: .received(link, .keepAlive(Self.held)), at: second)
      }
      if engine.actions(on: .timer, at: second).contains(question) {
        #expect(second >= 60)
        return
      }
    }
    Issue.record("nobody was asked again")
  }
}
