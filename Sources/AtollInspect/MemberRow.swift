import AtollPresence
import AtollStorage
package import AtollVocabulary

/// One replica of the store, and what it is known to have; a line of JSON of `atoll peers`.
package struct MemberRow: Codable, Hashable, Sendable {
  package let replica: String
  package let name: String?
  package let role: String
  /// Hexadecimal digits; nil if it has said none.
  package let identity: String?
  package let isThis: Bool
  package let isRetired: Bool
  /// `founder`, `owner`, `writer`, `removed`, `requested` or `nothing`; nil where the store has no owners.
  package let admittedAs: String?
  package let isConnected: Bool
  /// Changesets here that it is not known to have applied.
  package let behind: UInt64
  /// Changesets that it has said to hold and that are not here.
  package let ahead: UInt64
  /// The time of the last news of it, milliseconds since 1970; nil if there never was any.
  package let heard: Int64?

  init(
    _ known: KnownHoldings, _ names: ReplicaNames, _ here: VersionVector,
    _ links: [StoreStatus.Peer], own: ReplicaID, admittedAs: String?
  ) {
    self.admittedAs = admittedAs
    replica = "\(known.member.replica)"
    name = names[known.member.replica]
    role = known.member.role.rawValue
    identity = known.member.identity.map { Hexadecimal.text(bytes: $0) }
    isThis = known.member.replica == own
    isRetired = known.member.isRetired
    isConnected = links.contains { link in
      link.isConnected && link.replica.flatMap(Author.init)?.replica == known.member.replica
    }
    behind = here.count(beyond: known.applied)
    ahead = known.ahead
    heard = known.heard?.milliseconds
  }
}

/// A replica that has a name.
package struct ReplicaName: Codable, Hashable, Sendable {
  package let replica: String
  package let name: String
}

extension Inspection {
  /// The replicas of the store, retired ones too, and those that wait for their admission, ascending by id.
  package func members() throws -> [MemberRow] {
    try atOneMoment {
      let names = try file.replicaNames()
      let here = try file.appliedVector()
      let links = StoreStatus.current(ofStoreAt: file.path)?.peers ?? []
      return try (file.knownHoldings() + strangers()).map { known in
        MemberRow(
          known, names, here, links, own: file.author.replica,
          admittedAs: hasOwners ? try AdmissionRow.word(for: known.member.replica, in: file) : nil)
      }
    }
  }

  /// The replicas that wait for their admission, of which nothing is here.
  private func strangers() throws -> [KnownHoldings] {
    let members = Set(try file.members().map(\.replica))
    return try AdmissionRequests(of: file).pending().map(\.replica)
      .filter { !members.contains($0) }.map { replica in
        KnownHoldings(
          member: Member(replica: replica), stored: VersionVector(), applied: VersionVector())
      }
  }

  /// The one replica that is meant by a name or the beginning of an id, at least four digits.
  ///
  /// - Throws: `InspectionError.noOneReplica` with those that there are, or `StorageError`.
  package func replica(called text: String) throws -> ReplicaID {
    let names = try file.replicaNames()
    let known = try Set(file.members().map(\.replica))
      .union(file.admissions().map(\.replica))
      .union(AdmissionRequests(of: file).pending().map(\.replica))
    let found = known.filter { replica in
      names[replica] == text
        || text.utf8.count >= 4 && "\(replica)".hasPrefix(text.lowercased())
    }
    guard let replica = found.first, found.count == 1 else {
      throw InspectionError.noOneReplica(
        text, found: found.count, known: known.sorted().map { names.text($0) })
    }
    return replica
  }

  /// The replicas that have a name, ascending by id.
  package func names() throws -> [ReplicaName] {
    let names = try file.replicaNames()
    return names.replicas.map { ReplicaName(replica: "\($0)", name: names[$0] ?? "") }
  }
}
