import AtollChanges
import AtollReplication
import AtollVocabulary
import AtollWire
import TestKit
import Testing

@Suite struct ReceivingTests {
  @Test func `changesets go to the file before anything is acknowledged`() {
    var engine = Engine.linked()
    #expect(
      engine.actions(
        on: .received(Fixture.link, .changesets([Fixture.run(Fixture.b, 1...2)])))
        == [
          .store(
            .apply(
              Fixture.link,
              [Fixture.incoming(Fixture.b, 1, isRunEnd: false), Fixture.incoming(Fixture.b, 2)]))
        ])
  }

  @Test func `what was applied is acknowledged, and read for the peers further on`() {
    var engine = Engine.linked()
    engine.accept(LinkID(2), from: Fixture.c)
    _ = engine.actions(on: .received(Fixture.link, .changesets([Fixture.run(Fixture.b, 1...1)])))
    let held = Fixture.holding((Fixture.b, 1))
    #expect(
      engine.actions(on: .applied(Fixture.link, [.applied(Fixture.id(Fixture.b, 1))], held))
        == [
          .send(Fixture.link, .progress(held)),
          .store(
            .readLog(
              LinkID(2),
              LogRequest(lackedBy: VersionVector(), after: .start, byteLimit: Limits.batchBytes))),
        ])
  }

  @Test func `one batch is written at a time, and what came meanwhile goes together`() {
    var engine = Engine.linked()
    _ = engine.actions(on: .received(Fixture.link, .changesets([Fixture.run(Fixture.b, 1...1)])))
    for sequence in 2...3 as ClosedRange<UInt64> {
      let run = Fixture.run(Fixture.b, sequence...sequence)
      #expect(engine.actions(on: .received(Fixture.link, .changesets([run]))) == [])
    }
    let held = Fixture.holding((Fixture.b, 1))
    #expect(
      engine.actions(on: .applied(Fixture.link, [.applied(Fixture.id(Fixture.b, 1))], held))
        == [
          .send(Fixture.link, .progress(held)),
          .store(
            .apply(Fixture.link, [Fixture.incoming(Fixture.b, 2), Fixture.incoming(Fixture.b, 3)])),
        ])
  }

  @Test func `what two links bring is written once`() {
    var engine = Engine.linked()
    engine.accept(LinkID(2), from: Fixture.c)
    let frame = Frame.changesets([Fixture.run(Fixture.b, 1...1)])
    _ = engine.actions(on: .received(Fixture.link, frame))
    #expect(
      engine.actions(on: .received(LinkID(2), frame)) == [.send(LinkID(2), .prune)])
    let held = Fixture.holding((Fixture.b, 1))
    #expect(
      engine.actions(on: .applied(Fixture.link, [.applied(Fixture.id(Fixture.b, 1))], held))
        == [.send(Fixture.link, .progress(held)), .send(LinkID(2), .progress(held))])
  }

  @Test func `what comes again is not written but acknowledged again`() {
    let held = Fixture.holding((Fixture.b, 1))
    var engine = Engine.linked(holding: held, holding: held)
    let frame = Frame.changesets([Fixture.run(Fixture.b, 1...1)])
    #expect(
      engine.actions(on: .received(Fixture.link, frame)) == [.send(Fixture.link, .progress(held))])
  }

  @Test func `a hole is asked for, once an interval`() {
    var engine = Engine.linked(holding: Fixture.holding((Fixture.b, 1)))
    let frame = Frame.changesets([Fixture.run(Fixture.b, 3...3)])
    let request = Action.send(Fixture.link, .request(Fixture.vector((Fixture.b, 1))))
    #expect(engine.actions(on: .received(Fixture.link, frame), at: 1) == [request])
    #expect(engine.actions(on: .received(Fixture.link, frame), at: 2) == [])
    #expect(engine.actions(on: .received(Fixture.link, frame), at: 6) == [request])
  }

  @Test func `what a changeset depends on is asked for where it came from`() {
    var engine = Engine.linked()
    _ = engine.actions(on: .received(Fixture.link, .changesets([Fixture.run(Fixture.b, 1...1)])))
    let outcome = ApplyOutcome.missing(Fixture.vector((Fixture.c, 4)))
    #expect(
      engine.actions(on: .applied(Fixture.link, [outcome], .none))
        == [.send(Fixture.link, .request(VersionVector()))])
  }

  @Test func `a keep-alive shows what was lost while nothing else came`() {
    var engine = Engine.linked()
    let frame = Frame.keepAlive(Fixture.holding((Fixture.b, 2)))
    #expect(engine.actions(on: .received(Fixture.link, frame), at: 4) == [])
    #expect(
      engine.actions(on: .received(Fixture.link, frame), at: 5)
        == [.send(Fixture.link, .request(VersionVector()))])
  }

  @Test func `chunks are put together and applied when whole`() {
    var engine = Engine.linked()
    let whole = Fixture.incoming(Fixture.b, 1, byteCount: 10)
    let id = Fixture.id(Fixture.b, 1)
    let first = ChangesetChunk(
      id: id, total: 10, offset: 0, bytes: Array(whole.bytes[..<6]), seal: Fixture.seal(id))
    let second = ChangesetChunk(
      id: id, total: 10, offset: 6, bytes: Array(whole.bytes[6...]), seal: Fixture.seal(id))
    #expect(
      engine.actions(on: .received(Fixture.link, .chunk(first)))
        == [
          .send(
            Fixture.link,
            .chunkReceipt(ChunkReceipt(author: Fixture.b, sequence: .first, received: 6)))
        ])
    #expect(
      engine.actions(on: .received(Fixture.link, .chunk(second))) == [
        .store(.apply(Fixture.link, [whole]))
      ]
    )
  }

  @Test func `a chunk that comes twice is put in once`() {
    var engine = Engine.linked()
    let whole = Fixture.incoming(Fixture.b, 1, byteCount: 10)
    let id = Fixture.id(Fixture.b, 1)
    let first = ChangesetChunk(
      id: id, total: 10, offset: 0, bytes: Array(whole.bytes[..<6]), seal: Fixture.seal(id))
    let second = ChangesetChunk(
      id: id, total: 10, offset: 6, bytes: Array(whole.bytes[6...]), seal: Fixture.seal(id))
    _ = engine.actions(on: .received(Fixture.link, .chunk(first)))
    _ = engine.actions(on: .received(Fixture.link, .chunk(first)))
    #expect(
      engine.actions(on: .received(Fixture.link, .chunk(second))) == [
        .store(.apply(Fixture.link, [whole]))
      ]
    )
  }

  @Test func `a changeset of which the rest was lost is asked for again`() {
    var engine = Engine.linked()
    let chunk = ChangesetChunk(
      id: Fixture.id(Fixture.b, 1), total: 10, offset: 0, bytes: [1, 1, 1, 1],
      seal: Fixture.seal(Fixture.id(Fixture.b, 1)))
    _ = engine.actions(on: .received(Fixture.link, .chunk(chunk)), at: 1)
    let frame = Frame.keepAlive(Fixture.holding((Fixture.b, 1)))
    #expect(engine.actions(on: .received(Fixture.link, frame), at: 5) == [])
    #expect(
      engine.actions(on: .received(Fixture.link, frame), at: 6)
        == [
          .send(Fixture.link, .request(VersionVector())),
          .send(
            Fixture.link,
            .chunkReceipt(ChunkReceipt(author: Fixture.b, sequence: .first, received: 4))),
        ])
  }

  @Test func `a chunk behind a hole is asked for again`() {
    var engine = Engine.linked()
    let chunk = ChangesetChunk(
      id: Fixture.id(Fixture.b, 1), total: 10, offset: 6, bytes: [1, 1, 1, 1],
      seal: Fixture.seal(Fixture.id(Fixture.b, 1)))
    #expect(
      engine.actions(on: .received(Fixture.link, .chunk(chunk)))
        == [.send(Fixture.link, .request(VersionVector()))])
  }

  @Test func `a changeset larger than the inbox is taken, also behind one being written`() {
    var engine = Engine.linked()
    _ = engine.actions(on: .received(Fixture.link, .changesets([Fixture.run(Fixture.b, 1...1)])))
    let size = Limits.inboxBytes + 1
    let whole = Fixture.incoming(Fixture.b, 2, byteCount: size)
    for offset in stride(from: 0, to: size, by: Limits.batchBytes) {
      let end = min(offset + Limits.batchBytes, size)
      let chunk = ChangesetChunk(
        id: Fixture.id(Fixture.b, 2), total: size, offset: offset,
        bytes: Array(whole.bytes[offset..<end]), seal: Fixture.seal(Fixture.id(Fixture.b, 2)))
      #expect(engine.actions(on: .received(Fixture.link, .chunk(chunk))).goodbyes == [])
    }
    let held = Fixture.holding((Fixture.b, 1))
    #expect(
      engine.actions(on: .applied(Fixture.link, [.applied(Fixture.id(Fixture.b, 1))], held))
        == [.send(Fixture.link, .progress(held)), .store(.apply(Fixture.link, [whole]))])
  }

  @Test func `a refused changeset ends the link with the reason`() throws {
    var engine = Engine.linked()
    _ = engine.actions(on: .received(Fixture.link, .changesets([Fixture.run(Fixture.b, 1...1)])))
    let actions = engine.actions(
      on: .applied(Fixture.link, [.refused(reason: "its chain is broken")], .none))
    let goodbye = try #require(actions.goodbyes.first)
    #expect(
      actions == [
        .report(
          .refused(
            Fixture.link, author: Fixture.b, sequence: .first, reason: "its chain is broken")),
        .send(Fixture.link, .goodbye(goodbye)),
        .close(Fixture.link, .byUs(goodbye)),
      ])
    #expect(goodbye.code == .refused)
  }

  @Test func `a file that cannot be written ends the link with the reason`() throws {
    var engine = Engine.linked()
    _ = engine.actions(on: .received(Fixture.link, .changesets([Fixture.run(Fixture.b, 1...1)])))
    let actions = engine.actions(on: .applyFailed(Fixture.link, reason: "disk full"))
    let goodbye = try #require(actions.goodbyes.first)
    #expect(goodbye.code == .storage)
    #expect(goodbye.text.contains("disk full"))
  }

  @Test func `a peer that sends far beyond the window is sent away`() throws {
    var engine = Engine.linked()
    var goodbyes: [Goodbye] = []
    var sequence: UInt64 = 0
    while goodbyes.isEmpty, sequence < 1000 {
      sequence += 1
      let run = Fixture.run(Fixture.b, sequence...sequence, byteCount: Limits.batchBytes)
      goodbyes = engine.actions(on: .received(Fixture.link, .changesets([run]))).goodbyes
    }
    #expect(goodbyes.map(\.code) == [.overload])
  }

  /// The processor time to receive one changeset of each of so many authors, and to hear that it is
  /// applied.
  ///
  /// Of this thread alone: the longer run is the one that other tests interrupt.
  private func time(ofAuthors count: UInt64) -> Duration {
    let authors = (1...count).map { Fixture.author(0x100 + $0) }
    let runs = authors.map { Fixture.run($0, 1...1) }
    let ids = authors.map { Fixture.id($0, 1) }
    var engine = Engine.linked(holding: Holdings(heads: []), holding: Holdings(heads: ids))
    return processorTime {
      let actions = engine.actions(on: .received(Fixture.link, .changesets(runs)))
      guard case .store(.apply(_, let batch))? = actions.last, batch.count == ids.count else {
        Issue.record("what came is not applied as one batch: \(actions.count) actions")
        return
      }
      let outcomes = ids.map { ApplyOutcome.applied($0) }
      _ = engine.actions(on: .applied(Fixture.link, outcomes, Holdings(heads: ids)))
    }
  }

  @Test func `issue 28.12: a changeset costs the engine as much, among however many authors`() {
    func least(_ count: UInt64) -> Duration {
      (0..<3).map { _ in time(ofAuthors: count) }.min() ?? .zero
    }
    // Twice what is linear; the square of the number of authors would be 64 times.
    let (few, many) = (least(500), least(4000))
    #expect(many < few * 16, "\(few) of 500 authors, \(many) of 4,000")
  }
}
