import AtollSQLite
import AtollVocabulary

/// One SQL table of cells, with the statements that its rows are made, read and changed by.
///
/// A class's objects; what a collection holds, whose value is node 0; what the lists and maps in one
/// any-typed slot hold, likewise; and the bare layout of an embedded class, which has no SQL table and
/// only orders the columns of its values.
final class CellTable {
  enum Kind: Hashable {
    case objects
    case elements(CollectionKind)
    case nested
    case layout
  }

  /// The suffix of an any-typed column's name for that of its type.
  static let typeSuffix = ":type"

  let id: Int32
  /// The SQL table, unquoted, and as SQL wants it.
  let name: String
  let sql: String
  let kind: Kind
  /// Of the objects themselves, of the objects that own the collection, or of the layout.
  let owner: ClassEntry
  /// The collection, or the any-typed slot, whose elements these are.
  unowned let holder: FieldNode?
  @exclusivity(unchecked) private(set) var nodes: [FieldNode] = []
  /// Nodes at the top by position in the class; for elements, the one value.
  @exclusivity(unchecked) private(set) var top: [FieldNode?] = []
  /// The types by which nodes are read from a row; nil for a collection.
  @exclusivity(unchecked) private(set) var columnTypes: [PersistedType?] = []
  /// True if a value may need columns that are not there yet, in a class inside itself.
  @exclusivity(unchecked) private(set) var hasOpenSlots = false
  /// Tells whether a row may hold a link to its own object: by a link to its class, or in an any-typed cell.
  @exclusivity(unchecked) private(set) var mayLinkToItself = false
  /// The columns that row masks have bits for, and whether there are others.
  @exclusivity(unchecked) private(set) var columnBits: UInt64 = 0
  @exclusivity(unchecked) private(set) var hasColumnsWithoutBit = false
  /// Any-typed nodes, in the order in which rows give their types.
  @exclusivity(unchecked) private(set) var anyNodes: [FieldNode] = []
  /// Names of columns taken, as SQLite compares them.
  private var taken: Set<String> = []

  /// Slots, in the order in which ``state()`` gives whether they are filled.
  @exclusivity(unchecked) private(set) var slots: [FieldNode] = []

  /// The draft of the table, while it does not exist yet.
  var draft: TableDraft?

  let connection: Connection
  /// Compiled when first wanted, in `CellTable+Statements.swift`.
  @exclusivity(unchecked) var insertStatement: Statement?
  var stateStatement: Statement?
  var stateByKeyStatement: Statement?
  var rowStatement: Statement?
  /// See ``rowColumns(_:)``.
  var knownRowColumns: (alias: String, sql: String)?
  var rowByKeyStatement: Statement?
  var rowsStatement: Statement?
  var stampedRowStatement: Statement?
  @exclusivity(unchecked) var stampedRowByKeyStatement: Statement?
  @exclusivity(unchecked) var findStatement: Statement?
  var several: (statement: Statement, width: Int32, rows: Int)?
  @exclusivity(unchecked) var assignStatements: [Int: Statement] = [:]
  var valueStatements: [Int: Statement] = [:]
  var otherStatements: [String: Statement] = [:]
  var digestStatements: [DigestRows: Statement] = [:]
  private var canonicalOrders: [Int: [FieldNode]] = [:]
  private var layout: ElementLayout?

  init(
    id: Int32, name: String, kind: Kind, owner: ClassEntry, holder: FieldNode? = nil,
    on connection: Connection
  ) {
    self.id = id
    self.name = name
    sql = StoreLayout.quoted(name)
    self.kind = kind
    self.owner = owner
    self.holder = holder
    self.connection = connection
    if kind == .objects { taken.insert(owner.keyColumn.lowercased()) }
  }

  /// True if the rows are what collections hold.
  var isElements: Bool {
    switch kind {
    case .elements, .nested: true
    case .objects, .layout: false
    }
  }

  /// The value of an element, in a table of elements.
  var value: FieldNode? { isElements ? top.first ?? nil : nil }

  /// The column of the objects that this table's rows belong to, however deep.
  var rootColumn: Int? {
    guard let holder else { return nil }
    return holder.table.rootColumn ?? holder.ordinal
  }

  /// Adds a node known from the file, or just added to it.
  func append(_ node: FieldNode) {
    nodes.append(node)
    if case .link(owner.id) = node.kind { mayLinkToItself = true }
    columnTypes.append(node.isCollection ? nil : node.kind.columnType)
    if !node.isCollection {
      columnBits |= node.bit
      hasColumnsWithoutBit = hasColumnsWithoutBit || node.bit == 0
    }
    taken.insert(node.name.lowercased())
    if node.isSlot { slots.append(node) }
    if node.isAny {
      mayLinkToItself = true
      anyNodes.append(node)
      taken.insert((node.name + Self.typeSuffix).lowercased())
    }
    if let parent = node.parent {
      parent.children.pad(to: node.property.position)
      parent.children[node.property.position] = node
    } else if isElements {
      top = [node]
    } else {
      top.pad(to: node.property.position)
      top[node.property.position] = node
    }
    hasOpenSlots = slots.contains(where: isOpen)
    forgetStatements()
  }

  /// A column name that is still free: the wanted one, with the type, then with a number.
  func freeName(for wanted: String, type: PersistedType) -> String {
    let base = StoreLayout.isPlain(wanted) ? wanted : "property \(wanted.filter { $0 != "\0" })"
    func isFree(_ name: String) -> Bool {
      !taken.contains(name.lowercased())
        && (type != .any || !taken.contains((name + Self.typeSuffix).lowercased()))
    }
    if isFree(base) { return base }
    let typed = "\(base):\(type)"
    if isFree(typed) { return typed }
    var number = 2
    while !isFree("\(typed):\(number)") { number += 1 }
    return "\(typed):\(number)"
  }

  /// Drops every compiled statement.
  func forgetStatements() {
    insertStatement = nil
    several = nil
    stateStatement = nil
    stateByKeyStatement = nil
    rowStatement = nil
    knownRowColumns = nil
    rowByKeyStatement = nil
    rowsStatement = nil
    stampedRowStatement = nil
    stampedRowByKeyStatement = nil
    findStatement = nil
    assignStatements = [:]
    valueStatements = [:]
    otherStatements = [:]
    digestStatements = [:]
    canonicalOrders = [:]
    layout = nil
  }

  /// Tells whether a slot lacks a column for a property of its class.
  private func isOpen(_ node: FieldNode) -> Bool {
    guard case .presence(let target) = node.kind else { return false }
    return node.children.compactMap { $0 }.count
      < (owner.catalog.entry(target)?.properties.count ?? 0)
  }
}

extension CellTable {
  /// The canonical order of the nodes below one, sorted once; −1 stands for the top.
  func canonicalOrder(of ordinal: Int, _ sort: () -> [FieldNode]) -> [FieldNode] {
    if let order = canonicalOrders[ordinal] { return order }
    let order = sort()
    canonicalOrders[ordinal] = order
    return order
  }

  /// The layout by which elements are read, worked out once a revision of the schema.
  func elementLayout() -> ElementLayout? {
    guard let value else { return nil }
    let revision = owner.catalog.revision
    if let layout, layout.revision == revision { return layout }
    let made = ElementLayout(of: value, revision: revision)
    layout = made
    return made
  }
}

extension Array {
  /// Makes `index` valid.
  fileprivate mutating func pad<Wrapped>(to index: Int) where Element == Wrapped? {
    while count <= index { append(nil) }
  }
}

extension CellTable {
  /// Rows that one statement reads at most, where it is said which.
  static let rowsTogether = 128

  /// The node of a property, nil if the table does not go so deep yet.
  func child(_ property: StoredProperty, of level: FieldNode?) -> FieldNode? {
    if let level { return level.child(at: property.position) }
    return top.indices.contains(property.position) ? top[property.position] : nil
  }
}
