import AtollChanges
import AtollLog
import AtollVocabulary
import Testing

/// An author whose disk was rolled back: its chain is split at the first changeset that differs.
@Suite struct BranchTests {
  private func split() throws -> (log: Log, ids: [ChangesetID]) {
    let log = try Log()
    let ids = try (1...4).map { try log.write(Log.author, UInt64($0)) }
    try log.log.split(try log.record(Log.author), at: SequenceNumber(3))
    try log.reread()
    return (log, ids)
  }

  @Test func `each side has a record, named by the hash of its first changeset`() throws {
    let (log, ids) = try split()
    let common = try log.record(Log.author)
    #expect(common.sequence == SequenceNumber(2) && common.hash == ids[1].hash)
    let branch = try #require(common.children.first.flatMap { log.authors[$0] })
    #expect(branch.author == Log.author.branch(ids[2].hash.branch))
    #expect(branch.first == SequenceNumber(3) && branch.head.hash == ids[3].hash)
    #expect(log.authors.branches(of: Log.author).count == 2)
  }

  @Test func `a changeset is found in the record that has it`() throws {
    let (log, ids) = try split()
    for id in ids {
      let record = try #require(
        try log.log.branch(of: Log.author, with: id.sequence, id.hash))
      #expect((record.first > .first) == (id.sequence > SequenceNumber(2)))
    }
    #expect(
      try log.log.branch(of: Log.author, with: SequenceNumber(3), .origin(of: Log.other)) == nil)
  }

  @Test func `a range is divided by the records that have its changesets`() throws {
    let (log, _) = try split()
    let branch = try #require(log.authors.records.first { $0.author.branch != .none })
    let parts = log.log.parts(of: branch.number, SequenceNumber(1)...SequenceNumber(4))
    #expect(parts.map(\.1.lowerBound) == [SequenceNumber(3), .first])
    #expect(parts.map(\.0) == [branch.number, branch.parent])
    #expect(try log.log.hash(branch, before: branch.first) == log.authors[branch.parent]?.hash)
  }

  @Test func `an author that has seen a branch has seen what comes before it`() throws {
    let (log, ids) = try split()
    let branch = try #require(log.authors.records.first { $0.author.branch != .none })
    let writer = try log.record(Log.other)
    try writer.declarations.adopt([.author(Log.author)])
    try log.log.adoptSeen(
      [Dependency(author: AuthorNumber(1), sequence: ids[3].sequence, hash: ids[3].hash)],
      of: writer)
    try log.log.saveSeen(by: [writer])
    try log.reread()
    let seen = try log.log.seen(by: try log.record(Log.other))
    #expect(seen == [branch.number: SequenceNumber(4), branch.parent: SequenceNumber(2)])
  }
}
