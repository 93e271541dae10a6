import AtollChanges
import AtollLog
import AtollVocabulary

// The digest's terms: names without anything local. `protocol/digest.md` has the same as a table.

extension DigestHasher {
  static func author(_ author: Author) -> StateDigest {
    var hasher = DigestHasher(.author)
    hasher.combine(author)
    return hasher.finish()
  }

  static func object(
    _ entry: ClassEntry, _ key: PersistedValue, _ generation: Generation
  ) -> StateDigest {
    var hasher = DigestHasher(.object)
    hasher.combine(entry.digest)
    hasher.combine(UInt64(generation.rawValue))
    hasher.combine(key)
    return hasher.finish()
  }

  /// Returns the place of an object in the search for a difference: evenly spread.
  static func place(_ entry: ClassEntry, _ key: PersistedValue) -> UInt64 {
    var hasher = DigestHasher(.place)
    hasher.combine(entry.digest)
    hasher.combine(key)
    return hasher.finish().high
  }

  /// A list, set or map in a row that is known by `owner`.
  static func container(_ owner: StateDigest, _ node: FieldNode) -> StateDigest {
    var hasher = DigestHasher(.container)
    hasher.combine(owner)
    hasher.combine(node.digest)
    return hasher.finish()
  }
}

extension ClassEntry {
  func makeDigest() -> StateDigest {
    var hasher = DigestHasher(.class)
    hasher.combine(name)
    hasher.combine(UInt64(keyType.rawValue))
    return hasher.finish()
  }
}

extension FieldNode {
  /// The property, by the way that leads to it from the row.
  func makeDigest() -> StateDigest {
    var hasher = DigestHasher(.property)
    hasher.combine(parent?.digest ?? .zero)
    hasher.combine(property.name)
    hasher.combine(UInt64(property.type.rawValue))
    hasher.combine(UInt64(property.collection.rawValue))
    let target = property.target.flatMap { table.owner.catalog.entry($0)?.digest }
    hasher.combine(target ?? .zero)
    return hasher.finish()
  }
}

/// The content of a cell in the digest.
enum DigestContent {
  case scalar(PersistedValue)
  /// The object linked to, in its generation.
  case link(StateDigest)
  /// An embedded object is there; its fields are cells of their own.
  case embedded
  /// An any-typed slot holds a list or map; what that holds is beside it.
  case collection(CollectionKind)

  /// First words that no type of value has.
  private static let linkWord: UInt64 = 0x100
  private static let embeddedWord: UInt64 = 0x101
  private static let collectionWord: UInt64 = 0x110

  @inline(__always)
  func hash(into hasher: inout DigestHasher) {
    switch self {
    case .scalar(let value): hasher.combine(value)
    case .link(let target):
      hasher.combine(Self.linkWord)
      hasher.combine(target)
    case .embedded: hasher.combine(Self.embeddedWord)
    case .collection(let kind): hasher.combine(Self.collectionWord + UInt64(kind.rawValue))
    }
  }
}

/// Sums up the hashes of one row: what it is, and each of its cells.
///
/// Most cells of a row have the same stamp, so what they begin with is hashed once.
struct RowDigest {
  private(set) var sum = StateDigest.zero
  private let row: DigestHasher
  private var last: (order: CellStamp?, hasher: DigestHasher)?
  private let tables: ObjectTables

  /// Of the row of an object or an element.
  init(_ identity: StateDigest, in tables: ObjectTables) {
    self.tables = tables
    var hasher = DigestHasher(.cell)
    hasher.combine(identity)
    row = hasher
  }

  mutating func add(_ term: StateDigest) { sum += term }

  /// A register, or a cell that has only counter steps.
  mutating func add(
    _ node: FieldNode, _ order: CellStamp?, steps: Int64 = 0, _ content: DigestContent
  ) throws {
    var hasher = try begin(order)
    hasher.combine(node.digest)
    hasher.combine(UInt64(bitPattern: steps))
    content.hash(into: &hasher)
    sum += hasher.finish()
  }

  /// A register of a row being made; a scalar, as most are, goes in as it stands.
  mutating func add(
    _ node: FieldNode, _ order: CellStamp, _ value: FieldValue, _ source: MergeSource
  ) throws {
    guard case .scalar(let scalar) = value else {
      return try add(node, order, try tables.digestContent(value, source))
    }
    var hasher = try begin(order)
    hasher.combine(node.digest)
    hasher.combine(0)
    hasher.combine(scalar)
    sum += hasher.finish()
  }

  private mutating func begin(_ order: CellStamp?) throws -> DigestHasher {
    if let last, last.order == order { return last.hasher }
    var hasher = row
    try tables.combine(order, into: &hasher)
    last = (order, hasher)
    return hasher
  }
}

extension ObjectTables {
  /// Time, author, index and whether it was assigned; nothing but a 0 if there is no order.
  func combine(_ order: CellStamp?, into hasher: inout DigestHasher) throws {
    guard let order else { return hasher.combine(0) }
    guard let author = authors[order.stamp.author] else {
      throw StorageError.damaged(path: path, detail: "a stamp names author \(order.stamp.author)")
    }
    hasher.combine(order.isAssigned ? 2 : 1)
    hasher.combine(order.stamp.time)
    hasher.combine(numbers[author].digest)
    hasher.combine(UInt64(order.stamp.index))
  }

  /// An element by the write that put it there.
  func elementDigest(_ stamp: LocalStamp) throws -> StateDigest {
    var hasher = DigestHasher(.element)
    try combine(CellStamp(isAssigned: true, stamp: stamp), into: &hasher)
    return hasher.finish()
  }

  /// An object or an element, as cells and containers name it.
  func digestIdentity(of row: LoadedRow) throws -> StateDigest {
    row.table.kind == .objects
      ? DigestHasher.object(row.table.owner, row.key, row.generation)
      : try elementDigest(row.state.base)
  }

  /// An operation's value as the digest has it.
  func digestContent(
    _ value: FieldValue?, _ source: MergeSource
  ) throws -> DigestContent {
    switch value {
    case nil: return .scalar(.null)
    case .scalar(let scalar): return .scalar(scalar)
    case .link(let target):
      let entry = try entry(try classID(target.class, of: source.author))
      return .link(DigestHasher.object(entry, target.key, target.generation))
    case .embedded: return .embedded
    case .collection(let kind): return .collection(kind)
    }
  }
}

// MARK: - Elements

/// The place of an element, beside its value.
enum ElementPlace {
  case listed(PositionKey, CellStamp)
  case member
  case entry(String)
}

extension ObjectTables {
  /// That a container holds, or remembers, an element.
  ///
  /// A list's element that was removed counts in version 1 of the protocol only, by its identity: where
  /// it stood last depends on which moves came before.
  func headDigest(
    of element: StateDigest, sequence: SequenceNumber, _ place: ElementPlace, isRemoved: Bool,
    in container: StateDigest
  ) throws -> StateDigest {
    var hasher: DigestHasher
    switch place {
    case .listed: hasher = DigestHasher(.listed)
    case .member: hasher = DigestHasher(.member)
    case .entry: hasher = DigestHasher(.entry)
    }
    hasher.combine(container)
    hasher.combine(element)
    hasher.combine(sequence.rawValue)
    hasher.combine(isRemoved ? 1 : 0)
    switch place {
    case .listed(let position, let order):
      guard !isRemoved else { break }
      hasher.combine(position.bytes)
      try combine(order, into: &hasher)
    case .member: break
    case .entry(let key): hasher.combine(key)
    }
    return hasher.finish()
  }
}
