import AtollChanges
import AtollReplication
import AtollVocabulary

/// A store in memory: a log, and no objects but for a digest that stands for them.
///
/// It has no snapshot, and nothing is ever cut off its log.
final class StoryStore {
  let author: Author
  private(set) var log: [LogEntry] = []
  private var held = Holdings.none
  private(set) var progress: [Author: Holdings] = [:]
  /// Tells whether its rows are not what its log says.
  var isSpoiled = false

  init(_ author: Author) { self.author = author }

  /// Writes one changeset; it depends on everything that is here.
  func commit() {
    let sequence = held.sequence(of: author).next
    append(Fixture.id(author, sequence.rawValue), bytes: StoryBytes.encode(held))
  }

  private func apply(_ changeset: IncomingChangeset) -> ApplyOutcome {
    let id = Fixture.id(changeset.author, changeset.sequence.rawValue)
    guard changeset.sequence > held.sequence(of: changeset.author) else { return .duplicate }
    var needed = StoryBytes.decode(changeset.bytes)
    needed[changeset.author] = SequenceNumber(changeset.sequence.rawValue - 1)
    guard held.applied.includes(needed) else { return .missing(needed) }
    append(id, bytes: changeset.bytes)
    return .applied(id)
  }

  private func append(_ id: ChangesetID, bytes: [UInt8]) {
    let position = LogPosition(Int64(log.count) + 1)
    log.append(LogEntry(position: position, id: id, bytes: bytes, seal: Fixture.seal(id)))
    held.formUnion(Holdings(heads: [id]))
  }
}

extension StoryStore: ReplicaStore {
  func admits(_ replica: ReplicaID) -> Bool { true }

  typealias Failure = StoryError

  func holdings() -> Holdings { held }

  func logStart() -> LogStart {
    LogStart(truncationPoint: VersionVector(), offer: nil, missing: nil)
  }

  func entries(
    lackedBy vector: VersionVector, after position: LogPosition, limitBytes: Int, isChecked: Bool,
    isForPeer: Bool
  ) -> LogBatch {
    let entries = log.filter {
      $0.position > position && vector[$0.id.author] < $0.id.sequence
    }
    return LogBatch(entries: entries, next: log.last?.position ?? position, isAtEnd: true)
  }

  func expeditableEntries(
    after: [VersionVector.Entry], stored: VersionVector, limitBytes: Int
  ) -> [LogEntry] { [] }

  func backfill(_ request: BackfillRequest, cutting: inout LogEntry?) -> Backfill {
    Backfill(truncationPoint: .none, state: .end, parts: [])
  }

  func keep(_ backfill: Backfill) -> String? { "a story began with no snapshot" }

  func apply(
    _ batch: [IncomingChangeset], from peer: Author?, unless objection: Objection?
  ) -> [ApplyOutcome] {
    batch.map(apply)
  }

  func applyDeferred() -> Duration? { nil }

  func wantedOfSnapshot() -> VersionVector? { nil }

  func frontierDigest() -> FrontierDigest {
    FrontierDigest(heads: held.heads, digest: StateDigest(high: 0, low: isSpoiled ? 2 : 1))
  }

  func answer(_ question: DigestQuestion) -> DigestAnswer {
    DigestAnswer(current: frontierDigest(), found: .nothing(reason: "a story has no objects"))
  }

  func makeSnapshot() {}

  func snapshotOffer() -> SnapshotOffer? { nil }

  func snapshotPages(of id: ChainHash, from first: Int, count: Int) -> [SnapshotPage] { [] }

  func beginStaging(_ id: ChainHash) throws(StoryError) -> Int {
    throw StoryError(text: "a story takes no snapshots")
  }

  func stage(_ pages: [SnapshotPage], of id: ChainHash) throws(StoryError) -> Int {
    throw StoryError(text: "a story takes no snapshots")
  }

  func installSnapshot(_ id: ChainHash) throws(StoryError) -> SnapshotOutcome {
    throw StoryError(text: "a story takes no snapshots")
  }

  func setPeerProgress(_ peers: [PeerProgress]) {
    for peer in peers { progress[peer.peer] = peer.holdings }
  }
}

extension StoryError: StoreFailure {
  var isDiskFull: Bool { false }
}

/// A story's changeset is nothing but what it depends on: pairs of author number and sequence.
private enum StoryBytes {
  static func encode(_ holdings: Holdings) -> [UInt8] {
    holdings.heads.flatMap {
      [
        UInt8(truncatingIfNeeded: $0.author.replica.high),
        UInt8(truncatingIfNeeded: $0.sequence.rawValue),
      ]
    }
  }

  static func decode(_ bytes: [UInt8]) -> VersionVector {
    var vector = VersionVector()
    for index in stride(from: 0, to: bytes.count - 1, by: 2) {
      vector[Fixture.author(UInt64(bytes[index]))] = SequenceNumber(UInt64(bytes[index + 1]))
    }
    return vector
  }
}
