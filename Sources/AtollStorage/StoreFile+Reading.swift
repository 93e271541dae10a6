import AtollChanges
package import AtollQuery
import AtollSQLite
package import AtollVocabulary

extension StoreFile {
  /// A live object, nil if there is none with this row id.
  package func row(of classID: ClassID, id: RowID) throws(StorageError) -> ObjectRow? {
    try doing("reading an object") {
      let table = try objects(classID)
      let statement = try isWriting ? table.stampedRow() : table.row()
      statement.bind(id.rawValue, at: 1)
      return try one(statement, table)
    }
  }

  /// A live object, nil if there is none with this key.
  package func row(of classID: ClassID, key: PersistedValue) throws(StorageError) -> ObjectRow? {
    try doing("reading an object") {
      let table = try objects(classID)
      let statement = try isWriting ? table.stampedRowByKey() : table.rowByKey()
      statement.bind(key, at: 1)
      return try one(statement, table)
    }
  }

  /// Rows that one statement reads at most, where it is said which.
  package static var rowsTogether: Int { CellTable.rowsTogether }

  /// The live objects among some rows, of which there are ``rowsTogether`` at most, in any order.
  package func rows(
    of classID: ClassID, ids: some Collection<RowID>
  ) throws(StorageError) -> [ObjectRow] {
    try doing("reading objects") {
      let table = try objects(classID)
      let statement = try table.rows()
      statement.clear()
      for (place, id) in ids.prefix(Self.rowsTogether).enumerated() {
        statement.bind(id.rawValue, at: Int32(place + 1))
      }
      var rows: [ObjectRow] = []
      while try statement.step() { rows.append(table.objectRow(statement)) }
      return rows
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
      defer { caches.queries.give(statement) }
      return try statement.step() ? Int(statement.int64(at: 0)) : 0
    }
  }

  package func ids(_ query: StoreQuery) throws(StorageError) -> [RowID] {
    try doing("querying objects") {
      let statement = try compiled(query, .ids)
      defer { caches.queries.give(statement) }
      var ids: [RowID] = []
      while try statement.step() { ids.append(RowID(statement.int64(at: 0))) }
      return ids
    }
  }

  /// Returns the values of a query's rows at a path, in the order of the query.
  package func values(
    _ query: StoreQuery, at path: PropertyPath
  ) throws(StorageError) -> [(id: RowID, value: PersistedValue)] {
    try doing("reading values") {
      let (statement, plan) = try planned(query, .values(path))
      defer { caches.queries.give(statement) }
      var values: [(id: RowID, value: PersistedValue)] = []
      while try statement.step() {
        values.append((RowID(statement.int64(at: 0)), Self.value(statement, plan.type)))
      }
      return values
    }
  }

  /// The elements of a collection that a query selects, in its order.
  package func elements(_ query: StoreQuery) throws(StorageError) -> [StoredElement] {
    try doing("reading elements") {
      guard let layout = try elementLayout(of: query) else { return [] }
      let statement = try compiled(query, .rows)
      defer { caches.queries.give(statement) }
      var elements: [StoredElement] = []
      while try statement.step() {
        elements.append(layout.element(statement, id: statement.int64(at: 0), at: 1))
      }
      return elements
    }
  }

  /// The value in column 1; of an any-typed one its type is in column 2.
  private static func value(_ statement: Statement, _ type: PersistedType) -> PersistedValue {
    guard type == .any else { return statement.value(type, at: 1) }
    guard case .scalar(let value) = statement.anyValue(at: 1, type: 2) else { return .null }
    return value
  }

  package func rows(_ query: StoreQuery) throws(StorageError) -> RowCursor {
    try doing("querying objects") {
      let cursor = RowCursor(
        try compiled(query, .rows), of: caches.queries, try objects(query.source), path: path,
        lease: version.lease, turns: version.turns)
      tables.cursors.add(cursor)
      return cursor
    }
  }

  // MARK: Objects

  func objects(_ classID: ClassID) throws -> CellTable { try catalog.objects(classID) }

  /// The row of a statement; what is looked up while writing is likely to be written to next.
  private func one(_ statement: Statement, _ table: CellTable) throws -> ObjectRow? {
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    let row = table.objectRow(statement)
    if isWriting, let transaction,
      transaction.loadedRow?.table !== table || transaction.loadedRow?.id != row.id.rawValue
    {
      transaction.loadedRow = LoadedRow(statement, of: table, StateColumns(ofRowsOf: table))
    }
    return row
  }

  /// Shows `body` the objects of a query: the key, and the cells of ``StoredClass/columns``.
  ///
  /// One statement, however many links and collections there are; one object is in memory at a time.
  package func forEachShown(
    of query: StoreQuery, _ body: ([ShownCell]) -> Void
  ) throws(StorageError) {
    try doing("reading objects") {
      let table = try objects(query.source)
      let statement = try compiled(query, .cells)
      defer { caches.queries.give(statement) }
      while try statement.step() {
        var cells: [ShownCell] = [.value(statement.value(table.owner.keyType, at: 0))]
        var place: Int32 = 1
        for node in table.nodes { cells.append(statement.cell(of: node, catalog, &place)) }
        body(cells)
      }
    }
  }
}

extension CellTable {
  /// One value of what ``rowColumns(_:)`` selects, of a table without any-typed columns.
  func value(_ column: Int, of statement: Statement) -> PersistedValue {
    columnTypes[column].map { statement.value($0, at: Int32(3 + column)) } ?? .null
  }

  /// Decodes what ``rowColumns(_:)`` selects.
  func objectRow(_ statement: Statement) -> ObjectRow {
    let types = columnTypes
    var columns = [PersistedValue](unsafeUninitializedCapacity: types.count) { buffer, count in
      for (index, type) in types.enumerated() {
        buffer.initializeElement(
          at: index, to: type.map { statement.value($0, at: Int32(3 + index)) } ?? .null)
      }
      count = types.count
    }
    var others: [Int: StoredElement.Value] = [:]
    for (place, node) in anyNodes.enumerated() {
      let read = statement.anyValue(
        at: Int32(3 + node.ordinal), type: Int32(3 + types.count + place))
      if case .scalar(let scalar) = read {
        columns[node.ordinal] = scalar
      } else {
        others[node.ordinal] = read
      }
    }
    return ObjectRow(
      id: RowID(statement.int64(at: 0)), key: statement.value(owner.keyType, at: 1),
      generation: Generation(UInt32(truncatingIfNeeded: statement.int64(at: 2))), columns: columns,
      others: others)
  }
}

extension StoredColumn.Kind {
  /// The type by which the column's values are read.
  var columnType: PersistedType {
    switch self {
    case .scalar(let type): type
    case .link: .link
    case .presence: .embedded
    case .collection: .link
    }
  }
}
