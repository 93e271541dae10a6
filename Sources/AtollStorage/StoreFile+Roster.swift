import AtollSQLite
package import AtollVocabulary

// The nodes that may connect, the keys by which replicas are known, and whether anything is exchanged at all.
// Not replicated, and no commit: applications need not look.
extension StoreFile {
  /// Rises with every change of the roster, by whatever process; cheap to ask for.
  package func rosterVersion() throws(StorageError) -> Int64 {
    try doing("looking for changes of the roster") {
      let statement = try statement("SELECT version FROM atoll_trust")
      defer { statement.reset() }
      return try statement.step() ? statement.int64(at: 0) : 0
    }
  }

  /// The nodes that may connect, ascending by name.
  package func roster() throws(StorageError) -> [RosterEntry] {
    try doing("reading the roster") {
      let statement = try statement("SELECT identity, name, role, addresses FROM atoll_roster")
      defer { statement.reset() }
      var entries: [RosterEntry] = []
      while try statement.step(), entries.count < Limits.rosterEntries {
        guard let identity = NodeIdentity(bytes: statement.bytes(at: 0)) else { continue }
        // A role of a later build may do what it may in any: nothing but get what there is.
        entries.append(
          RosterEntry(
            identity: identity, name: statement.string(at: 1),
            role: PeerRole(rawValue: statement.string(at: 2)) ?? .read,
            addresses: statement.string(at: 3).split(separator: "\n").map(String.init)))
      }
      return entries.sorted { ($0.name, $0.identity) < ($1.name, $1.identity) }
    }
  }

  /// Lets a node connect, or changes what it may do.
  ///
  /// - Throws: `tooLarge` beyond `Limits.rosterEntries`, or for a name, or addresses, over theirs.
  package func admit(_ entry: RosterEntry) throws(StorageError) {
    let sizes = [
      ("a node's name", entry.name.utf8.count, Limits.replicaNameBytes),
      ("a node's list of addresses", entry.addresses.count, Limits.peerAddresses),
    ]
    for (what, size, limit) in sizes where size > limit {
      throw .tooLarge(what: what, size: size, limit: limit)
    }
    let others = try roster().count { $0.identity != entry.identity }
    guard others < Limits.rosterEntries else {
      throw .tooLarge(what: "the roster", size: others + 1, limit: Limits.rosterEntries)
    }
    try changeTrust("changing the roster") {
      let statement = try statement(
        "INSERT OR REPLACE INTO atoll_roster (identity, name, role, addresses) VALUES (?, ?, ?, ?)")
      statement.bind(entry.identity.bytes, at: 1)
      statement.bind(entry.name, at: 2)
      statement.bind(entry.role.rawValue, at: 3)
      statement.bind(entry.addresses.joined(separator: "\n"), at: 4)
      try statement.run()
    }
  }

  /// Lets a node connect no more.
  package func revoke(_ identity: NodeIdentity) throws(StorageError) {
    try changeTrust("changing the roster") {
      for table in ["atoll_roster", "atoll_pinned"] {
        let statement = try statement("DELETE FROM \(table) WHERE identity = ?")
        statement.bind(identity.bytes, at: 1)
        try statement.run()
      }
    }
  }

  // MARK: Pairing

  /// Waits for a node that knows the secret, `Limits.pairingTimeout` at most; replaces another secret.
  package func offerPairing(_ secret: [UInt8]) throws(StorageError) {
    let timeout = Int64(Limits.pairingTimeout / .milliseconds(1))
    try changeTrust("offering to pair") {
      let statement = try statement("UPDATE atoll_trust SET secret = ?, expires = ?")
      statement.bind(secret, at: 1)
      statement.bind(options.wallClock().milliseconds + timeout, at: 2)
      try statement.run()
    }
  }

  /// The secret that is waited for.
  ///
  /// - Returns: Nil if none is; one that is too old is forgotten.
  package func offeredPairing() throws(StorageError) -> [UInt8]? {
    let found = try doing("looking for an offer to pair") {
      () -> (secret: [UInt8], until: Int64)? in
      let statement = try statement(
        "SELECT secret, expires FROM atoll_trust WHERE secret IS NOT NULL")
      defer { statement.reset() }
      return try statement.step() ? (statement.bytes(at: 0), statement.int64(at: 1)) : nil
    }
    guard let found else { return nil }
    let now = options.wallClock().milliseconds
    // A clock that was set back makes a code no younger than it was when it was made.
    let timeout = Int64(Limits.pairingTimeout / .milliseconds(1))
    if (now...(now + timeout)).contains(found.until) { return found.secret }
    try endPairing()
    return nil
  }

  /// Waits for nobody any more: the secret was used, or tried too often.
  package func endPairing() throws(StorageError) {
    try changeTrust("using a pairing code") {
      try statement("UPDATE atoll_trust SET secret = NULL, expires = NULL").run()
    }
  }

  // MARK: Keys

  // By which keys replicas have shown themselves, on links of their own. Like the roster it is never sent: what
  // is replicated of a replica's key anybody may have written.

  /// The key of each replica that has shown one.
  package func pinnedIdentities() throws(StorageError) -> [ReplicaID: NodeIdentity] {
    try doing("reading the keys of replicas") {
      let statement = try statement("SELECT replica, identity FROM atoll_pinned")
      defer { statement.reset() }
      var pinned: [ReplicaID: NodeIdentity] = [:]
      while try statement.step() {
        guard let replica = ReplicaID(bytes: statement.bytes(at: 0)) else { continue }
        pinned[replica] = NodeIdentity(bytes: statement.bytes(at: 1))
      }
      return pinned
    }
  }

  /// Remembers the key of a replica that has shown none before; what was pinned stays.
  package func pin(_ replica: ReplicaID, to identity: NodeIdentity) throws(StorageError) {
    try changeTrust("remembering the key of a replica") {
      let statement = try statement(
        "INSERT OR IGNORE INTO atoll_pinned (replica, identity) VALUES (?, ?)")
      statement.bind(replica.bytes, at: 1)
      statement.bind(identity.bytes, at: 2)
      try statement.run()
    }
  }

  // MARK: Pausing

  /// Since when nothing is exchanged with other nodes, by this machine's clock; nil while it is.
  package func pausedSince() throws(StorageError) -> WallTime? {
    try doing("looking whether exchange is paused") {
      let statement = try statement("SELECT since FROM atoll_pause")
      defer { statement.reset() }
      return try statement.step() ? WallTime(milliseconds: statement.int64(at: 0)) : nil
    }
  }

  /// Stops the exchange with other nodes until ``resume()``, in whatever process serves the file.
  ///
  /// Writing goes on, and so do applications of the same file.
  package func pause() throws(StorageError) {
    try changeTrust("pausing exchange") {
      let statement = try statement("INSERT OR IGNORE INTO atoll_pause VALUES (1, ?)")
      statement.bind(options.wallClock().milliseconds, at: 1)
      try statement.run()
    }
  }

  /// Has exchange go on; nothing happens if it was not paused.
  package func resume() throws(StorageError) {
    try changeTrust("resuming exchange") { try statement("DELETE FROM atoll_pause").run() }
  }

  // MARK: Changing

  /// Runs `body` in a transaction of its own that no observer hears of, and that the node does.
  func changeTrust(
    _ action: String, _ body: () throws -> Void
  ) throws(StorageError) {
    try doing(action) {
      guard !options.isReadOnly else {
        throw StorageError.openedForReading(path: path, doing: action)
      }
      try begin(.remote, timeout: options.lockTimeout)
      let transaction = try current(action)
      do {
        try body()
        try statement("UPDATE atoll_trust SET version = version + 1").run()
        try statement("COMMIT").run()
        abandonUnchanged(transaction)
      } catch {
        abandon()
        throw error
      }
    }
  }
}
