import AtollChanges
import AtollStorage
import AtollVocabulary

/// A replica that may write to a store with owners; a line of JSON of `atoll members`.
package struct AdmissionRow: Codable, Hashable, Sendable {
  package let replica: String
  package let name: String?
  /// `founder`, `owner` or `writer`.
  package let admittedAs: String
  package let isThis: Bool

  static func word(for replica: ReplicaID, in file: StoreFile) throws(StorageError) -> String {
    file.storeID.isFounded(by: replica)
      ? "founder" : try file.admission(of: replica)?.rawValue ?? "nothing"
  }
}

extension Inspection {
  /// True if owners say who may write.
  package var hasOwners: Bool { file.storeID.isOwned }

  /// The replicas that are admitted, ascending by id; none where the store has no owners.
  package func admissions() throws -> [AdmissionRow] {
    try atOneMoment {
      let names = try file.replicaNames()
      return try file.admissions().map { admitted in
        AdmissionRow(
          replica: "\(admitted.replica)", name: names[admitted.replica],
          admittedAs: try AdmissionRow.word(for: admitted.replica, in: file),
          isThis: admitted.replica == file.author.replica)
      }
    }
  }
}
