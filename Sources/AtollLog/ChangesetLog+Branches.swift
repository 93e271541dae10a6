package import AtollChanges
package import AtollSQLite
package import AtollVocabulary

// An author has several branches if its disk was rolled back. Each has a record, and so has their common
// history:
//
//     3f…  1 2 3 ─┬─ 3f….a1  4 5 ─┬─ 3f….b7  6 7 8
//                 │               └─ 3f….c2  6
//                 └─ 3f….d9  4 5 6 7
//
// A record is named by the hash of its first changeset, so that everyone who knows the same
// changesets has the same tree, in whatever order they came. A changeset written before its author knew of a
// fork names the forked author without a branch, or a branch that has forked since; the branch that is meant
// follows from the hashes of the writer's dependencies.
extension ChangesetLog {
  /// The record that has a changeset, by number and hash; nil if none here does.
  package func branch(
    of author: Author, with sequence: SequenceNumber, _ hash: ChainHash
  ) throws -> AuthorRecord? {
    for record in authors.branches(of: author)
    where record.first <= sequence && sequence <= record.storedHead.sequence {
      let head = record.storedHead
      let known = head.sequence == sequence ? head.hash : try knownHash(record, sequence)
      if known == hash { return record }
      // Of what came with the checkpoint only the last hashes are known.
      if known == nil, let checkpoint = record.checkpoint, sequence < checkpoint.sequence,
        record.author == author || authors.branches(of: author).count == 1
      {
        return record
      }
    }
    return nil
  }

  /// The record that has a changeset, by its hash alone, where the log or the log's start has that.
  package func branch(with head: ChangesetID) throws(SQLiteError) -> AuthorRecord? {
    for record in authors.branches(of: head.author)
    where record.first <= head.sequence && head.sequence <= record.storedHead.sequence {
      if record.storedHead.sequence == head.sequence {
        if record.storedHead.hash == head.hash { return record }
        continue
      }
      if let hash = record.hashWithoutLog(of: head.sequence) {
        if hash == head.hash { return record }
        continue
      }
      if try loggedHash(record, head.sequence) == head.hash { return record }
    }
    return nil
  }

  /// The record in which a changeset of `source` stands that names an author and one of its changesets.
  package func branch(
    from start: AuthorRecord, at sequence: SequenceNumber, seenBy source: AuthorRecord
  ) throws -> AuthorRecord {
    try branch(from: start, seenBy: source) { $0.first <= sequence }
  }

  /// The record in which a changeset of `source` stands that names an author and a time.
  package func branch(
    from start: AuthorRecord, at time: HybridTime, seenBy source: AuthorRecord
  ) throws -> AuthorRecord {
    try branch(from: start, seenBy: source) { $0.began <= time.rawValue }
  }

  /// Up to the record that reaches far enough back, then down those that `source` had seen.
  private func branch(
    from start: AuthorRecord, seenBy source: AuthorRecord, where reaches: (AuthorRecord) -> Bool
  ) throws -> AuthorRecord {
    var record = try known(start)
    while !reaches(record), let parent = authors[record.parent] { record = parent }
    while let child = try record.children.lazy.compactMap({ self.authors[$0] })
      .first(where: { try reaches($0) && hasSeen(source, $0) })
    {
      record = child
    }
    return record
  }

  /// The branch that a name stands for under which nothing is known here; otherwise the record itself.
  private func known(_ record: AuthorRecord) throws(SQLiteError) -> AuthorRecord {
    guard record.isUnknownBranch else { return record }
    for other in authors.branches(of: record.author) {
      let statement = try statement(
        "SELECT hash FROM atoll_log WHERE author = ? AND hash >= ? ORDER BY hash LIMIT 1")
      statement.bind(other.number, at: 1)
      statement.bind(record.author.bytes.suffix(8) + [UInt8](repeating: 0, count: 24), at: 2)
      defer { statement.reset() }
      if try statement.step(), ChainHash(statement.bytes(at: 0))?.branch == record.author.branch {
        return other
      }
    }
    return record
  }

  /// Tells if an author had seen anything of a branch, its own aside: an author that learns of a fork of its
  /// own writes no more under that name.
  private func hasSeen(_ source: AuthorRecord, _ record: AuthorRecord) throws(SQLiteError) -> Bool {
    try seen(by: source)[record.number] != nil
  }

  /// Divides a range of one branch's changesets by the records that have them.
  package func parts(
    of number: Int64, _ range: ClosedRange<SequenceNumber>
  ) -> [(Int64, ClosedRange<SequenceNumber>)] {
    var parts: [(Int64, ClosedRange<SequenceNumber>)] = []
    var (record, last) = (authors[number], range.upperBound)
    while let known = record, range.lowerBound <= last {
      let first = max(known.first, range.lowerBound)
      if first <= last { parts.append((known.number, first...last)) }
      last = min(last, SequenceNumber(known.first.rawValue - 1))
      record = authors[known.parent]
    }
    return parts
  }

  /// Tells if all that comes before a record's first changeset is applied.
  package func isParentApplied(_ record: AuthorRecord) -> Bool {
    guard let parent = authors[record.parent] else { return true }
    return parent.sequence.next >= record.first
  }

  /// The chain up to the changeset before one of a record's, or before the one that follows its last.
  package func hash(_ record: AuthorRecord, before sequence: SequenceNumber) throws -> ChainHash {
    var record = record
    while sequence <= record.first, let parent = authors[record.parent] { record = parent }
    guard sequence > .first else { return .origin(of: record.author) }
    let last = sequence.previous
    if last == record.sequence { return record.hash }
    guard let known = try knownHash(record, last) else {
      throw LogDamage(detail: "changeset \(last) is not in the log")
    }
    return known
  }

  // MARK: Forking

  /// Gives all that an author wrote from a changeset on a record of its own.
  ///
  /// The records in memory are those of before: read them again.
  package func split(_ common: AuthorRecord, at sequence: SequenceNumber) throws {
    guard let known = try knownHash(common, sequence) else {
      throw LogDamage(detail: "changeset \(sequence) is not in the log")
    }
    let time = try time(of: common, sequence)
    let branch = try authors.intern(common.author.branch(known.branch))
    let last = sequence.previous
    (branch.parent, branch.first, branch.began) = (common.number, sequence, time)
    let before = try hash(common, before: sequence)
    if common.sequence >= sequence {
      (branch.sequence, branch.hash) = (common.sequence, common.hash)
      (common.sequence, common.hash) = (last, before)
    } else {
      (branch.sequence, branch.hash) = (last, before)
    }
    branch.named = max(common.named, last)
    common.named = min(common.named, last)
    for child in common.children {
      guard let record = authors[child] else { continue }
      record.parent = branch.number
      try authors.place(record)
    }
    try authors.place(branch)
    try authors.storeHead(common)
    let lastTime = last < common.first ? 0 : try self.time(of: common, last)
    try divideStart(of: common, branch, last: last, before, time: lastTime)
    try move(from: common.number, to: branch.number, at: sequence.rawValue)
  }

  /// Divides the checkpoint, the truncation point and the gap of an author.
  private func divideStart(
    of common: AuthorRecord, _ branch: AuthorRecord, last: SequenceNumber, _ hash: ChainHash,
    time: UInt64
  ) throws(SQLiteError) {
    /// Gives the branch the row, and what comes before the branch one of its own.
    func divide(
      _ table: String, _ columns: String, _ end: SequenceNumber?, _ time: UInt64?
    ) throws(SQLiteError) {
      guard let end, end > last else { return }
      try connection.execute(
        "UPDATE \(table) SET author = \(branch.number) WHERE author = \(common.number)")
      guard last >= common.first else { return }
      let statement = try connection.prepare(
        "INSERT INTO \(table) (author, \(columns)) VALUES (?, ?, ?\(time == nil ? "" : ", ?"))")
      defer { statement.finalize() }
      statement.bind(common.number, at: 1)
      statement.bind(last.rawValue, at: 2)
      statement.bind(hash.bytes, at: 3)
      if let time { statement.bind(time, at: 4) }
      try statement.run()
    }
    try divide("atoll_base", "sequence, hash, time", common.checkpoint?.sequence, time)
    try divide("atoll_floor", "sequence, hash", common.truncationPoint?.sequence, nil)
    try divide("atoll_gap", "sequence, hash", common.gap?.sequence, nil)
    guard let gap = common.gap, gap.sequence > last, let coming = gap.coming else { return }
    if coming.sequence > last {
      try connection.execute(
        """
        UPDATE atoll_gap SET coming = sequence, coming_hash = hash
          WHERE author = \(common.number)
        """)
    } else {
      try connection.execute(
        """
        UPDATE atoll_gap SET coming = (SELECT coming FROM atoll_gap WHERE author = \(branch.number)),
          coming_hash = (SELECT coming_hash FROM atoll_gap WHERE author = \(branch.number))
          WHERE author = \(common.number);
        UPDATE atoll_gap SET coming = NULL, coming_hash = NULL WHERE author = \(branch.number)
        """)
    }
  }

  private func move(
    from common: Int64, to branch: Int64, at first: UInt64
  ) throws(SQLiteError) {
    for table in ["atoll_log", "atoll_held", "atoll_continued"] {
      try connection.execute(
        "UPDATE \(table) SET author = \(branch) WHERE author = \(common) AND sequence >= \(first)")
    }
    try connection.execute(
      """
      INSERT OR REPLACE INTO atoll_released (author, through, time)
        SELECT \(branch), through, time FROM atoll_released
        WHERE author = \(common) AND through >= \(first);
      UPDATE atoll_released SET through = min(through, \(first) - 1) WHERE author = \(common);
      INSERT OR IGNORE INTO atoll_superseded (author, first, last, writer, said)
        SELECT \(branch), max(first, \(first)), last, writer, said FROM atoll_superseded
        WHERE author = \(common) AND last >= \(first);
      UPDATE OR REPLACE atoll_superseded SET last = min(last, \(first) - 1) WHERE author = \(common);
      DELETE FROM atoll_superseded WHERE first > last;
      UPDATE OR REPLACE atoll_superseded SET writer = \(branch)
        WHERE writer = \(common) AND said >= \(first);
      INSERT OR REPLACE INTO atoll_removed (author, last, writer, said)
        SELECT \(branch), max(last, \(first) - 1), writer, said FROM atoll_removed
        WHERE author = \(common);
      UPDATE atoll_removed SET last = min(last, \(first) - 1) WHERE author = \(common);
      UPDATE atoll_removed SET writer = \(branch) WHERE writer = \(common) AND said >= \(first);
      INSERT OR IGNORE INTO atoll_rewritten (author, first, last, writer, origin)
        SELECT \(branch), max(first, \(first)), last, writer, origin FROM atoll_rewritten
        WHERE author = \(common) AND last >= \(first);
      UPDATE OR REPLACE atoll_rewritten SET last = min(last, \(first) - 1) WHERE author = \(common);
      DELETE FROM atoll_rewritten WHERE first > last OR writer = \(common)
      """)
  }
}
