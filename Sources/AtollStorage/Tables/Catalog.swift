import AtollSQLite
import AtollVocabulary

/// The classes, properties and tables of a file, as of one schema revision.
///
/// Everything here only ever grows, and in the same order on every connection, because growing
/// happens under the write lock and is read back by number. Another revision is another catalog.
final class Catalog {
  /// Bumped by every growth; the file has the same number.
  @exclusivity(unchecked) var revision: Int64
  @exclusivity(unchecked) private(set) var entries: [ClassEntry] = []
  @exclusivity(unchecked) private(set) var properties: [StoredProperty] = []
  /// Properties with an index of each kind.
  private(set) var indexes: [IndexKind: Set<PropertyID>] = [:]
  /// Those that are virtual tables, which rows are brought to by ``ObjectTables``.
  private(set) lazy var searchIndexes = makeSearchIndexes()
  /// By id, from 1.
  private(set) var tables: [CellTable] = []
  private var tableNames: Set<String> = []
  /// Tables that are to be made when the growing ends.
  var drafts: [CellTable] = []
  var growthDepth = 0
  /// Tells whether classes came that any-typed values may link to, since statements were last forgotten.
  var hasNewTargets = false
  /// The slots that hold objects of each embedded class, in all tables.
  private(set) var slots: [ClassID: [FieldNode]] = [:]
  /// The first class of each identity.
  private var entriesByName: [EntryName: ClassEntry] = [:]
  private let connection: Connection

  init(reading connection: Connection, revision: Int64) throws(SQLiteError) {
    self.connection = connection
    self.revision = revision
    tableNames = Set(
      try connection.texts("SELECT lower(name) FROM sqlite_schema"))
    try loadClasses()
    try loadProperties()
    try loadTables()
    try checkIsWhole()
  }

  /// A damaged file may lack rows that are always made together.
  private func checkIsWhole() throws(SQLiteError) {
    for (index, entry) in entries.enumerated()
    where entry.storedTable == nil || entry.id.rawValue != index + 1 {
      throw SQLiteError(
        code: .corrupt, message: "the class \(entry.name) has no number or no table", sql: nil)
    }
    for property in properties where entry(property.owner) == nil {
      throw SQLiteError(
        code: .corrupt, message: "the property \(property.name) belongs to no class", sql: nil)
    }
  }

  deinit { dissolve() }

  /// Lets go of every table and statement; classes and tables hold each other until then.
  func dissolve() {
    for entry in entries { entry.storedTable = nil }
    for table in tables { table.forgetStatements() }
    entries = []
    entriesByName = [:]
    slots = [:]
    tables = []
    searchIndexes = []
  }

  func entry(_ id: ClassID) -> ClassEntry? {
    id.rawValue > 0 && id.rawValue <= entries.count ? entries[Int(id.rawValue) - 1] : nil
  }

  /// The table of a class's objects.
  ///
  /// - Throws: ``StorageError/noSuchClass(_:)``, also of a class that is embedded only.
  func objects(_ id: ClassID) throws(StorageError) -> CellTable {
    guard let entry = entry(id), !entry.isEmbedded else { throw .noSuchClass(id) }
    return entry.table
  }

  func property(_ id: PropertyID) -> StoredProperty? {
    id.rawValue > 0 && id.rawValue <= properties.count ? properties[Int(id.rawValue) - 1] : nil
  }

  func entry(name: String, isEmbedded: Bool, keyType: PersistedType) -> ClassEntry? {
    entriesByName[EntryName(name: Array(name.utf8), isEmbedded: isEmbedded, keyType: keyType)]
  }

  private struct EntryName: Hashable {
    let name: [UInt8]
    let isEmbedded: Bool
    let keyType: PersistedType
  }

  func property(
    of owner: ClassID, name: String, type: PersistedType, collection: CollectionKind,
    target: ClassID?
  ) -> StoredProperty? {
    entry(owner)?.properties.first {
      $0.name.utf8.elementsEqual(name.utf8) && $0.type == type && $0.collection == collection
        && $0.target == target
    }
  }

  /// Drops counters that another connection may have moved on.
  func forgetCounters() {
    for entry in entries { entry.forgetCounters() }
  }

  // MARK: Reading

  private func loadClasses() throws(SQLiteError) {
    let statement = try connection.prepare(
      "SELECT id, name, embedded, key_type, key_name, key_column FROM atoll_class ORDER BY id")
    while try statement.step() {
      enter(
        ClassEntry(
          catalog: self, id: ClassID(Int32(truncatingIfNeeded: statement.int64(at: 0))),
          name: statement.string(at: 1), isEmbedded: statement.int64(at: 2) != 0,
          keyType: PersistedType(rawValue: UInt8(truncatingIfNeeded: statement.int64(at: 3)))
            ?? .identity,
          keyName: statement.isNull(at: 4) ? nil : statement.string(at: 4),
          keyColumn: statement.string(at: 5)))
    }
  }

  private func loadProperties() throws(SQLiteError) {
    let statement = try connection.prepare(
      """
      SELECT class, name, type, collection, target, indexed FROM atoll_property ORDER BY id
      """)
    while try statement.step() {
      let owner = ClassID(Int32(truncatingIfNeeded: statement.int64(at: 0)))
      enter(
        owner: owner, name: statement.string(at: 1),
        type: PersistedType(rawValue: UInt8(truncatingIfNeeded: statement.int64(at: 2))) ?? .data,
        collection: CollectionKind(rawValue: UInt8(truncatingIfNeeded: statement.int64(at: 3)))
          ?? .none,
        target: statement.isNull(at: 4)
          ? nil : ClassID(Int32(truncatingIfNeeded: statement.int64(at: 4))),
        indexes: statement.int64(at: 5))
    }
  }

  @discardableResult
  func enter(
    owner: ClassID, name: String, type: PersistedType, collection: CollectionKind,
    target: ClassID?, indexes bits: Int64
  ) -> StoredProperty {
    let property = StoredProperty(
      id: PropertyID(Int32(properties.count + 1)), owner: owner,
      position: entry(owner)?.properties.count ?? 0, name: name, type: type,
      collection: collection, target: target)
    properties.append(property)
    for kind in IndexKind.allCases where bits & kind.rawValue != 0 {
      indexes[kind, default: []].insert(property.id)
    }
    entry(owner)?.properties.append(property)
    return property
  }

  private func loadTables() throws(SQLiteError) {
    let table = try connection.prepare(
      "SELECT id, name, class, parent, parent_column FROM atoll_table ORDER BY id")
    let column = try connection.prepare(
      """
      SELECT parent, property, name FROM atoll_column WHERE "table" = ? ORDER BY ordinal
      """)
    while try table.step() {
      let class_ = ClassID(Int32(truncatingIfNeeded: table.int64(at: 2)))
      guard let owner = entry(class_) else { continue }
      let holder = table.isNull(at: 3) ? nil : node(table.int64(at: 3), table.int64(at: 4))
      let made = enter(name: table.string(at: 1), owner: owner, holder: holder)
      column.bind(table.int64(at: 0), at: 1)
      while try column.step() {
        let id = PropertyID(Int32(truncatingIfNeeded: column.int64(at: 1)))
        guard let property = property(id) else { continue }
        let parent = column.isNull(at: 0) ? nil : node(Int64(made.id), column.int64(at: 0))
        enter(property, in: made, below: parent, name: column.string(at: 2))
      }
    }
  }

  private func node(_ table: Int64, _ ordinal: Int64) -> FieldNode? {
    guard table > 0, table <= tables.count else { return nil }
    let nodes = tables[Int(table) - 1].nodes
    return ordinal >= 0 && ordinal < nodes.count ? nodes[Int(ordinal)] : nil
  }

  /// A table by its number.
  func table(_ id: Int32) -> CellTable? {
    id > 0 && id <= tables.count ? tables[Int(id) - 1] : nil
  }

  // MARK: Entering what the file has

  func enter(_ entry: ClassEntry) {
    entries.append(entry)
    let name = EntryName(
      name: Array(entry.name.utf8), isEmbedded: entry.isEmbedded, keyType: entry.keyType)
    if entriesByName[name] == nil { entriesByName[name] = entry }
  }

  @discardableResult
  func enter(name: String, owner: ClassEntry, holder: FieldNode?) -> CellTable {
    let kind: CellTable.Kind =
      switch holder?.kind {
      case nil: owner.isEmbedded ? .layout : .objects
      case .collection(let kind): .elements(kind)
      case .scalar, .link, .presence: .nested
      }
    let table = CellTable(
      id: Int32(tables.count + 1), name: name, kind: kind, owner: owner, holder: holder,
      on: connection)
    tables.append(table)
    tableNames.insert(name.lowercased())
    if let holder { holder.ownElements = table } else { owner.storedTable = table }
    return table
  }

  @discardableResult
  func enter(
    _ property: StoredProperty, in table: CellTable, below parent: FieldNode?, name: String
  ) -> FieldNode {
    let isValue = table.isElements && parent == nil
    let node = FieldNode(
      table: table, ordinal: table.nodes.count, property: property,
      kind: Self.kind(of: property, isValue: isValue), parent: parent, name: name)
    table.append(node)
    if case .presence(let target) = node.kind { slots[target, default: []].append(node) }
    if !table.isElements { table.owner.forgetClass() }
    return node
  }

  func has(_ kind: IndexKind, on id: PropertyID) -> Bool { indexes[kind]?.contains(id) == true }

  /// Notes an index that the file now has.
  func enter(_ kind: IndexKind, on property: StoredProperty) {
    indexes[kind, default: []].insert(property.id)
    if kind != .value { searchIndexes = makeSearchIndexes() }
    entry(property.owner)?.forgetClass()
  }

  /// Returns the places of links to a class's objects; nil if not all of these places have an
  /// index.
  func indexedLinks(to target: ClassID) -> [FieldNode]? {
    var found: [FieldNode] = []
    for table in tables where table.kind != .layout {
      for node in table.nodes {
        if node.isAny { return nil }
        guard case .link(target) = node.kind else { continue }
        // The same property may be a slot's, which has no index.
        let isOnTop = table.isElements ? node === table.value : node.parent == nil
        guard isOnTop, has(.value, on: node.property.id) else { return nil }
        found.append(node)
      }
    }
    return found
  }

  /// A table name that is still free.
  func freeTableName(for wanted: String, suffix: String) -> String {
    let base = StoreLayout.isPlain(wanted) ? wanted : "class \(wanted.filter { $0 != "\0" })"
    if !tableNames.contains(base.lowercased()) { return base }
    let typed = "\(base):\(suffix)"
    if !tableNames.contains(typed.lowercased()) { return typed }
    var number = 2
    while tableNames.contains("\(typed):\(number)".lowercased()) { number += 1 }
    return "\(typed):\(number)"
  }

  /// Returns the kind of a property's cell; `isValue` says that it is an element's, not the
  /// collection itself.
  private static func kind(of property: StoredProperty, isValue: Bool) -> StoredColumn.Kind {
    if property.collection != .none, !isValue { return .collection(property.collection) }
    switch (property.type, property.target) {
    case (.link, let target?): return .link(target)
    case (.embedded, let target?): return .presence(target)
    case (let type, _): return .scalar(type)
    }
  }
}
