package import AtollChanges
package import AtollSQLite
package import AtollVocabulary

// The changesets of others that an author had applied when it wrote, from the dependencies that its own name:
// never from clocks.
extension ChangesetLog {
  /// The last changeset of each other author that an author had applied, by number.
  package func seen(by record: AuthorRecord) throws(SQLiteError) -> [Int64: SequenceNumber] {
    if let seen = record.seen { return seen }
    let statement = try statement("SELECT other, sequence FROM atoll_seen WHERE author = ?")
    statement.bind(record.number, at: 1)
    var seen: [Int64: SequenceNumber] = [:]
    while try statement.step() {
      seen[statement.int64(at: 0)] = SequenceNumber(statement.uint64(at: 1))
    }
    record.seen = seen
    return seen
  }

  /// Adopts what a changeset says that its author has seen.
  package func adoptSeen(_ dependencies: [Dependency], of record: AuthorRecord) throws {
    guard !dependencies.isEmpty else { return }
    _ = try seen(by: record)
    for dependency in dependencies {
      guard var other = authors.author(dependency.author, declaredBy: record) else { continue }
      if authors.branchCount > 0 {
        guard
          let branch = try branch(of: other.author, with: dependency.sequence, dependency.hash)
        else { continue }
        other = branch
      }
      adoptSeen(other, dependency.sequence, by: record)
    }
  }

  /// An author that has seen something of a branch has seen all before it.
  private func adoptSeen(
    _ other: AuthorRecord?, _ sequence: SequenceNumber, by record: AuthorRecord
  ) {
    var (other, sequence) = (other, sequence)
    while let seen = other {
      record.seen?[seen.number, default: .none] = sequence
      record.unsavedSeen.insert(seen.number)
      sequence = seen.first.previous
      other = authors[seen.parent]
    }
  }

  /// Before the first changeset of a branch: its author had seen what it had before.
  package func inheritSeen(_ record: AuthorRecord) throws(SQLiteError) {
    guard let parent = authors[record.parent] else { return }
    record.seen = try seen(by: parent)
    record.unsavedSeen = Set(record.seen?.keys.map { $0 } ?? [])
    adoptSeen(parent, record.first.previous, by: record)
  }

  /// Stores what was adopted since the transaction began.
  package func saveSeen(by records: [AuthorRecord]) throws(SQLiteError) {
    for record in records {
      guard !record.unsavedSeen.isEmpty, let seen = record.seen else { continue }
      for other in record.unsavedSeen {
        try authors.storeSeen(by: record.number, other, seen[other] ?? .none)
      }
      record.unsavedSeen = []
    }
  }

  /// Forgets what authors had seen, for a replay that finds it out anew.
  package func emptySeen() throws(SQLiteError) {
    for record in authors.records {
      record.seen = [:]
      record.unsavedSeen = []
    }
    try connection.execute("DELETE FROM atoll_seen")
  }

  /// The authors of whom more is applied here than another had seen, each with the last that it had.
  package func unseen(
    by source: AuthorRecord
  ) throws(SQLiteError) -> [(record: AuthorRecord, seen: SequenceNumber)] {
    let seen = try seen(by: source)
    return authors.records.compactMap { record in
      let known = seen[record.number] ?? .none
      return record !== source && known < record.sequence ? (record, known) : nil
    }
  }

  /// Tells if an author had not seen a write of another that is applied here.
  ///
  /// Causal order makes the reverse certain: what is here was written without having seen what only
  /// comes now.
  ///
  /// - Parameters:
  ///   - source: The author that had or had not seen it.
  ///   - number: The author of the write.
  ///   - time: The time of the write.
  /// - Returns: False for a write of its own.
  /// - Throws: If the file fails.
  package func isUnseen(
    by source: AuthorRecord, _ number: Int64, _ time: UInt64
  ) throws -> Bool {
    guard number != source.number, let other = authors[number] else { return false }
    let seen = try seen(by: source)[other.number] ?? .none
    guard seen < other.sequence else { return false }
    return time > (try self.time(of: other, seen))
  }
}
