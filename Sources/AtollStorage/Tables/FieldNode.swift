import AtollVocabulary

/// A cell's place in a table: a property, reached through what is embedded around it.
///
/// The nodes of a table form a forest: properties of the class at the top, fields of a to-one
/// embedded object below its slot. `ordinal` numbers them in the order in which they were added.
final class FieldNode {
  unowned let table: CellTable
  let ordinal: Int
  let property: StoredProperty
  let kind: StoredColumn.Kind
  /// The slot around it; nil at the top.
  unowned let parent: FieldNode?
  /// The column's name; for a collection, the name it would have.
  let name: String
  /// ``name`` as SQL wants it.
  let sql: String
  /// Below a slot, by position in the embedded class; a field not yet added is nil.
  @exclusivity(unchecked) var children: [FieldNode?] = []
  /// The table of ``elements`` where that is another one than the node's own.
  var ownElements: CellTable?
  /// The parameter of the value in the statement that makes rows; 0 for a collection.
  ///
  /// An any-typed value's type is taken right after it.
  @exclusivity(unchecked) var parameter: Int32 = 0
  /// The property as digests have it.
  private(set) lazy var digest = makeDigest()

  init(
    table: CellTable, ordinal: Int, property: StoredProperty, kind: StoredColumn.Kind,
    parent: FieldNode?, name: String
  ) {
    self.table = table
    self.ordinal = ordinal
    self.property = property
    self.kind = kind
    self.parent = parent
    self.name = name
    sql = StoreLayout.quoted(name)
  }

  /// The column beside an any-typed value that says of which type it is; see ``ValueTag``.
  var typeSQL: String { StoreLayout.quoted(name + CellTable.typeSuffix) }

  var isCollection: Bool {
    if case .collection = kind { true } else { false }
  }

  var isAny: Bool { kind == .scalar(.any) }

  /// True if a row's value is the column as it stands.
  var isPlain: Bool {
    switch kind {
    case .scalar(let type): type != .any
    case .presence: true
    case .link, .collection: false
    }
  }

  /// The elements' table of a collection; of an any-typed slot, that of the list or map it holds.
  ///
  /// The contents of such a list or map are in the same table, all levels together.
  var elements: CellTable? { table.kind == .nested ? (isAny ? table : nil) : ownElements }

  /// Returns the owner that elements held by a row name: its number, negative inside one table.
  func owner(of row: Int64) -> Int64 { elements === table ? -row : row }

  var isSlot: Bool {
    if case .presence = kind { true } else { false }
  }

  /// True if the cell is one column that says all: neither a slot, nor any-typed, nor a collection.
  var isSingle: Bool {
    switch kind {
    case .scalar(let type): type != .any
    case .link: true
    case .presence, .collection: false
    }
  }

  /// The bit in a row's masks; 0 from the 65th column on, whose stamps are always written apart.
  var bit: UInt64 { ordinal < 64 ? 1 << UInt64(ordinal) : 0 }

  func child(at position: Int) -> FieldNode? {
    position >= 0 && position < children.count ? children[position] : nil
  }

  /// The node itself, then everything inside, outer before inner.
  var subtree: [FieldNode] {
    [self] + children.compactMap { $0 }.flatMap(\.subtree)
  }

  /// From the top to this one.
  var way: [FieldNode] { (parent?.way ?? []) + [self] }

  /// The slot, or the collection, whose object or elements it is part of; nil at the top of an object.
  var around: FieldNode? { parent ?? table.holder }

  /// Tells whether an object of `target` is inside one of its own kind here, collections between them included.
  func isInside(_ target: ClassID) -> Bool { outer(of: target) != nil }

  /// The nearest slot, from this node on outwards, that holds objects of `target`.
  func outer(of target: ClassID) -> FieldNode? {
    var node: FieldNode? = self
    while let next = node {
      if case .presence(target) = next.kind { return next }
      node = next.around
    }
    return nil
  }
}
