import AtollChanges
import AtollSQLite
package import AtollVocabulary

extension StoreFile {
  /// A live object, nil if there is none with this row id.
  package func row(of classID: ClassID, id: RowID) throws(StorageError) -> ObjectRow? {
    try doing("reading an object") {
      let table = try objects(classID)
      let statement = try table.row()
      statement.bind(id.rawValue, at: 1)
      return try one(statement, table)
    }
  }

  /// A live object, nil if there is none with this key.
  package func row(of classID: ClassID, key: PersistedValue) throws(StorageError) -> ObjectRow? {
    try doing("reading an object") {
      let table = try objects(classID)
      let statement = try table.rowByKey()
      statement.bind(key, at: 1)
      return try one(statement, table)
    }
  }

  /// The row id of a live object, nil if there is none with this key.
  package func find(_ classID: ClassID, key: PersistedValue) throws(StorageError) -> RowID? {
    try doing("finding an object") {
      let statement = try objects(classID).find()
      statement.bind(key, at: 1)
      guard try statement.step() else { return nil }
      defer { statement.reset() }
      return RowID(statement.int64(at: 0))
    }
  }

  package func count(_ query: StoreQuery) throws(StorageError) -> Int {
    try doing("counting objects") {
      let statement = try compiled(query, .count)
      defer { queries.give(statement) }
      return try statement.step() ? Int(statement.int64(at: 0)) : 0
    }
  }

  package func ids(_ query: StoreQuery) throws(StorageError) -> [RowID] {
    try doing("querying objects") {
      let statement = try compiled(query, .ids)
      defer { queries.give(statement) }
      var ids: [RowID] = []
      while try statement.step() { ids.append(RowID(statement.int64(at: 0))) }
      return ids
    }
  }

  package func rows(_ query: StoreQuery) throws(StorageError) -> RowCursor {
    try doing("querying objects") {
      let cursor = RowCursor(
        try compiled(query, .rows), of: queries, try objects(query.source), path: path)
      cursors.add(cursor)
      return cursor
    }
  }

  /// Visible elements in order; none if the way there leads through something that is gone.
  package func elements(
    of classID: ClassID, id: RowID, list: FieldPath
  ) throws(StorageError) -> [StoredElement] {
    try doing("reading \(list.property.name)") {
      guard let (table, owner) = try listTable(classID, id, list) else { return [] }
      return try elements(in: table, owner: owner).map(\.element)
    }
  }

  // MARK: Lists

  /// An element as read, with what orders it.
  struct ReadElement {
    var identity: ChangeIdentity
    var position: PositionKey
    var element: StoredElement
  }

  /// The table of a list's elements and the row that owns them.
  private func listTable(
    _ classID: ClassID, _ id: RowID, _ list: FieldPath
  ) throws -> (CellTable, owner: Int64)? {
    var table = try objects(classID)
    var owner = id.rawValue
    var level: FieldNode?
    for step in list.steps {
      switch step {
      case .slot(let property): level = try knownChild(property, of: level, in: table)
      case .element(let property, let id):
        guard let inner = try knownChild(property, of: level, in: table)?.list else { return nil }
        table = inner
        owner = id.rawValue
        level = inner.top.first ?? nil
      }
      if level == nil { return nil }
    }
    return try knownChild(list.property, of: level, in: table)?.list.map { ($0, owner) }
  }

  /// The node of a property, nil if the table does not go so deep yet.
  private func knownChild(
    _ property: StoredProperty, of level: FieldNode?, in table: CellTable
  ) throws -> FieldNode? {
    if let level { return level.child(at: property.position) }
    return table.top.indices.contains(property.position) ? table.top[property.position] : nil
  }

  /// Visible elements in the order of their positions; identity decides between equal ones.
  func elements(in table: CellTable, owner: Int64) throws -> [ReadElement] {
    guard let value = table.top.first ?? nil else { return [] }
    let nodes = table.layoutNodes
    let columns = [value] + nodes
    let names = columns.map { $0.map { table.columnValue($0, "e") } ?? "NULL" }
    let statement = try table.statement(
      """
      SELECT e._id, e._mark, e._sequence, e._position, \(names.joined(separator: ", "))
      FROM \(table.sql) e WHERE e._owner = ? AND e._removed = 0\(table.visibility("e"))
      ORDER BY e._position
      """)
    statement.bind(owner, at: 1)
    var elements: [ReadElement] = []
    while try statement.step() {
      let stamp = LocalStamp(time: 0, mark: statement.uint64(at: 1))
      guard let author = try authors[stamp.author] ?? lateAuthor(stamp.author) else {
        throw StorageError.damaged(path: path, detail: "a stamp names author \(stamp.author)")
      }
      elements.append(
        ReadElement(
          identity: ChangeIdentity(
            author: author.author, sequence: SequenceNumber(statement.uint64(at: 2)),
            index: stamp.index),
          position: PositionKey(bytes: statement.bytes(at: 3)),
          element: StoredElement(
            id: ElementID(statement.int64(at: 0)),
            value: Self.elementValue(statement, value, nodes))))
    }
    elements.sortEqualPositions()
    return elements
  }

  /// An author that another connection has added since this one last wrote.
  private func lateAuthor(_ number: Int64) throws -> AuthorRecord? {
    _ = try lookAtState()
    try authors.refresh(catalog)
    return authors[number]
  }

  private static func elementValue(
    _ statement: Statement, _ value: FieldNode, _ nodes: [FieldNode?]
  ) -> StoredElement.Value {
    switch value.kind {
    case .scalar(let type): return .scalar(statement.value(type, at: 4))
    case .link(let target): return .link(target, RowID(statement.int64(at: 4)))
    case .list: return .scalar(.null)
    case .presence:
      return .embedded(
        nodes.enumerated().map { index, node in
          node.map { statement.value($0.kind.columnType, at: Int32(5 + index)) } ?? .null
        })
    }
  }

  // MARK: Objects

  func objects(_ classID: ClassID) throws -> CellTable {
    let entry = try entry(classID)
    guard !entry.isEmbedded else { throw StorageError.noSuchClass(classID) }
    return entry.table
  }

  private func one(_ statement: Statement, _ table: CellTable) throws -> ObjectRow? {
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    return table.objectRow(statement)
  }
}

extension [StoreFile.ReadElement] {
  /// Puts neighbours of one position into the order of their identities; almost always none.
  fileprivate mutating func sortEqualPositions() {
    for index in indices.dropFirst() where self[index].position == self[index - 1].position {
      return sort { ($0.position, $0.identity) < ($1.position, $1.identity) }
    }
  }
}

extension CellTable {
  /// Decodes what ``rowColumns(_:)`` selects.
  func objectRow(_ statement: Statement) -> ObjectRow {
    let types = columnTypes
    let columns = [PersistedValue](unsafeUninitializedCapacity: types.count) { buffer, count in
      for (index, type) in types.enumerated() {
        buffer.initializeElement(
          at: index, to: type.map { statement.value($0, at: Int32(3 + index)) } ?? .null)
      }
      count = types.count
    }
    return ObjectRow(
      id: RowID(statement.int64(at: 0)), key: statement.value(owner.keyType, at: 1),
      life: Life(UInt32(truncatingIfNeeded: statement.int64(at: 2))), columns: columns)
  }

  /// For a list of embedded objects: the node of each column of the embedded class, in its order;
  /// nil where this table does not have it.
  var layoutNodes: [FieldNode?] {
    guard let value = top.first ?? nil, case .presence(let target) = value.kind,
      let layout = owner.catalog.entry(target)?.table
    else { return [] }
    return layout.nodes.map { node in
      node.way.reduce(value) { $0?.child(at: $1.property.position) }
    }
  }
}

extension StoredColumn.Kind {
  /// How the column's values are read.
  var columnType: PersistedType {
    switch self {
    case .scalar(let type): type
    case .link: .link
    case .presence: .embedded
    case .list: .link
    }
  }
}
