import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

/// The owners' words on replicas, as the objects of a file have them; see `Ownership.swift`.
struct AdmissionBook {
  let storeID: StoreID
  let catalog: Catalog
  let authors: AuthorTable

  /// The admission of a replica; nil if there is none, or the store has no owners.
  func admission(of replica: ReplicaID) throws -> Admission? {
    guard storeID.isOwned else { return nil }
    if try storeID.isFounded(by: replica) || isSaid(.admission(.owner), of: replica) {
      return .owner
    }
    return try isSaid(.admission(.writer), of: replica) ? .writer : nil
  }

  /// True if an owner has removed a replica; never of an owner.
  func isRemoved(_ replica: ReplicaID) throws -> Bool {
    guard storeID.isOwned, try isSaid(.removal, of: replica) else { return false }
    return try admission(of: replica) != .owner
  }

  /// The replicas of which owners have said something, in the order of their rows.
  func replicas(_ said: OwnersClass) throws -> [ReplicaID] {
    guard let entry = entry(said) else { return [] }
    let statement = try entry.table.statement(
      "SELECT \(entry.table.keySQL) FROM \(entry.table.sql) LIMIT \(Limits.vectorEntries)")
    defer { statement.reset() }
    var found: [ReplicaID] = []
    while try statement.step() {
      if let replica = ReplicaID(statement.string(at: 0)) { found.append(replica) }
    }
    return found
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

  /// The stamp of an owner's word on a replica; nil if there is none.
  func stamp(of said: OwnersClass, on replica: ReplicaID) throws -> LocalStamp? {
    guard let table = entry(said)?.table else { return nil }
    let statement = try table.stateByKey()
    statement.bind(.string("\(replica)"), at: 1)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return LoadedRow(statement, of: table, StateColumns(of: table)).state.base
  }

  /// The author of an owner's or a member's word on a replica; nil if there is none.
  func author(of said: OwnersClass, on replica: ReplicaID) throws -> Author? {
    try stamp(of: said, on: replica).flatMap { authors[$0.author]?.author }
  }

  /// The class whose objects say it; nil if nobody has declared it.
  func entry(_ said: OwnersClass) -> ClassEntry? {
    catalog.entry(name: said.name, isEmbedded: false, keyType: .string)
  }

  /// The replica that an object of such a class is about.
  ///
  /// - Throws: `schemaClash` for a key that is no replica's id.
  static func replica(_ key: PersistedValue?, in entry: ClassEntry) throws -> ReplicaID {
    guard case .string(let text)? = key, let replica = ReplicaID(text), "\(replica)" == text else {
      throw StorageError.schemaClash(
        class: entry.name, detail: "the key of an object is the id of the replica that it is about")
    }
    return replica
  }

  private func isSaid(_ said: OwnersClass, of replica: ReplicaID) throws -> Bool {
    guard let entry = entry(said) else { return false }
    let statement = try entry.table.find()
    statement.bind(.string("\(replica)"), at: 1)
    defer { statement.reset() }
    return try statement.step()
  }
}

extension OwnersClass {
  /// The reserved class, as a file has it.
  var schema: ClassSchema {
    ClassSchema(
      name: name, primaryKey: "id", properties: [PropertySchema(name: "id", type: .string)])
  }
}
