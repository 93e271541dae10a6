package import AtollChanges
import AtollSQLite
package import AtollVocabulary

// What the file remembers of its peers, and which store it belongs to.
extension StoreFile {
  /// How far each peer is known to be, ascending by author, with when it said so.
  package func peerProgress() throws(StorageError) -> [(progress: PeerProgress, time: WallTime)] {
    try doing("reading the peers' progress") {
      let statement = try statement(
        "SELECT replica, incarnation, held, applied, time FROM atoll_peer")
      var peers: [(progress: PeerProgress, time: WallTime)] = []
      while try statement.step() {
        guard let replica = ReplicaID(bytes: statement.bytes(at: 0)) else { continue }
        let author = Author(
          replica: replica, incarnation: Incarnation(statement.uint64(at: 1)))
        peers.append(
          (
            PeerProgress(
              peer: author, held: Self.vector(statement.bytes(at: 2)),
              applied: Self.vector(statement.bytes(at: 3))),
            WallTime(milliseconds: statement.int64(at: 4))
          ))
      }
      return peers.sorted { $0.progress.peer < $1.progress.peer }
    }
  }

  /// Remembers how far a peer is; not a commit, nobody is told.
  package func setPeerProgress(_ progress: PeerProgress) throws(StorageError) {
    try doing("remembering a peer's progress") {
      try begin(.remote, timeout: options.lockTimeout)
      guard let transaction else { return }
      do {
        let statement = try statement(
          """
          INSERT OR REPLACE INTO atoll_peer (replica, incarnation, held, applied, time)
          VALUES (?, ?, ?, ?, ?)
          """)
        statement.bind(progress.peer.replica.bytes, at: 1)
        statement.bind(progress.peer.incarnation.rawValue, at: 2)
        statement.bind(Self.bytes(progress.held), at: 3)
        statement.bind(Self.bytes(progress.applied), at: 4)
        statement.bind(options.wallClock().milliseconds, at: 5)
        try statement.run()
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
          $0.author.replica != replica && $0.heldHead.sequence > .none
        }) {
          throw StorageError.alreadyExchanged(path: path, store: storeID)
        }
        let statement = try statement("UPDATE atoll_store SET store = ?")
        statement.bind(ReplicaID(high: id.high, low: id.low).bytes, at: 1)
        try statement.run()
        _ = try finish(try current("joining a store"))
        storeID = id
        state.storeID = id
      } catch {
        abandon()
        throw error
      }
    }
  }

  /// For each author 24 bytes and 8 of branch, then 8 of sequence.
  private static func bytes(_ vector: VersionVector) -> [UInt8] {
    var bytes: [UInt8] = []
    for entry in vector.entries {
      bytes.append(contentsOf: entry.author.trunk.bytes)
      bytes.append(word: entry.author.branch.rawValue)
      bytes.append(word: entry.sequence.rawValue)
    }
    return bytes
  }

  private static func vector(_ bytes: [UInt8]) -> VersionVector {
    var reader = WordReader(bytes)
    var vector = VersionVector()
    while let high = reader.word(), let low = reader.word(), let incarnation = reader.word(),
      let branch = reader.word(), let sequence = reader.word()
    {
      let author = Author(
        replica: ReplicaID(high: high, low: low), incarnation: Incarnation(incarnation),
        branch: Branch(branch))
      vector[author] = SequenceNumber(sequence)
    }
    return vector
  }
}
