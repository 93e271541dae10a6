import AtollChanges
import AtollReplication
import AtollVocabulary
import AtollWire
import Testing

/// The greatest window, and the grants.
@Suite struct CreditTests {
  private let second = LinkID(2)

  // MARK: Sending

  @Test func `no more is on its way than the peer lets`() {
    var engine = Engine.linked(holding: Fixture.holding((Fixture.a, 4)))
    _ = engine.actions(on: .received(Fixture.link, .credit(Credit(window: 512 << 10))))
    let batch = read(1...3, byteCount: 200 << 10)
    let first = engine.actions(on: .logRead(Fixture.link, batch))
    #expect(first.runs == [Fixture.run(Fixture.a, 1...2, byteCount: 200 << 10)])
    #expect(engine.waitingBytes == 200 << 10)
    let progress = Frame.progress(Fixture.holding((Fixture.a, 2)))
    let next = engine.actions(on: .received(Fixture.link, progress))
    #expect(next.runs == [Fixture.run(Fixture.a, 3...3, byteCount: 200 << 10)])
    #expect(engine.waitingBytes == 0)
  }

  @Test func `what is larger than the window goes alone, with nothing on its way`() {
    var engine = Engine.linked(holding: Fixture.holding((Fixture.a, 2)))
    _ = engine.actions(on: .received(Fixture.link, .credit(Credit(window: 1000))))
    let first = engine.actions(on: .logRead(Fixture.link, read(1...2, byteCount: 2000)))
    #expect(first.runs.map(\.last.rawValue) == [1])
    let progress = Frame.progress(Fixture.holding((Fixture.a, 1)))
    #expect(
      engine.actions(on: .received(Fixture.link, progress)).runs.map(\.last.rawValue) == [2])
  }

  @Test func `a large changeset keeps to the window too`() {
    var engine = Engine.linked(holding: Fixture.holding((Fixture.a, 1)))
    _ = engine.actions(
      on: .received(Fixture.link, .credit(Credit(window: 2 * Limits.batchBytes))))
    let batch = read(1...1, byteCount: 6 * Limits.batchBytes)
    #expect(engine.actions(on: .logRead(Fixture.link, batch)).chunks.count == 1)
    let receipt = ChunkReceipt(author: Fixture.a, sequence: .first, received: Limits.offerBytes)
    let chunks = engine.actions(on: .received(Fixture.link, .chunkReceipt(receipt))).chunks
    #expect(chunks.map(\.bytes.count) == [Limits.batchBytes, Limits.batchBytes])
  }

  @Test func `nothing is sent into a window of 0, and everything once it opens`() {
    var engine = Engine.linked()
    let closed = Credit(window: 0, reason: "disk full")
    #expect(
      engine.actions(on: .received(Fixture.link, .credit(closed)))
        == [.report(.peerDiskFull(Fixture.link, peer: Fixture.b, reason: "disk full"))])
    #expect(engine.actions(on: .logAdvanced(Fixture.holding((Fixture.a, 1)))) == [])
    #expect(
      engine.actions(on: .timer, at: 5).frames().contains(
        .keepAlive(Fixture.holding((Fixture.a, 1)))))
    let open = Credit(window: Limits.unacknowledgedBytes)
    let request = LogRequest(
      lackedBy: VersionVector(), after: .start, byteLimit: Limits.batchBytes)
    #expect(
      engine.actions(on: .received(Fixture.link, .credit(open)), at: 5)
        == [
          .report(.peerDiskHasSpace(Fixture.link, peer: Fixture.b)),
          .store(.readLog(Fixture.link, request)),
        ])
  }

  @Test func `what was read when the window closed waits until it opens`() {
    var engine = Engine.linked(holding: Fixture.holding((Fixture.a, 1)))
    _ = engine.actions(on: .received(Fixture.link, .credit(Credit(window: 0))))
    #expect(engine.actions(on: .logRead(Fixture.link, read(1...1))).runs == [])
    let open = engine.actions(on: .received(Fixture.link, .credit(Credit(window: 4 << 20))))
    #expect(open.runs.map(\.first) == [.first])
  }

  // MARK: Granting

  @Test func `a peer that may send as much as everybody thinks is told nothing`() {
    var engine = Engine.started()
    let actions = engine.accept(Fixture.link, from: Fixture.b)
    #expect(!actions.frames().map(\.kind).contains(.credit))
  }

  @Test func `links share the memory, and are told when another one comes or goes`() {
    var engine = sharing(4 << 20)
    let alone = engine.accept(Fixture.link, from: Fixture.b)
    #expect(alone.frames().map(\.kind).prefix(2) == [.hello, .credit])
    #expect(alone.frames()[1] == .credit(Credit(window: 2 << 20)))
    #expect(alone.contains(.report(.window(byteCount: 2 << 20, links: 1))))
    let both = engine.accept(second, from: Fixture.c)
    let half = Frame.credit(Credit(window: 1 << 20))
    #expect(both.frames().contains(half) && both.frames(on: second).contains(half))
    let closed = engine.actions(on: .linkClosed(second, reason: "cut"))
    #expect(closed.frames().contains(.credit(Credit(window: 2 << 20))))
  }

  @Test func `the side that shares its memory also sends no more than its share`() {
    var engine = sharing(1 << 20, holding: Fixture.holding((Fixture.a, 9)))
    engine.accept(Fixture.link, from: Fixture.b)
    let first = engine.actions(on: .logRead(Fixture.link, read(1...9, byteCount: 100 << 10)))
    let byteCount = first.runs.reduce(0) { $0 + $1.byteCount }
    #expect(byteCount == 500 << 10)
    #expect(engine.window == 512 << 10)
  }

  @Test func `a link for which there is no memory is refused`() {
    var engine = sharing(1 << 20)
    engine.accept(Fixture.link, from: Fixture.b)
    engine.accept(second, from: Fixture.c)
    let third = engine.actions(on: .linkOpened(LinkID(3), .accepted(from: "test")))
    #expect(third.goodbyes.map(\.code) == [.overload])
  }

  @Test func `what was granted is said again with a keep-alive`() {
    var engine = sharing(4 << 20)
    engine.accept(Fixture.link, from: Fixture.b)
    let credit = Frame.credit(Credit(window: 2 << 20))
    #expect(engine.actions(on: .timer, at: 5).frames().contains(credit))
  }

  private func sharing(_ byteCount: Int, holding: Holdings = .none) -> Engine {
    var engine = Engine(
      EngineConfiguration(
        storeID: Fixture.store, author: Fixture.a, agent: "test", seed: 7,
        memory: ExchangeMemory(totalBytes: byteCount)))
    _ = engine.handle(.start(holding), at: Fixture.seconds(0))
    return engine
  }

  private func read(_ sequences: ClosedRange<UInt64>, byteCount: Int = 10) -> LogBatch {
    LogBatch(
      entries: sequences.map {
        Fixture.entry(Int64($0), Fixture.id(Fixture.a, $0), byteCount: byteCount)
      }, next: LogPosition(Int64(sequences.upperBound)), isAtEnd: false)
  }
}
