import AtollChanges
import AtollSQLite
import AtollVocabulary

// What an author had applied when it wrote: decided from the dependencies that its changesets name,
// never from clocks. Only asked when a write meets one of another author in one cell.
extension StoreFile {
  /// Whether the author of the changeset being merged had not seen a write that is here.
  ///
  /// Causal order makes the reverse certain: what is here was written without having seen what only
  /// comes now.
  func isConcurrent(_ held: LocalStamp, with source: MergeSource) throws -> Bool {
    guard held.author != source.record.number, let other = authors[held.author] else {
      return false
    }
    let seen = try seen(by: source.record)[other.number] ?? .none
    guard seen < other.sequence else { return false }
    return held.time > (try time(of: other, seen))
  }

  /// The authors of whom more is here than the author of the changeset being merged had seen, each
  /// with what it had.
  func unseen(by source: MergeSource) throws -> [(record: AuthorRecord, seen: SequenceNumber)] {
    if let known = transaction?.unseen, known.author == source.record.number,
      known.sequence == source.sequence
    {
      return known.authors
    }
    let seen = try seen(by: source.record)
    let authors = authors.records.compactMap { record in
      let known = seen[record.number] ?? .none
      return record !== source.record && known < record.sequence ? (record, known) : nil
    }
    transaction?.unseen = (source.record.number, source.sequence, authors)
    return authors
  }

  /// Takes over what a changeset says that its author has seen.
  func noteSeen(_ dependencies: [Dependency], of record: AuthorRecord) throws {
    guard !dependencies.isEmpty else { return }
    _ = try seen(by: record)
    for dependency in dependencies {
      guard let number = record.authorNumber(dependency.author) else { continue }
      var other = authors[number]
      if authors.branchCount > 0, let named = other {
        other = try history(of: named.author, with: dependency.sequence, dependency.hash)
      }
      noteSeen(other, dependency.sequence, by: record)
    }
  }

  /// Who has seen something of a history has seen all before it.
  private func noteSeen(
    _ other: AuthorRecord?, _ sequence: SequenceNumber, by record: AuthorRecord
  ) {
    var (other, sequence) = (other, sequence)
    while let seen = other {
      record.seen?[seen.number, default: .none] = sequence
      record.unsavedSeen.insert(seen.number)
      sequence = SequenceNumber(seen.first.rawValue - 1)
      other = authors[seen.parent]
    }
  }

  /// The first changeset of a history: its author had seen what it had before.
  func inheritSeen(_ record: AuthorRecord) throws {
    guard let parent = authors[record.parent] else { return }
    record.seen = try seen(by: parent)
    record.unsavedSeen = Set(record.seen?.keys.map { $0 } ?? [])
    noteSeen(parent, SequenceNumber(record.first.rawValue - 1), by: record)
  }

  /// Writes down what was noted since the transaction began.
  func saveSeen(_ transaction: WriteTransaction) throws {
    try saveSeen(by: transaction.grown.compactMap { authors[$0] })
  }

  /// Forgets what authors had seen and what was lost, for a replay that finds it out anew.
  func emptyLedger() throws {
    for record in authors.records {
      record.seen = [:]
      record.unsavedSeen = []
    }
    try connection.execute("DELETE FROM atoll_seen; DELETE FROM atoll_conflict")
  }

  func saveSeen(by records: [AuthorRecord]) throws {
    for record in records {
      guard !record.unsavedSeen.isEmpty, let seen = record.seen else { continue }
      let statement = try statement(AuthorTable.storingSeen)
      for other in record.unsavedSeen {
        statement.bind(record.number, at: 1)
        statement.bind(other, at: 2)
        statement.bind((seen[other] ?? .none).rawValue, at: 3)
        try statement.run()
      }
      record.unsavedSeen = []
    }
  }

  func seen(by record: AuthorRecord) throws -> [Int64: SequenceNumber] {
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

  // MARK: Times and numbers

  /// The time of a changeset that is here; 0 for none.
  func time(of record: AuthorRecord, _ sequence: SequenceNumber) throws -> UInt64 {
    guard sequence > .none else { return 0 }
    if let known = record.knownTime, known.sequence == sequence { return known.time }
    // The version, the sequence number and the time come first: `protocol/changeset.md`.
    let statement = try statement(
      "SELECT substr(bytes, 1, 19) FROM atoll_log WHERE author = ? AND sequence = ?")
    statement.bind(record.number, at: 1)
    statement.bind(sequence.rawValue, at: 2)
    defer { statement.reset() }
    // Of what came with the checkpoint only the last times are known.
    guard try statement.step() else {
      return try checkpointRecent(record, sequence)?.time ?? record.checkpoint?.time ?? 0
    }
    var reader = WordReader(statement.bytes(at: 0))
    guard reader.byte() != nil, reader.varint() != nil, let time = reader.word() else { return 0 }
    record.knownTime = (sequence, time)
    return time
  }

  /// Which changeset of an author was written at a time; times ascend with the numbers.
  func sequence(of record: AuthorRecord, at time: UInt64) throws -> SequenceNumber? {
    var (low, high) = (record.first.rawValue, record.sequence.rawValue)
    while low <= high {
      let middle = low + (high - low) / 2
      let found = try self.time(of: record, SequenceNumber(middle))
      if found == time { return SequenceNumber(middle) }
      if found < time { low = middle + 1 } else { high = middle - 1 }
    }
    return nil
  }
}

extension AuthorTable {
  static let storingSeen =
    "INSERT OR REPLACE INTO atoll_seen (author, other, sequence) VALUES (?, ?, ?)"

  /// Remembers how far an author had applied another's changesets.
  func storeSeen(by number: Int64, _ other: Int64, _ sequence: SequenceNumber) throws {
    let statement = try connection.prepare(Self.storingSeen)
    defer { statement.finalize() }
    statement.bind(number, at: 1)
    statement.bind(other, at: 2)
    statement.bind(sequence.rawValue, at: 3)
    try statement.run()
  }
}
