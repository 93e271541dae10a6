package import AtollVocabulary

// Owners: who may write to a store, in a way that everybody can check.
//
//     store id  =  first 16 bytes of SHA-256("atoll store" ‖ replica id of the founder), as UUID version 8
//
// A store whose id has this form is *owned*; the replica that the id is made of, its founder, is its first owner.
// Everybody else is admitted by an owner: an object of one of two reserved classes, whose key is the
// admitted replica's id. It is never changed and never deleted, so the replicas that may write only
// become more, and the order in which they are heard of does not matter.
//
// 1. An object of these classes is made by an owner alone, and nothing else is done to it.
// 2. Changesets of a replica that is not admitted are not kept, and asked for again later.
// 3. Releases, and retiring others, are said by owners alone.
//
// The owners are read where the changeset is merged. All that it depends on is there by then, and so is
// the admission of whoever wrote it; replicas need not agree on more.

extension StoreID {
  /// The id of the store that a replica founds.
  package init(foundedBy replica: ReplicaID) {
    var hasher = SHA256()
    hasher.update(Array("atoll store".utf8))
    hasher.update(replica.bytes)
    let (high, low) = hasher.finish().words
    self.init(
      high: high & 0xFFFF_FFFF_FFFF_0FFF | 0x8000,
      low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }

  /// True for the replica that the id is made of.
  package func isFounded(by replica: ReplicaID) -> Bool { self == StoreID(foundedBy: replica) }
}

extension OperationCheck {
  /// Refuses everything about an admission but that it is made, without any property.
  func validateAdmission(_ operation: DataOperation) throws(ChangesetError) {
    guard table.admits(by: operation.object.class) else { return }
    guard case .create(let object, let fields) = operation, fields.isEmpty,
      case .string(let key) = object.key, let replica = ReplicaID(key), "\(replica)" == key
    else {
      throw ChangesetError(
        .mismatched, at: .operation(Int(index)), "an admission", found: "\(operation.object.key)",
        expected: "to be made, with a replica's id as its key, and nothing else")
    }
  }
}

extension DeclarationTable {
  /// Tells if objects of a class are admissions.
  func admits(by number: ClassNumber) -> Bool { admissionClasses.contains(number) }

  /// Says in words what an operation does that only an owner of a store may; nil if anybody may.
  ///
  /// Nobody admits to a store without owners.
  package func ownersOnly(_ operation: Operation, isOwned: Bool) -> String? {
    switch operation {
    case .control(.release): isOwned ? "a release" : nil
    case .control: nil
    case .data(.create(let object, let fields)):
      if admits(by: object.class) {
        "an admission"
      } else if isOwned, isOther(object), fields.contains(where: { isRetirement($0.property) }) {
        "the retirement of another replica"
      } else {
        nil
      }
    case .data(.assign(let path, _)):
      isOwned && isOther(path.object) && isRetirement(path.property)
        ? "the retirement of another replica" : nil
    case .data: nil
    }
  }

  /// True for the object of another replica than the author's.
  private func isOther(_ object: ObjectReference) -> Bool {
    object.class == replicaClass && object.key != .string("\(author.replica)")
  }

  private func isRetirement(_ number: PropertyNumber) -> Bool { self[number]?.name == "retired" }
}
