import AtollSQLite
import AtollVocabulary

/// One SQL table of cells, with the statements that its rows are made, read and changed by.
///
/// Three kinds: a class's objects; a list's elements, whose value is node 0; and the bare layout of
/// an embedded class, which has no SQL table and only orders the columns of its values.
final class CellTable {
  enum Kind {
    case objects
    case elements
    case layout
  }

  let id: Int32
  /// The SQL table, unquoted.
  let name: String
  let kind: Kind
  /// Of the objects themselves, of the objects that own the list, or of the layout.
  let owner: ClassEntry
  /// The list whose elements these are.
  unowned let list: FieldNode?
  private(set) var nodes: [FieldNode] = []
  /// Nodes at the top by position in the class; for elements, the one value.
  private(set) var top: [FieldNode?] = []
  /// How each node is read from a row; nil for a list.
  private(set) var columnTypes: [PersistedType?] = []
  /// Whether a value may need columns that are not there yet, in a class inside itself.
  private(set) var hasOpenSlots = false
  /// Whether an object may hold a link to one of its own class.
  private(set) var linksToItself = false
  /// Names of columns taken, as SQLite compares them.
  private var taken: Set<String> = []

  private let connection: Connection
  private var insertStatement: Statement?
  private var stateStatement: Statement?
  private var rowStatement: Statement?
  private var rowByKeyStatement: Statement?
  private var findStatement: Statement?
  private var assignStatements: [Int: Statement] = [:]
  private var valueStatements: [Int: Statement] = [:]
  private var otherStatements: [String: Statement] = [:]
  private var canonicalOrders: [Int: [FieldNode]] = [:]

  init(
    id: Int32, name: String, kind: Kind, owner: ClassEntry, list: FieldNode? = nil,
    on connection: Connection
  ) {
    self.id = id
    self.name = name
    self.kind = kind
    self.owner = owner
    self.list = list
    self.connection = connection
    if kind == .objects { taken.insert(owner.keyColumn.lowercased()) }
  }

  var sql: String { StoreLayout.quoted(name) }

  /// The object table that changes here are told of: the list owner's, however deep.
  var root: CellTable { list?.table.root ?? self }

  /// The column of the root's objects that holds this table's list.
  var rootColumn: Int? {
    guard let list else { return nil }
    return list.table.rootColumn ?? list.ordinal
  }

  /// Adds a node known from the file, or just added to it.
  func append(_ node: FieldNode) {
    nodes.append(node)
    if case .link(owner.id) = node.kind { linksToItself = true }
    columnTypes.append(node.isList ? nil : node.kind.columnType)
    taken.insert(node.name.lowercased())
    if let parent = node.parent {
      parent.children.pad(to: node.property.position)
      parent.children[node.property.position] = node
    } else if kind == .elements {
      top = [node]
    } else {
      top.pad(to: node.property.position)
      top[node.property.position] = node
    }
    hasOpenSlots = nodes.contains(where: isOpen)
    forgetStatements()
  }

  /// A column name that is still free: the wanted one, with the type, then with a number.
  func freeName(for wanted: String, type: PersistedType) -> String {
    let base = StoreLayout.isPlain(wanted) ? wanted : "property \(wanted.filter { $0 != "\0" })"
    if !taken.contains(base.lowercased()) { return base }
    let typed = "\(base):\(type)"
    if !taken.contains(typed.lowercased()) { return typed }
    var number = 2
    while taken.contains("\(typed):\(number)".lowercased()) { number += 1 }
    return "\(typed):\(number)"
  }

  /// Drops every compiled statement.
  func forgetStatements() {
    insertStatement = nil
    stateStatement = nil
    rowStatement = nil
    rowByKeyStatement = nil
    findStatement = nil
    canonicalOrders = [:]
    assignStatements = [:]
    valueStatements = [:]
    otherStatements = [:]
  }

  /// Whether a slot lacks a column for a property of its class.
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
}

// MARK: - Statements

extension CellTable {
  /// Nodes with a column.
  var columns: [FieldNode] { nodes.filter { !$0.isList } }

  /// Slots, in the order in which ``state()`` gives whether they are filled, from column 8 on.
  var slots: [FieldNode] { nodes.filter(\.isSlot) }

  /// Makes a row: `_id`, key, `_life`, `_time`, `_mark`, `_assigned`, `_recorded`, `_stamps`, columns;
  /// for an element: `_id`, `_owner`, `_sequence`, the same five, `_position`, columns.
  func insert() throws(SQLiteError) -> Statement {
    if let insertStatement { return insertStatement }
    let fixed =
      kind == .objects
      ? ["_id", keySQL, "_life", "_time", "_mark", "_assigned", "_recorded", "_stamps"]
      : [
        "_id", "_owner", "_sequence", "_time", "_mark", "_assigned", "_recorded", "_stamps",
        "_position",
      ]
    var parameter = Int32(fixed.count)
    for node in columns {
      parameter += 1
      node.parameter = parameter
    }
    let names = fixed + columns.map(\.sql)
    let marks = Array(repeating: "?", count: names.count).joined(separator: ",")
    let statement = try connection.prepare(
      "INSERT INTO \(sql) (\(names.joined(separator: ","))) VALUES (\(marks))")
    insertStatement = statement
    return statement
  }

  /// What a change to a row must know, by `_id`: key and life (owner and 0 for an element), stamps,
  /// `_removed`, and every slot.
  func state() throws(SQLiteError) -> Statement {
    if let stateStatement { return stateStatement }
    let head = kind == .objects ? "\(keySQL), _life" : "_owner, 0"
    let tail = (kind == .objects ? ["0"] : ["_removed"]) + slots.map(\.sql)
    let statement = try connection.prepare(
      """
      SELECT \(head), _time, _mark, _assigned, _recorded, _stamps, \
      \(tail.joined(separator: ", ")) FROM \(sql) WHERE _id = ?
      """)
    stateStatement = statement
    return statement
  }

  /// Key, life and every column of a live object by `_id`.
  func row() throws(SQLiteError) -> Statement {
    if let rowStatement { return rowStatement }
    let statement = try connection.prepare("SELECT \(rowColumns("t")) FROM \(sql) t WHERE _id = ?")
    rowStatement = statement
    return statement
  }

  /// The same by key.
  func rowByKey() throws(SQLiteError) -> Statement {
    if let rowByKeyStatement { return rowByKeyStatement }
    let statement = try connection.prepare(
      "SELECT \(rowColumns("t")) FROM \(sql) t WHERE \(keySQL) IS ?")
    rowByKeyStatement = statement
    return statement
  }

  /// `_id` and `_life` by key.
  func find() throws(SQLiteError) -> Statement {
    if let findStatement { return findStatement }
    let statement = try connection.prepare(
      "SELECT _id, _life FROM \(sql) WHERE \(keySQL) IS ?")
    findStatement = statement
    return statement
  }

  /// Gives a node and all inside it new values: the subtree's columns, the three of stamps, `_id`.
  func assign(_ node: FieldNode) throws(SQLiteError) -> Statement {
    if let statement = assignStatements[node.ordinal] { return statement }
    let columns = node.subtree.filter { !$0.isList }.map { "\($0.sql) = ?" }
    let all = (columns + ["_assigned = ?", "_recorded = ?", "_stamps = ?"]).joined(separator: ", ")
    let statement = try connection.prepare("UPDATE \(sql) SET \(all) WHERE _id = ?")
    assignStatements[node.ordinal] = statement
    return statement
  }

  /// The bare value of one node, by `_id`.
  func value(_ node: FieldNode) throws(SQLiteError) -> Statement {
    if let statement = valueStatements[node.ordinal] { return statement }
    let statement = try connection.prepare("SELECT \(node.sql) FROM \(sql) WHERE _id = ?")
    valueStatements[node.ordinal] = statement
    return statement
  }

  /// Any other statement on this table, compiled once; `sql` must come from a fixed set.
  func statement(_ sql: String) throws(SQLiteError) -> Statement {
    if let statement = otherStatements[sql] { return statement }
    let statement = try connection.prepare(sql)
    otherStatements[sql] = statement
    return statement
  }

  var keySQL: String { StoreLayout.quoted(owner.keyColumn) }

  /// `_id`, key, life, then every node; a list is NULL and a link whose target is gone is too.
  func rowColumns(_ alias: String) -> String {
    let values = nodes.map { columnValue($0, alias) }
    return (["\(alias)._id", "\(alias).\(keySQL)", "\(alias)._life"] + values)
      .joined(separator: ", ")
  }

  func columnValue(_ node: FieldNode, _ alias: String) -> String {
    switch node.kind {
    case .scalar, .presence: "\(alias).\(node.sql)"
    case .list: "NULL"
    case .link(let target):
      owner.catalog.entry(target).map {
        "(SELECT _id FROM \($0.table.sql) WHERE _id = \(alias).\(node.sql))"
      } ?? "NULL"
    }
  }
}

extension Array {
  /// Makes `index` valid.
  fileprivate mutating func pad<Wrapped>(to index: Int) where Element == Wrapped? {
    while count <= index { append(nil) }
  }
}
