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
    case .create(let object, let fields):
      try validate(object, isAlive: true)
      for place in fields.indices {
        let property = try property(fields[place].property, in: object.class, .none)
        try validate(fields[place].value, for: property, depth: 1)
      }
    case .delete(let object): try validate(object, isAlive: false)
    case .assign(let path, let value):
      try validate(value, for: try cell(path, .none), depth: 1)
    case .increment(let path, _, let base): try validate(step: base, at: path)
    case .insert(let path, _, let value):
      try validate(value, for: try cell(path, .list), depth: 1)
    case .assignElement(let path, let element, let value):
      let property = try cell(path, .list)
      try validate(element)
      try validate(value, for: property, depth: 1)
    case .move(let path, let element, _), .remove(let path, let element):
      _ = try cell(path, .list)
      try validate(element)
    case .clear(let path, let elements):
      _ = try cell(path, .list)
      for element in elements { try validate(element) }
    case .insertMember(let path, let value), .removeMember(let path, let value):
      try validate(value, for: try cell(path, .set), depth: 1)
    case .assignEntry(let path, _, let value):
      try validate(value, for: try cell(path, .map), depth: 1)
    case .removeEntry(let path, _): _ = try cell(path, .map)
    }
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
    guard object.life.isAlive == isAlive, object.life != .unknown else {
      throw ChangesetError(
        .outOfRange, at: place, "the life of an object of \(table.classes[number].name)",
        found: "\(object.life)", expected: isAlive ? "an odd number" : "an even number from 2")
    }
  }

  /// The place of the property that a path ends in.
  private func cell(
    _ path: CellPath, _ collection: CollectionKind
  ) throws(ChangesetError) -> Int {
    try validate(path.object, isAlive: true)
    var owner = path.object.class
    for step in path.steps { owner = try target(of: step, in: owner) }
    return try property(path.property, in: owner, collection)
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
  private func validate(
    _ value: FieldValue, for property: Int, depth: Int
  ) throws(ChangesetError) {
    switch value {
    case .scalar(let scalar):
      guard let type = scalar.type else { return }
      guard type == table.properties[property].type else { throw mismatch(property, type) }
    case .link(let object): try validate(link: object, in: property)
    case .embedded(let fields): try validate(fields, in: property, depth: depth)
    case .collection: throw mismatch(property, .any)
    }
  }

  private func validate(
    link object: ObjectReference, in property: Int
  ) throws(ChangesetError) {
    let declaration = table.properties[property]
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
