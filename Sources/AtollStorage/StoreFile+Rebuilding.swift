import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

// All objects made anew from the log, without what was superseded.
extension StoreFile {
  /// The additional work of a rebuild with a corrected clock, beyond replaying.
  struct Demotion {
    /// Of whom nothing is demoted: who writes here.
    let own: Int64
    /// Changesets that are deferred again because their stamps are too far ahead.
    var count = 0
    /// Authors of whom some are, by number.
    var authors: Set<Int64> = []
    /// True if only that is demoted which depends on what is not there, and nothing for its stamp.
    var isForOrder = false

    init(own: Int64, isForOrder: Bool = false) {
      self.own = own
      self.isForOrder = isForOrder
    }

    /// Tells whether an earlier changeset of the author, or of the history it goes on from, is demoted.
    func holdsBack(_ record: AuthorRecord) -> Bool {
      authors.contains(record.number) || authors.contains(record.parent)
    }
  }

  /// The progress of a replay of the log.
  ///
  /// An entry that depends on reissued changesets, and stands in the log before them, is postponed until
  /// they are replayed: others apply it after them.
  private struct Replay {
    let isAfresh: Bool
    var demotion: Demotion?
    /// True if anything is postponed.
    var isOrdered = false
    /// Log positions.
    var postponed: [Int64] = []
    /// The first of each author of whom some are, by number.
    var firstPostponed: [Int64: SequenceNumber] = [:]
    /// The last replayed sequence of each author, by number.
    var reached: [Int64: SequenceNumber] = [:]

    init(isAfresh: Bool, demotion: Demotion?) {
      self.isAfresh = isAfresh
      self.demotion = demotion
    }
  }

  /// Replays the log in its order, inside the open transaction.
  ///
  /// Row ids are new, so that whoever has an object open sees it end rather than become another.
  ///
  /// - Parameters:
  ///   - transaction: The open one.
  ///   - demotion: The changesets to defer again meanwhile, if any.
  ///   - isAfresh: Whether declarations are taken again too, since histories have forked.
  /// - Returns: What was demoted, if `demotion` asked for it.
  /// - Throws: If the file fails.
  @discardableResult
  func rebuild(
    _ transaction: WriteTransaction, demoting demotion: Demotion?, isAfresh: Bool = false
  ) throws -> Demotion? {
    try empty(transaction)
    transaction.replaysAgain = false
    if isAfresh { try log.forgetDeclared() }
    state.time = .zero
    try layCheckpoint(isAfresh: isAfresh)
    var replay = Replay(isAfresh: isAfresh, demotion: demotion)
    replay.isOrdered = authors.records.contains { !$0.reissued.isEmpty }
    try log.forEachEntry { try take($0, &replay, transaction) }
    try replayPostponed(&replay, transaction)
    try log.saveSeen(by: authors.records)
    (transaction.needsRebuild, transaction.replayed) = (false, .max)
    // Changesets that count again, since a removal is void, may supersede; each time round, something more does.
    if try removalBook.takeBackThoseOfOwners() || transaction.replaysAgain {
      try rebuild(transaction, demoting: nil, isAfresh: isAfresh)
    }
    return replay.demotion
  }

  /// Replays postponed changesets, until none is left that may come now.
  private func replayPostponed(_ replay: inout Replay, _ transaction: WriteTransaction) throws {
    while !replay.postponed.isEmpty {
      let positions = replay.postponed
      (replay.postponed, replay.firstPostponed) = ([], [:])
      for position in positions {
        if let entry = try log.entry(at: position) { try take(entry, &replay, transaction) }
      }
      // A changeset that waits for changesets that are not here is this file's own.
      replay.isOrdered = replay.postponed.count < positions.count
    }
  }

  /// Replays an entry of the log, unless it does not count, or not yet.
  private func take(
    _ entry: ChangesetLog.StoredEntry, _ replay: inout Replay, _ transaction: WriteTransaction
  ) throws {
    let (record, position, sequence) = (entry.record, entry.position, entry.sequence)
    if let checkpoint = record.checkpoint, sequence <= checkpoint.sequence { return }
    (transaction.replayed, tables.ledger.unseen) = (position, nil)
    if let deferred = record.deferred, sequence > record.sequence, sequence <= deferred.last,
      replay.demotion?.authors.contains(record.number) != true
    {
      return
    }
    if record.isSuperseded(sequence), !replay.isAfresh, replay.demotion?.holdsBack(record) != true {
      replay.reached[record.number] = sequence
      try carryOutSuperseding(ChangesetReader(entry.bytes, author: record.author), of: record)
      return
    }
    let reader = try ChangesetReader(entry.bytes, author: record.author)
    if replay.isOrdered, try isEarly(reader, record, replay) {
      replay.postponed.append(position)
      if replay.firstPostponed[record.number] == nil {
        replay.firstPostponed[record.number] = sequence
      }
      return
    }
    replay.reached[record.number] = sequence
    if replay.isAfresh { try declare(reader, record) }
    if sequence == record.first { try log.inheritSeen(record) }
    if replay.demotion != nil,
      try demote(reader, record, &replay.demotion, position, entry.hash, entry.bytes.count)
    {
      return
    }
    if record.isSuperseded(sequence) { return try carryOutSuperseding(reader, of: record) }
    try merge(reader, of: record)
  }

  /// Tells if an entry depends on reissued changesets that come later in the log.
  private func isEarly(
    _ changeset: ChangesetReader, _ record: AuthorRecord, _ replay: Replay
  ) throws -> Bool {
    if replay.firstPostponed[record.number] != nil { return true }
    if let parent = authors[record.parent], changeset.sequence == record.first,
      replay.firstPostponed[parent.number] != nil
    {
      return true
    }
    var declarations = record.declarations
    if replay.isAfresh {
      // Before its first changeset a history has declared what the one before it has.
      if changeset.sequence == record.first, let parent = authors[record.parent] {
        declarations = parent.declarations
      }
      try declarations.adopt(changeset.declarations)
    }
    return try changeset.dependencies.contains { dependency in
      guard let author = declarations[dependency.author],
        let other = try log.branch(of: author, with: dependency.sequence, dependency.hash)
      else { return false }
      if let first = replay.firstPostponed[other.number], first <= dependency.sequence {
        return true
      }
      return !log.isReissued(other, dependency.sequence) { writer in
        replay.reached[writer.number] ?? writer.checkpoint?.sequence ?? .none
      }
    }
  }

  private func declare(_ changeset: ChangesetReader, _ record: AuthorRecord) throws {
    try inherit(record, changeset.sequence)
    var declarations = record.declarations
    try declarations.adopt(changeset.declarations)
    try adopt(changeset.declarations, declarations, of: record)
  }

  /// Before the first changeset of a history: what it goes on with.
  func inherit(_ record: AuthorRecord, _ sequence: SequenceNumber) throws {
    guard sequence == record.first, let parent = authors[record.parent] else { return }
    numbers.inherit(record, from: parent)
    try log.inheritSeen(record)
  }

  /// Takes all rows out of the tables, for what is put in anew.
  func empty(_ transaction: WriteTransaction) throws {
    try tables.emptyLedger()
    transaction.forget()
    tables.views.clear()
    for entry in catalog.entries {
      entry.hasIdentities = nil
      guard !entry.isEmbedded else { continue }
      // The counter stays where it was, even if no object comes of it.
      let next = try tables.nextID(entry)
      entry.nextID = next
      transaction.goneIDs[entry.id] = next - 1
      let rows = try connection.prepare("SELECT _id FROM \(entry.table.sql)")
      while try rows.step() { transaction.changes.delete(rows.int64(at: 0), of: entry.id) }
    }
    let stored = Set(try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'table'"))
    for table in catalog.tables where stored.contains(table.name) {
      try connection.execute("DELETE FROM \(table.sql)")
    }
    try connection.execute(
      "DELETE FROM atoll_dead; DELETE FROM atoll_ghost; DELETE FROM atoll_digest")
    transaction.digests = DigestGrowth()
  }

  /// Holds a changeset again that is too far ahead now, or behind such a one; whether it was.
  private func demote(
    _ changeset: ChangesetReader, _ record: AuthorRecord, _ demotion: inout Demotion?,
    _ position: Int64, _ hash: ChainHash, _ size: Int
  ) throws -> Bool {
    guard let own = demotion?.own, record.number != own else { return false }
    let isAhead =
      demotion?.isForOrder != true
      && timeAhead(changeset.time, of: record, changeset.sequence) != nil
    // A superseded changeset needs nothing but its place in its author's row.
    guard
      try isAhead || demotion?.holdsBack(record) == true
        || !record.isSuperseded(changeset.sequence)
          && !isApplied(changeset.dependencies, record.declarations)
    else { return false }
    if demotion?.authors.contains(record.number) != true {
      try log.advance(
        record, to: changeset.sequence.previous,
        try log.hash(record, before: changeset.sequence))
      demotion?.authors.insert(record.number)
    }
    if isAhead { demotion?.count += 1 }
    try log.defer(changeset, hash, of: record, at: position, size: size, isDeclared: true)
    return true
  }
}
