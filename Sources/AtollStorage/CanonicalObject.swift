import AtollChanges
import AtollSQLite
import AtollVocabulary

/// An object without anything local: no row ids, no small author numbers, no order of arrival.
///
/// Equal replicas have equal canonical objects, whatever the route by which changes came.
struct CanonicalObject {
  struct Cell {
    var property: StoredProperty
    var target: ClassEntry?
    /// Nil for a list, and for a cell that has only counter steps.
    var order: RegisterStamp?
    var steps: Int64
    var content: Content
  }

  indirect enum Content {
    case scalar(PersistedValue)
    /// A link holds class, key and life; whether it reads nil is worked out beside it.
    case link(key: PersistedValue, life: Life, isAlive: Bool)
    /// Nil for an empty slot.
    case embedded([Cell]?)
    case list([Element])
  }

  struct Element {
    var identity: ChangeIdentity
    var position: PositionKey
    var positionOrder: RegisterStamp
    var value: Cell
    /// Whether it is seen: not if it links to an object that is not alive.
    var isVisible: Bool
  }

  var key: PersistedValue
  var life: Life
  /// Ascending by name, type, collection and target; only those that hold anything.
  var cells: [Cell]
}

extension FieldNode {
  /// The fields inside, as canonical text and digest list them.
  var canonicalChildren: [FieldNode] {
    table.canonicalOrder(of: ordinal) { children.compactMap { $0 }.sorted(by: isBefore) }
  }

  fileprivate func isBefore(_ a: FieldNode, _ b: FieldNode) -> Bool {
    let names = (Array(a.property.name.utf8), Array(b.property.name.utf8))
    if names.0 != names.1 { return names.0.lexicographicallyPrecedes(names.1) }
    let types = (a.property.type.rawValue, b.property.type.rawValue)
    if types.0 != types.1 { return types.0 < types.1 }
    let kinds = (a.property.collection.rawValue, b.property.collection.rawValue)
    if kinds.0 != kinds.1 { return kinds.0 < kinds.1 }
    return targetName(a) < targetName(b)
  }

  private func targetName(_ node: FieldNode) -> String {
    node.property.target.flatMap { table.owner.catalog.entry($0)?.name } ?? ""
  }
}

extension CellTable {
  /// The properties of the class, as canonical text and digest list them.
  var canonicalTop: [FieldNode] {
    canonicalOrder(of: -1) {
      let nodes = top.compactMap { $0 }
      return nodes.first.map { nodes.sorted(by: $0.isBefore) } ?? []
    }
  }
}

/// Reads objects in canonical form.
///
/// Statements are made for one walk over the file, so that the walk sees one snapshot.
struct CanonicalReader {
  let store: StoreFile

  /// Classes in canonical order; two of one name differ by key type.
  var classes: [ClassEntry] {
    store.catalog.entries.filter { !$0.isEmbedded }.sorted {
      let names = (Array($0.name.utf8), Array($1.name.utf8))
      return names.0 == names.1
        ? $0.keyType.rawValue < $1.keyType.rawValue
        : names.0.lexicographicallyPrecedes(names.1)
    }
  }

  /// Every live object of a class, ascending by key; or the one in `row`.
  func forEach(
    of entry: ClassEntry, in row: RowID? = nil, _ body: (CanonicalObject) throws -> Void
  ) throws {
    let table = entry.table
    let columns = table.nodes.map { $0.isList ? "NULL" : $0.sql }
    let statement = try store.connection.prepare(
      """
      SELECT \(table.keySQL), _life, _id, _time, _mark, _assigned, _recorded, _stamps\
      \(columns.map { ", " + $0 }.joined()) FROM \(table.sql)\
      \(row == nil ? "" : " WHERE _id = ?") ORDER BY \(table.keySQL)
      """)
    if let row { statement.bind(row.rawValue, at: 1) }
    while try statement.step() {
      let id = statement.int64(at: 2)
      let state = state(statement, at: 3)
      let cells = try cells(table.canonicalTop, statement, 8, state, owner: id)
      try body(
        CanonicalObject(
          key: statement.value(entry.keyType, at: 0),
          life: Life(UInt32(truncatingIfNeeded: statement.int64(at: 1))), cells: cells))
    }
  }

  /// The even number of every object of a class that was deleted, ascending by key.
  func forEachDead(
    of entry: ClassEntry, _ body: (PersistedValue, Life) throws -> Void
  ) throws {
    let statement = try store.connection.prepare(
      "SELECT key, life FROM atoll_dead WHERE class = ? ORDER BY key")
    statement.bind(Int64(entry.id.rawValue), at: 1)
    while try statement.step() {
      try body(
        statement.value(entry.keyType, at: 0),
        Life(UInt32(truncatingIfNeeded: statement.int64(at: 1))))
    }
  }

  // MARK: Cells

  private func state(_ statement: Statement, at first: Int32) -> RowState {
    var state = RowState(
      base: LocalStamp(
        time: statement.uint64(at: first), mark: statement.uint64(at: first + 1)),
      assigned: statement.uint64(at: first + 2), recorded: statement.uint64(at: first + 3))
    if !statement.isNull(at: first + 4) {
      state.exceptions = RowState.exceptions(statement.bytes(at: first + 4))
    }
    return state
  }

  private func cells(
    _ nodes: [FieldNode], _ statement: Statement, _ first: Int32, _ state: RowState, owner: Int64
  ) throws -> [CanonicalObject.Cell] {
    var cells: [CanonicalObject.Cell] = []
    for node in nodes {
      if let cell = try cell(node, statement, first, state, owner: owner) { cells.append(cell) }
    }
    return cells
  }

  private func cell(
    _ node: FieldNode, _ statement: Statement, _ first: Int32, _ state: RowState, owner: Int64
  ) throws -> CanonicalObject.Cell? {
    let order = try state.order(of: node).map { try store.order($0) }
    let steps = state.steps(of: node)
    let target = node.property.target.flatMap { store.catalog.entry($0) }
    if let list = node.list {
      let elements = try elements(list, owner: owner)
      return elements.isEmpty
        ? nil
        : CanonicalObject.Cell(
          property: node.property, target: target, order: nil, steps: 0,
          content: .list(elements))
    }
    guard order != nil || steps != 0 else { return nil }
    let column = first + Int32(node.ordinal)
    return CanonicalObject.Cell(
      property: node.property, target: target, order: order, steps: steps,
      content: try content(node, statement, column, first, state, owner: owner))
  }

  private func content(
    _ node: FieldNode, _ statement: Statement, _ column: Int32, _ first: Int32,
    _ state: RowState, owner: Int64
  ) throws -> CanonicalObject.Content {
    switch node.kind {
    case .scalar(let type): return .scalar(statement.value(type, at: column))
    case .link(let target):
      guard !statement.isNull(at: column) else { return .scalar(.null) }
      return try link(target, statement.int64(at: column))
    case .presence:
      guard !statement.isNull(at: column) else { return .embedded(nil) }
      return .embedded(try cells(node.canonicalChildren, statement, first, state, owner: owner))
    case .list: return .list([])
    }
  }

  private func link(_ target: ClassID, _ id: Int64) throws -> CanonicalObject.Content {
    let entry = try store.entry(target)
    let alive = try entry.table.statement(
      "SELECT \(entry.table.keySQL), _life FROM \(entry.table.sql) WHERE _id = ?")
    alive.bind(id, at: 1)
    if try alive.step() {
      defer { alive.reset() }
      return .link(
        key: alive.value(entry.keyType, at: 0),
        life: Life(UInt32(truncatingIfNeeded: alive.int64(at: 1))), isAlive: true)
    }
    let ghost = try store.statement(
      "SELECT key, life FROM atoll_ghost WHERE class = ? AND id = ?")
    ghost.bind(Int64(target.rawValue), at: 1)
    ghost.bind(id, at: 2)
    guard try ghost.step() else {
      throw StorageError.damaged(
        path: store.path, detail: "a link to \(entry.name) leads to the unknown row \(id)")
    }
    defer { ghost.reset() }
    return .link(
      key: ghost.value(entry.keyType, at: 0),
      life: Life(UInt32(truncatingIfNeeded: ghost.int64(at: 1))), isAlive: false)
  }

  private func elements(
    _ table: CellTable, owner: Int64
  ) throws -> [CanonicalObject.Element] {
    guard let value = table.top.first ?? nil else { return [] }
    let columns = table.nodes.map { $0.isList ? "NULL" : $0.sql }
    // Lists nest, so that one statement may be wanted again while it still has rows.
    let statement = try store.connection.prepare(
      """
      SELECT _id, _sequence, _position, _time, _mark, _assigned, _recorded, _stamps, \
      \(columns.joined(separator: ", ")) FROM \(table.sql)
      WHERE _owner = ? AND _removed = 0 ORDER BY _position
      """)
    statement.bind(owner, at: 1)
    var elements: [CanonicalObject.Element] = []
    while try statement.step() {
      let state = state(statement, at: 3)
      guard
        let cell = try cell(value, statement, 8, state, owner: statement.int64(at: 0)),
        let author = store.authors[state.base.author]
      else { continue }
      elements.append(
        CanonicalObject.Element(
          identity: ChangeIdentity(
            author: author.author, sequence: SequenceNumber(statement.uint64(at: 1)),
            index: state.base.index),
          position: PositionKey(bytes: statement.bytes(at: 2)),
          positionOrder: try store.order(state.positionOrder), value: cell,
          isVisible: cell.content.isVisible))
    }
    return elements.sorted { ($0.position, $0.identity) < ($1.position, $1.identity) }
  }
}

extension CanonicalObject.Content {
  /// Whether a list shows an element that holds this.
  fileprivate var isVisible: Bool {
    switch self {
    case .link(_, _, let isAlive): isAlive
    case .embedded(let cells): cells != nil
    case .scalar, .list: true
    }
  }
}
