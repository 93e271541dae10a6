import AtollChanges
import AtollReplication
import AtollVocabulary
import AtollWire
import Testing

/// Bugs that other systems had on links; `.ci/museum` puts each back and runs its test.
@Suite struct MuseumLinkTests {
  private static let peer = Author(
    replica: ReplicaID(high: 0xB, low: 0), incarnation: Incarnation(1))
  private static let link = LinkID(1)

  @Test func `museum: ADE #403, a changeset in parts is taken when all of it is there`() {
    var engine = linked()
    let id = id(1)
    let parts = [[1, 2, 3], [4, 5]] as [[UInt8]]
    let first = ChangesetChunk(id: id, total: 5, offset: 0, bytes: parts[0], seal: seal(1))
    #expect(applies(engine.handle(.received(Self.link, .chunk(first)), at: .start)) == [])
    let last = ChangesetChunk(id: id, total: 5, offset: 3, bytes: parts[1], seal: seal(1))
    let taken = applies(engine.handle(.received(Self.link, .chunk(last)), at: .start))
    #expect(taken == [[1, 2, 3, 4, 5]])
  }

  @Test func `museum: Corrosion #2, what could not be applied yet is taken when it comes again`() {
    var engine = linked()
    let frame = Frame.changesets([run(1...2)])
    #expect(applies(engine.handle(.received(Self.link, frame), at: .start)).count == 2)
    let other = Author(replica: ReplicaID(high: 0xC, low: 0), incarnation: Incarnation(1))
    let missing = VersionVector([.init(author: other, sequence: .first)])
    let actions = engine.handle(
      .applied(Self.link, [.missing(missing), .missing(missing)], .none), at: .start)
    #expect(actions.contains { if case .send(_, .request) = $0 { true } else { false } })
    #expect(applies(engine.handle(.received(Self.link, frame), at: .start)).count == 2)
  }

  @Test func `museum: SQLiteData #432, what a full disk could not take is taken later`() {
    var engine = linked()
    let frame = Frame.changesets([run(1...1)])
    #expect(applies(engine.handle(.received(Self.link, frame), at: .start)).count == 1)
    let failed = engine.handle(.applyFailed(Self.link, reason: "the disk is full"), at: .start)
    #expect(failed.contains { if case .close = $0 { true } else { false } })
    let again = LinkID(2)
    shakeHands(&engine, again)
    #expect(applies(engine.handle(.received(again, frame), at: .start)).count == 1)
  }

  // MARK: An engine and its peer

  private func linked() -> Engine {
    let author = Author(replica: ReplicaID(high: 0xA, low: 0), incarnation: Incarnation(1))
    var engine = Engine(
      EngineConfiguration(
        storeID: StoreID(high: 1, low: 2), author: author, agent: "test", peers: [], seed: 7))
    _ = engine.handle(.start(.none), at: .start)
    shakeHands(&engine, Self.link)
    return engine
  }

  private func shakeHands(_ engine: inout Engine, _ link: LinkID) {
    _ = engine.handle(.linkOpened(link, .accepted(from: "test")), at: .start)
    let hello = Hello(
      storeID: StoreID(high: 1, low: 2), author: Self.peer, agent: "test",
      holdings: Holdings(heads: [id(9)]))
    _ = engine.handle(.received(link, .hello(hello)), at: .start)
  }

  private func id(_ sequence: UInt64) -> ChangesetID {
    ChangesetID(
      author: Self.peer, sequence: SequenceNumber(sequence),
      hash: ChainHash.origin(of: Self.peer).following([UInt8(sequence)]))
  }

  private func run(_ sequences: ClosedRange<UInt64>) -> ChangesetRun {
    ChangesetRun(
      author: Self.peer, first: SequenceNumber(sequences.lowerBound),
      changesets: sequences.map { [UInt8($0)] }, headHash: id(sequences.upperBound).hash,
      seal: seal(sequences.upperBound))
  }

  private func seal(_ sequence: UInt64) -> Seal {
    ReplicaKey(random: { 1 }).seal(id(sequence), in: StoreID(high: 1, low: 2))
  }

  /// The bytes of the changesets that go to the file.
  private func applies(_ actions: [Action]) -> [[UInt8]] {
    actions.flatMap { action -> [[UInt8]] in
      guard case .store(.apply(_, let batch)) = action else { return [] }
      return batch.map(\.bytes)
    }
  }
}

extension Instant {
  fileprivate static let start = Instant(nanoseconds: 0)
}
