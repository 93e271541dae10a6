import AtollChanges
import AtollStorage
import AtollVocabulary

/// A replica that was admitted to a store with owners, or removed; a line of JSON of `atoll members`.
package struct AdmissionRow: Codable, Hashable, Sendable {
  package let replica: String
  package let name: String?
  /// `founder`, `owner`, `writer` or `removed`.
  package let admittedAs: String
  package let isThis: Bool

  static func word(for replica: ReplicaID, in file: StoreFile) throws(StorageError) -> String {
    if file.storeID.isFounded(by: replica) { return "founder" }
    if try file.isRemoved(replica) { return "removed" }
    return try file.admission(of: replica)?.rawValue ?? "nothing"
  }
}

extension Inspection {
  /// True if owners say who may write.
  package var hasOwners: Bool { file.storeID.isOwned }

  /// The replicas that were admitted, or removed, ascending by id; none where the store has no owners.
  package func admissions() throws -> [AdmissionRow] {
    try atOneMoment {
      let names = try file.replicaNames()
      let replicas = try Set(file.admissions().map(\.replica)).union(file.removals())
      return try replicas.sorted().map { replica in
        AdmissionRow(
          replica: "\(replica)", name: names[replica],
          admittedAs: try AdmissionRow.word(for: replica, in: file),
          isThis: replica == file.author.replica)
      }
    }
  }
}
