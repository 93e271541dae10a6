import AtollVocabulary

/// One operation held against what its author has declared.
///
/// Properties are passed as their places in the table rather than as values: a large changeset asks
/// for one per field, and copying names costs more than all that is checked.
struct OperationCheck {
  let table: DeclarationTable
  var index: UInt32
  let sequence: SequenceNumber
  let time: HybridTime

  private var place: ChangesetError.Place { .operation(Int(index)) }

  init(table: DeclarationTable, index: UInt32, sequence: SequenceNumber, time: HybridTime) {
    self.table = table
    self.index = index
    self.sequence = sequence
    self.time = time
  }

  func validate(_ operation: Operation) throws(ChangesetError) {
    switch operation {
    case .data(let operation): try validate(operation)
    case .control(let operation): try validate(operation)
    }
  }

  private func validate(_ operation: ControlOperation) throws(ChangesetError) {
    switch operation {
    case .release(let number, _): _ = try author(number)
    case .supersede(let number, _, _):
      let other = try author(number)
      guard other.replica == table.author.replica else {
        throw mismatch(
          "an author whose changesets are superseded", "\(other)",
          "another incarnation of \(table.author.replica)")
      }
    }
  }

  private func validate(_ operation: DataOperation) throws(ChangesetError) {
    try validateReplica(operation)
    try validateOwners(operation)
    switch operation {
    case .create(let object, let fields):
      try validate(object, isAlive: true)
      try validate(creating: object)
      for place in fields.indices {
        let property = try property(fields[place].property, in: object.class, .none)
        try validate(fields[place].value, for: property, depth: 1)
      }
    case .delete(let object): try validate(object, isAlive: false)
    case .assign(let path, let value): try validate(value, at: path, .none)
    case .increment(let path, _, let base): try validate(step: base, at: path)
    case .insert(let path, _, let value): try validate(value, at: path, .list)
    case .assignElement(let path, let element, let value):
      try validate(value, at: path, .list)
      try validate(element)
    case .move(let path, let element, _), .remove(let path, let element):
      _ = try cell(path, .list)
      try validate(element)
    case .clear(let path, let elements):
      _ = try cell(path, .list)
      for element in elements { try validate(element) }
    case .insertMember(let path, let value), .removeMember(let path, let value):
      try validate(value, at: path, .set)
    case .assignEntry(let path, _, let value): try validate(value, at: path, .map)
    case .removeEntry(let path, _): _ = try cell(path, .map)
    }
  }

  /// Another author than the one that wrote the operation.
  private func author(_ number: AuthorNumber) throws(ChangesetError) -> Author {
    guard let author = table[number] else {
      throw table.undeclared(
        number.rawValue, of: table.authors.count, "an author", at: place)
    }
    guard number != .ownself else {
      throw mismatch("an author of whom something is said", "the writer", "another")
    }
    return author
  }
}

// MARK: - Objects and paths

extension OperationCheck {
  private func validate(
    _ object: ObjectReference, isAlive: Bool
  ) throws(ChangesetError) {
    let number = Int(object.class.rawValue)
    guard number < table.classes.count else {
      throw table.undeclared(
        object.class.rawValue, of: table.classes.count, "the class of an object", at: place)
    }
    guard !table.classes[number].isEmbedded else {
      throw mismatch(
        "the class of an object", "the embedded class \(table.classes[number].name)",
        "a top-level class")
    }
    let (type, keyType) = (object.key.type, table.classes[number].keyType)
    guard type == keyType || type == nil && keyType != .identity else {
      throw mismatch(
        "the key of an object of \(table.classes[number].name)", type?.description ?? "nil",
        "\(keyType)")
    }
    guard object.generation.isAlive == isAlive, object.generation != .unknown else {
      throw ChangesetError(
        .outOfRange, at: place, "the generation of an object of \(table.classes[number].name)",
        found: "\(object.generation)", expected: isAlive ? "an odd number" : "an even number from 2"
      )
    }
  }

  /// Without a declared key an object has the name of the operation that makes it, once.
  private func validate(creating object: ObjectReference) throws(ChangesetError) {
    guard case .identity(let identity) = object.key else { return }
    guard identity.author.commonHistory == table.author.commonHistory,
      identity.sequence == sequence,
      identity.index == index
    else {
      throw mismatch(
        "the hidden key of an object that is made", "\(identity)",
        "number \(index) of changeset \(sequence) of \(table.author.commonHistory)")
    }
    guard object.generation == .first else {
      throw ChangesetError(
        .outOfRange, at: place, "the generation of an object without a declared key that is made",
        found: "\(object.generation)", expected: "\(Generation.first)")
    }
  }

  /// The place of the property that a path ends in, or in which it goes on into a nested collection.
  ///
  /// `collection` is what the path must lead to.
  private func cell(
    _ path: CellPath, _ collection: CollectionKind
  ) throws(ChangesetError) -> Int {
    try validate(path.object, isAlive: true)
    var owner = path.object.class
    for step in path.steps { owner = try target(of: step, in: owner) }
    guard let first = path.nested.first else {
      return try property(path.property, in: owner, collection)
    }
    guard collection == .list || collection == .map else {
      throw mismatch(
        "a step into a nested collection", "on the way to \(collection)", "a list or map")
    }
    let property = try property(path.property, in: owner, first.holder)
    let declaration = table.properties[property]
    guard declaration.type == .any else {
      throw mismatch(
        "a step into a collection in \(declaration.name)", "\(declaration.type)",
        "\(PersistedType.any)")
    }
    for (depth, step) in path.nested.enumerated() { try validate(step, isFirst: depth == 0) }
    return property
  }

  /// Tells whether the collection is of the kind that the step's instance made, the merge finds out.
  private func validate(_ step: NestedStep, isFirst: Bool) throws(ChangesetError) {
    switch step {
    case .slot(let instance):
      guard isFirst else {
        throw mismatch(
          "a step inside a nested collection", "the property's own slot", "an element or entry")
      }
      try validate(instance)
    case .element(let element, let instance):
      try validate(element)
      try validate(instance)
    case .entry(_, let instance): try validate(instance)
    }
  }

  /// The class that a step leads into.
  private func target(
    of step: PathStep, in owner: ClassNumber
  ) throws(ChangesetError) -> ClassNumber {
    let place: Int
    switch step {
    case .slot(let number, let instance):
      place = try property(number, in: owner, .none)
      try validate(instance)
    case .element(let number, let element, let instance):
      place = try property(number, in: owner, .list)
      try validate(element)
      try validate(instance)
    case .entry(let number, _, let instance):
      place = try property(number, in: owner, .map)
      try validate(instance)
    }
    let declaration = table.properties[place]
    guard declaration.type == .embedded, let target = declaration.target else {
      throw mismatch("a step into \(declaration.name)", "\(declaration.type)", "embedded object")
    }
    return target
  }

  /// The place of a declared property of `owner`.
  private func property(
    _ number: PropertyNumber, in owner: ClassNumber, _ collection: CollectionKind
  ) throws(ChangesetError) -> Int {
    let place = Int(number.rawValue)
    guard place < table.properties.count else {
      throw table.undeclared(
        number.rawValue, of: table.properties.count, "a property", at: self.place)
    }
    guard table.properties[place].owner == owner else {
      throw mismatch(
        "the property \(table.properties[place].name)", "used in class \(owner.rawValue)",
        "class \(table.properties[place].owner.rawValue), its owner")
    }
    guard table.properties[place].collection == collection else {
      throw mismatch(
        "the property \(table.properties[place].name)",
        "\(table.properties[place].collection)", "\(collection)")
    }
    return place
  }
}

// MARK: - Values

extension OperationCheck {
  /// A value that is given to the cell, element, member or entry at the end of a path.
  private func validate(
    _ value: FieldValue, at path: CellPath, _ collection: CollectionKind
  ) throws(ChangesetError) {
    try validate(value, for: try cell(path, collection), depth: 1)
    guard case .collection = value else { return }
    guard path.nested.count < Limits.nestingDepth else {
      throw ChangesetError(
        .overLimit, at: place, "the depth of nested collections",
        found: "\(path.nested.count + 1)", expected: "at most \(Limits.nestingDepth)")
    }
  }

  private func validate(
    _ value: FieldValue, for property: Int, depth: Int
  ) throws(ChangesetError) {
    switch value {
    case .scalar(let scalar):
      guard let type = scalar.type else { return }
      let declared = table.properties[property].type
      guard type == declared || declared == .any && type != .identity else {
        throw mismatch(property, type)
      }
    case .link(let object): try validate(link: object, in: property)
    case .embedded(let fields): try validate(fields, in: property, depth: depth)
    case .collection(let kind): try validate(new: kind, in: property)
    }
  }

  private func validate(
    new kind: CollectionKind, in property: Int
  ) throws(ChangesetError) {
    let declaration = table.properties[property]
    guard declaration.type == .any, declaration.collection != .set else {
      throw mismatch(
        "a value of \(declaration.name)", "\(kind)",
        declaration.type == .any
          ? "a scalar or link; sets hold no collections" : "\(declaration.type)")
    }
    guard kind == .list || kind == .map else {
      throw mismatch("a value of \(declaration.name)", "\(kind)", "a list or map")
    }
  }

  private func validate(
    link object: ObjectReference, in property: Int
  ) throws(ChangesetError) {
    let declaration = table.properties[property]
    guard declaration.type != .any else { return try validate(object, isAlive: true) }
    guard declaration.type == .link else { throw mismatch(property, .link) }
    guard object.class == declaration.target else {
      throw mismatch(
        "a link in \(declaration.name)", "to class \(object.class.rawValue)",
        "to class \(declaration.target?.rawValue ?? 0), its target")
    }
    try validate(object, isAlive: true)
  }

  private func validate(
    _ fields: [EmbeddedField], in property: Int, depth: Int
  ) throws(ChangesetError) {
    let declaration = table.properties[property]
    guard declaration.type == .embedded, let target = declaration.target else {
      throw mismatch(property, .embedded)
    }
    guard depth <= Limits.nestingDepth else {
      throw ChangesetError(
        .overLimit, at: place, "the depth of embedded objects in \(declaration.name)",
        found: "\(depth)", expected: "at most \(Limits.nestingDepth)")
    }
    for field in fields {
      let inner = try self.property(field.property, in: target, .none)
      try validate(field.value, for: inner, depth: depth + 1)
    }
  }

  private func validate(
    step base: StepBase, at path: CellPath
  ) throws(ChangesetError) {
    let property = table.properties[try cell(path, .none)]
    guard property.type == .int else {
      throw mismatch("a step of \(property.name)", "\(property.type)", "\(PersistedType.int)")
    }
    switch base {
    case .default: break
    case .assignment(let stamp): try validate(stamp)
    }
  }

  /// A stamp must be of an operation before this one.
  private func validate(_ stamp: StampReference) throws(ChangesetError) {
    try validate(stamp.author, "the author of a stamp")
    let isOwn = stamp.author == .ownself
    guard stamp.time < time || isOwn && stamp.time == time && stamp.index < index else {
      throw ChangesetError(
        .outOfRange, at: place, "a stamp", found: "\(stamp.time)#\(stamp.index)",
        expected: "one before \(time)#\(index)")
    }
  }

  /// An element must have been inserted before this operation.
  private func validate(_ element: ElementReference) throws(ChangesetError) {
    try validate(element.author, "the author of an element")
    let isPast =
      element.author != .ownself
      || (element.sequence, element.index) < (sequence, index)
    guard element.sequence > .none, isPast else {
      throw ChangesetError(
        .outOfRange, at: place, "an element", found: "\(element.sequence)#\(element.index)",
        expected: "one from 1#0 to before \(sequence)#\(index)")
    }
  }

  private func validate(
    _ author: AuthorNumber, _ subject: String
  ) throws(ChangesetError) {
    guard author.rawValue < table.authors.count else {
      throw table.undeclared(author.rawValue, of: table.authors.count, subject, at: place)
    }
  }
}

// MARK: - Errors

extension OperationCheck {
  private func mismatch(_ property: Int, _ found: PersistedType) -> ChangesetError {
    let declaration = table.properties[property]
    return mismatch("a value of \(declaration.name)", "\(found)", "\(declaration.type)")
  }

  private func mismatch(_ subject: String, _ found: String, _ expected: String) -> ChangesetError {
    ChangesetError(.mismatched, at: place, subject, found: found, expected: expected)
  }
}

extension NestedStep {
  /// The required collection kind of a property in which the step is the first.
  fileprivate var holder: CollectionKind {
    switch self {
    case .slot: .none
    case .element: .list
    case .entry: .map
    }
  }
}
