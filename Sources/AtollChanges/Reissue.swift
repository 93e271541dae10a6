package import AtollVocabulary

/// Writes the end of one author's chain again as another's, with other stamps.
///
/// What the operations do stays: objects, values, places in lists and every index are the same. Only
/// what the end of the chain says of itself (its stamps, its list elements, its objects without a
/// declared key) gets the new author's name, and declarations are made anew as they are used.
package struct Reissue {
  private let former: Author
  /// The first of its changesets that is written again, and the number that this gets.
  private let first: SequenceNumber
  private let newFirst: SequenceNumber
  /// What stands for an operation that is not written again, so that the others keep their indexes.
  private let filler: Operation
  private var declaring: Redeclaration
  /// The new times of the changesets written again so far, by their old ones.
  private var times: [HybridTime: HybridTime] = [:]

  /// Begins after `newFirst - 1` changesets of the author of `declared`, which is what they have declared.
  package init(
    of former: DeclarationTable, from first: SequenceNumber, from newFirst: SequenceNumber,
    declared: DeclarationTable, insteadOfNothing filler: Operation
  ) {
    self.filler = filler
    self.former = former.author
    declaring = Redeclaration(of: former, into: declared)
    self.first = first
    self.newFirst = newFirst
  }

  /// The next changeset, stamped `time`; it names no dependencies.
  package mutating func changeset(
    _ old: Changeset, at time: HybridTime
  ) throws(ChangesetError) -> Changeset {
    times[old.time] = time
    var operations: [Operation] = []
    operations.reserveCapacity(old.operations.count)
    for operation in old.operations {
      // What was settled is settled for good, late or not.
      operations.append(operation.isSettling ? filler : try operation.transformed(by: &self))
    }
    return Changeset(
      author: declaring.table.author, sequence: sequence(old.sequence), time: time,
      isContinued: old.isContinued, declarations: declaring.takeFresh(),
      operations: operations)
  }
}

extension Reissue: OperationTransform {
  package mutating func object(_ old: ObjectReference) throws(ChangesetError) -> ObjectReference {
    var key = old.key
    if case .identity(let identity) = key, identity.author == former,
      identity.sequence >= first
    {
      key = .identity(
        ChangeIdentity(
          author: declaring.table.author, sequence: sequence(identity.sequence),
          index: identity.index))
    }
    return ObjectReference(class: try declaring.class(old.class), key: key, life: old.life)
  }

  package mutating func stamp(_ old: StampReference) throws(ChangesetError) -> StampReference {
    if old.author == .ownself, let time = times[old.time] {
      return StampReference(time: time, author: .ownself, index: old.index)
    }
    return StampReference(time: old.time, author: try author(old.author), index: old.index)
  }

  package mutating func element(
    _ old: ElementReference
  ) throws(ChangesetError) -> ElementReference {
    let isOwn = old.author == .ownself && old.sequence >= first
    return ElementReference(
      author: isOwn ? .ownself : try author(old.author),
      sequence: isOwn ? sequence(old.sequence) : old.sequence, index: old.index)
  }

  private func sequence(_ old: SequenceNumber) -> SequenceNumber {
    SequenceNumber(old.rawValue - first.rawValue + newFirst.rawValue)
  }

  // MARK: Numbers

  package mutating func author(_ old: AuthorNumber) throws(ChangesetError) -> AuthorNumber {
    try declaring.author(old)
  }

  package mutating func property(_ old: PropertyNumber) throws(ChangesetError) -> PropertyNumber {
    try declaring.property(old)
  }
}
