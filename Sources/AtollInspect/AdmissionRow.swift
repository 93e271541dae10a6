import AtollChanges
import AtollStorage
import AtollVocabulary

/// A replica that was admitted to a store with owners, or removed, or waits for its admission; a line of JSON of `atoll members`.
package struct AdmissionRow: Codable, Hashable, Sendable {
  package let replica: String
  package let name: String?
  /// `founder`, `owner`, `writer`, `removed` or `requested`.
  package let admittedAs: String
  /// The member that asks for its admission, by its name with its id; nil for who does not wait for one.
  package let askedBy: String?
  package let isThis: Bool

  static func word(for replica: ReplicaID, in file: StoreFile) throws(StorageError) -> String {
    if file.storeID.isFounded(by: replica) { return "founder" }
    if try file.isRemoved(replica) { return "removed" }
    if let admission = try file.admission(of: replica) { return admission.rawValue }
    return try AdmissionRequests(of: file).isPending(replica) ? "requested" : "nothing"
  }
}

extension Inspection {
  /// True if owners say who may write.
  package var hasOwners: Bool { file.storeID.isOwned }

  /// The replicas that were admitted, or removed, or wait for their admission, ascending by id; none where the store
  /// has no owners.
  package func admissions() throws -> [AdmissionRow] {
    try atOneMoment {
      let names = try file.replicaNames()
      let requests = try AdmissionRequests(of: file).pending()
      let askers = Dictionary(requests.map { ($0.replica, $0.asker) }, uniquingKeysWith: { $1 })
      let replicas = try Set(file.admissions().map(\.replica))
        .union(file.removals()).union(askers.keys)
      return try replicas.sorted().map { replica in
        AdmissionRow(
          replica: "\(replica)", name: names[replica],
          admittedAs: try AdmissionRow.word(for: replica, in: file),
          askedBy: askers[replica].flatMap { $0 }.map(names.text),
          isThis: replica == file.author.replica)
      }
    }
  }
}
