import AtollChanges
import AtollReplication
import AtollVocabulary
import AtollWire
import Testing

/// The offers of snapshots, and the requests after one.
@Suite struct SnapshotTests {
  private static let holdings = Fixture.holding((Fixture.a, 300), (Fixture.c, 8))

  private func offer(_ frontier: Holdings) -> SnapshotOffer {
    SnapshotOffer(id: Fixture.id(Fixture.a, 1).hash, pages: 1, objects: 1, frontier: frontier)
  }

  private func engine(
    from changesets: UInt64?, truncationPoint: VersionVector = VersionVector(),
    _ offer: SnapshotOffer? = nil
  ) -> Engine {
    var engine = Engine(
      EngineConfiguration(
        storeID: Fixture.store, author: Fixture.a, agent: "test", seed: 7,
        snapshotChangesets: changesets))
    _ = engine.handle(
      .logStartChanged(LogStart(truncationPoint: truncationPoint, offer: offer)),
      at: Fixture.seconds(0))
    _ = engine.handle(.start(Self.holdings), at: Fixture.seconds(0))
    return engine
  }

  private func isMaking(_ actions: [Action]) -> Bool { actions.contains(.store(.makeSnapshot)) }

  @Test(arguments: [
    // Nothing, and only its own: it is new. Some of somebody's log: it goes on with that.
    (300, Holdings.none, true), (300, Fixture.holding((Fixture.b, 4)), true),
    (300, Fixture.holding((Fixture.c, 7)), false), (300, Fixture.holding((Fixture.c, 8)), true),
    (309, Holdings.none, false), (nil, Holdings.none, false),
    // As much of its own as it lacks, and more: for the few it would be given all.
    (1, Fixture.holding((Fixture.b, 308)), true), (1, Fixture.holding((Fixture.b, 309)), false),
    (8, Fixture.holding((Fixture.a, 300)), false),
  ])
  func `who has next to nothing is given a snapshot where the log is long`(
    changesets: UInt64?, theirs: Holdings, isGiven: Bool
  ) {
    var engine = engine(from: changesets)
    #expect(isMaking(engine.accept(Fixture.link, from: Fixture.b, holding: theirs)) == isGiven)
  }

  @Test func `a search for another history ends where the peer's log does`() {
    // Six of C are here, and a seventh comes that does not follow: from the fifth on the peer is asked again.
    let held = Fixture.holding((Fixture.c, 6))
    var engine = Engine.linked(holding: held, holding: Fixture.holding((Fixture.c, 7)))
    _ = engine.actions(on: .received(Fixture.link, .changesets([Fixture.run(Fixture.c, 7...7)])))
    let known = Fixture.id(Fixture.c, 6)
    let outcome = ApplyOutcome.detached(after: known)
    let first = engine.actions(on: .applied(Fixture.link, [outcome], held))
    #expect(first.contains(.send(Fixture.link, .request(Fixture.vector((Fixture.c, 5))))))
    // Of that it has a snapshot only, and all of the snapshot is here.
    let snapshot = SnapshotOffer(
      id: known.hash, pages: 1, objects: 1, frontier: Fixture.holding((Fixture.c, 6)))
    let second = engine.actions(on: .received(Fixture.link, .snapshotOffer(snapshot)))
    #expect(second == [.send(Fixture.link, .request(Fixture.vector((Fixture.c, 6))))])
    // The next changeset follows, or its author is left out.
    _ = engine.actions(on: .received(Fixture.link, .changesets([Fixture.run(Fixture.c, 7...7)])))
    let third = engine.actions(on: .applied(Fixture.link, [outcome], held))
    var none = VersionVector()
    none[Fixture.c] = .max
    #expect(third.contains(.send(Fixture.link, .request(none))))
  }

  @Test func `who lacks what the log does not have is offered a snapshot in any case`() {
    let whole = offer(Self.holdings)
    var engine = engine(from: nil, truncationPoint: Fixture.vector((Fixture.c, 3)), whole)
    let actions = engine.accept(
      Fixture.link, from: Fixture.b, holding: Fixture.holding((Fixture.c, 2)))
    #expect(actions.contains(.send(Fixture.link, .snapshotOffer(whole))))
  }

  @Test
  func `a snapshot that lacks truncated changesets itself is not offered, and made anew`() {
    let old = offer(Fixture.holding((Fixture.c, 2)))
    var engine = engine(from: nil, truncationPoint: Fixture.vector((Fixture.c, 3)), old)
    let actions = engine.accept(Fixture.link, from: Fixture.b)
    #expect(isMaking(actions))
    #expect(!actions.contains(.send(Fixture.link, .snapshotOffer(old))))
  }

  @Test func `deferred changesets make no snapshot old, and none is made again for them`() {
    // Of one author as many are deferred by clock as are worth a snapshot.
    var held = Fixture.holding((Fixture.a, 300), (Fixture.c, 8))
    held.formUnion(Holdings(heads: [Fixture.id(Fixture.author(0xD), 50)], applied: VersionVector()))
    var engine = Engine(
      EngineConfiguration(
        storeID: Fixture.store, author: Fixture.a, agent: "test", seed: 7, snapshotChangesets: 40))
    _ = engine.handle(.start(held), at: Fixture.seconds(0))
    #expect(isMaking(engine.accept(Fixture.link, from: Fixture.b)))
    let made = engine.actions(on: .snapshotMade(offer(Self.holdings)), at: 1)
    #expect(made.contains(.send(Fixture.link, .snapshotOffer(offer(Self.holdings)))))
    #expect(!isMaking(made))
  }

  @Test func `a snapshot that a peer cannot take, since it lacks what the peer has, is made anew`()
  {
    let old = offer(Fixture.holding((Fixture.a, 300)))
    var engine = engine(from: nil, truncationPoint: Fixture.vector((Fixture.a, 3)), old)
    let theirs = Fixture.holding((Fixture.c, 8))
    let first = engine.accept(Fixture.link, from: Fixture.b, holding: theirs)
    #expect(first.contains(.send(Fixture.link, .snapshotOffer(old))))
    let request = Event.received(Fixture.link, .request(theirs.stored))
    #expect(isMaking(engine.actions(on: request, at: 1)))
    let new = offer(Self.holdings)
    let made = engine.actions(on: .snapshotMade(new), at: 2)
    #expect(made.contains(.send(Fixture.link, .snapshotOffer(new))))
  }

  @Test func `a snapshot that cannot be made is tried again with a keep-alive, not at once`() {
    var engine = engine(from: nil, truncationPoint: Fixture.vector((Fixture.c, 3)))
    #expect(isMaking(engine.accept(Fixture.link, from: Fixture.b)))
    #expect(!isMaking(engine.actions(on: .snapshotMade(nil), at: 1)))
    let heard = Event.received(Fixture.link, .keepAlive(.none))
    #expect(isMaking(engine.actions(on: heard, at: 5)))
  }

  @Test func `who cannot go on but from another snapshot asks one peer after another for it`() {
    var engine = engine(from: nil)
    let (one, two) = (LinkID(1), LinkID(2))
    let able = Fixture.holding((Fixture.a, 300), (Fixture.b, 2), (Fixture.c, 9))
    engine.accept(one, from: Fixture.b, holding: able)
    engine.accept(two, from: Fixture.c, holding: able)
    let wanted = Fixture.vector((Fixture.b, 2), (Fixture.c, 9))
    func isAsked(_ link: LinkID, at second: Double) -> Bool {
      let event = Event.deferredApplied(Self.holdings, next: nil, wanting: wanted)
      let actions = engine.actions(on: event, at: second)
      return actions.contains(.send(link, .snapshotWanted(wanted)))
        && actions.contains(.report(.wantingSnapshot(link)))
    }
    #expect(isAsked(one, at: 1))
    #expect(!isAsked(one, at: 11) && !isAsked(two, at: 12))
    #expect(isAsked(two, at: 61.5))
    #expect(isAsked(one, at: 122))
    // Nobody here could help with more.
    let more = Event.deferredApplied(
      Self.holdings, next: nil, wanting: Fixture.vector((Fixture.b, 2), (Fixture.c, 10)))
    #expect(
      !engine.actions(on: more, at: 200).contains {
        if case .send(_, .snapshotWanted) = $0 { true } else { false }
      })
  }

  @Test func `a snapshot that is wanted is taken, whatever is here`() {
    var engine = engine(from: nil)
    let theirs = Fixture.holding((Fixture.a, 300), (Fixture.c, 8))
    engine.accept(Fixture.link, from: Fixture.b, holding: theirs)
    let whole = offer(theirs)
    let taking = Action.store(.stageSnapshot(Fixture.link, whole.id, []))
    #expect(
      !engine.actions(on: .received(Fixture.link, .snapshotOffer(whole))).contains(taking))
    let wanted = Fixture.vector((Fixture.c, 8))
    _ = engine.actions(on: .deferredApplied(Self.holdings, next: nil, wanting: wanted))
    #expect(engine.actions(on: .received(Fixture.link, .snapshotOffer(whole))).contains(taking))
  }

  @Test func `who is asked for a snapshot that it can make gives it, whatever the other has`() {
    var engine = engine(from: nil)
    engine.accept(Fixture.link, from: Fixture.b, holding: Self.holdings)
    let wanted = Frame.snapshotWanted(Fixture.vector((Fixture.c, 8)))
    #expect(isMaking(engine.actions(on: .received(Fixture.link, wanted))))
    let whole = offer(Self.holdings)
    #expect(
      engine.actions(on: .snapshotMade(whole)).contains(.send(Fixture.link, .snapshotOffer(whole))))
    // Changesets that are not applied here cannot be given.
    let more = Frame.snapshotWanted(Fixture.vector((Fixture.c, 9)))
    let actions = engine.actions(on: .received(Fixture.link, more))
    #expect(!isMaking(actions) && !actions.contains(.send(Fixture.link, .snapshotOffer(whole))))
  }

  @Test func `a peer that sends the same again and again is passed over`() {
    let missing = BackfillRequest(after: VersionVector(), through: Fixture.vector((Fixture.c, 8)))
    let lacking = LogStart(truncationPoint: missing.through, missing: missing)
    var further = lacking
    further.missing?.after = Fixture.vector((Fixture.c, 5))
    var engine = engine(from: nil)
    engine.accept(Fixture.link, from: Fixture.b, holding: Self.holdings)
    _ = engine.actions(on: .logStartChanged(lacking))
    let part = ChangesetChunk(id: Fixture.id(Fixture.c, 1), total: 1, offset: 0, bytes: [0])
    let answer = Backfill(truncationPoint: .none, state: .more, parts: [part])
    for (logStart, isAsked) in [(further, true), (further, false)] {
      _ = engine.actions(on: .received(Fixture.link, .backfill(answer)))
      let actions = engine.actions(on: .backfillKept(Fixture.link, logStart, refusal: nil))
      #expect(isAsking(actions) == isAsked)
    }
  }

  @Test func `what a snapshot was made of is asked of one peer after another`() {
    let missing = BackfillRequest(
      after: VersionVector(), through: Fixture.vector((Fixture.c, 8)))
    let lacking = LogStart(truncationPoint: missing.through, missing: missing)
    var engine = engine(from: nil)
    let (one, two) = (LinkID(1), LinkID(2))
    engine.accept(one, from: Fixture.b, holding: Self.holdings)
    engine.accept(two, from: Fixture.c, holding: Self.holdings)
    let question = Action.send(one, .backfillRequest(missing))
    #expect(engine.actions(on: .logStartChanged(lacking)).contains(question))
    // The first waits for some of it as well; the second has all there is, and that is not enough.
    let waiting = Backfill(truncationPoint: .none, state: .waiting, parts: [])
    #expect(
      engine.actions(on: .received(one, .backfill(waiting))) == [
        .store(.keepBackfill(one, waiting))
      ])
    let other = Action.send(two, .backfillRequest(missing))
    #expect(engine.actions(on: .backfillKept(one, lacking, refusal: nil)).contains(other))
    let end = Backfill(truncationPoint: .none, state: .end, parts: [])
    #expect(engine.actions(on: .received(two, .backfill(end))) == [.store(.keepBackfill(two, end))])
    #expect(!isAsking(engine.actions(on: .backfillKept(two, lacking, refusal: nil))))
    // A peer that waits itself is asked again soon, and one that had no more after a while.
    _ = engine.actions(on: .timer, at: 5)
    var asked: [Double] = []
    for second in stride(from: 10.0, through: 65, by: 5) {
      for link in [one, two] {
        _ = engine.actions(on: .received(link, .keepAlive(Self.holdings)), at: second)
      }
      guard engine.actions(on: .timer, at: second).contains(question) else { continue }
      asked.append(second)
      _ = engine.actions(on: .received(one, .backfill(end)), at: second)
      _ = engine.actions(on: .backfillKept(one, lacking, refusal: nil), at: second)
    }
    #expect(asked == [10], "seconds at which the first was asked again")
  }

  @Test func `what nobody has is held to be lost after a while, if somebody needs what it led to`()
  {
    let missing = BackfillRequest(after: VersionVector(), through: Fixture.vector((Fixture.c, 8)))
    let lacking = LogStart(missing: missing)
    for (theirs, isNeeded) in [(Holdings.none, true), (Self.holdings, false)] {
      var engine = engine(from: nil)
      let (one, two) = (LinkID(1), LinkID(2))
      engine.accept(one, from: Fixture.b, holding: Self.holdings)
      engine.accept(two, from: Fixture.author(0xD), holding: theirs)
      _ = engine.actions(on: .logStartChanged(lacking))
      var lost: [Double] = []
      for second in stride(from: 5.0, through: 400, by: 5) {
        for link in [one, two] {
          var actions = engine.actions(on: .received(link, .keepAlive(theirs)), at: second)
          actions += engine.actions(on: .timer, at: second)
          if actions.contains(.report(.backfillLost(8))) { lost.append(second) }
          // One of them waits for it as well, which does not count as having it.
          for (link, state) in [(one, Backfill.State.waiting), (two, .end)] {
            let answer = Backfill(truncationPoint: .none, state: state, parts: [])
            _ = engine.actions(on: .received(link, .backfill(answer)), at: second)
            _ = engine.actions(on: .backfillKept(link, lacking, refusal: nil), at: second)
          }
        }
      }
      #expect(lost.first.map { (150...220).contains($0) } == (isNeeded ? true : nil), "\(lost)")
    }
  }

  @Test func `when the log was cut it is read from its start, since places are given again`() {
    var engine = engine(from: nil)
    engine.accept(Fixture.link, from: Fixture.b, holding: Self.holdings)
    let read = LogBatch(entries: [], next: LogPosition(9), isAtEnd: true)
    _ = engine.actions(on: .logRead(Fixture.link, read))
    let logStart = LogStart(truncationPoint: Self.holdings.stored)
    let requests = engine.actions(on: .logStartChanged(logStart)).compactMap { action in
      if case .store(.readLog(_, let request)) = action { request.after } else { nil }
    }
    #expect(requests == [.start])
  }

  @Test func `who has taken a snapshot asks only where something was let go, or offered besides`() {
    var engine = engine(from: nil)
    let whole = offer(Fixture.holding((Fixture.a, 300), (Fixture.b, 9), (Fixture.c, 8)))
    let more = offer(Fixture.holding((Fixture.a, 300), (Fixture.b, 12), (Fixture.c, 8)))
    let links = (1...3).map { LinkID($0) }
    for (link, peer) in zip(links, [Fixture.b, Fixture.c, Fixture.author(0xD)]) {
      engine.accept(link, from: peer)
    }
    for (link, offer) in zip(links, [whole, whole, more]) {
      _ = engine.actions(on: .received(link, .snapshotOffer(offer)))
    }
    let actions = engine.actions(
      on: .snapshotInstalled(links[0], .installed, whole.frontier, LogStart(offer: whole)))
    let wants = links.filter { link in
      actions.contains { if case .send(link, .request) = $0 { true } else { false } }
    }
    #expect(wants == [links[2]])
  }

  @Test
  func `whose changesets come in vain is left out of the next question, until something helps`() {
    let missing = BackfillRequest(
      after: VersionVector(), through: Fixture.vector((Fixture.a, 9), (Fixture.c, 8)))
    let lacking = LogStart(missing: missing)
    var engine = engine(from: nil)
    engine.accept(Fixture.link, from: Fixture.b, holding: Self.holdings)
    _ = engine.actions(on: .logStartChanged(lacking))
    let part = ChangesetChunk(id: Fixture.id(Fixture.c, 1), total: 1, offset: 0, bytes: [0])
    let answer = Backfill(truncationPoint: .none, state: .more, parts: [part])
    _ = engine.actions(on: .received(Fixture.link, .backfill(answer)))
    var rest = missing
    rest.through[Fixture.c] = .none
    #expect(
      engine.actions(on: .backfillKept(Fixture.link, lacking, refusal: nil))
        == [.send(Fixture.link, .backfillRequest(rest))])
  }

  @Test func `who has gaps in its log offers no snapshot and takes none`() {
    let missing = BackfillRequest(after: VersionVector(), through: Fixture.vector((Fixture.c, 8)))
    var engine = engine(from: 1, offer(Self.holdings))
    _ = engine.actions(
      on: .logStartChanged(LogStart(offer: offer(Self.holdings), missing: missing)))
    let actions = engine.accept(Fixture.link, from: Fixture.b)
    #expect(!actions.contains(.send(Fixture.link, .snapshotOffer(offer(Self.holdings)))))
    let further = offer(Fixture.holding((Fixture.a, 300), (Fixture.b, 9), (Fixture.c, 8)))
    let answers = engine.actions(on: .received(Fixture.link, .snapshotOffer(further)))
    #expect(!answers.contains(.store(.stageSnapshot(Fixture.link, further.id, []))))
    // Once it has none, it does both.
    let whole = engine.actions(
      on: .logStartChanged(LogStart(offer: offer(Self.holdings))))
    #expect(whole.isEmpty)
    #expect(
      engine.actions(on: .received(Fixture.link, .snapshotOffer(further)))
        .contains(.store(.stageSnapshot(Fixture.link, further.id, []))))
  }

  private func isAsking(_ actions: [Action]) -> Bool {
    actions.contains { action in
      if case .send(_, .backfillRequest) = action { true } else { false }
    }
  }
}
