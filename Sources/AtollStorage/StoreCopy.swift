import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

/// A whole copy of a store file in the making.
///
/// It grows beside its destination, as `<destination>-partial`, and gets its name when it is complete,
/// checked and on the disk; so that what has the name is a whole store, whenever the power goes.
struct StoreCopy {
  /// The purpose of the copy, for errors.
  let purpose: String
  let destination: String
  /// True if what has the name now is moved away before the copy gets it.
  var replaces = false

  var partial: String { destination + "-partial" }

  /// Copies everything that `source` sees on one snapshot, while others go on writing.
  func fill(from source: Connection) throws {
    try filling {
      let statement = try source.prepare("VACUUM INTO ?")
      defer { statement.finalize() }
      statement.bind(partial, at: 1)
      try statement.run()
    }
  }

  /// Copies everything that `source` sees on the snapshot that it reads, which need not be the newest.
  func fill(fromSnapshotOf source: Connection) throws {
    try filling {
      let copy = try Connection(path: partial, access: .readWrite)
      defer { copy.close() }
      try source.copyPages(to: copy)
      // Everything is in one file then.
      _ = try copy.texts("PRAGMA journal_mode = DELETE")
    }
  }

  /// Makes the new file, for its owner only, and runs what writes it.
  private func filling(_ write: () throws -> Void) throws {
    guard replaces || FileFacts(path: destination) == nil else { throw taken(destination) }
    do {
      try FileFacts.makeNew(path: partial)
    } catch  where error.isTaken {
      throw StorageError.alreadyThere(
        path: partial, doing: purpose,
        remedy: "Wait for the copy that is being made there; if none is, remove that file")
    } catch {
      throw StorageError(error, doing: purpose)
    }
    do {
      try write()
      // A log of the original that is left beside the copy is not its own.
      let copy = try Connection(path: partial, access: .readWrite)
      defer { copy.close() }
      try LogMark.renew(copy, token: SystemClock.random())
    } catch let error as SQLiteError {
      guard error.isDiskFull else { throw error }
      // Nothing is written to the source.
      throw StorageError.diskFull(path: destination, doing: purpose)
    }
  }

  /// Returns the faults of the copy; the whole log is applied anew unless `isQuick`.
  func findings(isQuick: Bool) throws -> [String] {
    let file = try StoreFile.open(
      partial, options: StoreOptions(isReadOnly: true, mayCreate: false))
    defer { file.close() }
    return isQuick
      ? try file.connection.texts("PRAGMA integrity_check").filter { $0 != "ok" }
      : try file.verify()
  }

  /// Checks the copy and refuses it if anything is wrong.
  func check(isQuick: Bool) throws {
    let findings = try findings(isQuick: isQuick)
    guard findings.isEmpty else {
      throw StorageError.unsound(path: destination, doing: purpose, findings: findings)
    }
  }

  /// Makes the copy another incarnation, or another replica.
  func startIncarnation(
    key: ReplicaKey?, roster: CopiedRoster, random: () -> UInt64
  ) throws -> Author {
    try changing { connection, state, authors in
      let key = key ?? (state.key == nil ? ReplicaKey(random: random) : nil)
      try state.startIncarnation(in: authors, of: connection, key: key, random: random)
      guard let record = authors[state.author] else {
        throw StorageError.damaged(path: destination, detail: "its own author is missing")
      }
      // Peers have told another replica what they have.
      if key != nil { try connection.execute("DELETE FROM atoll_known") }
      try roster.write(on: connection)
      // A code that was made once is to be used once.
      try connection.execute("UPDATE atoll_trust SET secret = NULL, expires = NULL")
      // A copy is made to be used.
      try connection.execute("DELETE FROM atoll_pause")
      // The file keeps its inode when it gets its name, so that it is at home there.
      try FileIdentity(path: partial).store(connection)
      return record.author
    }
  }

  /// Takes the replica's key out of the copy.
  func removeKey() throws {
    try changing { connection, state, authors in try state.removeKey(authors, of: connection) }
  }

  /// Changes the copy in one transaction, which leaves nothing of what it overwrites, such as a key.
  private func changing<Result>(
    _ body: (Connection, inout StoreState, AuthorTable) throws -> Result
  ) throws -> Result {
    let connection = try Connection(path: partial, access: .readWrite)
    defer { connection.close() }
    try QueryFunctions.register(on: connection)
    try connection.execute("PRAGMA secure_delete = ON; PRAGMA synchronous = FULL; BEGIN IMMEDIATE")
    var state = try StoreState(reading: connection)
    let authors = AuthorTable(on: connection)
    try authors.refresh()
    let result = try body(connection, &state, authors)
    try connection.execute("COMMIT")
    return result
  }

  /// Gives the copy its name, once its bytes are on the disk.
  func finish() throws {
    do {
      try FileFacts.synchronise(path: partial)
      try FileFacts.move(partial, to: destination)
    } catch  where error.isTaken {
      throw taken(destination)
    } catch {
      throw StorageError(error, doing: purpose)
    }
  }

  /// Runs the steps of making the copy; what is half made when one fails is taken away.
  func making<Result>(_ steps: () throws -> Result) throws -> Result {
    do {
      return try steps()
    } catch {
      if case StorageError.alreadyThere = error { throw error }
      try? FileFacts.remove(path: partial)
      throw error
    }
  }

  func taken(_ path: String) -> StorageError {
    .alreadyThere(
      path: path, doing: purpose, remedy: "Choose another name, or move that file away first")
  }
}

/// The roster of a copy.
enum CopiedRoster {
  /// Those whom the original does.
  case taken
  case leftOut
  /// Those of another file.
  case replaced([RosterEntry])

  func write(on connection: Connection) throws {
    let entries: [RosterEntry]
    switch self {
    case .taken: return
    case .leftOut: entries = []
    case .replaced(let others): entries = others
    }
    try connection.execute("DELETE FROM atoll_roster; DELETE FROM atoll_pinned")
    let statement = try connection.prepare(
      "INSERT INTO atoll_roster (identity, name, role, addresses) VALUES (?, ?, ?, ?)")
    for entry in entries {
      statement.bind(entry.identity.bytes, at: 1)
      statement.bind(entry.name, at: 2)
      statement.bind(entry.role.rawValue, at: 3)
      statement.bind(entry.addresses.joined(separator: "\n"), at: 4)
      try statement.run()
    }
    try connection.execute("UPDATE atoll_trust SET version = version + 1")
  }
}
