import AtollVocabulary
import TestKit
import Testing

@testable import AtollChanges

/// The forms of the format, and a vector for each.
@Suite struct VectorCoverageTests {
  @Test func `every kind of declaration, operation, step, base and value has a vector`() throws {
    var found: Set<Construct> = []
    for block in try VectorFile("changesets").blocks {
      let changeset = try Changeset(decoding: block.bytes("bytes"), author: block.author())
      if !changeset.dependencies.isEmpty { found.insert(.dependency) }
      if changeset.isContinued { found.insert(.continued) }
      for declaration in changeset.declarations {
        found.formUnion(Construct.parts(of: declaration))
      }
      for operation in changeset.operations { found.formUnion(Construct.parts(of: operation)) }
    }
    let lacking = Construct.all.subtracting(found)
    #expect(lacking.isEmpty, "add vectors to protocol/vectors/changesets of: \(lacking)")
  }

  @Test func `every kind of refusal that bytes alone can have has a vector`() throws {
    let found = Set(
      try VectorFile("refused").blocks.map { try $0.one("refused").prefix { $0 != " " } })
    let expected: Set<Substring> = [
      "truncated", "unknownFormat", "unknownTag", "notCanonical", "invalidText", "outOfRange",
      "overLimit", "invalidPositionKey",
    ]
    #expect(found == expected)
  }
}

/// Something that a changeset can contain; a case of the format's enumerations.
private enum Construct: Hashable {
  case dependency
  case continued
  case declaration(UInt8)
  case property(CollectionKind, isClass: Bool)
  case keyType(PersistedType)
  case propertyType(PersistedType)
  case operation(ChangesetFormat.OperationTag)
  case control(ChangesetFormat.ControlTag)
  case step(ChangesetFormat.StepTag)
  case base(ChangesetFormat.StepBaseTag)
  case value(PersistedType)
  case null
  case newCollection(CollectionKind)
  case field(isAssigned: Bool)
  case key(PersistedType)

  /// Numbers of the tables in `protocol/changeset.md`, so that a case added there is missed here.
  static var all: Set<Construct> {
    var all: Set<Construct> = [
      .dependency, .continued, .null, .newCollection(.list), .newCollection(.map),
      .field(isAssigned: true),
      .field(isAssigned: false),
    ]
    for tag in 0...UInt8.max {
      if ChangesetFormat.DeclarationTag(rawValue: tag) != nil { all.insert(.declaration(tag)) }
      if let tag = ChangesetFormat.OperationTag(rawValue: tag) { all.insert(.operation(tag)) }
      if let tag = ChangesetFormat.ControlTag(rawValue: tag) { all.insert(.control(tag)) }
      if let tag = ChangesetFormat.StepTag(rawValue: tag) { all.insert(.step(tag)) }
      if let tag = ChangesetFormat.StepBaseTag(rawValue: tag) { all.insert(.base(tag)) }
    }
    for collection in CollectionKind.allCases {
      all.insert(.property(collection, isClass: false))
      if collection != .set { all.insert(.property(collection, isClass: true)) }
    }
    for type in PersistedType.allCases {
      if type.isKey { all.formUnion([.keyType(type), .key(type)]) }
      if type != .identity { all.insert(.propertyType(type)) }
      if type != .identity, type != .any { all.insert(.value(type)) }
    }
    return all
  }

  static func parts(of declaration: Declaration) -> Set<Construct> {
    switch declaration {
    case .class(let value):
      value.isEmbedded
        ? [.declaration(2)]
        : [.declaration(value.keyName == nil ? 1 : 6), .keyType(value.keyType)]
    case .property(let value):
      [
        .declaration(3), .propertyType(value.type),
        .property(value.collection, isClass: value.type == .embedded),
      ]
    case .author(let author): [.declaration(author.branch == .none ? 4 : 5)]
    }
  }

  static func parts(of operation: AtollChanges.Operation) -> Set<Construct> {
    switch operation {
    case .data(let operation): parts(of: operation)
    case .control(.release): [.control(.release)]
    case .control(.supersede): [.control(.supersede)]
    }
  }

  private static func parts(of operation: DataOperation) -> Set<Construct> {
    switch operation {
    case .create(let object, let fields):
      fields.reduce(into: key(of: object).union([.operation(.create)])) { found, field in
        found.insert(.field(isAssigned: field.isAssigned))
        found.formUnion(parts(of: field.value))
      }
    case .delete(let object): key(of: object).union([.operation(.delete)])
    case .assign(let path, let value): parts(.assign, path, value)
    case .increment(let path, _, .default): parts(.increment, path).union([.base(.default)])
    case .increment(let path, _, .assignment):
      parts(.increment, path).union([.base(.assignment)])
    case .insert(let path, _, let value): parts(.insert, path, value)
    case .assignElement(let path, _, let value): parts(.assignElement, path, value)
    case .move(let path, _, _): parts(.move, path)
    case .remove(let path, _): parts(.remove, path)
    case .clear(let path, _): parts(.clear, path)
    case .insertMember(let path, let value): parts(.insertMember, path, value)
    case .removeMember(let path, let value): parts(.removeMember, path, value)
    case .assignEntry(let path, _, let value): parts(.assignEntry, path, value)
    case .removeEntry(let path, _): parts(.removeEntry, path)
    }
  }

  private static func parts(
    _ tag: ChangesetFormat.OperationTag, _ path: CellPath, _ value: FieldValue? = nil
  ) -> Set<Construct> {
    var found: Set<Construct> = [.operation(tag)]
    found.formUnion(key(of: path.object))
    for step in path.steps {
      switch step {
      case .slot: found.insert(.step(.slot))
      case .element: found.insert(.step(.element))
      case .entry: found.insert(.step(.entry))
      }
    }
    for step in path.nested {
      switch step {
      case .slot: found.insert(.step(.nestedSlot))
      case .element: found.insert(.step(.nestedElement))
      case .entry: found.insert(.step(.nestedEntry))
      }
    }
    if let value { found.formUnion(parts(of: value)) }
    return found
  }

  private static func key(of object: ObjectReference) -> Set<Construct> {
    object.key.type.map { [.key($0)] } ?? []
  }

  private static func parts(of value: FieldValue) -> Set<Construct> {
    switch value {
    case .scalar(let scalar): scalar.type.map { [.value($0)] } ?? [.null]
    case .link: [.value(.link)]
    case .embedded(let fields):
      fields.reduce(into: [.value(.embedded)]) { $0.formUnion(parts(of: $1.value)) }
    case .collection(let kind): [.newCollection(kind)]
    }
  }
}
