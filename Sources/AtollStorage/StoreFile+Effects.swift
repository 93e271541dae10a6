import AtollChanges
import AtollSQLite
package import AtollVocabulary

// The effects of commits, kept in the file so that other processes can tell their observers.
extension StoreFile {
  /// The commits after `number`, ascending; nil if some of their records were pruned: ask again.
  package func effects(after number: CommitNumber) throws(StorageError) -> [Commit]? {
    try doing("reading what commits changed") {
      let last = try lookAtState()
      guard number.rawValue < last else { return [] }
      let statement = try statement(
        "SELECT number, origin, changes, heads FROM atoll_effect WHERE number > ? ORDER BY number")
      statement.bind(number.rawValue, at: 1)
      defer { statement.reset() }
      var commits: [Commit] = []
      var expected = number.rawValue + 1
      while try statement.step() {
        guard statement.int64(at: 0) == expected,
          let changes = EffectRecord.changes(Self.withoutMark(statement.bytes(at: 2)))
        else { return nil }
        expected += 1
        commits.append(
          Commit(
            number: CommitNumber(statement.int64(at: 0)),
            origin: Commit.Origin(rawValue: UInt8(truncatingIfNeeded: statement.int64(at: 1)))
              ?? .remote,
            changes: changes, heads: Self.heads(statement.bytes(at: 3))))
      }
      return expected > last ? commits : nil
    }
  }

  /// Stores a commit's record, and now and then drops the oldest beyond the limit.
  func store(_ commit: Commit) throws {
    let insert = try statement(
      """
      INSERT INTO atoll_effect (number, origin, time, schema, changes, heads)
      VALUES (?, ?, ?, ?, ?, ?)
      """)
    insert.bind(commit.number.rawValue, at: 1)
    insert.bind(Int64(commit.origin.rawValue), at: 2)
    insert.bind(state.time.rawValue, at: 3)
    insert.bind(state.schema, at: 4)
    insert.bind(try mark(of: commit).bytes + EffectRecord.bytes(commit.changes), at: 5)
    insert.bind(Self.bytes(commit.heads), at: 6)
    try insert.run()
    guard commit.number.rawValue % Self.pruneInterval == 0 else { return }
    let prune = try statement("DELETE FROM atoll_effect WHERE number <= ?")
    prune.bind(commit.number.rawValue - Int64(Limits.effectRecords), at: 1)
    try prune.run()
  }

  /// The mark of a commit, with the file's token, which its first commit draws.
  private func mark(of commit: Commit) throws -> LogMark {
    if onDisk.token == nil {
      onDisk.token = try LogMark(lastOf: connection)?.token ?? options.random()
    }
    return LogMark(token: onDisk.token ?? 0, number: commit.number.rawValue)
  }

  private static func withoutMark(_ bytes: [UInt8]) -> [UInt8] {
    LogMark(bytes) == nil ? bytes : Array(bytes.dropFirst(LogMark.byteCount))
  }

  /// Commits between two prunings: one page more is written by each.
  private static let pruneInterval: Int64 = 64

  /// For each: 32 bytes of author, 8 of sequence, 32 of hash.
  private static func bytes(_ heads: [ChangesetID]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(heads.count * 72)
    for head in heads {
      bytes.append(word: head.author.replica.high)
      bytes.append(word: head.author.replica.low)
      bytes.append(word: head.author.incarnation.rawValue)
      bytes.append(word: head.author.branch.rawValue)
      bytes.append(word: head.sequence.rawValue)
      bytes.append(contentsOf: head.hash.bytes)
    }
    return bytes
  }

  private static func heads(_ bytes: [UInt8]) -> [ChangesetID] {
    var reader = WordReader(bytes)
    var heads: [ChangesetID] = []
    while let high = reader.word(), let low = reader.word(), let incarnation = reader.word(),
      let branch = reader.word(), let sequence = reader.word(),
      let hash = reader.take(ChainHash.byteCount).flatMap({ ChainHash($0) })
    {
      heads.append(
        ChangesetID(
          author: Author(
            replica: ReplicaID(high: high, low: low), incarnation: Incarnation(incarnation),
            branch: Branch(branch)),
          sequence: SequenceNumber(sequence), hash: hash))
    }
    return heads
  }
}
