import AtollVocabulary

/// Reads operations one after the other, remembering what the next may leave unsaid.
struct OperationReader: Sendable {
  var input: ByteReader
  let context: ValueContext
  let time: HybridTime

  private var previousObject: ObjectReference?
  /// The place of the previous object's key in the bytes.
  private var previousKey = 0..<0
  private var previousPosition: [UInt8] = []

  init(input: ByteReader, context: ValueContext, time: HybridTime) {
    self.input = input
    self.context = context
    self.time = time
  }

  mutating func operation() throws(ChangesetError) -> Operation {
    let start = input.offset
    let first = try input.byte("an operation")
    if first == ChangesetFormat.controlOperation { return .control(try controlOperation()) }
    return .data(try dataOperation(first, at: start))
  }

  private mutating func dataOperation(
    _ first: UInt8, at start: Int
  ) throws(ChangesetError) -> DataOperation {
    guard let tag = ChangesetFormat.OperationTag(rawValue: first & 0x0F) else {
      throw input.unknownTag("an operation", first, at: start)
    }
    let object = try object(first, tag)
    switch tag {
    case .create:
      try refuseSteps(first, at: start)
      return .create(object, try createdFields())
    case .delete:
      try refuseSteps(first, at: start)
      return .delete(object)
    case .assign: return .assign(try path(object, first), try value())
    case .increment:
      return .increment(
        try path(object, first), by: try input.signed("the amount of a step"),
        on: try stepBase())
    case .insert:
      return .insert(try path(object, first), at: try position(), try value())
    case .assignElement:
      return .assignElement(try path(object, first), try element(), try value())
    case .move:
      return .move(try path(object, first), try element(), to: try position())
    case .remove: return .remove(try path(object, first), try element())
    case .clear: return .clear(try path(object, first), try elements())
    case .insertMember: return .insertMember(try path(object, first), try value())
    case .removeMember: return .removeMember(try path(object, first), try value())
    case .assignEntry:
      return .assignEntry(try path(object, first), key: try entryKey(), try value())
    case .removeEntry: return .removeEntry(try path(object, first), key: try entryKey())
    }
  }
}

// MARK: - Control operations

extension OperationReader {
  private mutating func controlOperation() throws(ChangesetError) -> ControlOperation {
    let start = input.offset
    let byte = try input.byte("the kind of a control operation")
    guard let tag = ChangesetFormat.ControlTag(rawValue: byte) else {
      throw input.unknownTag("the kind of a control operation", byte, at: start)
    }
    let author = AuthorNumber(try input.varint32("an author"))
    switch tag {
    case .release: return .release(author, through: try sequence(from: 1))
    case .supersede:
      let first = try sequence(from: 1)
      return .supersede(author, from: first, through: try sequence(from: first.rawValue))
    }
  }

  private mutating func sequence(from least: UInt64) throws(ChangesetError) -> SequenceNumber {
    let start = input.offset
    let number = try input.sequence("a sequence number")
    guard number.rawValue >= least else {
      throw ChangesetError(
        .outOfRange, at: .byte(start), "a sequence number", found: "\(number)",
        expected: "\(least) or more")
    }
    return number
  }
}

// MARK: - Objects and paths

extension OperationReader {
  private typealias Flag = ChangesetFormat.OperationFlag

  private mutating func object(
    _ first: UInt8, _ tag: ChangesetFormat.OperationTag
  ) throws(ChangesetError) -> ObjectReference {
    let start = input.offset
    if first & Flag.sameObject != 0 {
      guard let previousObject else { throw unsaid("an object", at: start) }
      guard first & (Flag.sameClass | Flag.usualGeneration) == 0 else {
        throw input.notCanonical(
          "an operation", at: start - 1, found: "the flags of one object and of another",
          expected: "one of them")
      }
      return previousObject
    }
    let object = try newObject(first, tag)
    previousObject = object
    return object
  }

  private mutating func newObject(
    _ first: UInt8, _ tag: ChangesetFormat.OperationTag
  ) throws(ChangesetError) -> ObjectReference {
    let start = input.offset
    let `class` = try objectClass(first)
    let generation = try objectGeneration(first, usual: ChangesetFormat.usualGeneration(of: tag))
    let keyStart = input.offset
    let key = try key()
    let keyRange = keyStart..<input.offset
    if let previousObject, previousObject.class == `class`, previousObject.generation == generation,
      previousKey.count == keyRange.count, input.bytes[previousKey] == input.bytes[keyRange]
    {
      throw input.notCanonical(
        "an operation", at: start, found: "the previous object, said again",
        expected: "its flag for the same object")
    }
    previousKey = keyRange
    return ObjectReference(class: `class`, key: key, generation: generation)
  }

  private mutating func objectClass(_ first: UInt8) throws(ChangesetError) -> ClassNumber {
    let start = input.offset
    if first & Flag.sameClass != 0 {
      guard let previousObject else { throw unsaid("the class of an object", at: start) }
      return previousObject.class
    }
    let number = ClassNumber(try input.varint32("the class of an object"))
    guard number != previousObject?.class else {
      throw input.notCanonical(
        "the class of an object", at: start, found: "the previous class, said again",
        expected: "its flag for the same class")
    }
    return number
  }

  private mutating func objectGeneration(
    _ first: UInt8, usual: Generation
  ) throws(ChangesetError) -> Generation {
    guard first & Flag.usualGeneration == 0 else { return usual }
    let start = input.offset
    let generation = Generation(try input.varint32("the generation of an object"))
    guard generation != usual else {
      throw input.notCanonical(
        "the generation of an object", at: start, found: "the usual \(usual), said in full",
        expected: "its flag for the usual generation")
    }
    return generation
  }

  private func unsaid(_ subject: StaticString, at start: Int) -> ChangesetError {
    ChangesetError(
      .outOfRange, at: .byte(start - 1), "\(subject)", found: "that of the previous operation",
      expected: "one of its own; this is the first operation")
  }

  private func refuseSteps(_ first: UInt8, at start: Int) throws(ChangesetError) {
    guard first & Flag.hasSteps == 0 else {
      throw input.notCanonical(
        "an operation", at: start, found: "steps to a whole object", expected: "no steps")
    }
  }

  private mutating func stepBase() throws(ChangesetError) -> StepBase {
    let start = input.offset
    let tag = try input.byte("the base of a step")
    switch ChangesetFormat.StepBaseTag(rawValue: tag) {
    case .default: return .default
    case .assignment: return .assignment(try stamp())
    case nil: throw input.unknownTag("the base of a step", tag, at: start)
    }
  }
}

// MARK: - Lists

extension OperationReader {
  mutating func element() throws(ChangesetError) -> ElementReference {
    ElementReference(
      author: AuthorNumber(try input.varint32("the author of an element")),
      sequence: try input.sequence("the sequence of an element"),
      index: try input.varint32("the index of an element"))
  }

  private mutating func elements() throws(ChangesetError) -> [ElementReference] {
    let count = try input.count(
      "the number of elements", limit: Limits.changesetOperations, bytesEach: 3)
    var elements: [ElementReference] = []
    elements.reserveCapacity(count)
    var previous = ElementReference(author: .ownself, sequence: .none, index: 0)
    for _ in 0..<count {
      let author = AuthorNumber(try input.varint32("the author of an element"))
      let sequence = try sequence(after: previous.sequence)
      let start = input.offset
      let distance = try input.signed("the index of an element")
      let index = Int64(previous.index).addingReportingOverflow(distance)
      guard !index.overflow, let exact = UInt32(exactly: index.partialValue) else {
        throw ChangesetError(
          .outOfRange, at: .byte(start), "the index of an element",
          found: "\(distance) from \(previous.index)", expected: "an index of 32 bits")
      }
      previous = ElementReference(
        author: author, sequence: sequence, index: exact)
      elements.append(previous)
    }
    return elements
  }

  /// The number that is as far from the one before as the bytes say.
  private mutating func sequence(
    after previous: SequenceNumber
  ) throws(ChangesetError) -> SequenceNumber {
    let start = input.offset
    let distance = try input.signed("the sequence of an element")
    let sum = Int64(previous.rawValue).addingReportingOverflow(distance)
    guard !sum.overflow, sum.partialValue >= 0, sum.partialValue <= Limits.sequenceNumber else {
      throw ChangesetError(
        .outOfRange, at: .byte(start), "the sequence of an element",
        found: "\(distance) from \(previous)", expected: "0 to \(Limits.sequenceNumber)")
    }
    return SequenceNumber(UInt64(sum.partialValue))
  }

  private mutating func position() throws(ChangesetError) -> PositionKey {
    let start = input.offset
    let shared = Int(
      try input.varint("the shared part of a position key", limit: UInt64(Limits.positionKeyBytes)))
    let count = Int(
      try input.varint("the length of a position key", limit: UInt64(Limits.positionKeyBytes)))
    guard shared <= previousPosition.count, shared + count <= Limits.positionKeyBytes else {
      throw ChangesetError(
        .outOfRange, at: .byte(start), "the shared part of a position key", found: "\(shared)",
        expected: "at most the previous key's \(previousPosition.count) bytes")
    }
    let range = try input.range(count, "a position key")
    if count > 0, shared < previousPosition.count,
      input.bytes[range.lowerBound] == previousPosition[shared]
    {
      throw input.notCanonical(
        "the shared part of a position key", at: start, found: "\(shared)",
        expected: "all bytes shared with the previous key")
    }
    let position = PositionKey(bytes: previousPosition.prefix(shared) + Array(input.bytes[range]))
    guard position.isWellFormed else {
      throw ChangesetError(
        .invalidPositionKey, at: .byte(start), "a position key",
        found: position.bytes.isEmpty
          ? "no bytes" : Hexadecimal.text(bytes: position.bytes.prefix(64)),
        expected: "a path of names, fractions and sides that ends in 01")
    }
    previousPosition = position.bytes
    return position
  }
}
