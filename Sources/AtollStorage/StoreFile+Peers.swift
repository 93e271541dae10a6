package import AtollChanges
import AtollLog
import AtollSQLite
package import AtollVocabulary

// The file's memory of its peers, and the id of its store.
extension StoreFile {
  /// Returns the known holdings of others, ascending by replica, with the time of the last news.
  package func peerProgress() throws(StorageError) -> [(progress: PeerProgress, time: WallTime)] {
    try doing("reading what others have") {
      let statement = try statement("SELECT replica, incarnation, heads, time FROM atoll_known")
      var peers: [(progress: PeerProgress, time: WallTime)] = []
      while try statement.step() {
        guard let replica = ReplicaID(bytes: statement.bytes(at: 0)) else { continue }
        let author = Author(
          replica: replica, incarnation: Incarnation(statement.uint64(at: 1)))
        peers.append(
          (
            PeerProgress(peer: author, holdings: Self.holdings(statement.bytes(at: 2))),
            WallTime(milliseconds: statement.int64(at: 3))
          ))
      }
      return peers.sorted { $0.progress.peer < $1.progress.peer }
    }
  }

  /// Remembers what others have, in place of what was known of them; not a commit, nobody is told.
  package func setPeerProgress(_ peers: [PeerProgress]) throws(StorageError) {
    try doing("remembering what others have") {
      try begin(.remote, timeout: options.lockTimeout)
      guard let transaction else { return }
      do {
        let statement = try statement(
          """
          INSERT OR REPLACE INTO atoll_known (replica, incarnation, heads, time)
          VALUES (?, ?, ?, ?)
          """)
        for progress in peers {
          try follow(progress)
          statement.bind(progress.peer.replica.bytes, at: 1)
          statement.bind(progress.peer.incarnation.rawValue, at: 2)
          statement.bind(Self.bytes(progress.holdings), at: 3)
          statement.bind(options.wallClock().milliseconds, at: 4)
          try statement.run()
        }
        try self.statement("COMMIT").run()
        abandonUnchanged(transaction)
      } catch {
        abandon()
        throw error
      }
    }
  }

  /// Takes over another store's id, objects kept.
  ///
  /// - Throws: `alreadyExchanged` if the log has changesets of another replica.
  package func joinStore(_ id: StoreID) throws(StorageError) {
    try doing("joining store \(id)") {
      guard id != storeID else { return }
      try begin(.schema, timeout: options.lockTimeout)
      do {
        let replica = author.replica
        if authors.records.contains(where: {
          $0.author.replica != replica && $0.storedHead.sequence > .none
        }) {
          throw StorageError.alreadyExchanged(path: path, store: storeID)
        }
        let statement = try statement("UPDATE atoll_store SET store = ?")
        statement.bind(ReplicaID(high: id.high, low: id.low).bytes, at: 1)
        try statement.run()
        _ = try finish(try current("joining a store"))
        state.storeID = id
        log.signer = state.signer
      } catch {
        abandon()
        throw error
      }
    }
  }

  // MARK: Following

  /// Returns the last known holdings of others of which everything is applied here.
  func followedProgress() throws(StorageError) -> [(progress: PeerProgress, time: WallTime)] {
    let latest = try peerProgress()
    return try doing("reading what others have") {
      try latest.map { progress, time in
        if try isFollowed(progress.holdings) { return (progress, time) }
        let (followed, pending) = try followed(progress.peer)
        let known = try pending.map(isFollowed) == true ? pending : followed
        return (PeerProgress(peer: progress.peer, holdings: known ?? .none), time)
      }
    }
  }

  /// Keeps what a replica says until all that it had applied is applied here, and the last for which that was so.
  private func follow(_ progress: PeerProgress) throws {
    var (followed, pending) = try followed(progress.peer)
    if let said = pending, try isFollowed(said) { (followed, pending) = (said, nil) }
    if pending == nil { pending = progress.holdings }
    if let said = pending, try isFollowed(said) { (followed, pending) = (said, nil) }
    let statement = try statement(
      """
      INSERT OR REPLACE INTO atoll_followed (replica, incarnation, followed, pending)
      VALUES (?, ?, ?, ?)
      """)
    statement.bind(progress.peer.replica.bytes, at: 1)
    statement.bind(progress.peer.incarnation.rawValue, at: 2)
    statement.bind(followed.map(Self.bytes) ?? [], at: 3)
    statement.bind(pending.map(Self.bytes) ?? [], at: 4)
    try statement.run()
  }

  private func followed(_ peer: Author) throws -> (followed: Holdings?, pending: Holdings?) {
    let statement = try statement(
      "SELECT followed, pending FROM atoll_followed WHERE replica = ? AND incarnation = ?")
    statement.bind(peer.replica.bytes, at: 1)
    statement.bind(peer.incarnation.rawValue, at: 2)
    defer { statement.reset() }
    guard try statement.step() else { return (nil, nil) }
    let (followed, pending) = (statement.bytes(at: 0), statement.bytes(at: 1))
    return (
      followed.isEmpty ? nil : Self.holdings(followed),
      pending.isEmpty ? nil : Self.holdings(pending)
    )
  }

  /// For each author 24 bytes and 8 of branch, 8 each of what is stored and applied, then the hash.
  private static func bytes(_ holdings: Holdings) -> [UInt8] {
    var bytes: [UInt8] = []
    for head in holdings.heads {
      bytes.append(contentsOf: head.author.commonHistory.bytes)
      bytes.append(word: head.author.branch.rawValue)
      bytes.append(word: head.sequence.rawValue)
      bytes.append(word: min(holdings.applied[head.author], head.sequence).rawValue)
      bytes.append(contentsOf: head.hash.bytes)
    }
    return bytes
  }

  private static func holdings(_ bytes: [UInt8]) -> Holdings {
    var heads: [ChangesetID] = []
    var applied = VersionVector()
    var rest = bytes[...]
    while rest.count >= headBytes {
      var reader = WordReader(Array(rest.prefix(48)))
      guard let high = reader.word(), let low = reader.word(), let incarnation = reader.word(),
        let branch = reader.word(), let held = reader.word(), let through = reader.word(),
        let hash = ChainHash(rest.dropFirst(48).prefix(ChainHash.byteCount))
      else { break }
      let author = Author(
        replica: ReplicaID(high: high, low: low), incarnation: Incarnation(incarnation),
        branch: Branch(branch))
      heads.append(ChangesetID(author: author, sequence: SequenceNumber(held), hash: hash))
      applied[author] = SequenceNumber(through)
      rest = rest.dropFirst(headBytes)
    }
    return Holdings(heads: heads, applied: applied)
  }

  private static let headBytes = 48 + ChainHash.byteCount
}
