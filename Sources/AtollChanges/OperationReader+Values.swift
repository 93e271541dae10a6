import AtollVocabulary

extension OperationReader {
  mutating func createdFields() throws(ChangesetError) -> [CreatedField] {
    let count = try fieldCount()
    var fields: [CreatedField] = []
    fields.reserveCapacity(count)
    var next: UInt64 = 0
    for _ in 0..<count {
      let property = try fieldProperty(&next)
      let start = input.offset
      let tag = try input.byte("a value")
      let value = try value(tag & ~ChangesetFormat.assignedFlag, at: start, depth: 1)
      fields.append(
        CreatedField(
          property: property, value: value,
          isAssigned: tag & ChangesetFormat.assignedFlag != 0))
    }
    return fields
  }

  private mutating func embeddedFields(depth: Int) throws(ChangesetError) -> [EmbeddedField] {
    let count = try fieldCount()
    var fields: [EmbeddedField] = []
    fields.reserveCapacity(count)
    var next: UInt64 = 0
    for _ in 0..<count {
      let property = try fieldProperty(&next)
      let start = input.offset
      let tag = try input.byte("a value")
      fields.append(
        EmbeddedField(property: property, value: try value(tag, at: start, depth: depth)))
    }
    return fields
  }

  private mutating func fieldCount() throws(ChangesetError) -> Int {
    try input.count("the number of fields", limit: Limits.declarations, bytesEach: 2)
  }

  /// The number that is as far from `next` as the bytes say; moves `next` past it.
  private mutating func fieldProperty(
    _ next: inout UInt64
  ) throws(ChangesetError) -> PropertyNumber {
    let start = input.offset
    let number = next &+ UInt64(try input.varint32("the property of a field"))
    guard number <= UInt64(UInt32.max) else {
      throw input.overLimit(
        "the property of a field", number, limit: UInt64(UInt32.max), at: start)
    }
    next = number + 1
    return PropertyNumber(UInt32(truncatingIfNeeded: number))
  }

  mutating func value() throws(ChangesetError) -> FieldValue {
    let start = input.offset
    return try value(try input.byte("a value"), at: start, depth: 1)
  }

  private mutating func value(
    _ tag: UInt8, at start: Int, depth: Int
  ) throws(ChangesetError) -> FieldValue {
    switch tag {
    case PersistedType.link.rawValue:
      return .link(try link())
    case PersistedType.embedded.rawValue:
      guard depth <= Limits.nestingDepth else {
        throw input.overLimit(
          "the depth of an embedded object", UInt64(depth), limit: UInt64(Limits.nestingDepth),
          at: start)
      }
      return .embedded(try embeddedFields(depth: depth + 1))
    case PersistedType.decimal.rawValue: return .scalar(.decimal(try decimal()))
    case ChangesetFormat.collectionTag: return .collection(try collectionKind())
    case PersistedType.identity.rawValue: throw input.unknownTag("a value", tag, at: start)
    case _: return .scalar(try scalar(tag, at: start, limit: Limits.valueBytes))
    }
  }

  private mutating func link() throws(ChangesetError) -> ObjectReference {
    let `class` = ClassNumber(try input.varint32("the class of a link"))
    let generation = Generation(try input.varint32("the generation of a link"))
    return ObjectReference(class: `class`, key: try key(), generation: generation)
  }

  mutating func key() throws(ChangesetError) -> PersistedValue {
    let start = input.offset
    return try scalar(try input.byte("a key"), at: start, limit: Limits.keyBytes)
  }

  /// Any value but a link, an embedded object or a collection, by its tag.
  mutating func scalar(_ tag: UInt8, at start: Int) throws(ChangesetError) -> PersistedValue {
    tag == PersistedType.decimal.rawValue
      ? .decimal(try decimal()) : try scalar(tag, at: start, limit: Limits.valueBytes)
  }

  private mutating func scalar(
    _ tag: UInt8, at start: Int, limit: Int
  ) throws(ChangesetError) -> PersistedValue {
    if tag == ChangesetFormat.nullTag { return .null }
    switch PersistedType(rawValue: tag) {
    case .bool: return .bool(try bool())
    case .int: return .int(try input.signed("an integer"))
    case .float: return .float(try float())
    case .double: return .double(try double())
    case .string: return .string(try input.text("a string", limit: limit))
    case .data:
      let count = Int(try input.varint("the length of data", limit: UInt64(limit)))
      return .data(Array(input.bytes[try input.range(count, "data")]))
    case .date: return .date(try double())
    case .uuid:
      return .uuid(
        UniqueBytes(
          high: try input.fixed(UInt64.self, "a UUID"), low: try input.fixed(UInt64.self, "a UUID")
        ))
    case .objectId:
      return .objectId(
        ObjectId(
          high: try input.fixed(UInt64.self, "an object id"),
          low: try input.fixed(UInt32.self, "an object id")))
    case .identity: return .identity(try identity())
    case .decimal, .link, .embedded, .any, nil: throw input.unknownTag("a value", tag, at: start)
    }
  }

  mutating func collectionKind() throws(ChangesetError) -> CollectionKind {
    let start = input.offset
    let tag = try input.byte("the kind of a collection")
    switch CollectionKind(rawValue: tag) {
    case .list: return .list
    case .map: return .map
    case .some(.none), .set, nil: throw input.unknownTag("the kind of a collection", tag, at: start)
    }
  }

  private mutating func decimal() throws(ChangesetError) -> Decimal128 {
    let start = input.offset
    let value = Decimal128(
      high: try input.fixed(UInt64.self, "a decimal"),
      low: try input.fixed(UInt64.self, "a decimal"))
    let form = value.canonical
    guard (value.high, value.low) == (form.high, form.low) else {
      throw input.notCanonical(
        "a decimal", at: start, found: Hexadecimal.text(value.high) + Hexadecimal.text(value.low),
        expected: Hexadecimal.text(form.high) + Hexadecimal.text(form.low))
    }
    return value
  }

  private mutating func bool() throws(ChangesetError) -> Bool {
    let start = input.offset
    let byte = try input.byte("a boolean")
    guard byte <= 1 else { throw input.unknownTag("a boolean", byte, at: start) }
    return byte == 1
  }

  private mutating func float() throws(ChangesetError) -> Float {
    let start = input.offset
    let value = Float(bitPattern: try input.fixed(UInt32.self, "a float"))
    guard !value.isNaN || value.bitPattern == Float.nan.bitPattern else {
      throw input.notCanonical(
        "a float", at: start, found: "another NaN", expected: "7fc00000")
    }
    return value
  }

  private mutating func double() throws(ChangesetError) -> Double {
    let start = input.offset
    let value = Double(bitPattern: try input.fixed(UInt64.self, "a double"))
    guard !value.isNaN || value.bitPattern == Double.nan.bitPattern else {
      throw input.notCanonical(
        "a double", at: start, found: "another NaN", expected: "7ff8000000000000")
    }
    return value
  }

  private mutating func identity() throws(ChangesetError) -> ChangeIdentity {
    let start = input.offset
    let tag = try input.byte("an identity")
    switch ChangesetFormat.IdentityTag(rawValue: tag) {
    case .own:
      let ageStart = input.offset
      let age = try input.varint("the age of an identity")
      guard age < context.sequence.rawValue else {
        throw ChangesetError(
          .outOfRange, at: .byte(ageStart), "the age of an identity", found: "\(age)",
          expected: "less than \(context.sequence), the number of the changeset")
      }
      return ChangeIdentity(
        author: context.author, sequence: SequenceNumber(context.sequence.rawValue - age),
        index: try input.varint32("the index of an identity"))
    case .foreign:
      let author = try input.author("the author of an identity")
      guard author != context.author else {
        throw input.notCanonical(
          "an identity", at: start, found: "the changeset's author, whole",
          expected: "its tag for an own identity")
      }
      return try identity(of: author)
    case .branch: return try identity(of: try input.branchedAuthor("the author of an identity"))
    case nil: throw input.unknownTag("an identity", tag, at: start)
    }
  }

  private mutating func identity(of author: Author) throws(ChangesetError) -> ChangeIdentity {
    ChangeIdentity(
      author: author, sequence: try input.sequence("the sequence of an identity"),
      index: try input.varint32("the index of an identity"))
  }
}
