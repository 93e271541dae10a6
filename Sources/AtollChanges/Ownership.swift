package import AtollVocabulary

// Owners: who may write to a store, in a way that everybody can check.
//
//     store id  =  first 16 bytes of SHA-256("atoll store" ‖ replica id of the founder), as UUID version 8
//
// A store whose id has this form is *owned*; the replica that the id is made of, its founder, is its first owner.
// Owners admit others, and remove whom they admitted: each time an object of a reserved class, whose key is the
// id of the replica that it is about. None is ever changed or deleted, so that no order matters.
//
// 1. An object of these classes is made by an owner alone, as the first operation of its changeset; nothing else
//    is done to it. Of one more class any member makes them, with which it asks that a replica be admitted.
// 2. Changesets of a replica that is not admitted are not kept, and asked for again later.
// 3. Releases, and retiring others, are said by owners alone.
// 4. Of a removed replica count those changesets that its remover had applied. All others stay in the log and
//    change nothing, wherever they come first: what others wrote upon them has to find them.
// 5. An owner is not removed. So owners only become more, and a changeset of theirs always counts.
//
//     O   1 admits W      2 removes W               W's 1 and 2 count: they are in the past of O's 2.
//     W        1 ─── 2 ──┘      3 ─── 4             W's 3 and 4 do not.
//     X                          └── 1              X's 1 does, also in an object that W's 3 had made.
//
// An owner may be a key on paper: the code of a `Recovery`.
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
  /// Refuses everything about what owners say of a replica but that they say it, without any property.
  func validateOwners(_ operation: DataOperation) throws(ChangesetError) {
    guard table.ownersClass(operation.object.class) != nil else { return }
    guard index == 0, case .create(_, let fields) = operation, fields.isEmpty,
      table.replicaKey(operation.object) != nil
    else {
      throw ChangesetError(
        .mismatched, at: .operation(Int(index)), "an admission, a removal or a request",
        found: "\(operation.object.key)",
        expected:
          "to be made, by the first operation, with a replica's id as its key, and nothing else")
    }
  }
}

extension DeclarationTable {
  /// The replica that an operation of an owner is about, and the word on it; nil if it is about none.
  package func ownersWord(
    _ operation: Operation
  ) -> (replica: ReplicaID, said: OwnersClass)? {
    guard case .data(.create(let object, _)) = operation, let said = ownersClass(object.class),
      let replica = replicaKey(object)
    else { return nil }
    return (replica, said)
  }

  /// The word on replicas that the objects of a class are; asked for each operation, and most stores have none.
  fileprivate func ownersClass(_ number: ClassNumber) -> OwnersClass? {
    ownersClasses.isEmpty ? nil : ownersClasses[number]
  }

  /// Tells if a changeset of the author can be about the admission or the removal of a replica.
  package var hasOwnersClasses: Bool { !ownersClasses.isEmpty }

  fileprivate func replicaKey(_ object: ObjectReference) -> ReplicaID? {
    guard case .string(let key) = object.key, let replica = ReplicaID(key), "\(replica)" == key
    else { return nil }
    return replica
  }

  /// Says in words what an operation does that only an owner of a store may; nil if anybody may.
  ///
  /// Nobody admits to a store without owners, nor removes anybody.
  package func ownersOnly(_ operation: Operation, isOwned: Bool) -> String? {
    switch operation {
    case .control(.release): isOwned ? "a release" : nil
    case .control: nil
    case .data(.create(let object, let fields)):
      if let said = ownersClass(object.class) {
        said.isOwners || !isOwned ? said.text : nil
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

extension OwnersClass {
  /// The words for what its objects say.
  fileprivate var text: String {
    switch self {
    case .admission: "an admission"
    case .removal: "a removal"
    case .request: "a request for an admission"
    }
  }
}
