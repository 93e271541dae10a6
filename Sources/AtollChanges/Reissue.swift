package import AtollVocabulary

/// Reissues the end of one author's chain as another's, with other stamps.
///
/// The effects of the operations stay: objects, values, positions in lists and every index are the
/// same. Only what the end of the chain says of itself (its stamps, its list elements, its objects
/// without a declared key) gets the new author's name, and declarations are made anew as they are
/// used.
package struct Reissue {
  /// Everything the former author has declared.
  private let former: DeclarationTable
  /// The first of its changesets that is reissued, and the number that it gets.
  private let first: SequenceNumber
  private let newFirst: SequenceNumber
  private var table: DeclarationTable
  private var fresh: [Declaration] = []
  /// The new times of the changesets reissued so far, by their old ones.
  private var times: [HybridTime: HybridTime] = [:]

  /// Begins after `newFirst - 1` changesets of `author`, which have declared nothing but `authors`.
  package init(
    of former: DeclarationTable, from first: SequenceNumber, as author: Author,
    from newFirst: SequenceNumber, declared authors: [Author]
  ) throws(ChangesetError) {
    self.former = former
    self.first = first
    self.newFirst = newFirst
    table = DeclarationTable(author: author)
    try table.adopt(authors.map(Declaration.author))
  }

  /// The next changeset, stamped `time`; it names no dependencies.
  package mutating func changeset(
    _ old: Changeset, at time: HybridTime
  ) throws(ChangesetError) -> Changeset {
    times[old.time] = time
    fresh = []
    var operations: [Operation] = []
    operations.reserveCapacity(old.operations.count)
    for operation in old.operations {
      operations.append(try operation.transformed(by: &self))
    }
    return Changeset(
      author: table.author, sequence: sequence(old.sequence), time: time,
      isContinued: old.isContinued, declarations: fresh,
      operations: operations)
  }
}

extension Reissue: OperationTransform {
  package mutating func object(_ old: ObjectReference) throws(ChangesetError) -> ObjectReference {
    var key = old.key
    if case .identity(let identity) = key, identity.author == former.author,
      identity.sequence >= first
    {
      key = .identity(
        ChangeIdentity(
          author: table.author, sequence: sequence(identity.sequence), index: identity.index))
    }
    return ObjectReference(class: try `class`(old.class), key: key, generation: old.generation)
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
    guard let author = former[old] else {
      throw former.undeclared(
        old.rawValue, of: former.authors.count, "an author", at: .operation(0))
    }
    if let known = table.number(of: author) { return known }
    return AuthorNumber(try declare(.author(author), after: table.authors.count))
  }

  private mutating func `class`(_ old: ClassNumber) throws(ChangesetError) -> ClassNumber {
    guard let declaration = former[old] else {
      throw former.undeclared(
        old.rawValue, of: former.classes.count, "a class", at: .operation(0))
    }
    if let known = table.number(of: declaration) { return known }
    return ClassNumber(try declare(.class(declaration), after: table.classes.count))
  }

  package mutating func property(_ old: PropertyNumber) throws(ChangesetError) -> PropertyNumber {
    guard let declaration = former[old] else {
      throw former.undeclared(
        old.rawValue, of: former.properties.count, "a property", at: .operation(0))
    }
    var new = declaration
    new.owner = try `class`(declaration.owner)
    if let target = declaration.target { new.target = try `class`(target) }
    if let known = table.number(of: new) { return known }
    return PropertyNumber(try declare(.property(new), after: table.properties.count))
  }

  private mutating func declare(
    _ declaration: Declaration, after count: Int
  ) throws(ChangesetError) -> UInt32 {
    try table.adopt([declaration])
    fresh.append(declaration)
    return UInt32(truncatingIfNeeded: count)
  }
}
