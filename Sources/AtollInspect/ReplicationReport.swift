import AtollStorage
import AtollVocabulary

/// The replicas of a store, and what each is known to have of each author.
package struct ReplicationReport: Codable, Hashable, Sendable {
  /// The changesets that one replica has applied.
  package struct Holding: Codable, Hashable, Sendable {
    package let replica: String
    package let name: String?
    /// The last changeset of each author.
    package let applied: [String: UInt64]
  }

  package let members: [MemberRow]
  /// True if this replica may admit others and remove them.
  package let isOwner: Bool
  package let roster: RosterReport
  package let holdings: [Holding]
  /// The names of replicas, by their ids.
  package let names: [String: String]
  /// Since when the store is paused, in milliseconds since 1970; nil if it is not.
  package let pausedSince: Int64?
}

extension Inspection {
  /// The replicas on one snapshot; what others have is what they last said.
  package func replication() throws -> ReplicationReport {
    try atOneMoment {
      let names = try file.replicaNames()
      return ReplicationReport(
        members: try members(), isOwner: try file.isOwner, roster: try roster(),
        holdings: try file.knownHoldings().map { known in
          ReplicationReport.Holding(
            replica: "\(known.member.replica)", name: names[known.member.replica],
            applied: Dictionary(
              known.applied.entries.map { ("\($0.author)", $0.sequence.rawValue) },
              uniquingKeysWith: max))
        },
        names: Dictionary(
          names.replicas.map { ("\($0)", names[$0] ?? "") }, uniquingKeysWith: { $1 }),
        pausedSince: try file.pausedSince()?.milliseconds)
    }
  }
}
