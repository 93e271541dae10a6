import AtollChanges
import AtollLog
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
    if common.storedHead.sequence >= sequence {
      try log.split(common, at: sequence)
      try numbers.empty()
      try rereadAuthors()
      try rebuild(transaction, demoting: nil, isAfresh: true)
    }
    guard let common = authors[number], let first = common.children.first,
      let sibling = authors[first], let known = try log.knownHash(sibling, sequence)
    else { throw StorageError.damaged(path: path, detail: "a fork has one side only") }
    let record = try authors.intern(common.author.branch(hash.branch))
    (record.parent, record.first, record.began) = (common.number, sequence, time.rawValue)
    (record.sequence, record.hash) = (sequence.previous, try log.hash(common, before: sequence))
    record.named = record.sequence
    try authors.place(record)
    return (record, ChangesetID(author: sibling.author, sequence: sequence, hash: known))
  }

  /// Returns the declarations of an author before one of its changesets.
  func declarations(
    of record: AuthorRecord, before sequence: SequenceNumber
  ) throws -> DeclarationTable {
    var declarations =
      try authors[record.parent].map { try self.declarations(of: $0, before: record.first) }
      ?? DeclarationTable(author: record.author)
    try adoptCheckpoint(of: record, before: sequence, into: &declarations)
    let first = (record.checkpoint?.sequence ?? .none).next
    guard first < sequence else { return declarations }
    try log.forEachEntry(of: record, first...sequence.previous) { _, _, bytes in
      try declarations.adopt(try ChangesetReader(bytes, author: record.author).declarations)
      return true
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
    for record in authors.branches(of: common.author)
    where record.storedHead.sequence >= record.first {
      transaction.grown.insert(record.number)
    }
    switch outcome {
    case .applied(let id), .deferred(let id, _): return .branched(id, beside: fork.beside)
    case .duplicate, .missing, .branched, .detached, .overflowing, .equivocation, .refused:
      return outcome
    }
  }

  /// The number of histories an author has, if no other is taken from that peer; nil if one is.
  ///
  /// Nothing ends for that: the author itself brings its own past the bound that holds for others.
  private func historiesBeyondBound(of common: AuthorRecord, _ sender: Author?) -> Int? {
    let branches = authors.branches(of: common.author).count { $0.author.branch != .none }
    let added = common.children.isEmpty ? 2 : 1
    // Changesets without a sender come from a log, where they were taken.
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
