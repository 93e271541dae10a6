import AtollChanges
import AtollSQLite
import AtollVocabulary

// A fork is found: what was one history gets two names from its first differing changeset on, and all
// objects are made anew from the log, since stamps, elements and hidden keys have these names.
extension StoreFile {
  /// Makes the place for a changeset that differs from what follows the same one here.
  ///
  /// - Parameters:
  ///   - common: The history with the changeset before it.
  ///   - sequence: The changeset's number.
  ///   - hash: The chain up to it.
  ///   - time: Its time.
  ///   - transaction: The open one.
  /// - Returns: The record it is the first of, and the changeset beside which it stands.
  /// - Throws: If the file fails.
  func fork(
    _ common: AuthorRecord, at sequence: SequenceNumber, _ hash: ChainHash, time: HybridTime,
    _ transaction: WriteTransaction
  ) throws -> (record: AuthorRecord, beside: ChangesetID) {
    let number = common.number
    if common.heldHead.sequence >= sequence {
      try split(common, at: sequence)
      try authors.emptyDeclarations()
      authors.clear()
      try authors.refresh(catalog)
      try rebuild(transaction, demoting: nil, isAfresh: true)
    }
    guard let common = authors[number], let first = common.children.first,
      let sibling = authors[first], let known = try knownHash(sibling, sequence)
    else { throw StorageError.damaged(path: path, detail: "a fork has one side only") }
    let record = try authors.intern(common.author.branch(hash.branch))
    (record.parent, record.first, record.began) = (common.number, sequence, time.rawValue)
    (record.sequence, record.hash) = (previous(sequence), try self.hash(common, before: sequence))
    record.named = record.sequence
    try authors.place(record)
    return (record, ChangesetID(author: sibling.author, sequence: sequence, hash: known))
  }

  /// Gives all that an author wrote from a changeset on a record of its own.
  func split(_ common: AuthorRecord, at sequence: SequenceNumber) throws {
    guard let known = try knownHash(common, sequence) else {
      throw StorageError.damaged(path: path, detail: "changeset \(sequence) is not in the log")
    }
    let time = try time(of: common, sequence)
    let branch = try authors.intern(common.author.branch(known.branch))
    let last = previous(sequence)
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
    try storeHead(common)
    let lastTime = last < common.first ? 0 : try self.time(of: common, last)
    try divideCheckpoint(of: common, branch, last: last, before, time: lastTime)
    try move(from: common.number, to: branch.number, at: sequence.rawValue)
  }

  /// Divides what the file has of a history as cells, and what of it is cut off the log or still to come.
  private func divideCheckpoint(
    of common: AuthorRecord, _ branch: AuthorRecord, last: SequenceNumber, _ hash: ChainHash,
    time: UInt64
  ) throws {
    /// Gives the branch the row, and what comes before the branch one of its own.
    func divide(_ table: String, _ columns: String, _ end: SequenceNumber?, _ time: UInt64?) throws
    {
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

  private func move(from common: Int64, to branch: Int64, at first: UInt64) throws {
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
      INSERT OR IGNORE INTO atoll_superseded (author, first, last)
        SELECT \(branch), max(first, \(first)), last FROM atoll_superseded
        WHERE author = \(common) AND last >= \(first);
      UPDATE OR REPLACE atoll_superseded SET last = min(last, \(first) - 1) WHERE author = \(common);
      DELETE FROM atoll_superseded WHERE first > last;
      INSERT OR IGNORE INTO atoll_rewritten (author, first, last, writer, origin)
        SELECT \(branch), max(first, \(first)), last, writer, origin FROM atoll_rewritten
        WHERE author = \(common) AND last >= \(first);
      UPDATE OR REPLACE atoll_rewritten SET last = min(last, \(first) - 1) WHERE author = \(common);
      DELETE FROM atoll_rewritten WHERE first > last OR writer = \(common)
      """)
  }

  /// The chain up to the changeset before one of a record's, or before the one that follows its last.
  func hash(_ record: AuthorRecord, before sequence: SequenceNumber) throws -> ChainHash {
    var record = record
    while sequence <= record.first, let parent = authors[record.parent] { record = parent }
    guard sequence > .first else { return .origin(of: record.author) }
    let last = previous(sequence)
    if last == record.sequence { return record.hash }
    guard let known = try knownHash(record, last) else {
      throw StorageError.damaged(path: path, detail: "changeset \(last) is not in the log")
    }
    return known
  }

  func previous(_ sequence: SequenceNumber) -> SequenceNumber {
    SequenceNumber(sequence.rawValue == 0 ? 0 : sequence.rawValue - 1)
  }

  /// What an author had declared before one of its changesets.
  func declarations(
    of record: AuthorRecord, before sequence: SequenceNumber
  ) throws -> DeclarationTable {
    var declarations =
      try authors[record.parent].map { try self.declarations(of: $0, before: record.first) }
      ?? DeclarationTable(author: record.author)
    try adoptCheckpoint(of: record, before: sequence, into: &declarations)
    let statement = try connection.prepare(
      """
      SELECT bytes FROM atoll_log WHERE author = ? AND sequence > ? AND sequence < ?
      ORDER BY sequence
      """)
    defer { statement.finalize() }
    statement.bind(record.number, at: 1)
    statement.bind((record.checkpoint?.sequence ?? .none).rawValue, at: 2)
    statement.bind(sequence.rawValue, at: 3)
    while try statement.step() {
      let reader = try ChangesetReader(statement.bytes(at: 0), author: record.author)
      try declarations.adopt(reader.declarations)
    }
    return declarations
  }
}

extension StoreFile {
  /// Applies or holds a changeset that differs from the one that is here; nil if something else was
  /// done in this transaction, which a refusal would undo.
  func applyFork(
    _ incoming: IncomingChangeset, _ hash: ChainHash, after common: AuthorRecord,
    _ transaction: WriteTransaction, isFirst: Bool
  ) throws -> ApplyOutcome? {
    let reader: ChangesetReader
    do {
      reader = try ChangesetReader(incoming.bytes, author: common.author)
      var declarations = try declarations(of: common, before: incoming.sequence)
      try declarations.adopt(reader.declarations)
      try declarations.validate(reader.dependencies)
      try validate(reader, declarations)
      if let outcome = try check(reader.dependencies, declarations) { return outcome }
      if let count = historiesBeyondBound(of: common, transaction.sender) {
        return .overflowing(retryAfter: Limits.declinedPause, because: .histories(count))
      }
    } catch let error as ChangesetError {
      return .refused(reason: error.description)
    }
    if let reason = try boundary(to: hash, at: incoming.sequence, of: common) {
      return .refused(reason: reason)
    }
    guard isFirst else { return nil }
    if try own.author == common.author.commonHistory { try startIncarnation(transaction) }
    transaction.isForking = true
    let fork = try fork(common, at: incoming.sequence, hash, time: reader.time, transaction)
    let outcome = try admit(incoming, hash, fork.record, transaction)
    for record in authors.histories(of: common.author)
    where record.heldHead.sequence >= record.first {
      transaction.grown.insert(record.number)
    }
    switch outcome {
    case .applied(let id), .held(let id, _): return .branched(id, beside: fork.beside)
    case .duplicate, .missing, .branched, .detached, .overflowing, .equivocation, .refused:
      return outcome
    }
  }

  /// The number of histories an author has, if no other is taken from that peer; nil if one is.
  ///
  /// Nothing ends for that: the author itself brings its own past the bound that holds for others.
  private func historiesBeyondBound(of common: AuthorRecord, _ sender: Author?) -> Int? {
    let branches = authors.histories(of: common.author).count { $0.author.branch != .none }
    let added = common.children.isEmpty ? 2 : 1
    // What nobody brings comes from a log, where it was taken.
    let isOwn = sender.map { $0.replica == common.author.replica } ?? true
    return branches + added > (isOwn ? Limits.ownBranches : Limits.branches) ? branches : nil
  }

  /// Why no other history is taken; nil if it is.
  private func boundary(
    to hash: ChainHash, at sequence: SequenceNumber, of common: AuthorRecord
  ) throws -> String? {
    let known = [common] + common.children.compactMap { authors[$0] }
    let isTooFarBack = try known.contains { record in
      guard let checkpoint = record.checkpoint, record.first <= sequence,
        sequence <= checkpoint.sequence
      else {
        return false
      }
      return try !canDivideCheckpoint(record, at: sequence)
    }
    guard !isTooFarBack else {
      return "it is another history of \(common.author.commonHistory) from more than "
        + "\(Limits.recentChangesets) changesets before the end of what this file has as cells; make "
        + "the file anew from a copy of one that has both"
    }
    guard authors[common.author.branch(hash.branch)]?.isUnknownBranch != false else {
      return "another history of \(common.author.commonHistory) has the same name"
    }
    return nil
  }
}
