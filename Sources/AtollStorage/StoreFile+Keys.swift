import AtollSQLite
package import AtollVocabulary

// By which keys replicas have shown themselves, on links of their own. This file's own knowledge, like
// the roster, and never sent: what is replicated of a replica's key anybody may have written.
extension StoreFile {
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
}
