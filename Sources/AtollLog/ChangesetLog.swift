import AtollChanges
package import AtollSQLite
package import AtollVocabulary

/// The log of one file: every changeset stored here, its own and others', exact bytes in local order.
///
/// The log decides nothing about objects. It says what is stored, what of that is applied, what is deferred
/// and why, which branches an author has, and where the log starts. Confined to the thread of its file; a
/// write belongs to the transaction that its caller has open.
package final class ChangesetLog {
  package let authors: AuthorTable
  let connection: Connection
  let statement: FixedStatements
  /// The recent changesets of the checkpoint that the log goes on from; nil for a log by itself.
  package var checkpoint: (any CheckpointRecords)?
  /// The key of the replica that writes in the file; nil for a log by itself.
  package var signer: Signer? { didSet { lastSealed = nil } }
  /// The last signature made: many peers are given the same.
  var lastSealed: (id: ChangesetID, seal: Seal)?

  package init(_ statements: FixedStatements, authors: AuthorTable) {
    statement = statements
    connection = statements.connection
    self.authors = authors
  }

  // MARK: Writing

  /// Appends a changeset, applied or not; returns its position.
  package func append(
    _ bytes: [UInt8], _ record: AuthorRecord, _ sequence: SequenceNumber, _ hash: ChainHash
  ) throws(SQLiteError) -> Int64 {
    let statement = try statement(
      """
      INSERT INTO atoll_log (position, author, sequence, hash, bytes)
      VALUES ((SELECT max(coalesce(max(position), 0), (SELECT ifnull(max(last), 0)
        FROM atoll_backlog)) + 1 FROM atoll_log), ?, ?, ?, ?)
      """)
    statement.bind(record.number, at: 1)
    statement.bind(sequence.rawValue, at: 2)
    statement.bind(hash.bytes, at: 3)
    try statement.run(binding: bytes, at: 4)
    return connection.lastInsertedRow
  }

  /// Makes a stored changeset its author's last applied one.
  package func advance(
    _ record: AuthorRecord, to sequence: SequenceNumber, _ hash: ChainHash
  ) throws(SQLiteError) {
    record.sequence = sequence
    record.hash = hash
    try authors.storeHead(record)
  }

  /// Records the peer that delivered an entry and those after it; nil for one that no link brought.
  package func recordArrival(at position: Int64, by peer: Author?) throws(SQLiteError) {
    let statement = try statement(
      "INSERT OR REPLACE INTO atoll_arrival (position, peer) VALUES (?, ?)")
    statement.clear()
    statement.bind(position, at: 1)
    if let peer { statement.bind(peer.bytes, at: 2) }
    try statement.run()
  }

  // MARK: One entry

  /// The bytes and hash of an entry; nil if the log does not have it.
  package func entry(
    _ record: AuthorRecord, _ sequence: SequenceNumber
  ) throws(SQLiteError) -> (bytes: [UInt8], hash: ChainHash)? {
    let statement = try statement(
      "SELECT bytes, hash FROM atoll_log WHERE author = ? AND sequence = ?")
    statement.bind(record.number, at: 1)
    statement.bind(sequence.rawValue, at: 2)
    defer { statement.reset() }
    guard try statement.step(), let hash = ChainHash(statement.bytes(at: 1)) else { return nil }
    return (statement.bytes(at: 0), hash)
  }

  /// The hash of an entry; nil if the log does not have it.
  package func loggedHash(
    _ record: AuthorRecord, _ sequence: SequenceNumber
  ) throws(SQLiteError) -> ChainHash? {
    try loggedHash(record.number, sequence)
  }

  /// The hash of an entry of the author with a number, which the table in memory may not know yet.
  func loggedHash(
    _ number: Int64, _ sequence: SequenceNumber
  ) throws(SQLiteError) -> ChainHash? {
    let statement = try statement("SELECT hash FROM atoll_log WHERE author = ? AND sequence = ?")
    statement.bind(number, at: 1)
    statement.bind(sequence.rawValue, at: 2)
    defer { statement.reset() }
    return try statement.step() ? ChainHash(statement.bytes(at: 0)) : nil
  }

  /// The hash of a changeset as far as the log or the checkpoint has it.
  package func knownHash(
    _ record: AuthorRecord, _ sequence: SequenceNumber
  ) throws -> ChainHash? {
    if let hash = record.hashWithoutLog(of: sequence) { return hash }
    return try loggedHash(record, sequence) ?? checkpoint?.recentHash(record, sequence)
  }

  /// The time of a changeset that is here; 0 for none.
  package func time(of record: AuthorRecord, _ sequence: SequenceNumber) throws -> UInt64 {
    guard sequence > .none else { return 0 }
    if let known = record.knownTime, known.sequence == sequence { return known.time }
    let statement = try statement(
      """
      SELECT substr(bytes, 1, \(ChangesetReader.timePrefix)) FROM atoll_log
      WHERE author = ? AND sequence = ?
      """)
    statement.bind(record.number, at: 1)
    statement.bind(sequence.rawValue, at: 2)
    defer { statement.reset() }
    // Of what came with the checkpoint only the last times are known.
    guard try statement.step() else {
      return try checkpoint?.recentTime(record, sequence) ?? record.checkpoint?.time ?? 0
    }
    guard let time = ChangesetReader.time(in: statement.bytes(at: 0)) else { return 0 }
    record.knownTime = (sequence, time.rawValue)
    return time.rawValue
  }

  /// The changeset that an author wrote at a time; times ascend with the numbers.
  package func sequence(of record: AuthorRecord, at time: UInt64) throws -> SequenceNumber? {
    var (low, high) = (record.first.rawValue, record.sequence.rawValue)
    while low <= high {
      let middle = low + (high - low) / 2
      let found = try self.time(of: record, SequenceNumber(middle))
      if found == time { return SequenceNumber(middle) }
      if found < time { low = middle + 1 } else { high = middle - 1 }
    }
    return nil
  }

  /// The peer that delivered an entry, if it is not this file's own.
  package func arrival(of position: Int64) throws(SQLiteError) -> Author? {
    let statement = try statement(
      "SELECT peer FROM atoll_arrival WHERE position <= ? ORDER BY position DESC LIMIT 1")
    statement.bind(position, at: 1)
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(at: 0) else { return nil }
    let bytes = statement.bytes(at: 0)
    guard bytes.count >= 24, let replica = ReplicaID(bytes: Array(bytes[..<16])) else { return nil }
    let incarnation = bytes[16..<24].reduce(0) { $0 << 8 | UInt64($1) }
    return Author(replica: replica, incarnation: Incarnation(incarnation))
  }
}

/// The interface that a log needs of the store that keeps its checkpoint: the last changesets of each author
/// that came with it, of which there are hash and time and no bytes.
package protocol CheckpointRecords {
  /// Nil for one that the checkpoint does not have, or too far back.
  func recentHash(_ record: AuthorRecord, _ sequence: SequenceNumber) throws -> ChainHash?
  func recentTime(_ record: AuthorRecord, _ sequence: SequenceNumber) throws -> UInt64?
}

extension SequenceNumber {
  /// The one before; 0 before the first.
  package var previous: SequenceNumber { SequenceNumber(rawValue == 0 ? 0 : rawValue - 1) }
}
