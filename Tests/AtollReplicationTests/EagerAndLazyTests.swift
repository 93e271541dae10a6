import AtollChanges
import AtollReplication
import AtollVocabulary
import AtollWire
import Testing

/// The links that are eager, those that are lazy, and the peer that is asked.
@Suite struct EagerAndLazyTests {
  private let second = LinkID(2)
  private let third = LinkID(3)
  private let d = Fixture.author(0xD)

  // MARK: The beginning

  @Test func `the only link is eager, the next one is lazy`() {
    var engine = Engine.started()
    let first = engine.actions(on: .linkOpened(Fixture.link, .accepted(from: "test")))
    #expect(first.frames() == [Fixture.hello(Fixture.a)])
    _ = engine.actions(on: .received(Fixture.link, Fixture.hello(Fixture.b)))
    let next = engine.actions(on: .linkOpened(second, .accepted(from: "test")))
    #expect(next.frames(on: second) == [Fixture.hello(Fixture.a, isEagerWanted: false)])
  }

  @Test func `of two configured peers neither is eager before it is asked`() {
    var engine = Engine.started(peers: [PeerID("b:1"), PeerID("c:1")])
    let opened = engine.actions(on: .linkOpened(Fixture.link, .dialed(PeerID("b:1"))))
    #expect(opened.frames() == [Fixture.hello(Fixture.a, isEagerWanted: false)])
    let hello = Fixture.hello(Fixture.b, isEagerWanted: false, Fixture.holding((Fixture.b, 1)))
    // No other link is eager, so this one becomes it.
    #expect(
      engine.actions(on: .received(Fixture.link, hello)).frames()
        == [.request(Fixture.vector())])
  }

  @Test func `a peer without other links is asked to be eager whoever else is`() {
    var engine = Engine.linked()
    #expect(
      engine.accept(second, from: Fixture.c).frames(on: second).last == .request(Fixture.vector()))
  }

  @Test func `a peer that waits is not sent what it lacks`() {
    var engine = Engine.linked(holding: Fixture.holding((Fixture.a, 1)))
    let actions = engine.accept(second, from: Fixture.c, isEagerWanted: false)
    #expect(!actions.contains { if case .store(.readLog) = $0 { true } else { false } })
    #expect(!actions.contains { if case .send(_, .request) = $0 { true } else { false } })
  }

  @Test func `a peer that waits is told of what is new, gathered`() {
    var engine = Engine.linked()
    engine.accept(second, from: Fixture.c, isEagerWanted: false)
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
    engine.accept(second, from: Fixture.c, isEagerWanted: false)
    let request = LogRequest(
      lackedBy: Fixture.vector(), after: .start, byteLimit: Limits.batchBytes)
    #expect(
      engine.actions(on: .received(second, .request(Fixture.vector())))
        == [
          .store(.readLog(second, request)),
          .send(second, .request(Fixture.vector((Fixture.a, 1)))),
        ])
    #expect(
      engine.actions(on: .received(second, .request(Fixture.vector()))).frames(on: second) == [])
  }

  // MARK: Too many

  @Test func `what comes by two eager links makes the later one lazy`() {
    var engine = pushedByTwo()
    let frame = Frame.changesets([Fixture.run(d, 1...1)])
    #expect(!engine.actions(on: .received(Fixture.link, frame)).frames().contains(.prune))
    #expect(engine.actions(on: .received(second, frame)).frames(on: second).contains(.prune))
    // Once is enough.
    let again = Frame.changesets([Fixture.run(d, 1...2)])
    _ = engine.actions(on: .received(Fixture.link, again))
    #expect(!engine.actions(on: .received(second, again)).frames(on: second).contains(.prune))
  }

  @Test func `what comes twice by one link makes nothing lazy`() {
    var engine = pushedByTwo()
    let frame = Frame.changesets([Fixture.run(d, 1...1)])
    _ = engine.actions(on: .received(second, frame))
    #expect(!engine.actions(on: .received(second, frame)).frames(on: second).contains(.prune))
  }

  @Test func `a large changeset that begins to come twice is left to the first`() {
    var engine = pushedByTwo()
    let chunk = ChangesetChunk(
      id: Fixture.id(d, 1), total: 9, offset: 0, bytes: [1, 2, 3],
      seal: Fixture.seal(Fixture.id(d, 1)))
    _ = engine.actions(on: .received(Fixture.link, .chunk(chunk)))
    #expect(
      engine.actions(on: .received(second, .chunk(chunk))).frames(on: second).first == .prune)
  }

  @Test func `a pruned link sends nothing of what was queued, and announces it`() {
    var engine = Engine.linked(holding: Fixture.holding((Fixture.a, 1)))
    #expect(engine.actions(on: .received(Fixture.link, .prune)) == [])
    let batch = LogBatch(
      entries: [Fixture.entry(1, Fixture.id(Fixture.a, 1))], next: LogPosition(1), isAtEnd: true)
    #expect(engine.actions(on: .logRead(Fixture.link, batch)) == [])
    let news = Fixture.holding((Fixture.a, 2))
    #expect(engine.actions(on: .logAdvanced(news)) == [])
    #expect(engine.actions(on: .timer, at: 0.2).frames() == [.progress(news)])
  }

  // MARK: Too few

  @Test func `a lazy peer is asked for what nobody sends, after a second`() {
    var engine = Engine.linked()
    engine.accept(second, from: Fixture.c, isEagerWanted: false)
    let news = Frame.progress(Fixture.holding((Fixture.c, 1)))
    #expect(engine.actions(on: .received(second, news)).frames(on: second) == [])
    #expect(engine.actions(on: .timer, at: 0.9).frames(on: second) == [])
    #expect(engine.actions(on: .timer, at: 1).frames(on: second) == [.request(Fixture.vector())])
  }

  @Test func `a lazy peer is not asked for what another brought meanwhile`() {
    var engine = Engine.linked()
    engine.accept(second, from: Fixture.c, isEagerWanted: false)
    _ = engine.actions(on: .received(second, .progress(Fixture.holding((d, 1)))))
    _ = engine.actions(on: .received(Fixture.link, .changesets([Fixture.run(d, 1...1)])))
    let frames = engine.actions(on: .timer, at: 1).frames(on: second)
    #expect(frames.map(\.kind) == [.acknowledgements])
  }

  @Test func `of several lazy peers one is asked at a time`() {
    var engine = Engine.linked()
    engine.accept(second, from: Fixture.c, isEagerWanted: false)
    engine.accept(third, from: d, isEagerWanted: false)
    let news = Frame.progress(Fixture.holding((Fixture.c, 1)))
    for link in [second, third] { _ = engine.actions(on: .received(link, news)) }
    let asked = engine.actions(on: .timer, at: 1)
    #expect(asked.frames(on: second).first == .request(Fixture.vector()))
    #expect(asked.frames(on: third).map(\.kind) == [.acknowledgements])
    // The first does not answer.
    #expect(engine.actions(on: .timer, at: 1.5).frames(on: third) == [])
    #expect(engine.actions(on: .timer, at: 2).frames(on: third) == [.request(Fixture.vector())])
  }

  @Test func `when the eager peer is gone another one is asked`() {
    var engine = Engine.linked()
    engine.accept(second, from: Fixture.c, isEagerWanted: false)
    let closed = engine.actions(on: .linkClosed(Fixture.link, reason: "cut"))
    #expect(closed.frames(on: second) == [.request(Fixture.vector())])
  }

  // MARK: Large changesets

  @Test func `a large changeset goes on where the other says that it ended`() {
    var engine = Engine.linked(holding: Fixture.holding((Fixture.a, 1)))
    let size = 2 * Limits.batchBytes
    let entry = Fixture.entry(1, Fixture.id(Fixture.a, 1), byteCount: size)
    let batch = LogBatch(entries: [entry], next: LogPosition(1), isAtEnd: true)
    #expect(engine.actions(on: .logRead(Fixture.link, batch)).chunks.map(\.offset) == [0])
    _ = engine.actions(on: .received(Fixture.link, .request(Fixture.vector())))
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
        == [.request(Fixture.vector()), .chunkReceipt(receipt)])
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

  /// An engine with two eager peers.
  private func pushedByTwo() -> Engine {
    var engine = Engine.linked()
    engine.accept(second, from: Fixture.c)
    return engine
  }
}
