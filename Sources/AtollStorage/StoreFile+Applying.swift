package import AtollChanges
import AtollLog
import AtollSQLite
package import AtollVocabulary

// Applying changesets of peers in group commits: many changesets share a transaction, none is
// split.
extension StoreFile {
  /// The reason why nothing is taken of a replica whose object names this key, if any does; nil if it is.
  package typealias Objection = (ReplicaID, _ identity: [UInt8]?) -> LeavingOut?

  /// Merges changesets in the order given.
  ///
  /// The write lock is held for at most `Limits.remoteBatchHold` at a time, one changeset excepted;
  /// then what was applied is committed, announced, and a waiting writer goes first.
  ///
  /// - Parameters:
  ///   - batch: The changesets; of one author in their order.
  ///   - peer: Who brought them, for `why`.
  ///   - objection: Why nothing of a replica is taken, given the key that its object names by then; asked
  ///     before each changeset, since that may be said by the one before.
  /// - Returns: One outcome a changeset, in order.
  /// - Throws: If the file fails. What was committed before stays; offering it again gives duplicates.
  package func apply(
    _ batch: [IncomingChangeset], from peer: Author? = nil, unless objection: Objection? = nil
  ) throws(StorageError) -> [ApplyOutcome] {
    try doing("applying changesets of peers") {
      guard !options.isReadOnly else {
        throw StorageError.openedForReading(path: path, doing: "applying changesets of peers")
      }
      var outcomes: [ApplyOutcome] = []
      outcomes.reserveCapacity(batch.count)
      let runEnds = ChangesetLog.runEnds(batch)
      let offences = offences(of: batch, runEnds)
      defer { if tables.ledger.unseen?.isLarge == true { tables.ledger.unseen = nil } }
      while outcomes.count < batch.count {
        try applyGroup(
          batch[outcomes.count...], runEnds, offences, from: peer, unless: objection, &outcomes)
      }
      try applyAllDeferred()
      return outcomes
    }
  }

  /// Applies from the front of `batch` until the lock has been held long enough.
  ///
  /// A run is kept whole or not at all: what the log has of other authors is vouched for.
  private func applyGroup(
    _ batch: ArraySlice<IncomingChangeset>, _ runEnds: [Int], _ offences: [Int: String],
    from peer: Author?, unless objection: Objection?, _ outcomes: inout [ApplyOutcome]
  ) throws {
    try begin(.remote, timeout: options.lockTimeout)
    let start = options.steadyClock()
    let former = outcomes.count
    do {
      let transaction = try current("applying changesets of peers")
      transaction.sender = peer
      var way: IncomingRun?
      for index in batch.indices {
        let run = batch[index...runEnds[index]]
        let refused =
          try offences[runEnds[index]].map { ApplyOutcome.refused(reason: $0) }
          ?? objection.flatMap { try leavingOut(batch[index], $0) }
          ?? leavingOut(unadmitted: batch[index], sealed: batch[runEnds[index]].seal != nil)
        guard
          let outcome = try refused
            ?? apply(run, &way, transaction, isFirst: outcomes.count == former)
        else { break }
        outcomes.append(outcome)
        try keepSeal(of: batch[index], outcome, way, transaction)
        switch outcome {
        case .applied, .branched, .duplicate, .deferred: break
        case .missing, .overflowing, .detached, .equivocation, .refused: way = nil
        }
        if transaction.isForking { break }
        if !outcome.isKept, let begin = runBegin(before: index, batch.startIndex, runEnds),
          outcomes.dropFirst(begin).contains(where: \.isKept)
        {
          abandon()
          outcomes.removeSubrange(former...)
          while outcomes.count < begin {
            try applyGroup(
              batch[outcomes.count..<begin], runEnds, offences, from: peer, unless: objection,
              &outcomes)
          }
          outcomes += Array(repeating: outcome, count: runEnds[index] + 1 - begin)
          return
        }
        guard index == runEnds[index] else { continue }
        if options.steadyClock().duration(since: start) >= Limits.remoteBatchHold { break }
      }
      if transaction.isForking, outcomes.last?.isKept != true {
        abandon()
      } else if transaction.grown.isEmpty, !transaction.hasNewIncarnation, !transaction.hasNewSeal {
        abandonUnchanged(transaction)
      } else {
        try finishApplying(transaction)
      }
    } catch {
      abandon()
      throw error
    }
  }

  /// The beginning, from `start` on, of the run in which a changeset stands; nil if it is the first of it.
  private func runBegin(before index: Int, _ start: Int, _ runEnds: [Int]) -> Int? {
    guard index > start, runEnds[index - 1] == runEnds[index] else { return nil }
    return (start...index).first { runEnds[$0] == runEnds[index] }
  }

  /// The outcome of a changeset that is not taken, as on a full disk; nil if it is.
  private func leavingOut(
    _ incoming: IncomingChangeset, _ objection: Objection
  ) throws -> ApplyOutcome? {
    let replica = incoming.author.replica
    return objection(replica, try memberIdentity(of: replica)).map {
      .overflowing(retryAfter: Limits.declinedPause, because: $0)
    }
  }

  /// The outcome of a changeset whose replica nobody has admitted, where the store has owners; nil if it is taken.
  ///
  /// A changeset without a seal comes from no peer: it was here before, or is this file's own.
  private func leavingOut(
    unadmitted incoming: IncomingChangeset, sealed isSealed: Bool
  ) throws -> ApplyOutcome? {
    let replica = incoming.author.replica
    guard storeID.isOwned, isSealed, replica != author.replica,
      !caches.admitted.contains(replica)
    else { return nil }
    guard try admissionBook.admission(of: replica) == nil else {
      caches.admitted.insert(replica)
      return nil
    }
    return .overflowing(retryAfter: Limits.declinedPause, because: .notAdmitted)
  }

  /// Takes the first changeset of a run; nil if it has to begin a group of its own.
  private func apply(
    _ run: ArraySlice<IncomingChangeset>, _ way: inout IncomingRun?,
    _ transaction: WriteTransaction, isFirst: Bool
  ) throws -> ApplyOutcome? {
    guard let incoming = run.first else { return nil }
    if incoming.author.commonHistory == author, incoming.sequence > (try own.sequence) {
      // Somebody has more of this author than the file: it is an old copy under a live name.
      try startIncarnation(transaction)
    }
    if try isInCheckpoint(incoming) {
      way = nil
      return .duplicate
    }
    if way?.leads(to: incoming) != true {
      switch try log.findAnchor(of: run) {
      case .found(let found): way = found
      case .none(let outcome): return outcome
      }
    }
    guard let hash = way?.next() else { return nil }
    guard
      let record = way?.record.flatMap({ authors[$0] }) ?? authors[incoming.author.commonHistory]
    else {
      return try admit(incoming, hash, nil, transaction)
    }
    if incoming.sequence <= record.storedHead.sequence {
      if try log.knownHash(record, incoming.sequence) == hash { return .duplicate }
    } else {
      let branches = record.children.compactMap { authors[$0] }.filter {
        $0.first <= incoming.sequence
      }
      for branch in branches {
        if try log.knownHash(branch, incoming.sequence) == hash {
          way?.record = branch.number
          return .duplicate
        }
        // Named here, by a checkpoint or a replay, before its first changeset has come.
        if branch.first == incoming.sequence, branch.storedHead.sequence < branch.first,
          branch.author.branch == hash.branch
        {
          way?.record = branch.number
          return try admit(incoming, hash, branch, transaction)
        }
      }
      guard !branches.isEmpty else { return try admit(incoming, hash, record, transaction) }
    }
    let outcome = try applyFork(incoming, hash, after: record, transaction, isFirst: isFirst)
    way = nil
    return outcome
  }

  /// Applies the next changeset of its author, or holds it if it may not be applied yet.
  func admit(
    _ incoming: IncomingChangeset, _ hash: ChainHash, _ record: AuthorRecord?,
    _ transaction: WriteTransaction
  ) throws -> ApplyOutcome {
    var declarations =
      try record.map(log.storedDeclarations) ?? DeclarationTable(author: incoming.author)
    let reader: ChangesetReader
    do {
      reader = try ChangesetReader(incoming.bytes, author: incoming.author)
      try declarations.adopt(reader.declarations)
      try declarations.validate(reader.dependencies)
    } catch {
      return .refused(reason: error.description)
    }
    guard reader.sequence == incoming.sequence else {
      return .refused(
        reason: "the changeset was offered as number \(incoming.sequence) and says it is "
          + "\(reader.sequence)")
    }
    // Anything new of a removed replica is not in the past of the removal.
    let isLeftOut =
      try record?.removal == nil && admissionBook.isRemoved(incoming.author.replica)
    var isSuperseded = isLeftOut || record?.isSuperseded(incoming.sequence) ?? false
    if let outcome = try check(reader.dependencies, declarations) {
      guard isSupersededInOriginal(incoming) else { return outcome }
      isSuperseded = true
    }
    let strangers = self.incoming.strangers.countBeyondBound(
      reader, record, from: transaction.sender, known: authors, at: options.steadyClock())
    if let count = strangers {
      return .overflowing(retryAfter: Limits.declinedPause, because: .authors(count))
    }
    let ahead = timeAhead(reader.time, of: record, incoming.sequence)
    let mayApply =
      try record.map(log.isParentApplied) != false
      && (isSuperseded || isApplied(reader.dependencies, declarations))
      && !contradictsCheckpoint(reader, of: record, declarations)
    guard mayApply, ahead == nil, record?.deferred == nil, !reader.isContinued else {
      return try `defer`(
        reader, incoming.bytes, hash, of: record, declarations, ahead: ahead, transaction)
    }
    let digests = transaction.digests
    var name = incoming.author
    try statement("SAVEPOINT changeset").run()
    do {
      let record = try record ?? authors.intern(reader.author)
      name = record.author
      if isLeftOut { try removalBook.leaveOut(record, from: reader.sequence) }
      try inherit(record, reader.sequence)
      try adopt(reader.declarations, declarations, of: record)
      if isSuperseded {
        try validate(reader, declarations)
        try carryOutSuperseding(reader, of: record)
      } else {
        try merge(reader, of: record)
      }
      try appendToLog(incoming.bytes, record, reader.sequence, hash, transaction)
    } catch {
      guard let reason = Self.refusal(error) else { throw error }
      try undo(transaction, to: "changeset")
      transaction.digests = digests
      return .refused(reason: reason)
    }
    try statement("RELEASE changeset").run()
    return .applied(ChangesetID(author: name, sequence: incoming.sequence, hash: hash))
  }

  /// Gives what a changeset declares its local meaning; `all` is what its author has declared by then.
  func adopt(
    _ declarations: [Declaration], _ all: DeclarationTable, of record: AuthorRecord
  ) throws {
    try tables.take(declarations, of: record)
    record.declarations = all
  }

  /// Reads, checks and merges one operation after the other, so that a large changeset needs no more
  /// memory than its bytes; an offence at the end takes back all before it.
  func merge(_ changeset: ChangesetReader, of record: AuthorRecord) throws {
    try log.adoptSeen(changeset.dependencies, of: record)
    let source = MergeSource(
      author: numbers[record], time: changeset.time, sequence: changeset.sequence)
    var reader = changeset
    var index: UInt32 = 0
    var run = CreationRun()
    // A replayed changeset was looked at when it came.
    let (book, isNew) = (admissionBook, transaction?.replayed == .max)
    while let operation = try reader.next() {
      try record.declarations.validate(
        operation, index: index, sequence: changeset.sequence, time: changeset.time)
      if isNew {
        try book.authorize(operation, by: record, index: index)
        if let word = record.declarations.ownersWord(operation) { try carryOut(word, source) }
      }
      try carryOut(operation, source, index: index, after: &run)
      index += 1
    }
    try tables.merge(&run, source)
    if log.endsReissue(record, changeset.sequence) { transaction?.needsRebuild = true }
    if changeset.sequence <= record.released {
      try log.raiseReleasedTime(to: changeset.time, by: record)
    }
    state.time = max(state.time, changeset.time)
  }

  /// Ends a transaction that applied changesets.
  func finishApplying(_ transaction: WriteTransaction) throws {
    if transaction.needsRebuild {
      // Changesets of others that depend on superseded ones wait until those are reissued.
      try rebuild(transaction, demoting: Demotion(own: own.number, isForOrder: true))
      try refreshAuthors()
    }
    _ = try finish(transaction)
  }

  /// Why a changeset alone is to blame for an error; nil if the file is.
  static func refusal(_ error: any Error) -> String? {
    switch error {
    case let error as MalformedChangeset: error.detail
    case let error as ChangesetError: error.description
    case let error as SQLiteError where error.code.primary == .tooBig: error.description
    case StorageError.noSuchProperty, StorageError.noSuchClass: "\(error)"
    default: nil
    }
  }

  /// Takes back what came after a savepoint, and reads again what that may have changed in memory.
  func undo(_ transaction: WriteTransaction, to savepoint: String) throws {
    try connection.execute("ROLLBACK TO \(savepoint); RELEASE \(savepoint)")
    transaction.forget()
    tables.views.clear()
    caches.admitted = []
    incoming.lastArrival = nil
    try reloadCatalog(catalog.revision)
    try rereadAuthors()
  }

  // MARK: Checks

  /// Returns the dependency that is missing, or known under another hash; nil if there is none.
  func check(
    _ dependencies: [Dependency], _ declarations: DeclarationTable
  ) throws -> ApplyOutcome? {
    var missing = VersionVector()
    for dependency in dependencies {
      guard let other = declarations[dependency.author] else { continue }
      guard try log.branch(of: other, with: dependency.sequence, dependency.hash) == nil else {
        continue
      }
      let known = authors.branches(of: other).first {
        $0.first <= dependency.sequence && dependency.sequence <= $0.storedHead.sequence
      }
      guard let known, let hash = try log.loggedHash(known, dependency.sequence) else {
        missing[other] = dependency.sequence
        continue
      }
      return .equivocation(
        known: ChangesetID(
          author: known.author, sequence: dependency.sequence, hash: hash),
        received: dependency.hash)
    }
    return missing.isEmpty ? nil : .missing(missing)
  }

  /// Starts a new incarnation inside the open transaction: of the same replica, or of another key's.
  func startIncarnation(_ transaction: WriteTransaction, of key: ReplicaKey? = nil) throws {
    transaction.hasNewIncarnation = true
    try state.startIncarnation(in: authors, of: connection, key: key, random: options.random)
    author = try own.author
    if key != nil { log.signer = state.signer }
  }
}
