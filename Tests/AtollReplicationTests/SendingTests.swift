import AtollChanges
import AtollReplication
import AtollVocabulary
import AtollWire
import Testing

@Suite struct SendingTests {
  private let ours = Fixture.holding((Fixture.a, 3), (Fixture.c, 1))

  @Test func `a peer that lacks something is read the log for`() {
    var engine = Engine.started(holding: ours)
    _ = engine.actions(on: .linkOpened(Fixture.link, .accepted(from: "test")))
    let theirs = Fixture.holding((Fixture.a, 1))
    #expect(
      engine.actions(on: .received(Fixture.link, Fixture.hello(Fixture.b, theirs)))
        == [
          .report(
            .linked(Fixture.link, .accepted(from: "test"), peer: Fixture.b, agent: "test")),
          .store(
            .readLog(
              Fixture.link,
              LogRequest(
                lackedBy: Fixture.vector((Fixture.a, 1)), after: .start,
                byteLimit: Limits.batchBytes))),
        ])
  }

  @Test func `what was read goes out in log order, neighbours joined`() {
    var engine = Engine.linked(holding: ours, holding: Fixture.holding((Fixture.a, 1)))
    let entries = [
      Fixture.entry(2, Fixture.id(Fixture.a, 2)), Fixture.entry(3, Fixture.id(Fixture.a, 3)),
      Fixture.entry(4, Fixture.id(Fixture.c, 1)),
    ]
    let batch = LogBatch(entries: entries, next: LogPosition(4), isAtEnd: true)
    #expect(
      engine.actions(on: .logRead(Fixture.link, batch))
        == [
          .send(
            Fixture.link,
            .changesets([Fixture.run(Fixture.a, 2...3), Fixture.run(Fixture.c, 1...1)])),
          .report(.caughtUp(Fixture.link, peer: Fixture.b)),
        ])
  }

  @Test func `reading goes on behind what was read until the end`() {
    var engine = Engine.linked(holding: ours)
    let batch = LogBatch(
      entries: [Fixture.entry(1, Fixture.id(Fixture.a, 1))], next: LogPosition(1), isAtEnd: false)
    #expect(
      engine.actions(on: .logRead(Fixture.link, batch))
        == [
          .send(Fixture.link, .changesets([Fixture.run(Fixture.a, 1...1)])),
          .store(
            .readLog(
              Fixture.link,
              LogRequest(
                lackedBy: Fixture.vector((Fixture.a, 1)), after: LogPosition(1),
                byteLimit: Limits.batchBytes))),
        ])
  }

  @Test func `a commit is read for every peer that lacks it, by ascending link`() {
    var engine = Engine.linked()
    engine.accept(LinkID(2), from: Fixture.c)
    let request = LogRequest(
      lackedBy: VersionVector(), after: .start, byteLimit: Limits.batchBytes)
    #expect(
      engine.actions(on: .logAdvanced(Fixture.holding((Fixture.a, 1))))
        == [.store(.readLog(Fixture.link, request)), .store(.readLog(LinkID(2), request))])
  }

  @Test func `a commit while the log is read leads to another read`() {
    var engine = Engine.linked()
    _ = engine.actions(on: .logAdvanced(Fixture.holding((Fixture.a, 1))))
    #expect(engine.actions(on: .logAdvanced(Fixture.holding((Fixture.a, 2)))) == [])
    let batch = LogBatch(
      entries: [Fixture.entry(1, Fixture.id(Fixture.a, 1))], next: LogPosition(1), isAtEnd: true)
    let actions = engine.actions(on: .logRead(Fixture.link, batch))
    #expect(
      actions.last
        == .store(
          .readLog(
            Fixture.link,
            LogRequest(
              lackedBy: Fixture.vector((Fixture.a, 1)), after: LogPosition(1),
              byteLimit: Limits.batchBytes))))
  }

  @Test func `sending stops at the window and goes on when the peer acknowledges`() {
    let count = Limits.unacknowledgedBytes / Limits.batchBytes
    var engine = Engine.linked(holding: Fixture.holding((Fixture.a, 100)))
    var sequence: UInt64 = 0
    var actions: [Action] = []
    repeat {
      sequence += 1
      let entry = Fixture.entry(
        Int64(sequence), Fixture.id(Fixture.a, sequence), byteCount: Limits.batchBytes)
      actions = engine.actions(
        on: .logRead(
          Fixture.link, LogBatch(entries: [entry], next: entry.position, isAtEnd: false)))
    } while actions.contains { if case .store(.readLog) = $0 { true } else { false } }
    #expect(sequence == UInt64(count))

    let progress = Frame.progress(Fixture.holding((Fixture.a, 2)))
    // Two of them are acknowledged: there is room for one read's worth.
    #expect(
      engine.actions(on: .received(Fixture.link, progress))
        == [
          .store(
            .readLog(
              Fixture.link,
              LogRequest(
                lackedBy: Fixture.vector((Fixture.a, sequence)),
                after: LogPosition(Int64(sequence)), byteLimit: Limits.batchBytes)))
        ])
  }

  @Test func `a request begins again behind what the peer has`() {
    var engine = Engine.linked(holding: Fixture.holding((Fixture.a, 3)))
    let batch = LogBatch(
      entries: (1...3).map { Fixture.entry(Int64($0), Fixture.id(Fixture.a, UInt64($0))) },
      next: LogPosition(3), isAtEnd: true)
    _ = engine.actions(on: .logRead(Fixture.link, batch))
    let vector = Fixture.vector((Fixture.a, 1))
    #expect(
      engine.actions(on: .received(Fixture.link, .request(vector)))
        == [
          .store(
            .readLog(
              Fixture.link,
              LogRequest(lackedBy: vector, after: .start, byteLimit: Limits.batchBytes)))
        ])
  }

  @Test func `an answer that a request has overtaken is not sent`() {
    var engine = Engine.linked(holding: Fixture.holding((Fixture.a, 3)))
    let vector = Fixture.vector((Fixture.a, 2))
    #expect(engine.actions(on: .received(Fixture.link, .request(vector))) == [])
    let batch = LogBatch(
      entries: [Fixture.entry(1, Fixture.id(Fixture.a, 1))], next: LogPosition(3), isAtEnd: true)
    #expect(
      engine.actions(on: .logRead(Fixture.link, batch))
        == [
          .store(
            .readLog(
              Fixture.link,
              LogRequest(lackedBy: vector, after: .start, byteLimit: Limits.batchBytes)))
        ])
  }

  @Test func `a changeset larger than a batch goes out in chunks, as receipts allow`() {
    let size = Limits.unacknowledgedBytes + Limits.batchBytes + 5
    var engine = Engine.linked(holding: Fixture.holding((Fixture.a, 1)))
    let entry = Fixture.entry(1, Fixture.id(Fixture.a, 1), byteCount: size)
    let batch = LogBatch(entries: [entry], next: LogPosition(1), isAtEnd: true)
    let offer = engine.actions(on: .logRead(Fixture.link, batch)).chunks
    #expect(offer.map(\.bytes.count) == [Limits.offerBytes])
    func rest(after received: Int) -> [ChangesetChunk] {
      let receipt = ChunkReceipt(author: Fixture.a, sequence: .first, received: received)
      return engine.actions(on: .received(Fixture.link, .chunkReceipt(receipt))).chunks
    }
    let first = rest(after: Limits.offerBytes)
    #expect(first.count == Limits.unacknowledgedBytes / Limits.batchBytes)
    #expect(first.allSatisfy { $0.total == size && $0.bytes.count == Limits.batchBytes })
    let last = rest(after: Limits.offerBytes + 2 * Limits.batchBytes)
    #expect(last.map(\.bytes.count) == [Limits.batchBytes + 5 - Limits.offerBytes])
    let isWhole = (offer + first + last).flatMap(\.bytes) == entry.bytes
    #expect(isWhole)
  }

  @Test func `of a large changeset that the peer has no more than an offer is sent`() {
    var engine = Engine.linked(holding: Fixture.holding((Fixture.a, 2)))
    let large = Fixture.entry(1, Fixture.id(Fixture.a, 1), byteCount: 3 * Limits.batchBytes)
    let small = Fixture.entry(2, Fixture.id(Fixture.a, 2), byteCount: 10)
    let batch = LogBatch(entries: [large, small], next: LogPosition(2), isAtEnd: true)
    let offer = engine.actions(on: .logRead(Fixture.link, batch))
    #expect(offer.chunks.count == 1 && offer.runs.isEmpty)
    let holds = Event.received(Fixture.link, .progress(Fixture.holding((Fixture.a, 1))))
    let actions = engine.actions(on: holds)
    #expect(actions.chunks.isEmpty && actions.runs.map(\.first) == [SequenceNumber(2)])
  }

  @Test func `what a peer sent is not sent back to it`() {
    var engine = Engine.linked()
    _ = engine.actions(on: .received(Fixture.link, .changesets([Fixture.run(Fixture.c, 1...1)])))
    let applied = Event.applied(
      Fixture.link, [.applied(Fixture.id(Fixture.c, 1))], Fixture.holding((Fixture.c, 1)))
    #expect(
      engine.actions(on: applied)
        == [.send(Fixture.link, .progress(Fixture.holding((Fixture.c, 1))))])
  }

  @Test func `a log that cannot be read ends the link with the reason`() throws {
    var engine = Engine.linked(holding: Fixture.holding((Fixture.a, 1)))
    let actions = engine.actions(on: .logReadFailed(Fixture.link, reason: "disk I/O error"))
    let goodbye = try #require(actions.goodbyes.first)
    #expect(goodbye.code == .storage)
    #expect(goodbye.text.contains("disk I/O error"))
  }
}

extension [Action] {
  var runs: [ChangesetRun] {
    flatMap { if case .send(_, .changesets(let runs)) = $0 { runs } else { [ChangesetRun]() } }
  }

  var chunks: [ChangesetChunk] {
    compactMap { if case .send(_, .chunk(let chunk)) = $0 { chunk } else { nil } }
  }
}
