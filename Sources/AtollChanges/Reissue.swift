package import AtollVocabulary

/// Writes the end of one author's chain again as another's, with other stamps.
///
/// What the operations do stays: objects, values, places in lists and every index are the same. Only
/// what the end of the chain says of itself (its stamps, its list elements, its objects without a
/// declared key) gets the new author's name, and declarations are made anew as they are used.
package struct Reissue {
  /// Everything the former author has declared.
  private let former: DeclarationTable
  /// The first of its changesets that is written again, and the number that this gets.
  private let first: SequenceNumber
  private let newFirst: SequenceNumber
  private var table: DeclarationTable
  private var fresh: [Declaration] = []
  /// The new times of the changesets written again so far, by their old ones.
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
    for operation in old.operations { operations.append(try self.operation(operation)) }
    return Changeset(
      author: table.author, sequence: sequence(old.sequence), time: time,
      isContinued: old.isContinued, declarations: fresh,
      operations: operations)
  }

  private mutating func operation(_ old: Operation) throws(ChangesetError) -> Operation {
    switch old {
    case .create(let object, let fields):
      let object = try self.object(object)
      var created: [CreatedField] = []
      for field in fields {
        created.append(
          CreatedField(
            property: try property(field.property), value: try value(field.value),
            isAssigned: field.isAssigned))
      }
      return .create(object, created.sorted { $0.property < $1.property })
    case .delete(let object): return .delete(try self.object(object))
    case .assign(let path, let new): return .assign(try self.path(path), try value(new))
    case .increment(let path, let amount, let base):
      return .increment(try self.path(path), by: amount, on: try self.base(base))
    case .insert(let path, let key, let new):
      return .insert(try self.path(path), at: key, try value(new))
    case .assignElement(let path, let element, let new):
      return .assignElement(try self.path(path), try self.element(element), try value(new))
    case .move(let path, let element, let key):
      return .move(try self.path(path), try self.element(element), to: key)
    case .remove(let path, let element):
      return .remove(try self.path(path), try self.element(element))
    case .clear(let path, let elements):
      let path = try self.path(path)
      var cleared: [ElementReference] = []
      for element in elements { cleared.append(try self.element(element)) }
      return .clear(path, cleared)
    case .insertMember(let path, let new):
      return .insertMember(try self.path(path), try value(new))
    case .removeMember(let path, let new):
      return .removeMember(try self.path(path), try value(new))
    case .assignEntry(let path, let key, let new):
      return .assignEntry(try self.path(path), key: key, try value(new))
    case .removeEntry(let path, let key): return .removeEntry(try self.path(path), key: key)
    case .release(let author, let last): return .release(try self.author(author), through: last)
    case .supersede(let author, let first, let last):
      return .supersede(try self.author(author), from: first, through: last)
    }
  }

  // MARK: Cells and values

  private mutating func path(_ old: CellPath) throws(ChangesetError) -> CellPath {
    let object = try self.object(old.object)
    var path = CellPath(object: object, property: try property(old.property))
    for step in old.steps {
      switch step {
      case .slot(let slot, let instance):
        path.steps.append(.slot(try property(slot), instance: try stamp(instance)))
      case .element(let list, let element, let instance):
        path.steps.append(
          .element(
            try property(list), try self.element(element), instance: try stamp(instance)))
      case .entry(let map, let key, let instance):
        path.steps.append(.entry(try property(map), key: key, instance: try stamp(instance)))
      }
    }
    for step in old.nested {
      switch step {
      case .slot(let instance): path.nested.append(.slot(instance: try stamp(instance)))
      case .element(let element, let instance):
        path.nested.append(.element(try self.element(element), instance: try stamp(instance)))
      case .entry(let key, let instance):
        path.nested.append(.entry(key: key, instance: try stamp(instance)))
      }
    }
    return path
  }

  private mutating func value(_ old: FieldValue) throws(ChangesetError) -> FieldValue {
    switch old {
    case .scalar, .collection: return old
    case .link(let object): return .link(try self.object(object))
    case .embedded(let fields):
      var embedded: [EmbeddedField] = []
      for field in fields {
        embedded.append(
          EmbeddedField(property: try property(field.property), value: try value(field.value)))
      }
      return .embedded(embedded.sorted { $0.property < $1.property })
    }
  }

  private mutating func object(_ old: ObjectReference) throws(ChangesetError) -> ObjectReference {
    var key = old.key
    if case .identity(let identity) = key, identity.author == former.author,
      identity.sequence >= first
    {
      key = .identity(
        ChangeIdentity(
          author: table.author, sequence: sequence(identity.sequence), index: identity.index))
    }
    return ObjectReference(class: try `class`(old.class), key: key, life: old.life)
  }

  private mutating func base(_ old: StepBase) throws(ChangesetError) -> StepBase {
    switch old {
    case .default: .default
    case .assignment(let stamp): .assignment(try self.stamp(stamp))
    }
  }

  private mutating func stamp(_ old: StampReference) throws(ChangesetError) -> StampReference {
    if old.author == .ownself, let time = times[old.time] {
      return StampReference(time: time, author: .ownself, index: old.index)
    }
    return StampReference(time: old.time, author: try author(old.author), index: old.index)
  }

  private mutating func element(
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

  private mutating func author(_ old: AuthorNumber) throws(ChangesetError) -> AuthorNumber {
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

  private mutating func property(_ old: PropertyNumber) throws(ChangesetError) -> PropertyNumber {
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
