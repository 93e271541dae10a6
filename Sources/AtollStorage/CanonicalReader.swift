import AtollChanges
import AtollSQLite
import AtollVocabulary

/// Reads objects in canonical form.
///
/// Statements are read to their end within one walk over the file, so that it sees one snapshot.
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
    let statement = try store.walks.take(
      """
      SELECT \(table.keySQL), _life, _id, _time, _mark, _assigned, _recorded, _stamps\
      \(table.bareColumns.map { ", " + $0 }.joined()) FROM \(table.sql)\
      \(row == nil ? "" : " WHERE _id = ?") ORDER BY \(table.keySQL)
      """)
    defer { store.walks.give(statement) }
    if let row { statement.bind(row.rawValue, at: 1) }
    while try statement.step() {
      let id = statement.int64(at: 2)
      let row = Row(statement: statement, first: 8, state: state(statement, at: 3), id: id)
      let cells = try cells(table.canonicalTop, row)
      try body(
        CanonicalObject(
          key: statement.value(entry.keyType, at: 0),
          life: Life(UInt32(truncatingIfNeeded: statement.int64(at: 1))), cells: cells))
    }
  }

  /// What one cell of a row holds; nil for a collection of which nothing is known.
  func content(of node: FieldNode, row id: Int64) throws -> CanonicalObject.Content? {
    let table = node.table
    let statement = try store.connection.prepare(
      """
      SELECT _time, _mark, _assigned, _recorded, _stamps, \(table.bareColumns.joined(separator: ", ")) \
      FROM \(table.sql) WHERE _id = ?
      """)
    defer { statement.finalize() }
    statement.bind(id, at: 1)
    guard try statement.step() else { return nil }
    let row = Row(statement: statement, first: 5, state: state(statement, at: 0), id: id)
    guard case .collection(let kind) = node.kind else { return try content(node, row) }
    return try contents(of: node, kind, row)
  }

  /// The even number of every object of a class that was deleted, ascending by key.
  func forEachDead(
    of entry: ClassEntry, _ body: (PersistedValue, Life) throws -> Void
  ) throws {
    let statement = try store.walks.take(
      "SELECT key, life FROM atoll_dead WHERE class = ? ORDER BY key")
    defer { store.walks.give(statement) }
    statement.bind(Int64(entry.id.rawValue), at: 1)
    while try statement.step() {
      try body(
        statement.value(entry.keyType, at: 0),
        Life(UInt32(truncatingIfNeeded: statement.int64(at: 1))))
    }
  }

  // MARK: Cells

  /// The present row of a statement that selects ``CellTable/bareColumns`` from `first` on.
  private struct Row {
    let statement: Statement
    let first: Int32
    let state: RowState
    let id: Int64
  }

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

  private func cells(_ nodes: [FieldNode], _ row: Row) throws -> [CanonicalObject.Cell] {
    var cells: [CanonicalObject.Cell] = []
    for node in nodes {
      if let cell = try cell(node, row) { cells.append(cell) }
    }
    return cells
  }

  private func cell(_ node: FieldNode, _ row: Row) throws -> CanonicalObject.Cell? {
    let target = node.property.target.flatMap { store.catalog.entry($0) }
    if case .collection(let kind) = node.kind {
      guard let content = try contents(of: node, kind, row) else { return nil }
      return CanonicalObject.Cell(
        property: node.property, target: target, order: nil, steps: 0, content: content)
    }
    let order = try row.state.order(of: node).map { try store.order($0) }
    let steps = row.state.steps(of: node)
    guard order != nil || steps != 0 else { return nil }
    return CanonicalObject.Cell(
      property: node.property, target: target, order: order, steps: steps,
      content: try content(node, row))
  }

  private func content(_ node: FieldNode, _ row: Row) throws -> CanonicalObject.Content {
    let column = row.first + Int32(node.ordinal)
    switch node.kind {
    case .scalar(.any): return try anyContent(node, row)
    case .scalar(let type): return .scalar(row.statement.value(type, at: column))
    case .link(let target):
      guard !row.statement.isNull(at: column) else { return .scalar(.null) }
      return try link(target, row.statement.int64(at: column))
    case .presence:
      guard !row.statement.isNull(at: column) else { return .embedded(nil) }
      return .embedded(try cells(node.canonicalChildren, row))
    case .collection: return .scalar(.null)
    }
  }

  private func anyContent(_ node: FieldNode, _ row: Row) throws -> CanonicalObject.Content {
    let table = node.table
    let place = table.anyNodes.firstIndex { $0 === node } ?? 0
    let read = row.statement.anyValue(
      at: row.first + Int32(node.ordinal), type: row.first + Int32(table.nodes.count + place))
    switch read {
    case .scalar(let value): return .scalar(value)
    case .link(let target, let id): return try link(target, id.rawValue)
    case .collection(let kind): return try contents(of: node, kind, row) ?? empty(kind)
    case .embedded: return .scalar(.null)
    }
  }

  private func empty(_ kind: CollectionKind) -> CanonicalObject.Content {
    switch kind {
    case .none, .list: .list([])
    case .set: .set([])
    case .map: .map([])
    }
  }

  private func link(_ target: ClassID, _ id: Int64) throws -> CanonicalObject.Content {
    let entry = try store.entry(target)
    guard let found = try store.identity(of: id, entry) else {
      throw StorageError.damaged(
        path: store.path, detail: "a link to \(entry.name) leads to the unknown row \(id)")
    }
    return .link(entry, key: found.key, life: found.life, isAlive: found.isAlive)
  }

  // MARK: Collections

  /// What a row's collection holds; nil if nothing of it is known.
  private func contents(
    of node: FieldNode, _ kind: CollectionKind, _ row: Row
  ) throws -> CanonicalObject.Content? {
    guard let table = node.elements, let value = table.value else { return nil }
    let owner = node.owner(of: row.id)
    switch kind {
    case .none: return nil
    case .list:
      let elements = try elements(table, value, owner)
      return elements.isEmpty ? nil : .list(elements)
    case .set:
      let members = try members(table, value, owner)
      return members.isEmpty ? nil : .set(members)
    case .map:
      let entries = try entries(table, value, owner)
      return entries.isEmpty ? nil : .map(entries)
    }
  }

  /// Runs over the rows of a collection: `place`, `_sequence` and `_removed`, then the row.
  private func forEachElement(
    of table: CellTable, _ owner: Int64, place: String, where condition: String = "",
    _ body: (Statement, Row) throws -> Void
  ) throws {
    // Collections nest, so that one statement may be wanted again while it still has rows.
    let statement = try store.walks.take(
      """
      SELECT _id, \(place), _sequence, _removed, _time, _mark, _assigned, _recorded, _stamps, \
      \(table.bareColumns.joined(separator: ", ")) FROM \(table.sql)
      WHERE _owner = ?\(condition) ORDER BY \(place)
      """)
    defer { store.walks.give(statement) }
    statement.bind(owner, at: 1)
    while try statement.step() {
      try body(
        statement,
        Row(
          statement: statement, first: 9, state: state(statement, at: 4),
          id: statement.int64(at: 0)))
    }
  }

  private func elements(
    _ table: CellTable, _ value: FieldNode, _ owner: Int64
  ) throws -> [CanonicalObject.Element] {
    var elements: [CanonicalObject.Element] = []
    try forEachElement(of: table, owner, place: "_position", where: " AND _removed = 0") {
      statement, row in
      guard let cell = try cell(value, row), let author = store.authors[row.state.base.author]
      else { return }
      elements.append(
        CanonicalObject.Element(
          identity: ChangeIdentity(
            author: author.author, sequence: SequenceNumber(statement.uint64(at: 2)),
            index: row.state.base.index),
          position: PositionKey(bytes: statement.bytes(at: 1)),
          positionOrder: try store.order(row.state.positionOrder), value: cell,
          isVisible: cell.content.isVisible(in: cell.property.type, .list)))
    }
    return elements.sorted { ($0.position, $0.identity) < ($1.position, $1.identity) }
  }

  private func members(
    _ table: CellTable, _ value: FieldNode, _ owner: Int64
  ) throws -> [CanonicalObject.Member] {
    var members: [(identity: [UInt8], member: CanonicalObject.Member)] = []
    try forEachElement(of: table, owner, place: "_identity") { statement, row in
      let content = try content(value, row)
      let identity =
        if case .link(let target, let key, let life, _) = content {
          MemberIdentity.bytes(target, key: key, life: life)
        } else {
          statement.bytes(at: 1)
        }
      let order = CellStamp(isAssigned: true, stamp: row.state.base)
      members.append(
        (
          identity,
          CanonicalObject.Member(
            order: try store.order(order), isHeld: statement.int64(at: 3) == 0,
            isVisible: content.isVisible(in: value.property.type, .set), content: content)
        ))
    }
    return members.sorted { $0.identity.lexicographicallyPrecedes($1.identity) }.map(\.member)
  }

  private func entries(
    _ table: CellTable, _ value: FieldNode, _ owner: Int64
  ) throws -> [CanonicalObject.Entry] {
    var entries: [CanonicalObject.Entry] = []
    try forEachElement(of: table, owner, place: "_key") { statement, row in
      let order = CellStamp(isAssigned: true, stamp: row.state.base)
      let isHeld = statement.int64(at: 3) == 0
      entries.append(
        CanonicalObject.Entry(
          key: statement.string(at: 1), order: try store.order(order),
          value: isHeld ? try cell(value, row) : nil))
    }
    return entries
  }
}

extension CellTable {
  /// Every node's column as it stands, then the types of the any-typed ones.
  fileprivate var bareColumns: [String] {
    nodes.map { $0.isCollection ? "NULL" : $0.sql } + anyNodes.map(\.typeSQL)
  }
}
