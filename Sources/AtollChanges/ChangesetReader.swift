package import AtollVocabulary

/// Reads a changeset's bytes: the header at once, the operations one by one.
///
/// Reading a large changeset this way needs no memory for all its operations together. What it gives
/// is well-formed and canonical; ``DeclarationTable`` says whether it means anything.
package struct ChangesetReader: Sendable {
  /// The author, as it names itself: without a branch.
  package let author: Author
  package let sequence: SequenceNumber
  package let time: HybridTime
  /// True if its transaction goes on in its author's next.
  package let isContinued: Bool
  package let dependencies: [Dependency]
  package let declarations: [Declaration]
  package let operationCount: Int
  /// The index of the operation that ``next()`` gives next.
  package private(set) var nextIndex = 0

  private var reader: OperationReader

  /// Reads all but the operations.
  ///
  /// - Parameters:
  ///   - bytes: The whole changeset.
  ///   - author: Who wrote it; the bytes do not say.
  /// - Throws: ``ChangesetError`` for anything that an encoder does not write.
  package init(_ bytes: [UInt8], author: Author) throws(ChangesetError) {
    self.author = author.commonHistory
    var input = ByteReader(bytes)
    guard bytes.count <= Limits.changesetBytes else {
      throw input.overLimit(
        "the size of a changeset", UInt64(bytes.count), limit: UInt64(Limits.changesetBytes), at: 0)
    }
    let version = try input.byte("the format version")
    isContinued = version == ChangesetFormat.continued
    guard isContinued || version == ChangesetFormat.version else {
      throw ChangesetError(
        .unknownFormat, at: .byte(0), "the format version", found: "\(version)",
        expected: "\(ChangesetFormat.version) or \(ChangesetFormat.continued); a newer build may "
          + "read it")
    }
    sequence = try Self.sequence(&input)
    time = try input.time("the time")
    dependencies = try Self.dependencies(&input)
    declarations = try Self.declarations(&input)
    operationCount = try input.count(
      "the number of operations", limit: Limits.changesetOperations, bytesEach: 2)
    guard operationCount > 0 else {
      throw ChangesetError(
        .outOfRange, at: .byte(input.offset - 1), "the number of operations", found: "0",
        expected: "1 or more; a transaction without operations makes no changeset")
    }
    reader = OperationReader(
      input: input, context: ValueContext(author: author.commonHistory, sequence: sequence),
      time: time)
  }

  /// The first bytes of a changeset that hold its version, number and time: `protocol/changeset.md`.
  package static let timePrefix = 19

  /// The time of a changeset of which there are the first ``timePrefix`` bytes; nil if they are none's.
  package static func time(in bytes: [UInt8]) -> HybridTime? {
    var input = ByteReader(bytes)
    guard (try? input.byte("the format version")) != nil, (try? sequence(&input)) != nil else {
      return nil
    }
    return try? input.time("the time")
  }

  /// Tells whether a changeset names others that it depends on; false for bytes that are none.
  package static func namesDependencies(_ bytes: [UInt8]) -> Bool {
    var input = ByteReader(bytes)
    guard (try? input.byte("the format version")) != nil, (try? sequence(&input)) != nil,
      (try? input.time("the time")) != nil, let count = try? input.varint("dependencies")
    else { return false }
    return count > 0
  }

  /// The next operation; nil after the last, when no byte may be left.
  package mutating func next() throws(ChangesetError) -> Operation? {
    guard nextIndex < operationCount else {
      guard reader.input.remaining == 0 else {
        throw reader.input.notCanonical(
          "the end of a changeset", at: reader.input.offset,
          found: "\(reader.input.remaining) bytes more", expected: "none")
      }
      return nil
    }
    nextIndex += 1
    return try reader.operation()
  }

  private static func sequence(
    _ input: inout ByteReader
  ) throws(ChangesetError) -> SequenceNumber {
    let start = input.offset
    let number = try input.sequence("a sequence number")
    guard number > .none else {
      throw ChangesetError(
        .outOfRange, at: .byte(start), "a sequence number", found: "0", expected: "1 or more")
    }
    return number
  }

  private static func dependencies(
    _ input: inout ByteReader
  ) throws(ChangesetError) -> [Dependency] {
    let count = try input.count(
      "the number of dependencies", limit: Limits.vectorEntries,
      bytesEach: 2 + ChainHash.byteCount)
    var dependencies: [Dependency] = []
    dependencies.reserveCapacity(count)
    var previous = AuthorNumber.ownself
    for _ in 0..<count {
      let start = input.offset
      let author = AuthorNumber(try input.varint32("the author of a dependency"))
      guard author > previous else {
        throw input.notCanonical(
          "the author of a dependency", at: start, found: "\(author.rawValue)",
          expected: "more than \(previous.rawValue), ascending")
      }
      let sequence = try sequence(&input)
      let range = try input.range(ChainHash.byteCount, "the hash of a dependency")
      guard let hash = ChainHash(input.bytes[range]) else {
        throw input.truncated("the hash of a dependency", needed: ChainHash.byteCount)
      }
      dependencies.append(Dependency(author: author, sequence: sequence, hash: hash))
      previous = author
    }
    return dependencies
  }

  private static func declarations(
    _ input: inout ByteReader
  ) throws(ChangesetError) -> [Declaration] {
    let count = try input.count(
      "the number of declarations", limit: Limits.declarations, bytesEach: 2)
    var declarations: [Declaration] = []
    declarations.reserveCapacity(count)
    for _ in 0..<count { declarations.append(try declaration(&input)) }
    return declarations
  }

  private static func declaration(
    _ input: inout ByteReader
  ) throws(ChangesetError) -> Declaration {
    let start = input.offset
    let tag = try input.byte("a declaration")
    switch ChangesetFormat.DeclarationTag(rawValue: tag) {
    case .class:
      let name = try input.text("the name of a class", limit: Limits.nameBytes)
      return .class(
        ClassDeclaration(
          name: name, isEmbedded: false, keyType: try type(&input, "the key type of a class")))
    case .keyedClass:
      let name = try input.text("the name of a class", limit: Limits.nameBytes)
      let keyType = try type(&input, "the key type of a class")
      return .class(
        ClassDeclaration(
          name: name, isEmbedded: false, keyType: keyType,
          keyName: try input.text("the name of a key", limit: Limits.nameBytes)))
    case .embeddedClass:
      let name = try input.text("the name of a class", limit: Limits.nameBytes)
      return .class(ClassDeclaration(name: name, isEmbedded: true, keyType: .identity))
    case .property: return .property(try property(&input))
    case .author: return .author(try input.author("an author"))
    case .branch: return .author(try input.branchedAuthor("an author"))
    case nil: throw input.unknownTag("a declaration", tag, at: start)
    }
  }

  private static func property(
    _ input: inout ByteReader
  ) throws(ChangesetError) -> PropertyDeclaration {
    let owner = ClassNumber(try input.varint32("the owner of a property"))
    let name = try input.text("the name of a property", limit: Limits.nameBytes)
    let type = try type(&input, "the type of a property")
    let start = input.offset
    let kind = try input.byte("the collection kind of a property")
    guard let collection = CollectionKind(rawValue: kind) else {
      throw input.unknownTag("the collection kind of a property", kind, at: start)
    }
    let target =
      type.hasTarget ? ClassNumber(try input.varint32("the target of a property")) : nil
    return PropertyDeclaration(
      owner: owner, name: name, type: type, collection: collection, target: target)
  }

  private static func type(
    _ input: inout ByteReader, _ subject: StaticString
  ) throws(ChangesetError) -> PersistedType {
    let start = input.offset
    let tag = try input.byte(subject)
    guard let type = PersistedType(rawValue: tag) else {
      throw input.unknownTag(subject, tag, at: start)
    }
    return type
  }
}
