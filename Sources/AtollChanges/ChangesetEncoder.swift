package import AtollVocabulary

/// Writes one changeset while its transaction runs: operations as they happen, the rest at the end.
///
/// There is one form only, so an encoder fed the same operations gives the same bytes in every
/// process. It checks nothing that ``DeclarationTable`` checks on arrival; it is fed by code that
/// knows the model, and whoever feeds it keeps ``byteCount`` and ``operationCount`` inside
/// ``Limits`` by going on in another changeset.
package struct ChangesetEncoder: Sendable {
  package let author: Author
  package let sequence: SequenceNumber
  package let time: HybridTime

  private var context: ValueContext
  private var operations: [UInt8] = []
  /// The object of the previous operation, and where its key's bytes are in ``operations``.
  private var previousObject: (class: ClassNumber, generation: Generation, key: Range<Int>)?
  private var previousPosition: [UInt8] = []
  package private(set) var operationCount = 0

  /// Starts the changeset that `author` numbers `sequence` and stamps with `time`.
  package init(author: Author, sequence: SequenceNumber, time: HybridTime) {
    self.author = author
    self.sequence = sequence
    self.time = time
    context = ValueContext(author: author, sequence: sequence)
  }

  package var isEmpty: Bool { operationCount == 0 }

  /// Bytes of the operations so far; what ``finish(dependencies:declarations:)`` adds is small.
  package var byteCount: Int { operations.count }

  /// The index that the next operation gets.
  package var nextIndex: UInt32 { UInt32(truncatingIfNeeded: operationCount) }

  /// The stamp that the next operation gets.
  package var nextStamp: Stamp { Stamp(time: time, author: author, index: nextIndex) }

  /// The identity that the next operation makes: of a list element, or of an object without a key.
  package var nextIdentity: ChangeIdentity {
    ChangeIdentity(author: author, sequence: sequence, index: nextIndex)
  }

  /// Writes one operation and returns its index.
  @discardableResult
  package mutating func append(_ operation: Operation) -> UInt32 {
    let index = nextIndex
    switch operation {
    case .data(let operation): append(operation)
    case .control(let operation): append(operation)
    }
    return index
  }

  private mutating func append(_ operation: ControlOperation) {
    operationCount += 1
    switch operation {
    case .release(let author, let last):
      append(.release, author)
      operations.append(varint: last.rawValue)
    case .supersede(let author, let first, let last):
      append(.supersede, author)
      operations.append(varint: first.rawValue)
      operations.append(varint: last.rawValue)
    }
  }

  /// Writes one data operation.
  package mutating func append(_ operation: DataOperation) {
    operationCount += 1
    switch operation {
    case .create(let object, let fields):
      begin(.create, object)
      append(fields)
    case .delete(let object): begin(.delete, object)
    case .assign(let path, let value):
      begin(.assign, path)
      append(value)
    case .increment(let path, let amount, let base):
      begin(.increment, path)
      operations.append(signed: amount)
      append(base)
    case .insert(let path, let position, let value):
      begin(.insert, path)
      append(position)
      append(value)
    case .assignElement(let path, let element, let value):
      begin(.assignElement, path)
      append(element)
      append(value)
    case .move(let path, let element, let position):
      begin(.move, path)
      append(element)
      append(position)
    case .remove(let path, let element):
      begin(.remove, path)
      append(element)
    case .clear(let path, let elements):
      begin(.clear, path)
      append(elements)
    case .insertMember(let path, let value):
      begin(.insertMember, path)
      append(value)
    case .removeMember(let path, let value):
      begin(.removeMember, path)
      append(value)
    case .assignEntry(let path, let key, let value):
      begin(.assignEntry, path)
      operations.append(text: key)
      append(value)
    case .removeEntry(let path, let key):
      begin(.removeEntry, path)
      operations.append(text: key)
    }
  }

  private mutating func append(_ tag: ChangesetFormat.ControlTag, _ author: AuthorNumber) {
    operations.append(ChangesetFormat.controlOperation)
    operations.append(tag.rawValue)
    operations.append(varint: author.rawValue)
  }

  /// The canonical bytes of the whole changeset.
  ///
  /// - Parameters:
  ///   - dependencies: In any order; written ascending by author number.
  ///   - declarations: In the order that gives them their numbers.
  ///   - isContinued: Whether the transaction goes on in the author's next changeset.
  /// - Returns: What the log stores, the chain hashes and links carry.
  package consuming func finish(
    dependencies: [Dependency] = [], declarations: [Declaration] = [], isContinued: Bool = false
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(32 + 44 * dependencies.count + 32 * declarations.count)
    bytes.append(isContinued ? ChangesetFormat.continued : ChangesetFormat.version)
    bytes.append(varint: sequence.rawValue)
    bytes.append(fixed: time.rawValue)
    bytes.append(varint: dependencies.count)
    for dependency in dependencies.sorted(by: { $0.author < $1.author }) {
      bytes.append(varint: dependency.author.rawValue)
      bytes.append(varint: dependency.sequence.rawValue)
      bytes.append(contentsOf: dependency.hash.bytes)
    }
    bytes.append(varint: declarations.count)
    for declaration in declarations { bytes.append(declaration) }
    bytes.append(varint: operationCount)
    operations.insert(contentsOf: bytes, at: 0)
    return operations
  }
}

// MARK: - Objects and paths

extension ChangesetEncoder {
  private mutating func begin(_ tag: ChangesetFormat.OperationTag, _ path: CellPath) {
    let stepCount = path.steps.count + path.nested.count
    begin(tag, path.object, hasSteps: stepCount > 0)
    if stepCount > 0 {
      operations.append(varint: stepCount)
      for step in path.steps { append(step) }
      for step in path.nested { append(step) }
    }
    operations.append(varint: path.property.rawValue)
  }

  /// Writes the operation's first byte and its object, as far as the previous one does not say it.
  ///
  /// The key is written before it is known whether it is needed, since equal bytes are equal keys.
  private mutating func begin(
    _ tag: ChangesetFormat.OperationTag, _ object: ObjectReference, hasSteps: Bool = false
  ) {
    let start = operations.count
    let isSameClass = previousObject?.class == object.class
    let isUsualGeneration = object.generation == ChangesetFormat.usualGeneration(of: tag)
    var first = tag.rawValue
    if hasSteps { first |= ChangesetFormat.OperationFlag.hasSteps }
    if isSameClass { first |= ChangesetFormat.OperationFlag.sameClass }
    if isUsualGeneration { first |= ChangesetFormat.OperationFlag.usualGeneration }
    operations.append(first)
    if !isSameClass { operations.append(varint: object.class.rawValue) }
    if !isUsualGeneration { operations.append(varint: object.generation.rawValue) }
    let keyStart = operations.count
    operations.append(object.key, context: context)
    let key = keyStart..<operations.count

    if isSameClass, let previous = previousObject, previous.generation == object.generation,
      isEqual(previous.key, key)
    {
      operations.removeSubrange(start...)
      operations.append(
        first
          & ~(ChangesetFormat.OperationFlag.sameClass
          | ChangesetFormat.OperationFlag.usualGeneration)
          | ChangesetFormat.OperationFlag.sameObject)
    } else {
      previousObject = (object.class, object.generation, key)
    }
  }

  private func isEqual(_ a: Range<Int>, _ b: Range<Int>) -> Bool {
    a.count == b.count && operations[a] == operations[b]
  }

  private mutating func append(_ step: PathStep) {
    switch step {
    case .slot(let property, let instance):
      operations.append(ChangesetFormat.StepTag.slot.rawValue)
      operations.append(varint: property.rawValue)
      append(instance)
    case .element(let property, let element, let instance):
      operations.append(ChangesetFormat.StepTag.element.rawValue)
      operations.append(varint: property.rawValue)
      append(element)
      append(instance)
    case .entry(let property, let key, let instance):
      operations.append(ChangesetFormat.StepTag.entry.rawValue)
      operations.append(varint: property.rawValue)
      operations.append(text: key)
      append(instance)
    }
  }

  private mutating func append(_ step: NestedStep) {
    switch step {
    case .slot(let instance):
      operations.append(ChangesetFormat.StepTag.nestedSlot.rawValue)
      append(instance)
    case .element(let element, let instance):
      operations.append(ChangesetFormat.StepTag.nestedElement.rawValue)
      append(element)
      append(instance)
    case .entry(let key, let instance):
      operations.append(ChangesetFormat.StepTag.nestedEntry.rawValue)
      operations.append(text: key)
      append(instance)
    }
  }

  /// Time as how long before the changeset, author, index.
  private mutating func append(_ stamp: StampReference) {
    operations.append(varint: time.rawValue &- stamp.time.rawValue)
    operations.append(varint: stamp.author.rawValue)
    operations.append(varint: stamp.index)
  }

  private mutating func append(_ base: StepBase) {
    switch base {
    case .default: operations.append(ChangesetFormat.StepBaseTag.default.rawValue)
    case .assignment(let stamp):
      operations.append(ChangesetFormat.StepBaseTag.assignment.rawValue)
      append(stamp)
    }
  }
}

// MARK: - Values

extension ChangesetEncoder {
  private mutating func append(_ value: FieldValue, flag: UInt8 = 0) {
    switch value {
    case .scalar(let scalar): operations.append(scalar, context: context, flag: flag)
    case .link(let object):
      operations.append(PersistedType.link.rawValue | flag)
      operations.append(varint: object.class.rawValue)
      operations.append(varint: object.generation.rawValue)
      operations.append(object.key, context: context)
    case .embedded(let fields):
      operations.append(PersistedType.embedded.rawValue | flag)
      append(fields)
    case .collection(let kind):
      operations.append(ChangesetFormat.collectionTag | flag)
      operations.append(kind.rawValue)
    }
  }

  /// Fields ascending by number, each number as its distance from the one before.
  private mutating func append(_ fields: [CreatedField]) {
    let start = operations.count
    operations.append(varint: fields.count)
    var next: UInt32 = 0
    for index in fields.indices {
      let number = fields[index].property.rawValue
      guard number >= next else {
        operations.removeSubrange(start...)
        return append(ascending(fields, by: \.property))
      }
      operations.append(varint: number &- next)
      append(
        fields[index].value, flag: fields[index].isAssigned ? ChangesetFormat.assignedFlag : 0)
      next = number &+ 1
    }
  }

  private mutating func append(_ fields: [EmbeddedField]) {
    let start = operations.count
    operations.append(varint: fields.count)
    var next: UInt32 = 0
    for index in fields.indices {
      let number = fields[index].property.rawValue
      guard number >= next else {
        operations.removeSubrange(start...)
        return append(ascending(fields, by: \.property))
      }
      operations.append(varint: number &- next)
      append(fields[index].value)
      next = number &+ 1
    }
  }
}

/// Fields in the order of their numbers, the first of each number only.
private func ascending<Field>(
  _ fields: [Field], by property: KeyPath<Field, PropertyNumber>
) -> [Field] {
  var known = Set<PropertyNumber>()
  return fields.filter { known.insert($0[keyPath: property]).inserted }
    .sorted { $0[keyPath: property].rawValue < $1[keyPath: property].rawValue }
}

// MARK: - Lists

extension ChangesetEncoder {
  private mutating func append(_ element: ElementReference) {
    operations.append(varint: element.author.rawValue)
    operations.append(varint: element.sequence.rawValue)
    operations.append(varint: element.index)
  }

  /// Each reference as its distance from the one before, the first from author 0, sequence 0,
  /// index 0.
  private mutating func append(_ elements: [ElementReference]) {
    operations.append(varint: elements.count)
    var previous = ElementReference(author: .ownself, sequence: .none, index: 0)
    for element in elements {
      operations.append(varint: element.author.rawValue)
      operations.append(
        signed: Int64(
          bitPattern: element.sequence.rawValue &- previous.sequence.rawValue))
      operations.append(signed: Int64(element.index) - Int64(previous.index))
      previous = element
    }
  }

  /// Appends the number of bytes shared with the previous position key, and the others.
  private mutating func append(_ position: PositionKey) {
    let shared = Self.sharedCount(position.bytes, previousPosition)
    operations.append(varint: shared)
    operations.append(varint: position.bytes.count - shared)
    operations.append(contentsOf: position.bytes[shared...])
    previousPosition = position.bytes
  }

  /// Returns the number of bytes that two keys have in common at their beginnings.
  private static func sharedCount(_ first: [UInt8], _ second: [UInt8]) -> Int {
    let bound = min(first.count, second.count)
    var count = 0
    while count < bound, first[count] == second[count] { count += 1 }
    return count
  }
}

// MARK: - Declarations

extension [UInt8] {
  fileprivate mutating func append(_ declaration: Declaration) {
    typealias Tag = ChangesetFormat.DeclarationTag
    switch declaration {
    case .class(let value):
      let plain = value.isEmbedded ? Tag.embeddedClass : .class
      append((value.keyName == nil ? plain : .keyedClass).rawValue)
      append(text: value.name)
      if !value.isEmbedded { append(value.keyType.rawValue) }
      if let keyName = value.keyName { append(text: keyName) }
    case .property(let value):
      append(Tag.property.rawValue)
      append(varint: value.owner.rawValue)
      append(text: value.name)
      append(value.type.rawValue)
      append(value.collection.rawValue)
      if value.type.hasTarget { append(varint: value.target?.rawValue ?? 0) }
    case .author(let author):
      append((author.branch == .none ? Tag.author : .branch).rawValue)
      append(contentsOf: author.bytes)
    }
  }
}
