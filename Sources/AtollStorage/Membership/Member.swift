package import AtollVocabulary

/// A replica of the store, as its object of the reserved class describes it; anybody may have written
/// that (`protocol/names.md`).
package struct Member: Hashable, Sendable {
  package let replica: ReplicaID
  /// The name for people, as it was written; ``ReplicaNames`` makes it fit to be printed.
  package var name: String?
  /// The hash of its public key; nil as long as it has none.
  package var identity: [UInt8]?
  /// As it says itself; what it may do, each roster says.
  package var role = PeerRole.write
  /// True if nobody waits for it any more.
  package var isRetired = false
  /// True if an owner of the store has removed it; nobody waits for it then.
  package let isRemoved: Bool
  /// Its incarnations, as it says: true for one that is over, so that acknowledgements in it say nothing of
  /// the replica as it is now.
  package var incarnations: [Incarnation: Bool] = [:]

  package init(replica: ReplicaID, isRemoved: Bool = false) {
    self.replica = replica
    (self.isRemoved, isRetired) = (isRemoved, isRemoved)
  }

  /// Tells if it has said that an incarnation of it is over.
  package func hasEnded(_ incarnation: Incarnation) -> Bool { incarnations[incarnation] == true }
}
