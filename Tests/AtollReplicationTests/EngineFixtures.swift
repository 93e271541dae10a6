import AtollChanges
import AtollReplication
import AtollVocabulary
import AtollWire

/// Three replicas of one store, A < B < C, and what the tests need to talk about them briefly.
enum Fixture {
  static let store = StoreID(high: 1, low: 2)
  static let otherStore = StoreID(high: 3, low: 4)
  static let a = author(0xA)
  static let b = author(0xB)
  static let c = author(0xC)
  static let link = LinkID(1)
  static let peer = PeerID("b:1")

  static func author(_ number: UInt64) -> Author {
    Author(replica: ReplicaID(high: number, low: 0), incarnation: Incarnation(1))
  }

  /// The changeset `sequence` of `author`; its hash names both.
  static func id(_ author: Author, _ sequence: UInt64, branch: UInt8 = 0) -> ChangesetID {
    var bytes = [UInt8](repeating: branch, count: ChainHash.byteCount)
    bytes[0] = UInt8(truncatingIfNeeded: author.replica.high)
    bytes[1] = UInt8(truncatingIfNeeded: sequence)
    guard let hash = ChainHash(bytes) else { fatalError("a chain hash has 32 bytes") }
    return ChangesetID(author: author, sequence: SequenceNumber(sequence), hash: hash)
  }

  /// The changesets 1 to `sequence` of each author.
  static func holding(_ heads: (Author, UInt64)...) -> Holdings {
    Holdings(heads: heads.map { id($0.0, $0.1) })
  }

  static func vector(_ entries: (Author, UInt64)...) -> VersionVector {
    VersionVector(
      entries.map { VersionVector.Entry(author: $0.0, sequence: SequenceNumber($0.1)) })
  }

  static func entry(_ position: Int64, _ id: ChangesetID, byteCount: Int = 10) -> LogEntry {
    LogEntry(
      position: LogPosition(position), id: id, bytes: bytes(of: id, byteCount), seal: seal(id))
  }

  /// An engine passes seals on and never looks at them.
  static func seal(_ id: ChangesetID) -> Seal { ReplicaKey(random: { 1 }).seal(id, in: store) }

  static func run(_ author: Author, _ sequences: ClosedRange<UInt64>, byteCount: Int = 10)
    -> ChangesetRun
  {
    ChangesetRun(
      author: author, first: SequenceNumber(sequences.lowerBound),
      changesets: sequences.map { bytes(of: id(author, $0), byteCount) },
      headHash: id(author, sequences.upperBound).hash,
      seal: seal(id(author, sequences.upperBound)))
  }

  static func incoming(
    _ author: Author, _ sequence: UInt64, isRunEnd: Bool = true, byteCount: Int = 10
  ) -> IncomingChangeset {
    let id = id(author, sequence)
    return IncomingChangeset(
      author: author, sequence: id.sequence, bytes: bytes(of: id, byteCount),
      expectedHash: isRunEnd ? id.hash : nil, seal: isRunEnd ? seal(id) : nil)
  }

  static func bytes(of id: ChangesetID, _ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: id.sequence.rawValue), count: count)
    // The number of dependencies in a changeset.
    if count > 10 { bytes[10] = 0 }
    return bytes
  }

  static func hello(
    _ author: Author, versions: ClosedRange<UInt8> = ProtocolVersion.supported,
    store: StoreID = store, isEagerWanted: Bool = true, _ holdings: Holdings = .none
  ) -> Frame {
    .hello(
      Hello(
        versions: versions, storeID: store, author: author, agent: "test",
        isEagerWanted: isEagerWanted,
        holdings: holdings))
  }

  static func seconds(_ seconds: Double) -> Instant {
    Instant(nanoseconds: UInt64(seconds * 1e9))
  }
}

extension Engine {
  /// An engine of replica `author` that was started.
  static func started(
    _ author: Author = Fixture.a, holding holdings: Holdings = .none, peers: [PeerID] = []
  ) -> Engine {
    var engine = Engine(
      EngineConfiguration(
        storeID: Fixture.store, author: author, agent: "test", peers: peers, seed: 7))
    _ = engine.handle(.start(holdings), at: Fixture.seconds(0))
    return engine
  }

  /// An engine that has shaken hands with `peer` over an accepted link.
  static func linked(
    _ author: Author = Fixture.a, holding holdings: Holdings = .none,
    to peer: Author = Fixture.b, holding theirs: Holdings = .none
  ) -> Engine {
    var engine = started(author, holding: holdings)
    engine.accept(Fixture.link, from: peer, holding: theirs)
    return engine
  }

  /// Opens `link` as accepted, and takes the peer's hello.
  @discardableResult
  mutating func accept(
    _ link: LinkID, from peer: Author, isEagerWanted: Bool = true, holding theirs: Holdings = .none,
    at second: Double = 0
  ) -> [Action] {
    let now = Fixture.seconds(second)
    return handle(.linkOpened(link, .accepted(from: "test")), at: now)
      + handle(.received(link, Fixture.hello(peer, isEagerWanted: isEagerWanted, theirs)), at: now)
  }

  /// Returns the engine's actions on an event, the timer aside.
  mutating func actions(on event: Event, at second: Double = 0) -> [Action] {
    handle(event, at: Fixture.seconds(second)).filter { !$0.isTimer }
  }
}

extension Action {
  var isTimer: Bool { if case .setTimer = self { true } else { false } }
}
