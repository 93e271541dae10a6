import AtollChanges
import AtollReplication
import AtollVocabulary
import AtollWire
import Testing

/// The parts of digests that a story does not show (`Stories/divergence.txt`).
@Suite struct DigestTests {
  private let held = Fixture.holding((Fixture.a, 2), (Fixture.b, 1))
  private let link = Fixture.link

  private func digest(_ number: UInt64, at holdings: Holdings) -> FrontierDigest {
    FrontierDigest(heads: holdings.heads, digest: StateDigest(high: 0, low: number))
  }

  private func question(_ store: StoreID = Fixture.store) -> DigestQuestion {
    DigestQuestion(storeID: store, level: 0, prefixes: [0], wantsObjects: false)
  }

  private func goodbyes(_ actions: [Action]) -> [GoodbyeCode] {
    actions.frames().compactMap { if case .goodbye(let goodbye) = $0 { goodbye.code } else { nil } }
  }

  @Test func `digests of other frontiers say nothing`() {
    var engine = Engine.linked(holding: held, holding: held)
    let other = digest(9, at: Fixture.holding((Fixture.a, 3)))
    _ = engine.actions(on: .digestRead(link, digest(1, at: held)))
    _ = engine.actions(on: .received(link, .digest(other)))
    #expect(engine.actions(on: .digestRead(link, digest(1, at: held))) == [])
  }

  @Test func `a peer that floods with digests has one read at a time`() {
    var engine = Engine.linked(holding: held, holding: held)
    _ = engine.actions(on: .digestRead(link, digest(1, at: held)))
    let actions = (1...100).flatMap { number in
      engine.actions(on: .received(link, .digest(digest(number, at: held))))
    }
    #expect(actions == [.store(.readDigest(link))])
    let ours = digest(1, at: held)
    #expect(
      engine.actions(on: .digestRead(link, ours)) == [
        .report(.diverged(link, peer: Fixture.b, ours: ours, theirs: digest(100, at: held)))
      ])
  }

  @Test func `externally modified rows are told of although nothing was applied`() {
    var engine = Engine.linked(holding: held, holding: held)
    _ = engine.actions(on: .digestRead(link, digest(1, at: held)))
    _ = engine.actions(on: .received(link, .digest(digest(1, at: held))))
    #expect(engine.actions(on: .digestRead(link, digest(1, at: held))) == [])
    #expect(engine.actions(on: .digestChanged) == [.store(.readDigest(link))])
    let ours = digest(2, at: held)
    #expect(
      engine.actions(on: .digestRead(link, ours)) == [
        .send(link, .digest(ours)),
        .report(.diverged(link, peer: Fixture.b, ours: ours, theirs: digest(1, at: held))),
      ])
  }

  @Test func `a digest that cannot be read is asked for again`() {
    var engine = Engine.linked(holding: held, holding: held)
    #expect(engine.actions(on: .digestRead(link, nil)) == [])
    #expect(engine.actions(on: .timer, at: 6).contains(.store(.readDigest(link))))
  }

  // MARK: Looking only

  @Test func `a question instead of a hello is answered, and nothing else is sent`() {
    var engine = Engine.started(holding: held)
    _ = engine.actions(on: .linkOpened(link, .accepted(from: "test")))
    #expect(
      engine.actions(on: .received(link, .question(question()))) == [
        .store(.answer(link, question()))
      ])
    // Another one before the answer is dropped.
    #expect(engine.actions(on: .received(link, .question(question()))) == [])
    let answer = DigestAnswer(current: digest(1, at: held), found: .parts([]))
    #expect(
      engine.actions(on: .answered(link, answer), at: 100) == [.send(link, .answer(answer))])
    #expect(engine.actions(on: .logAdvanced(Fixture.holding((Fixture.a, 3))), at: 100) == [])
    #expect(
      engine.actions(on: .received(link, .question(question())), at: 110)
        == [.store(.answer(link, question()))])
  }

  @Test func `a question about another store is refused`() {
    var engine = Engine.started(holding: held)
    _ = engine.actions(on: .linkOpened(link, .accepted(from: "test")))
    let actions = engine.actions(on: .received(link, .question(question(Fixture.otherStore))))
    #expect(goodbyes(actions) == [.store])
  }

  @Test func `who asks nothing for long is left`() {
    var engine = Engine.started(holding: held)
    _ = engine.actions(on: .linkOpened(link, .accepted(from: "test")))
    _ = engine.actions(on: .received(link, .question(question())))
    let answer = DigestAnswer(current: digest(1, at: held), found: .parts([]))
    #expect(goodbyes(engine.actions(on: .timer, at: 60)) == [])
    _ = engine.actions(on: .answered(link, answer), at: 60)
    #expect(goodbyes(engine.actions(on: .timer, at: 79)) == [])
    #expect(goodbyes(engine.actions(on: .timer, at: 81)) == [.silent])
  }

  @Test func `a question between replicas is out of turn`() {
    var engine = Engine.linked(holding: held, holding: held)
    let actions = engine.actions(on: .received(link, .question(question())))
    #expect(goodbyes(actions) == [.malformed])
  }
}
