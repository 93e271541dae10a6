import AtollChanges
import AtollReplication
import AtollVocabulary
import AtollWire
import Testing

/// Which of several peers is pushed to, and which is asked.
@Suite struct PushingTests {
  private let second = LinkID(2)
  private let third = LinkID(3)
  private let d = Fixture.author(0xD)

  // MARK: The beginning

  @Test func `the only link is to be pushed to, the next one is not`() {
    var engine = Engine.started()
    let first = engine.actions(on: .linkOpened(Fixture.link, .accepted(from: "test")))
    #expect(first.frames() == [Fixture.hello(Fixture.a)])
    _ = engine.actions(on: .received(Fixture.link, Fixture.hello(Fixture.b)))
    let next = engine.actions(on: .linkOpened(second, .accepted(from: "test")))
    #expect(next.frames(on: second) == [Fixture.hello(Fixture.a, wantsPush: false)])
  }

  @Test func `a node with two configured peers is pushed to by neither before it asks`() {
    var engine = Engine.started(peers: [PeerID("b:1"), PeerID("c:1")])
    let opened = engine.actions(on: .linkOpened(Fixture.link, .dialed(PeerID("b:1"))))
    #expect(opened.frames() == [Fixture.hello(Fixture.a, wantsPush: false)])
    let hello = Fixture.hello(Fixture.b, wantsPush: false, Fixture.holding((Fixture.b, 1)))
    // Nobody else pushes, so this one is to.
    #expect(
      engine.actions(on: .received(Fixture.link, hello)).frames()
        == [.want(Fixture.vector())])
  }

  @Test func `a peer without other links is asked to push whoever else does`() {
    var engine = Engine.linked()
    #expect(
      engine.accept(second, from: Fixture.c).frames(on: second).last == .want(Fixture.vector()))
  }

  @Test func `a peer that waits is not sent what it lacks`() {
    var engine = Engine.linked(holding: Fixture.holding((Fixture.a, 1)))
    let actions = engine.accept(second, from: Fixture.c, wantsPush: false)
    #expect(!actions.contains { if case .store(.readLog) = $0 { true } else { false } })
    #expect(!actions.contains { if case .send(_, .want) = $0 { true } else { false } })
  }

  @Test func `a peer that waits is told of what is new, gathered`() {
    var engine = Engine.linked()
    engine.accept(second, from: Fixture.c, wantsPush: false)
    let news = [Fixture.holding((Fixture.a, 1)), Fixture.holding((Fixture.a, 2))]
    for holdings in news {
      #expect(engine.actions(on: .logAdvanced(holdings)).frames(on: second) == [])
    }
    #expect(engine.actions(on: .timer, at: 0.1).frames(on: second) == [])
    #expect(engine.actions(on: .timer, at: 0.2).frames(on: second) == [.progress(news[1])])
    #expect(engine.actions(on: .timer, at: 0.5).frames(on: second) == [])
  }

  @Test func `a peer that waits is sent what it asks for, and asked back`() {
    var engine = Engine.linked(holding: Fixture.holding((Fixture.a, 1)))
    engine.accept(second, from: Fixture.c, wantsPush: false)
    let request = LogRequest(
      lackedBy: Fixture.vector(), after: .start, byteLimit: Limits.batchBytes)
    #expect(
      engine.actions(on: .received(second, .want(Fixture.vector())))
        == [
          .store(.readLog(second, request)), .send(second, .want(Fixture.vector((Fixture.a, 1)))),
        ])
    #expect(engine.actions(on: .received(second, .want(Fixture.vector()))).frames(on: second) == [])
  }

  // MARK: Too many

  @Test func `what comes by two links that push makes the later one quiet`() {
    var engine = pushedByTwo()
    let frame = Frame.changesets([Fixture.run(d, 1...1)])
    #expect(!engine.actions(on: .received(Fixture.link, frame)).frames().contains(.ease))
    #expect(engine.actions(on: .received(second, frame)).frames(on: second).contains(.ease))
    // Once is enough.
    let again = Frame.changesets([Fixture.run(d, 1...2)])
    _ = engine.actions(on: .received(Fixture.link, again))
    #expect(!engine.actions(on: .received(second, again)).frames(on: second).contains(.ease))
  }

  @Test func `what comes twice by one link makes nothing quiet`() {
    var engine = pushedByTwo()
    let frame = Frame.changesets([Fixture.run(d, 1...1)])
    _ = engine.actions(on: .received(second, frame))
    #expect(!engine.actions(on: .received(second, frame)).frames(on: second).contains(.ease))
  }

  @Test func `a large changeset that begins to come twice is left to the first`() {
    var engine = pushedByTwo()
    let chunk = ChangesetChunk(
      id: Fixture.id(d, 1), total: 9, offset: 0, bytes: [1, 2, 3],
      seal: Fixture.seal(Fixture.id(d, 1)))
    _ = engine.actions(on: .received(Fixture.link, .chunk(chunk)))
    #expect(
      engine.actions(on: .received(second, .chunk(chunk))).frames(on: second).first == .ease)
  }

  @Test func `an eased link sends nothing of what was queued, and tells of it`() {
    var engine = Engine.linked(holding: Fixture.holding((Fixture.a, 1)))
    #expect(engine.actions(on: .received(Fixture.link, .ease)) == [])
    let batch = LogBatch(
      entries: [Fixture.entry(1, Fixture.id(Fixture.a, 1))], next: LogPosition(1), isAtEnd: true)
    #expect(engine.actions(on: .logRead(Fixture.link, batch)) == [])
    let news = Fixture.holding((Fixture.a, 2))
    #expect(engine.actions(on: .logAdvanced(news)) == [])
    #expect(engine.actions(on: .timer, at: 0.2).frames() == [.progress(news)])
  }

  // MARK: Too few

  @Test func `a quiet peer is asked for what nobody sends, after a while`() {
    var engine = Engine.linked()
    engine.accept(second, from: Fixture.c, wantsPush: false)
    let news = Frame.progress(Fixture.holding((Fixture.c, 1)))
    #expect(engine.actions(on: .received(second, news)).frames(on: second) == [])
    #expect(engine.actions(on: .timer, at: 0.9).frames(on: second) == [])
    #expect(engine.actions(on: .timer, at: 1).frames(on: second) == [.want(Fixture.vector())])
  }

  @Test func `a quiet peer is not asked for what another brought meanwhile`() {
    var engine = Engine.linked()
    engine.accept(second, from: Fixture.c, wantsPush: false)
    _ = engine.actions(on: .received(second, .progress(Fixture.holding((d, 1)))))
    _ = engine.actions(on: .received(Fixture.link, .changesets([Fixture.run(d, 1...1)])))
    let frames = engine.actions(on: .timer, at: 1).frames(on: second)
    #expect(frames.map(\.kind) == [.acknowledgements])
  }

  @Test func `of several quiet peers one is asked at a time`() {
    var engine = Engine.linked()
    engine.accept(second, from: Fixture.c, wantsPush: false)
    engine.accept(third, from: d, wantsPush: false)
    let news = Frame.progress(Fixture.holding((Fixture.c, 1)))
    for link in [second, third] { _ = engine.actions(on: .received(link, news)) }
    let asked = engine.actions(on: .timer, at: 1)
    #expect(asked.frames(on: second).first == .want(Fixture.vector()))
    #expect(asked.frames(on: third).map(\.kind) == [.acknowledgements])
    // The first does not answer.
    #expect(engine.actions(on: .timer, at: 1.5).frames(on: third) == [])
    #expect(engine.actions(on: .timer, at: 2).frames(on: third) == [.want(Fixture.vector())])
  }

  @Test func `when the peer that pushed is gone another one is asked to`() {
    var engine = Engine.linked()
    engine.accept(second, from: Fixture.c, wantsPush: false)
    let closed = engine.actions(on: .linkClosed(Fixture.link, reason: "cut"))
    #expect(closed.frames(on: second) == [.want(Fixture.vector())])
  }

  // MARK: Large changesets

  @Test func `a large changeset goes on where the other says that it ended`() {
    var engine = Engine.linked(holding: Fixture.holding((Fixture.a, 1)))
    let size = 2 * Limits.batchBytes
    let entry = Fixture.entry(1, Fixture.id(Fixture.a, 1), byteCount: size)
    let batch = LogBatch(entries: [entry], next: LogPosition(1), isAtEnd: true)
    #expect(engine.actions(on: .logRead(Fixture.link, batch)).chunks.map(\.offset) == [0])
    _ = engine.actions(on: .received(Fixture.link, .want(Fixture.vector())))
    let receipt = ChunkReceipt(author: Fixture.a, sequence: .first, received: size / 2)
    _ = engine.actions(on: .received(Fixture.link, .chunkReceipt(receipt)))
    #expect(engine.actions(on: .logRead(Fixture.link, batch)).chunks.map(\.offset) == [size / 2])
  }

  @Test func `whoever asks again says what it has of a large changeset`() {
    var engine = Engine.linked()
    let chunk = ChangesetChunk(
      id: Fixture.id(d, 1), total: 9, offset: 0, bytes: [1, 2, 3],
      seal: Fixture.seal(Fixture.id(d, 1)))
    _ = engine.actions(on: .received(Fixture.link, .chunk(chunk)))
    let later = ChangesetChunk(
      id: Fixture.id(d, 1), total: 9, offset: 6, bytes: [7, 8, 9],
      seal: Fixture.seal(Fixture.id(d, 1)))
    let receipt = ChunkReceipt(author: d, sequence: .first, received: 3)
    #expect(
      engine.actions(on: .received(Fixture.link, .chunk(later))).frames()
        == [.want(Fixture.vector()), .chunkReceipt(receipt)])
    let rest = ChangesetChunk(
      id: Fixture.id(d, 1), total: 9, offset: 3, bytes: [4, 5, 6, 7, 8, 9],
      seal: Fixture.seal(Fixture.id(d, 1)))
    #expect(
      engine.actions(on: .received(Fixture.link, .chunk(rest))).contains {
        if case .store(.apply(_, let batch)) = $0 {
          batch.first?.bytes == Array(1...9)
        } else {
          false
        }
      })
  }

  /// An engine that two peers push to.
  private func pushedByTwo() -> Engine {
    var engine = Engine.linked()
    engine.accept(second, from: Fixture.c)
    return engine
  }
}
