import AtollChanges
import AtollReplication
import AtollVocabulary

/// A node of a story: an engine, and a log in memory instead of a file.
struct StoryNode {
  let name: String
  let author: Author
  var engine: Engine
  var log: [LogEntry] = []
  var holdings = Holdings.none
  var timer: Instant?
  /// Whether its rows are not what its log says.
  var isSpoiled = false

  init(name: String, number: UInt64) {
    self.name = name
    author = Fixture.author(number)
    engine = Engine(
      EngineConfiguration(
        storeID: Fixture.store, author: author, agent: "story", seed: number))
  }

  /// Writes one changeset; it depends on everything that is here.
  mutating func commit() {
    let sequence = holdings.sequence(of: author).next
    append(Fixture.id(author, sequence.rawValue), bytes: StoryBytes.encode(holdings))
  }

  mutating func apply(_ batch: [IncomingChangeset]) -> [ApplyOutcome] {
    batch.map { changeset in
      let id = Fixture.id(changeset.author, changeset.sequence.rawValue)
      let held = holdings.sequence(of: changeset.author)
      guard changeset.sequence > held else { return .duplicate }
      var needed = StoryBytes.decode(changeset.bytes)
      needed[changeset.author] = SequenceNumber(changeset.sequence.rawValue - 1)
      guard holdings.applied.includes(needed) else { return .missing(needed) }
      append(id, bytes: changeset.bytes)
      return .applied(id)
    }
  }

  var digest: FrontierDigest {
    FrontierDigest(heads: holdings.heads, digest: StateDigest(high: 0, low: isSpoiled ? 2 : 1))
  }

  func read(_ request: LogRequest) -> LogBatch {
    let entries = log.filter {
      $0.position > request.after && request.lackedBy[$0.id.author] < $0.id.sequence
    }
    return LogBatch(entries: entries, next: log.last?.position ?? request.after, isAtEnd: true)
  }

  private mutating func append(_ id: ChangesetID, bytes: [UInt8]) {
    let position = LogPosition(Int64(log.count) + 1)
    log.append(LogEntry(position: position, id: id, bytes: bytes))
    holdings.formUnion(Holdings(heads: [id]))
  }
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
