import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

/// The admissions to a store that has owners, as the objects of a file say; see `Ownership.swift`.
struct AdmissionBook {
  let storeID: StoreID
  let catalog: Catalog

  /// The admission of a replica; nil if there is none, or the store has no owners.
  func admission(of replica: ReplicaID) throws -> Admission? {
    guard storeID.isOwned else { return nil }
    if try storeID.isFounded(by: replica) || isAdmitted(replica, as: .owner) { return .owner }
    return try isAdmitted(replica, as: .writer) ? .writer : nil
  }

  /// Refuses of another replica what only owners may say.
  func authorize(_ operation: Operation, by record: AuthorRecord, index: UInt32) throws {
    guard let what = record.declarations.ownersOnly(operation, isOwned: storeID.isOwned) else {
      return
    }
    let replica = record.author.replica
    guard try !storeID.isOwned || admission(of: replica) != .owner else { return }
    throw ChangesetError(
      .mismatched, at: .operation(Int(index)), what, found: "written by \(replica)",
      expected: storeID.isOwned ? "an owner of the store to say it" : "a store that has owners")
  }

  /// The class whose objects admit; nil if nobody has declared it.
  func entry(_ admission: Admission) -> ClassEntry? {
    catalog.entry(name: admission.className, isEmbedded: false, keyType: .string)
  }

  /// The replica that an object of such a class admits.
  ///
  /// - Throws: `schemaClash` for a key that is no replica's id.
  static func replica(_ key: PersistedValue?, in entry: ClassEntry) throws -> ReplicaID {
    guard case .string(let text)? = key, let replica = ReplicaID(text), "\(replica)" == text else {
      throw StorageError.schemaClash(
        class: entry.name, detail: "the key of an object is the id of the replica that is admitted")
    }
    return replica
  }

  private func isAdmitted(_ replica: ReplicaID, as admission: Admission) throws -> Bool {
    guard let entry = entry(admission) else { return false }
    let statement = try entry.table.find()
    statement.bind(.string("\(replica)"), at: 1)
    defer { statement.reset() }
    return try statement.step()
  }
}

extension Admission {
  /// The reserved class, as a file has it.
  var schema: ClassSchema {
    ClassSchema(
      name: className, primaryKey: "id", properties: [PropertySchema(name: "id", type: .string)])
  }
}
