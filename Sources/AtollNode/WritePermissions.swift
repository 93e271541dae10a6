import AtollChanges
import AtollStorage
import AtollVocabulary

/// Whose changesets a store takes, as its roster says of who wrote and who brought them.
struct WritePermissions {
  /// Who brings changesets, as far as that is known.
  struct Bringer {
    /// Nil over a link that is not secured.
    var identity: NodeIdentity?
    var author: Author?
  }

  /// Those who may not do everything; whoever else is linked may.
  private let restricted: [NodeIdentity: PeerRole]

  init(_ roster: [RosterEntry]) {
    restricted = Dictionary(
      roster.filter { $0.role != .write }.map { ($0.identity, $0.role) }, uniquingKeysWith: { $1 })
  }

  /// Whether everything is taken, whoever wrote it.
  var isUnlimited: Bool { restricted.isEmpty }

  /// The replicas of which nothing is taken, whoever brings it: those whose key may not write.
  func silenced(_ members: [Member], _ bringer: Bringer) -> Set<ReplicaID> {
    let known = members.filter { member in
      member.identity.flatMap { NodeIdentity(bytes: $0) }.map { restricted[$0] != nil } ?? false
    }
    var replicas = Set(known.map(\.replica))
    if let identity = bringer.identity, restricted[identity] != nil, let author = bringer.author {
      replicas.insert(author.replica)
    }
    return replicas
  }
}
