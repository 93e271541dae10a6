import AtollChanges
import AtollStorage
import AtollVocabulary

/// Says whose changesets a store without owners takes, by what its roster says of who wrote and who brought them.
struct WritePermissions {
  /// The sender of changesets, as far as it is known.
  struct Sender {
    /// Nil over a link that is not secured.
    var identity: NodeIdentity?
    var author: Author?
  }

  /// The peers that may not do everything; all other linked ones may.
  private let restricted: [NodeIdentity: PeerRole]
  /// The keys that replicas showed on links of their own.
  private let pinned: [ReplicaID: NodeIdentity]

  init(_ roster: [RosterEntry], pinned: [ReplicaID: NodeIdentity]) {
    restricted = Dictionary(
      roster.filter { $0.role != .write }.map { ($0.identity, $0.role) }, uniquingKeysWith: { $1 })
    self.pinned = pinned
  }

  /// True if everything is taken, of any author.
  var isUnlimited: Bool { restricted.isEmpty }

  /// Decides why nothing is taken that a replica wrote; nil if it is.
  ///
  /// A replica is known by the key that it showed on a link of its own, or else by the one that its
  /// object names. What a relay brings of others is taken only of known ones: it could invent them.
  ///
  /// - Parameters:
  ///   - replica: Who wrote.
  ///   - own: This replica, which knows itself.
  ///   - described: The key that the replica's object names, if it names one.
  ///   - sender: Who brings it.
  /// - Returns: The reason, as status and log tell it.
  func objection(
    to replica: ReplicaID, own: ReplicaID, _ described: NodeIdentity?, from sender: Sender
  ) -> LeavingOut? {
    let identity = pinned[replica] ?? described
    if let identity, restricted[identity] != nil { return .role }
    guard let key = sender.identity, restricted[key] != nil else { return nil }
    if sender.author?.replica == replica { return .role }
    return identity == nil && replica != own ? .unknown : nil
  }
}
