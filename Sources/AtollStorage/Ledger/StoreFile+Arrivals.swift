import AtollChanges
import AtollSQLite
import AtollVocabulary

// By which peer changesets came: one row where another peer's begin, not one a changeset.
extension StoreFile {
  /// Remembers by whom an entry of the log came, the last; nil for one that no link brought.
  func noteArrival(at position: Int64, by peer: Author?) throws {
    if let last = lastArrival, last == peer { return }
    let statement = try statement(
      "INSERT OR REPLACE INTO atoll_arrival (position, peer) VALUES (?, ?)")
    statement.clear()
    statement.bind(position, at: 1)
    if let peer { statement.bind(peer.bytes, at: 2) }
    try statement.run()
    lastArrival = .some(peer)
  }

  /// By whom an entry of the log came, if it is not this file's own.
  func arrival(of position: Int64) throws -> Author? {
    let statement = try statement(
      "SELECT peer FROM atoll_arrival WHERE position <= ? ORDER BY position DESC LIMIT 1")
    statement.bind(position, at: 1)
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(at: 0) else { return nil }
    var reader = WordReader(statement.bytes(at: 0))
    guard let high = reader.word(), let low = reader.word(), let incarnation = reader.word() else {
      return nil
    }
    return Author(
      replica: ReplicaID(high: high, low: low), incarnation: Incarnation(incarnation))
  }
}
