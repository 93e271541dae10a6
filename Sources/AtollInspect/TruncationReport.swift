import AtollStorage
import AtollVocabulary

/// The members that hold the truncation point back, and what that costs; the JSON of `atoll gc --explain`.
package struct TruncationReport: Codable, Hashable, Sendable {
  /// Of the log, in bytes: all of it, what would go, and what everybody has and is too young.
  package let log: Int
  package let removable: Int
  package let young: Int
  /// Deleted objects, whose keys stay, and their bytes.
  package let deletions: Int
  package let deletionBytes: Int
  package let members: [Holder]

  /// A replica that is waited for.
  package struct Holder: Codable, Hashable, Sendable {
    package let replica: String
    package let name: String?
    /// Changesets here that it is not known to have applied.
    package let behind: UInt64
    /// Bytes that would go if it were not waited for.
    package let alone: Int
    /// The time of the last news of it, milliseconds since 1970; nil if there never was any.
    package let heard: Int64?
  }

  init(_ plan: TruncationPlan, _ names: ReplicaNames, _ here: VersionVector) {
    (log, removable, young) = (plan.bytes, plan.removable, plan.young)
    (deletions, deletionBytes) = (plan.deletions, plan.deletionBytes)
    members = plan.holders.map { holder in
      Holder(
        replica: "\(holder.known.member.replica)", name: names[holder.known.member.replica],
        behind: here.count(beyond: holder.known.applied), alone: holder.alone,
        heard: holder.known.heard?.milliseconds)
    }
  }
}

extension Inspection {
  /// The part of the log that truncation would remove, and for whom the rest is kept.
  package func truncation(olderThan age: Duration) throws -> TruncationReport {
    TruncationReport(
      try file.truncationPlan(olderThan: age), try file.replicaNames(), try file.appliedVector())
  }

  /// Tells whether no other replica was ever met: then the whole log is kept, for the first that comes.
  package func isAlone() throws -> Bool {
    try file.members().allSatisfy { $0.replica == file.author.replica }
  }
}
