import AtollChanges
import AtollReplication
import AtollVocabulary
import AtollWire
import Testing

/// New changesets beside a long catch-up on the same link.
@Suite struct ExpeditingTests {
  /// The bulk is of a; c has written one before, which the peer holds.
  private let before = Fixture.holding((Fixture.a, 100), (Fixture.c, 1))
  private let after = Fixture.holding((Fixture.a, 100), (Fixture.c, 2))

  private var request: ExpediteRequest {
    ExpediteRequest(
      after: [.init(author: Fixture.c, sequence: .first)], stored: Fixture.vector((Fixture.c, 1)),
      byteLimit: Limits.expeditedBytes)
  }

  // MARK: Sending

  @Test func `what another wrote is expedited past a catch-up, once`() {
    var engine = catchingUp()
    let entry = Fixture.entry(102, Fixture.id(Fixture.c, 2))
    let asked = engine.actions(on: .logAdvanced(after))
    #expect(asked == [.store(.readExpedited(Fixture.link, request))])
    #expect(
      engine.actions(on: .expeditedRead(Fixture.link, [entry]))
        == [.send(Fixture.link, .expedited([Fixture.run(Fixture.c, 2...2)]))])
    let rest = LogBatch(
      entries: [Fixture.entry(4, Fixture.id(Fixture.a, 4)), entry], next: LogPosition(102),
      isAtEnd: true)
    #expect(
      engine.actions(on: .logRead(Fixture.link, rest)).runs == [Fixture.run(Fixture.a, 4...4)])
  }

  @Test func `where little is on its way everything goes in its turn`() {
    var engine = catchingUp(sent: 1)
    #expect(!engine.actions(on: .logAdvanced(after)).contains { $0.isExpediting })
  }

  @Test func `what could not be expedited is looked at again when the peer has more`() {
    var engine = catchingUp()
    _ = engine.actions(on: .logAdvanced(after))
    #expect(engine.actions(on: .expeditedRead(Fixture.link, [])) == [])
    let theirs = Fixture.holding((Fixture.a, 1))
    let actions = engine.actions(on: .received(Fixture.link, .progress(theirs)))
    var again = request
    again.stored = Fixture.vector((Fixture.a, 1), (Fixture.c, 1))
    #expect(actions.contains(.store(.readExpedited(Fixture.link, again))))
  }

  @Test func `an author of whom the peer was sent what it does not hold yet waits`() {
    var engine = catchingUp(alsoSent: Fixture.id(Fixture.c, 2))
    let next = Fixture.holding((Fixture.a, 100), (Fixture.c, 3))
    #expect(!engine.actions(on: .logAdvanced(next)).contains { $0.isExpediting })
  }

  @Test func `an author of whom much is lacked waits`() {
    var engine = catchingUp()
    let many = Fixture.holding((Fixture.a, 100), (Fixture.c, 2 + Limits.expeditedChangesets))
    #expect(!engine.actions(on: .logAdvanced(many)).contains { $0.isExpediting })
  }

  @Test func `nothing is expedited to a peer that takes nothing`() {
    var engine = catchingUp()
    _ = engine.actions(on: .received(Fixture.link, .credit(Credit(window: 0))))
    #expect(!engine.actions(on: .logAdvanced(after)).contains { $0.isExpediting })
  }

  @Test func `only so much is expedited until it is acknowledged`() {
    var engine = catchingUp()
    _ = engine.actions(on: .logAdvanced(after))
    let entry = Fixture.entry(102, Fixture.id(Fixture.c, 2), byteCount: Limits.expeditedBytes)
    _ = engine.actions(on: .expeditedRead(Fixture.link, [entry]))
    let next = Fixture.holding((Fixture.a, 100), (Fixture.c, 3))
    #expect(!engine.actions(on: .logAdvanced(next)).contains { $0.isExpediting })
    let theirs = Frame.progress(Fixture.holding((Fixture.c, 2)))
    #expect(engine.actions(on: .received(Fixture.link, theirs)).contains { $0.isExpediting })
  }

  // MARK: Receiving

  @Test func `expedited changesets are applied before all that waits`() {
    var engine = Engine.linked()
    engine.accept(LinkID(2), from: Fixture.c)
    let bulk = Frame.changesets([Fixture.run(Fixture.b, 1...1)])
    #expect(engine.actions(on: .received(Fixture.link, bulk)).applies.count == 1)
    for sequence in 2...3 as ClosedRange<UInt64> {
      let run = Fixture.run(Fixture.b, sequence...sequence)
      _ = engine.actions(on: .received(Fixture.link, .changesets([run])))
    }
    let other = Frame.changesets([Fixture.run(Fixture.c, 1...1)])
    _ = engine.actions(on: .received(LinkID(2), other))
    let expedited = Frame.expedited([Fixture.run(Fixture.author(0xD), 1...1)])
    _ = engine.actions(on: .received(Fixture.link, expedited))
    let applied = Event.applied(
      Fixture.link, [.applied(Fixture.id(Fixture.b, 1))], Fixture.holding((Fixture.b, 1)))
    #expect(
      engine.actions(on: applied).applies == [[Fixture.incoming(Fixture.author(0xD), 1)]])
  }

  /// An engine that has sent b much of what a wrote, and not all.
  private func catchingUp(sent count: Int64 = 3, alsoSent id: ChangesetID? = nil) -> Engine {
    var engine = Engine.linked(holding: before, holding: Fixture.holding((Fixture.c, 1)))
    if id != nil { _ = engine.actions(on: .logAdvanced(after)) }
    var entries = (1...count).map {
      Fixture.entry($0, Fixture.id(Fixture.a, UInt64($0)), byteCount: 100 << 10)
    }
    if let id { entries.append(Fixture.entry(count + 1, id)) }
    let batch = LogBatch(entries: entries, next: LogPosition(count + 1), isAtEnd: false)
    _ = engine.actions(on: .logRead(Fixture.link, batch))
    return engine
  }
}

extension Action {
  fileprivate var isExpediting: Bool {
    if case .store(.readExpedited) = self { true } else { false }
  }
}
