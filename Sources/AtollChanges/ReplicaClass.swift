import AtollVocabulary

/// The reserved class of replicas (`protocol/names.md`), and who may write what of its objects.
package enum ReplicaClass {
  package static let name = "atoll.Replica"

  static func isDeclared(by declaration: ClassDeclaration) -> Bool {
    declaration.name == name && declaration.keyType == .string && !declaration.isEmbedded
  }

  /// The properties that only the replica itself may write.
  static let ownProperties: Set<String> = ["name", "identity", "lives"]
}

extension OperationCheck {
  /// Refuses what another replica says of one's key, name and incarnations, and its deletion.
  func validateReplica(_ operation: DataOperation) throws(ChangesetError) {
    guard let replicaClass = table.replicaClass, case let object = operation.object,
      object.class == replicaClass, object.key != .string("\(table.author.replica)")
    else { return }
    switch operation {
    case .create(_, let fields): for field in fields { try validateOthers(field.property) }
    case .assign(let path, _), .increment(let path, _, _), .insert(let path, _, _),
      .assignElement(let path, _, _), .move(let path, _, _), .remove(let path, _),
      .clear(let path, _), .insertMember(let path, _), .removeMember(let path, _),
      .assignEntry(let path, _, _), .removeEntry(let path, _):
      try validateOthers(path.property)
    case .delete: throw foreign("the object of another replica", "its deletion")
    }
  }

  private func validateOthers(_ number: PropertyNumber) throws(ChangesetError) {
    guard let property = table[number], ReplicaClass.ownProperties.contains(property.name) else {
      return
    }
    throw foreign("the \(property.name) of another replica", "written by \(table.author.replica)")
  }

  private func foreign(_ subject: String, _ found: String) -> ChangesetError {
    ChangesetError(
      .mismatched, at: .operation(Int(index)), subject, found: found,
      expected: "that replica's own changesets to say it")
  }
}
