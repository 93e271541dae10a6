import AtollChanges
import AtollReplication
import AtollVocabulary
import Testing

@Suite struct PerformerTests {
  private struct Failure: StoreFailure, CustomStringConvertible {
    var isDiskFull: Bool
    var description: String { isDiskFull ? "full" : "broken" }
  }

  @Test func `what was applied is answered with what the store has then`() throws {
    let store = StoryStore(Fixture.a)
    var performer = ActionPerformer(store)
    let incoming = IncomingChangeset(author: Fixture.b, sequence: SequenceNumber(1), bytes: [])
    #expect(
      try performer.perform(.apply(Fixture.link, [incoming, incoming])) == [
        .applied(
          Fixture.link, [.applied(Fixture.id(Fixture.b, 1)), .duplicate],
          Fixture.holding((Fixture.b, 1)))
      ])
  }

  @Test func `a read of the log is answered with what the peer lacks`() throws {
    let store = StoryStore(Fixture.a)
    for _ in 0..<3 { store.commit() }
    var performer = ActionPerformer(store)
    let request = LogRequest(
      lackedBy: Fixture.vector((Fixture.a, 1)), after: .start, byteLimit: 1000)
    #expect(
      try performer.perform(.readLog(Fixture.link, request)) == [
        .logRead(
          Fixture.link,
          LogBatch(entries: Array(store.log.dropFirst()), next: LogPosition(3), isAtEnd: true))
      ])
  }

  @Test func `progress is remembered without an answer`() throws {
    let store = StoryStore(Fixture.a)
    var performer = ActionPerformer(store)
    let known = PeerProgress(peer: Fixture.b, holdings: Fixture.holding((Fixture.c, 2)))
    #expect(try performer.perform(.persistProgress([known])) == [])
    #expect(store.progress == [Fixture.b: known.holdings])
  }

  @Test func `a snapshot that is not there is answered with the one that is`() throws {
    var performer = ActionPerformer(StoryStore(Fixture.a))
    let request = SnapshotRequest(id: .origin(of: Fixture.b), first: 0, count: 1)
    #expect(
      try performer.perform(.readSnapshot(Fixture.link, request))
        == [.snapshotRead(Fixture.link, [], offer: nil)])
  }

  @Test func `a full disk is told apart from other failures of applying`() {
    let apply = StoreAction.apply(Fixture.link, [])
    #expect(
      apply.answer(failing: Failure(isDiskFull: true)).event
        == .diskFull(Fixture.link, reason: "full"))
    #expect(
      apply.answer(failing: Failure(isDiskFull: false)).event
        == .applyFailed(Fixture.link, reason: "broken"))
  }

  @Test func `people are told of what the engine cannot tell them`() {
    func isTrouble(_ action: StoreAction) -> Bool {
      action.answer(failing: Failure(isDiskFull: false)).isTrouble
    }
    #expect(!isTrouble(.apply(Fixture.link, [])))
    #expect(!isTrouble(.installSnapshot(Fixture.link, .origin(of: Fixture.b))))
    #expect(isTrouble(.readDigest(Fixture.link)))
    #expect(isTrouble(.persistProgress([])))
  }
}
