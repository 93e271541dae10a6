import AtollChanges
import AtollVocabulary
import AtollWire

/// The names and frames that the vectors of `protocol/vectors/frames` speak of.
enum Fixture {
  static let a = Author(
    replica: ReplicaID(high: 0x1011_1213_1415_1617, low: 0x1819_1a1b_1c1d_1e1f),
    incarnation: Incarnation(0xa000_0000_0000_0001))
  static let b = Author(
    replica: ReplicaID(high: 0x2021_2223_2425_2627, low: 0x2829_2a2b_2c2d_2e2f),
    incarnation: Incarnation(0xb000_0000_0000_0002))
  static let store = StoreID(high: 0xf0f1_f2f3_f4f5_f6f7, low: 0xf8f9_fafb_fcfd_feff)

  /// Thirty-two times the same byte.
  static func hash(_ byte: UInt8) -> ChainHash {
    guard let hash = ChainHash([UInt8](repeating: byte, count: ChainHash.byteCount)) else {
      fatalError("a chain hash has \(ChainHash.byteCount) bytes")
    }
    return hash
  }

  static func head(_ author: Author, _ sequence: UInt64, _ byte: UInt8) -> ChangesetID {
    ChangesetID(author: author, sequence: SequenceNumber(sequence), hash: hash(byte))
  }

  static func vector(_ entries: (Author, UInt64)...) -> VersionVector {
    var vector = VersionVector()
    for (author, sequence) in entries { vector[author] = SequenceNumber(sequence) }
    return vector
  }

  static var hello: Frame {
    var holdings = Holdings(heads: [head(a, 300, 0x11), head(b, 7, 0x22)])
    holdings.applied[b] = SequenceNumber(5)
    return .hello(
      Hello(
        storeID: store, author: a, agent: "atolld 0.1", isEagerWanted: false, holdings: holdings))
  }

  static var compressible: Frame {
    let bytes = [UInt8](repeating: 0x61, count: 400)
    return .changesets([
      ChangesetRun(
        author: a, first: SequenceNumber(303), changesets: [bytes], headHash: hash(0x11),
        seal: seal(head(a, 303, 0x11)))
    ])
  }

  /// The frame that each vector's bytes are, by the vector's name.
  static var frames: [(name: String, frame: Frame)] {
    [
      ("hello", hello),
      ("hello-empty", .hello(Hello(storeID: store, author: a, agent: "", holdings: .none))),
      ("goodbye", .goodbye(Goodbye(.stopping, "this node is stopping"))),
      ("changesets", .changesets(runs)),
      ("changesets-compressed", compressible),
      (
        "chunk",
        .chunk(
          ChangesetChunk(
            id: head(a, 304, 0x22), total: 10, offset: 6, bytes: [7, 8, 9, 10],
            seal: seal(head(a, 304, 0x22))))
      ),
      (
        "chunk-receipt",
        .chunkReceipt(ChunkReceipt(author: a, sequence: SequenceNumber(304), received: 262_144))
      ),
      ("progress", .progress(Holdings(heads: [head(b, 8, 0x22)]))),
      ("request", .request(request)),
      (
        "keep-alive-branches",
        .keepAlive(
          Holdings(heads: [
            head(a, 3, 0x11), head(a.branch(Branch(0x4444_4444_4444_4444)), 5, 0x44),
            head(a.branch(Branch(0x5555_5555_5555_5555)), 4, 0x55),
          ]))
      ),
      ("keep-alive", .keepAlive(Holdings(heads: [head(a, 302, 0x11), head(b, 8, 0x22)]))),
      ("digest", .digest(digest)),
      (
        "question",
        .question(
          DigestQuestion(storeID: store, level: 2, prefixes: [0x2a, 0xff], wantsObjects: false))
      ),
      ("answer-parts", .answer(DigestAnswer(current: digest, found: .parts(parts)))),
      ("answer-objects", .answer(DigestAnswer(current: digest, found: .objects([object])))),
      ("answer-nothing", .answer(DigestAnswer(current: digest, found: .nothing(reason: "busy")))),
      ("prune", .prune),
      ("pair", .pair(PairingProof(of: [1, 2, 3, 4, 5], over: Array(repeating: 7, count: 32)))),
      ("paired", .paired(store)),
      ("declined", .declined(a, reason: "may only read")),
      ("acknowledgements", .acknowledgements(acknowledgements)),
      (
        "snapshot-offer",
        .snapshotOffer(
          SnapshotOffer(
            id: hash(0x11), pages: 300, objects: 5000, frontier: Holdings(heads: [head(b, 8, 0x22)])
          ))
      ),
      (
        "snapshot-request",
        .snapshotRequest(SnapshotRequest(id: hash(0x11), first: 300, count: 4))
      ),
      ("snapshot-wanted", .snapshotWanted(vector((a, 302), (b, 8)))),
      (
        "snapshot-page",
        .snapshotPage(
          SnapshotPage(id: hash(0x11), index: 299, hash: hash(0x22), bytes: [1, 2, 3]))
      ),
      (
        "backfill-request",
        .backfillRequest(
          BackfillRequest(
            after: vector((a, 300)), through: vector((a, 302), (b, 8)),
            part: ChunkReceipt(author: a, sequence: SequenceNumber(301), received: 6)))
      ),
      (
        "backfill",
        .backfill(
          Backfill(
            truncationPoint: Holdings(heads: [head(b, 6, 0x33)]), state: .more,
            parts: [
              ChangesetChunk(
                id: head(b, 7, 0x44), total: 2, offset: 0, bytes: [1, 2],
                seal: seal(head(b, 7, 0x44))),
              ChangesetChunk(id: head(a, 301, 0x22), total: 10, offset: 6, bytes: [7, 8, 9]),
            ]))
      ),
      ("backfill-nothing", .backfill(Backfill(truncationPoint: .none, state: .waiting, parts: []))),
      ("credit", .credit(Credit(window: 0, reason: "disk full"))),
      (
        "expedited",
        .expedited([
          ChangesetRun(
            author: b, first: SequenceNumber(9), changesets: [[5, 6]], headHash: hash(0x22),
            seal: seal(head(b, 9, 0x22)))
        ])
      ),
      (
        "clock",
        .clock(
          ClockReading(
            sent: WallTime(milliseconds: 1_795_319_539_178),
            answered: .init(
              sent: WallTime(milliseconds: 1_795_319_536_000),
              received: WallTime(milliseconds: 1_795_319_539_177))))
      ),
      ("clock-first", .clock(ClockReading(sent: WallTime(milliseconds: 128)))),
      ("local-hello", .localHello(LocalHello(processID: 4321, name: "importer"))),
      ("committed", .committed(number: 65_537)),
    ]
  }

  private static var acknowledgements: Acknowledgements {
    let c = Author(
      replica: ReplicaID(high: 0x3031_3233_3435_3637, low: 0x3839_3a3b_3c3d_3e3f),
      incarnation: Incarnation(0xc000_0000_0000_0003))
    let first = Holdings(heads: [head(a, 300, 0x11)])
    var second = Holdings(heads: [head(a, 300, 0x11), head(b, 8, 0x22)])
    second.applied[b] = SequenceNumber(6)
    return Acknowledgements(
      number: 7, follows: 5, received: 3,
      replicas: [
        PeerProgress(peer: b, holdings: first), PeerProgress(peer: c, holdings: second),
      ])
  }

  private static let digest = FrontierDigest(
    frontier: hash(0x11),
    digest: StateDigest(high: 0xa1a2_a3a4_a5a6_a7a8, low: 0xb1b2_b3b4_b5b6_b7b8))

  private static let parts = [
    DigestAnswer.Part(
      count: 300, digest: StateDigest(high: 0xc1c2_c3c4_c5c6_c7c8, low: 0xd1d2_d3d4_d5d6_d7d8)),
    .empty,
  ]

  private static let object = DigestedObject(
    identity: StateDigest(high: 0xc1c2_c3c4_c5c6_c7c8, low: 0xd1d2_d3d4_d5d6_d7d8),
    className: "Club", key: "42", generation: Generation(2),
    digest: StateDigest(high: 0xe1e2_e3e4_e5e6_e7e8, low: 0xf1f2_f3f4_f5f6_f7f8))

  private static var runs: [ChangesetRun] {
    [
      ChangesetRun(
        author: a, first: SequenceNumber(301), changesets: [[1, 2, 3], [4]],
        headHash: .origin(of: a), seal: seal(origin(a, 302))),
      ChangesetRun(
        author: b, first: SequenceNumber(8), changesets: [[5, 6]], headHash: .origin(of: b),
        seal: seal(origin(b, 8))),
    ]
  }

  /// A hash that does not compress.
  private static func origin(_ author: Author, _ sequence: UInt64) -> ChangesetID {
    ChangesetID(author: author, sequence: SequenceNumber(sequence), hash: .origin(of: author))
  }

  /// Signed by a key that does not name the replica: decoding a frame does not look at that.
  private static func seal(_ id: ChangesetID) -> Seal {
    let secret: UInt64 = id.author == a ? 0x5151_5151_5151_5151 : 0x5252_5252_5252_5252
    return ReplicaKey(random: { secret }).seal(id, in: store)
  }

  private static var request: VersionVector {
    var vector = VersionVector()
    vector[a] = SequenceNumber(302)
    vector[b] = .max
    return vector
  }
}
