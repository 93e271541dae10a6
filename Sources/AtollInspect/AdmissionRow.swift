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
}

extension Inspection {
  /// Whether owners say who may write.
  package var hasOwners: Bool { file.storeID.isOwned }

  /// Who is admitted, ascending by id; none where the store has no owners.
  package func admissions() throws -> [AdmissionRow] {
    try atOneMoment {
      let names = try file.replicaNames()
      return try file.admissions().map { admitted in
        AdmissionRow(
          replica: "\(admitted.replica)", name: names[admitted.replica],
          admittedAs: StoreID(foundedBy: admitted.replica) == file.storeID
            ? "founder" : admitted.as.rawValue,
          isThis: admitted.replica == file.author.replica)
      }
    }
  }
}
