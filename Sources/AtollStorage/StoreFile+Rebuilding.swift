import AtollChanges
import AtollSQLite
import AtollVocabulary

// All objects made anew from the log, without what was superseded.
extension StoreFile {
  /// What a rebuild with the clock put right does beyond replaying.
  struct Demotion {
    /// Of whom nothing is demoted: who writes here.
    let own: Int64
    /// Changesets that are held again because their stamps are too far ahead.
    var count = 0
    /// Authors of whom some are, by number.
    var authors: Set<Int64> = []
  }

  /// Replays the log in its order, inside the open transaction.
  ///
  /// Row ids are new, so that whoever has an object open sees it end rather than become another.
  ///
  /// - Parameters:
  ///   - transaction: The open one.
  ///   - demotion: What is held again meanwhile, if anything.
  ///   - isAfresh: Whether declarations are taken again too, since histories have forked.
  /// - Returns: What was demoted, if `demotion` asked for it.
  /// - Throws: If the file fails.
  @discardableResult
  func rebuild(
    _ transaction: WriteTransaction, demoting demotion: Demotion?, isAfresh: Bool = false
  ) throws -> Demotion? {
    try empty(transaction)
    if isAfresh { try connection.execute("UPDATE atoll_held SET declared = 0") }
    var demotion = demotion
    state.time = .zero
    try layBase(isAfresh: isAfresh)
    let log = try connection.prepare(
      "SELECT position, author, sequence, hash, bytes FROM atoll_log ORDER BY position")
    while try log.step() {
      guard let record = authors[log.int64(at: 1)], let hash = ChainHash(log.bytes(at: 3)) else {
        throw StorageError.damaged(path: path, detail: "a log entry has no author")
      }
      let sequence = SequenceNumber(log.uint64(at: 2))
      if let base = record.base, sequence <= base.sequence { continue }
      (transaction.replayed, unseenOperations) = (log.int64(at: 0), nil)
      if let waiting = record.waiting, sequence > record.sequence, sequence <= waiting.last,
        demotion?.authors.contains(record.number) != true
      {
        continue
      }
      if record.isSuperseded(sequence), !isAfresh { continue }
      let bytes = log.bytes(at: 4)
      let reader = try ChangesetReader(bytes, author: record.author)
      if isAfresh { try declare(reader, record) }
      if sequence == record.first { try inheritSeen(record) }
      if record.isSuperseded(sequence) { continue }
      if demotion != nil, try demote(reader, record, &demotion, log.int64(at: 0), hash, bytes.count)
      {
        continue
      }
      try merge(reader, of: record)
    }
    try saveSeen(by: authors.records)
    transaction.needsRebuild = false
    return demotion
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
    record.inherit(from: parent)
    try inheritSeen(record)
  }

  private func empty(_ transaction: WriteTransaction) throws {
    try emptyLedger()
    transaction.forget()
    views.clear()
    for entry in catalog.entries {
      entry.hasIdentities = nil
      guard !entry.isEmbedded else { continue }
      // The counter stays where it was, even if no object comes of it.
      let next = try nextID(entry)
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
    let isAhead = timeAhead(changeset.time, of: record, changeset.sequence) != nil
    let isBehind = demotion?.authors.contains(record.number) == true
    guard try isAhead || isBehind || !isApplied(changeset.dependencies, record.declarations) else {
      return false
    }
    if !isBehind {
      record.hash = try self.hash(record, before: changeset.sequence)
      record.sequence = previous(changeset.sequence)
      try storeHead(record)
      demotion?.authors.insert(record.number)
    }
    if isAhead { demotion?.count += 1 }
    try enterHeld(
      changeset, ChangesetID(author: record.author, sequence: changeset.sequence, hash: hash),
      of: record, at: position, size: size, isDeclared: true)
    return true
  }
}
