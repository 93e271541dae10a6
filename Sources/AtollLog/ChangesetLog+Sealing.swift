package import AtollChanges
package import AtollSQLite
package import AtollVocabulary

// Seals in the log. Of other replicas' changesets an entry has the seal that came with it, which is that of the
// last of a run; it vouches for those before it. A run comes into the log whole or not at all, so what others wrote is
// vouched for; but for what lies below a checkpoint, which comes in parts. One's own are signed when they are read for
// a peer.
//
//     log    A:1  A:2  A:3✓  own:1  own:2  B:1✓  ┊ read ends
//     given  A:1  A:2  A:3✓  own:1  own:2✓ B:1✓
extension ChangesetLog {
  /// The entries that one seal vouches for, from the first that a peer lacks on.
  ///
  /// - Parameters:
  ///   - entry: The first, as it was read.
  ///   - number: Its author's.
  /// - Returns: The entries in their order, the last one sealed; none if no seal for them has come yet.
  /// - Throws: If the file fails.
  func sealedGroup(from entry: LogEntry, of number: Int64) throws -> [LogEntry] {
    if isOwn(entry.id.author) { return [entry] }
    var group = [entry]
    var last = (history: History(number: number, author: entry.id.author), entry: entry)
    while last.entry.seal == nil {
      guard let next = try next(after: last.entry, of: last.history) else { return [] }
      group.append(next.entry)
      last = next
    }
    return group
  }

  /// An author, or one of its branches, as the file has it now, whatever the table in memory knows.
  private struct History {
    var number: Int64
    var author: Author
  }

  /// The entry that goes on from another: of the same history, or of a branch of it with a seal further on.
  private func next(
    after last: LogEntry, of history: History
  ) throws -> (history: History, entry: LogEntry)? {
    let sequence = last.id.sequence.next
    if let entry = try logged(sequence, of: history) { return (history, entry) }
    for branch in try branches(of: history, from: sequence) {
      guard let entry = try logged(sequence, of: branch),
        !ChangesetReader.namesDependencies(entry.bytes)
      else { continue }
      return (branch, entry)
    }
    return nil
  }

  /// The branches that begin with a changeset, and of which a seal has come.
  private func branches(
    of history: History, from sequence: SequenceNumber
  ) throws(SQLiteError) -> [History] {
    let statement = try statement(
      """
      SELECT number, replica, incarnation, branch FROM atoll_author a
      WHERE parent = ? AND first = ? AND EXISTS (
        SELECT 1 FROM atoll_log l WHERE l.author = a.number AND seal IS NOT NULL)
      """)
    statement.bind(history.number, at: 1)
    statement.bind(sequence.rawValue, at: 2)
    var found: [History] = []
    while try statement.step() {
      guard let author = Author(statement, at: (replica: 1, incarnation: 2, branch: 3)) else {
        continue
      }
      found.append(History(number: statement.int64(at: 0), author: author))
    }
    return found
  }

  private func logged(_ sequence: SequenceNumber, of history: History) throws -> LogEntry? {
    let statement = try statement(
      "SELECT position, hash, bytes, seal FROM atoll_log WHERE author = ? AND sequence = ?")
    statement.bind(history.number, at: 1)
    statement.bind(sequence.rawValue, at: 2)
    defer { statement.reset() }
    guard try statement.step(), let hash = ChainHash(statement.bytes(at: 1)) else { return nil }
    return LogEntry(
      position: LogPosition(statement.int64(at: 0)),
      id: ChangesetID(author: history.author, sequence: sequence, hash: hash),
      bytes: statement.bytes(at: 2), seal: try seal(statement, at: 3, of: history.author))
  }

  /// The seal in a column; nil if there is none.
  func seal(_ row: Statement, at column: Int32, of author: Author) throws -> Seal? {
    guard !row.isNull(at: column), let key = try publicKey(of: author.replica) else { return nil }
    return Seal(key + row.bytes(at: column))
  }

  private func publicKey(of replica: ReplicaID) throws(SQLiteError) -> [UInt8]? {
    let statement = try statement("SELECT key FROM atoll_replica_key WHERE replica = ?")
    statement.bind(replica.bytes, at: 1)
    defer { statement.reset() }
    return try statement.step() ? statement.bytes(at: 0) : nil
  }

  // MARK: One's own

  /// Tells whether this file has the key of an author.
  func isOwn(_ author: Author) -> Bool { author.replica == signer?.key.replica }

  /// Signs what is this replica's own among entries that go to a peer: as little as will do for all of it.
  func sealOwn(_ entries: inout [LogEntry]) {
    guard let signer else { return }
    var length = 0
    for index in entries.indices where isOwn(entries[index].id.author) {
      length += 1
      let goesOn =
        length < Limits.runChangesets && index + 1 < entries.count
        && entries[index].mayGoOn(with: entries[index + 1])
      guard !goesOn else { continue }
      entries[index].seal = seal(entries[index].id, signer)
      length = 0
    }
  }

  /// The seal of a changeset: this replica's own is signed; nil if the log has none for that very one of another's.
  package func seal(of id: ChangesetID, _ record: AuthorRecord) throws -> Seal? {
    if let signer, isOwn(id.author) { return seal(id, signer) }
    let history = History(number: record.number, author: record.author)
    guard let entry = try logged(id.sequence, of: history), entry.id.hash == id.hash else {
      return nil
    }
    return entry.seal
  }

  private func seal(_ id: ChangesetID, _ signer: Signer) -> Seal {
    if let lastSealed, lastSealed.id == id { return lastSealed.seal }
    let seal = signer.key.seal(id, in: signer.storeID)
    lastSealed = (id, seal)
    return seal
  }

  /// Signs all that an author wrote here, for the time when its key is not in the file any more.
  package func sealAll(of record: AuthorRecord, with signer: Signer) throws {
    let known = self.signer
    self.signer = signer
    defer { self.signer = known }
    let history = History(number: record.number, author: record.author)
    var stretch: [LogEntry] = []
    var size = 0
    func store() throws {
      sealOwn(&stretch)
      for entry in stretch {
        if let seal = entry.seal { try self.store(seal, of: record.number, entry.id) }
      }
      (stretch, size) = ([], 0)
    }
    var last = SequenceNumber.none
    while let sequence = try next(after: last, of: history),
      let entry = try logged(sequence, of: history)
    {
      last = sequence
      size += entry.bytes.count
      stretch.append(entry)
      if size >= Limits.batchBytes { try store() }
    }
    try store()
  }

  private func next(
    after sequence: SequenceNumber, of history: History
  ) throws(SQLiteError) -> SequenceNumber? {
    let statement = try statement(
      "SELECT min(sequence) FROM atoll_log WHERE author = ? AND sequence > ?")
    statement.bind(history.number, at: 1)
    statement.bind(sequence.rawValue, at: 2)
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(at: 0) else { return nil }
    return SequenceNumber(statement.uint64(at: 0))
  }

  // MARK: Others'

  /// Keeps the seal of an entry, if the log has that very changeset; whether there was none.
  @discardableResult
  package func store(
    _ seal: Seal, of number: Int64, _ id: ChangesetID
  ) throws(SQLiteError) -> Bool {
    let statement = try statement(
      """
      UPDATE atoll_log SET seal = ? WHERE author = ? AND sequence = ? AND hash = ? AND seal IS NULL
      """)
    statement.bind(seal.signature, at: 1)
    statement.bind(number, at: 2)
    statement.bind(id.sequence.rawValue, at: 3)
    statement.bind(id.hash.bytes, at: 4)
    try statement.run()
    guard connection.changedRows > 0 else { return false }
    let key = try self.statement(
      "INSERT OR IGNORE INTO atoll_replica_key (replica, key) VALUES (?, ?)")
    key.bind(id.author.replica.bytes, at: 1)
    key.bind(seal.publicKey, at: 2)
    try key.run()
    return true
  }
}

/// The key of a replica, and the store for which it signs.
package struct Signer {
  package let key: ReplicaKey
  package let storeID: StoreID

  package init(key: ReplicaKey, storeID: StoreID) {
    self.key = key
    self.storeID = storeID
  }
}
