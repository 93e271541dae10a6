import AtollSQLite
import AtollVocabulary

// Growing the schema, inside a write transaction only; whoever rolls it back reads the
// catalog again.
extension Catalog {
  /// The class of this identity, made if the file does not have it; inside ``growing(on:_:)``.
  func grow(
    className name: String, isEmbedded: Bool, keyType: PersistedType, keyName: String? = nil,
    on connection: Connection
  ) throws(SQLiteError) -> ClassEntry {
    if let entry = entry(name: name, isEmbedded: isEmbedded, keyType: keyType) {
      if let keyName { try grow(keyName: keyName, of: entry, on: connection) }
      return entry
    }
    let keyColumn = keyName.flatMap { StoreLayout.isPlain($0) ? $0 : nil } ?? "_key"
    let entry = ClassEntry(
      catalog: self, id: ClassID(Int32(entries.count + 1)), name: name, isEmbedded: isEmbedded,
      keyType: keyType, keyName: keyName, keyColumn: keyColumn)
    let statement = try connection.prepare(
      """
      INSERT INTO atoll_class (id, name, embedded, key_type, key_name, key_column)
      VALUES (?, ?, ?, ?, ?, ?)
      """)
    statement.bind(Int64(entry.id.rawValue), at: 1)
    statement.bind(name, at: 2)
    statement.bind(Int64(isEmbedded ? 1 : 0), at: 3)
    statement.bind(Int64(keyType.rawValue), at: 4)
    if let keyName { statement.bind(keyName, at: 5) }
    statement.bind(keyColumn, at: 6)
    try statement.run()
    enter(entry)
    let tableName =
      isEmbedded
      ? "layout \(entry.id.rawValue)" : freeTableName(for: name, suffix: keyType.description)
    let table = try grow(tableNamed: tableName, owner: entry, holder: nil, on: connection)
    if !isEmbedded { draftObjects(table) }
    // Statements on any-typed values name the possible targets of their links.
    hasNewTargets = true
    revision += 1
    return entry
  }

  /// The property of this identity, made with its columns if the file does not have it; inside
  /// ``growing(on:_:)``.
  @discardableResult
  func grow(
    property name: String, of owner: ClassEntry, type: PersistedType, collection: CollectionKind,
    target: ClassID?, on connection: Connection
  ) throws(SQLiteError) -> StoredProperty {
    if let property = property(
      of: owner.id, name: name, type: type, collection: collection, target: target)
    {
      return property
    }
    let property = enter(
      owner: owner.id, name: name, type: type, collection: collection, target: target,
      indexes: 0)
    let statement = try connection.prepare(
      """
      INSERT INTO atoll_property (id, class, name, type, collection, target, indexed)
      VALUES (?, ?, ?, ?, ?, ?, 0)
      """)
    statement.bind(Int64(property.id.rawValue), at: 1)
    statement.bind(Int64(owner.id.rawValue), at: 2)
    statement.bind(name, at: 3)
    statement.bind(Int64(type.rawValue), at: 4)
    statement.bind(Int64(collection.rawValue), at: 5)
    if let target { statement.bind(Int64(target.rawValue), at: 6) }
    try statement.run()
    try grow(property, in: owner.table, below: nil, on: connection)
    if owner.isEmbedded { try growEmbedded(property, owner: owner.id, on: connection) }
    owner.forgetClass()
    revision += 1
    return property
  }

  /// Of two names for one key the one whose bytes come first, so that all replicas show the same.
  static func isFirst(_ name: String, _ other: String) -> Bool {
    name.utf8.lexicographicallyPrecedes(other.utf8)
  }

  /// Names the key of a class; a name that is there gives way to one that comes before it.
  ///
  /// The column keeps the name that it was made with. A file in which it had none gets another column that
  /// reads as it does.
  func grow(keyName name: String, of entry: ClassEntry, on connection: Connection)
    throws(SQLiteError)
  {
    guard entry.keyType != .identity, entry.keyName.map({ Self.isFirst(name, $0) }) ?? true
    else { return }
    let statement = try connection.prepare("UPDATE atoll_class SET key_name = ? WHERE id = ?")
    statement.bind(name, at: 1)
    statement.bind(Int64(entry.id.rawValue), at: 2)
    try statement.run()
    defer {
      entry.keyName = name
      entry.forgetClass()
      revision += 1
    }
    guard entry.keyName == nil else { return }
    let alias = StoreLayout.quoted(entry.table.freeName(for: name, type: entry.keyType))
    let type = "AS (\(entry.table.keySQL)) VIRTUAL"
    if entry.table.draft != nil {
      entry.table.draft?.columns.append("\(alias) \(type)")
    } else {
      try connection.execute("ALTER TABLE \(entry.table.sql) ADD COLUMN \(alias) \(type)")
    }
  }

  /// Gives a top-level scalar or link an index, or a collection of links one by what they lead to.
  func growIndex(on property: StoredProperty, connection: Connection) throws(SQLiteError) {
    guard !has(.value, on: property.id), let entry = entry(property.owner), !entry.isEmbedded,
      let node = entry.table.top[property.position], !node.isAny
    else { return }
    let index: String
    let table = node.isCollection ? node.elements : entry.table
    if node.isCollection {
      guard let table, let value = table.value else { return }
      index = self.index("links", "INDEX", "\(value.sql), _owner, _removed", of: table)
    } else {
      let name = StoreLayout.quoted("index \(entry.table.name).\(node.name)")
      index = "CREATE INDEX \(name) ON \(entry.table.sql) (\(node.sql))"
    }
    if table?.draft != nil {
      table?.draft?.indexes.append(index)
    } else {
      try connection.execute(index)
    }
    try enter(.value, on: property, connection: connection)
  }

  /// Notes in the file, too, that it has an index.
  func enter(
    _ kind: IndexKind, on property: StoredProperty, connection: Connection
  ) throws(SQLiteError) {
    try connection.execute(
      """
      UPDATE atoll_property SET indexed = indexed | \(kind.rawValue) \
      WHERE id = \(property.id.rawValue)
      """)
    enter(kind, on: property)
    revision += 1
  }

  // MARK: Tables and columns

  private func growEmbedded(
    _ property: StoredProperty, owner: ClassID, on connection: Connection
  ) throws(SQLiteError) {
    // A layout's own top is grown by the caller; here only slots that hold the class.
    for node in slots[owner] ?? [] {
      guard node.child(at: property.position) == nil,
        node.around?.isInside(owner) != true || !node.children.isEmpty
      else { continue }
      try grow(property, in: node.table, below: node, on: connection)
    }
  }

  private func grow(
    tableNamed name: String, owner: ClassEntry, holder: FieldNode?, on connection: Connection
  ) throws(SQLiteError) -> CellTable {
    let table = enter(name: name, owner: owner, holder: holder)
    let statement = try connection.prepare(
      "INSERT INTO atoll_table (id, name, class, parent, parent_column) VALUES (?, ?, ?, ?, ?)")
    statement.bind(Int64(table.id), at: 1)
    statement.bind(name, at: 2)
    statement.bind(Int64(owner.id.rawValue), at: 3)
    if let holder {
      statement.bind(Int64(holder.table.id), at: 4)
      statement.bind(Int64(holder.ordinal), at: 5)
    }
    try statement.run()
    return table
  }

  private func draftObjects(_ table: CellTable) {
    let keyType = Statement.declaredType(table.owner.keyType)
    draft(
      table,
      columns: [
        "_id INTEGER PRIMARY KEY", "\(table.keySQL) \(keyType) UNIQUE",
        "_life INTEGER NOT NULL", "_time INTEGER NOT NULL", "_mark INTEGER NOT NULL",
        "_assigned INTEGER NOT NULL", "_recorded INTEGER NOT NULL", "_stamps BLOB",
      ])
  }

  private func draftElements(_ table: CellTable) {
    let places = table.placeColumns.map { place in
      switch (place, table.kind) {
      case ("_key", .nested): "_key TEXT"
      case ("_key", _): "_key TEXT NOT NULL"
      case (_, .nested): "\(place) BLOB"
      case (_, _): "\(place) BLOB NOT NULL"
      }
    }
    let indexes = table.placeColumns.flatMap { place in
      place == "_position"
        ? [
          index("order", "INDEX", "_owner, _position, _removed", of: table),
          index("identity", "UNIQUE INDEX", "_mark, _sequence", of: table),
        ] : [index("names", "UNIQUE INDEX", "_owner, \(place)", of: table)]
    }
    draft(
      table,
      columns: ["_id INTEGER PRIMARY KEY", "_owner INTEGER NOT NULL"] + places + [
        "_sequence INTEGER NOT NULL", "_time INTEGER NOT NULL", "_mark INTEGER NOT NULL",
        "_assigned INTEGER NOT NULL", "_recorded INTEGER NOT NULL", "_stamps BLOB",
        "_removed INTEGER NOT NULL DEFAULT 0",
      ], indexes: indexes)
  }

  private func index(
    _ what: String, _ kind: String, _ columns: String, of table: CellTable
  ) -> String {
    let name = StoreLayout.quoted("\(what) \(table.name)")
    return "CREATE \(kind) \(name) ON \(table.sql) (\(columns))"
  }

  /// Adds a property to a table, and below a slot everything its class has.
  @discardableResult
  private func grow(
    _ property: StoredProperty, in table: CellTable, below parent: FieldNode?,
    on connection: Connection
  ) throws(SQLiteError) -> FieldNode {
    guard table.nodes.count + table.anyNodes.count < Limits.tableColumns else {
      throw SQLiteError(
        code: .tooBig, message: "\(table.name) has \(Limits.tableColumns) columns already",
        sql: nil)
    }
    let isValue = table.isElements && parent == nil
    let wanted =
      isValue ? "value" : parent.map { "\($0.name).\(property.name)" } ?? property.name
    let name = table.freeName(for: wanted, type: property.type)
    let node = enter(property, in: table, below: parent, name: name)
    let statement = try connection.prepare(
      """
      INSERT INTO atoll_column ("table", ordinal, parent, property, name) VALUES (?, ?, ?, ?, ?)
      """)
    statement.bind(Int64(table.id), at: 1)
    statement.bind(Int64(node.ordinal), at: 2)
    if let parent { statement.bind(Int64(parent.ordinal), at: 3) }
    statement.bind(Int64(property.id.rawValue), at: 4)
    statement.bind(name, at: 5)
    try statement.run()
    switch node.kind {
    case .scalar(.any):
      try addColumn(node.sql, Statement.declaredType(.any), to: table, on: connection)
      try addColumn(node.typeSQL, "INTEGER", to: table, on: connection)
      if table.kind != .nested { try growElements(of: node, on: connection) }
    case .scalar(let type):
      try addColumn(node.sql, Statement.declaredType(type), to: table, on: connection)
    case .link: try addColumn(node.sql, "INTEGER", to: table, on: connection)
    case .presence(let target):
      try addColumn(node.sql, "INTEGER", to: table, on: connection)
      if node.around?.isInside(target) != true { try expand(node, on: connection) }
    case .collection: try growElements(of: node, on: connection)
    }
    return node
  }

  /// Makes the table of what a collection, or an any-typed slot, holds.
  private func growElements(
    of node: FieldNode, on connection: Connection
  ) throws(SQLiteError) {
    guard node.table.kind != .layout else { return }
    let elements = try grow(
      tableNamed: freeTableName(
        for: "\(node.table.name).\(node.name)", suffix: node.property.collection.name),
      owner: node.table.owner, holder: node, on: connection)
    draftElements(elements)
    try grow(node.property, in: elements, below: nil, on: connection)
  }

  /// Gives a slot a column for every property of its class.
  ///
  /// A class inside itself is expanded one level at a time, when a value goes that deep. Inside
  /// ``growing(on:_:)``.
  func expand(_ slot: FieldNode, on connection: Connection) throws(SQLiteError) {
    guard case .presence(let target) = slot.kind, let entry = entry(target) else { return }
    for property in entry.properties where slot.child(at: property.position) == nil {
      try grow(property, in: slot.table, below: slot, on: connection)
      revision += 1
    }
  }
}
