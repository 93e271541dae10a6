import AtollChanges
import AtollReplication
import AtollVocabulary
import AtollWire
import Testing

/// The lag of members, with time as a value.
@Suite struct LaggingTests {
  private let link = Fixture.link

  /// An engine with a member that has everything of what is here.
  private func engine(_ members: [LaggingMember] = [LaggingMember(Fixture.b.replica)]) -> Engine {
    let held = Fixture.holding((Fixture.a, 1))
    var engine = Engine.linked(holding: held, holding: held)
    _ = engine.actions(on: .membersChanged(members))
    return engine
  }

  private func lag(_ engine: Engine, at second: Double) -> MemberLag? {
    engine.lags(at: Fixture.seconds(second)).first
  }

  @Test func `issue 28.20: lag is the age of the oldest changeset that was not acknowledged`() {
    var engine = engine()
    #expect(lag(engine, at: 100)?.age == .zero)
    _ = engine.actions(on: .logAdvanced(Fixture.holding((Fixture.a, 2))), at: 100)
    _ = engine.actions(on: .logAdvanced(Fixture.holding((Fixture.a, 3))), at: 130)
    // Nobody has asked meanwhile.
    #expect(
      engine.lags(at: Fixture.seconds(160)) == [
        MemberLag(replica: Fixture.b.replica, changesets: 2, age: .seconds(60))
      ])
    let second = Fixture.holding((Fixture.a, 2))
    _ = engine.actions(on: .received(link, .progress(second)), at: 161)
    #expect(lag(engine, at: 162)?.age == .seconds(32))
    #expect(lag(engine, at: 162)?.changesets == 1)
    _ = engine.actions(on: .received(link, .progress(Fixture.holding((Fixture.a, 3)))), at: 163)
    #expect(lag(engine, at: 170)?.age == .zero)
  }

  @Test func `issue 28.20: a member that is away lags, and one that is only stored does too`() {
    var engine = engine()
    _ = engine.actions(on: .linkClosed(link, reason: "test"), at: 10)
    _ = engine.actions(on: .logAdvanced(Fixture.holding((Fixture.a, 2))), at: 20)
    #expect(lag(engine, at: 3_620)?.age == .seconds(3_600))
    engine.accept(LinkID(2), from: Fixture.b, holding: Fixture.holding((Fixture.a, 1)), at: 3_620)
    let stored = Holdings(
      heads: Fixture.holding((Fixture.a, 2)).heads, applied: Fixture.vector((Fixture.a, 1)))
    _ = engine.actions(on: .received(LinkID(2), .progress(stored)), at: 3_621)
    #expect(lag(engine, at: 3_622)?.age == .seconds(3_602))
  }

  @Test func `issue 28.20: lag ends with an incarnation that is over, and with retirement`() {
    var engine = engine()
    _ = engine.actions(on: .logAdvanced(Fixture.holding((Fixture.a, 2))), at: 10)
    let next = Author(replica: Fixture.b.replica, incarnation: Incarnation(2))
    engine.accept(LinkID(2), from: next, holding: Fixture.holding((Fixture.a, 2)), at: 20)
    // Both incarnations may go on, in a file and in its copy.
    #expect(lag(engine, at: 30)?.age == .seconds(20))
    let ended = LaggingMember(Fixture.b.replica, ended: [Fixture.b.incarnation])
    _ = engine.actions(on: .membersChanged([ended]), at: 40)
    #expect(lag(engine, at: 50)?.age == .zero)
    _ = engine.actions(on: .membersChanged([]), at: 60)
    #expect(engine.lags(at: Fixture.seconds(70)) == [])
  }

  @Test func `a replica does not lag behind itself, and one that was never heard lacks everything`()
  {
    let engine = engine([LaggingMember(Fixture.a.replica), LaggingMember(Fixture.c.replica)])
    #expect(
      engine.lags(at: Fixture.seconds(9)) == [
        MemberLag(replica: Fixture.c.replica, changesets: 1, age: .seconds(9))
      ])
  }

  @Test func `ages stay near the truth however many changesets come, in bounded memory`() {
    var engine = engine()
    let writers: UInt64 = 5_000
    for number in 2...writers {
      _ = engine.actions(
        on: .logAdvanced(Fixture.holding((Fixture.a, number))), at: Double(number))
    }
    for acknowledged in [2, 100, 2_500, 4_990] as [UInt64] {
      let progress = Fixture.holding((Fixture.a, acknowledged))
      _ = engine.actions(on: .received(link, .progress(progress)), at: Double(writers))
      let exact = Double(writers - acknowledged - 1)
      let told = (lag(engine, at: Double(writers))?.age ?? .zero) / .seconds(1)
      #expect(told >= exact && told <= exact * 17 / 16 + 2)
    }
  }

  @Test func `issue 28.22: divergence is reported once, on whatever links and with any digests`() {
    let held = Fixture.holding((Fixture.a, 2), (Fixture.b, 1))
    func digest(_ number: UInt64) -> FrontierDigest {
      FrontierDigest(heads: held.heads, digest: StateDigest(high: 0, low: number))
    }
    var engine = Engine.linked(holding: held, holding: held)
    var reports: [Action] = []
    for number in 2...20 as ClosedRange<UInt64> {
      reports += engine.actions(on: .received(link, .digest(digest(number))))
      reports += engine.actions(on: .digestRead(link, digest(1)))
    }
    _ = engine.actions(on: .linkClosed(link, reason: "test"))
    let next = LinkID(2)
    engine.accept(next, from: Fixture.b, holding: held)
    reports += engine.actions(on: .received(next, .digest(digest(2))))
    reports += engine.actions(on: .digestRead(next, digest(1)))
    #expect(
      reports.filter { if case .report(.diverged) = $0 { true } else { false } }.count == 1)
    // That they agree again is told on a link that never saw it otherwise.
    _ = engine.actions(on: .received(next, .digest(digest(1))))
    let agreed = engine.actions(on: .digestRead(next, digest(1)))
    #expect(agreed.contains(.report(.agreed(next, peer: Fixture.b))))
  }
}
