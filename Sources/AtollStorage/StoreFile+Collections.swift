import AtollChanges
import AtollSQLite
package import AtollVocabulary

// Reading the contents of collections.
extension StoreFile {
  /// Visible elements in order; none if the way there leads through something that is gone.
  package func elements(
    of classID: ClassID, id: RowID, list: FieldPath
  ) throws(StorageError) -> [StoredElement] {
    try doing("reading \(list.property.name)") {
      guard let container = try container(.list, classID, id, list) else { return [] }
      return try elements(in: container)
    }
  }

  /// An element of a list, a member of a set, or the value of an entry; nil if it is gone.
  package func element(
    _ element: ElementID, of classID: ClassID, id: RowID, collection: FieldPath
  ) throws(StorageError) -> StoredElement? {
    try doing("reading an element of \(collection.property.name)") {
      guard let container = try container(classID, id, collection),
        let layout = container.table.elementLayout()
      else { return nil }
      let table = container.table
      let statement = try table.statement(
        """
        SELECT \(layout.columns) FROM \(table.sql) e
        WHERE e._id = ? AND e._owner = ? AND e._removed = 0
        """)
      statement.bind(element.rawValue, at: 1)
      statement.bind(container.owner, at: 2)
      defer { statement.reset() }
      return try statement.step() ? layout.element(statement, id: element.rawValue, at: 0) : nil
    }
  }

  /// Returns the number of visible elements.
  package func elementCount(
    of classID: ClassID, id: RowID, list: FieldPath
  ) throws(StorageError) -> Int {
    try doing("counting \(list.property.name)") {
      guard let container = try container(.list, classID, id, list) else { return 0 }
      try lookAtViews()
      return try countedView(of: container).count
    }
  }

  /// The visible elements at a range of indices, as far as there are any.
  ///
  /// After the list was counted once, this takes time for the range and not for the list.
  package func elements(
    of classID: ClassID, id: RowID, list: FieldPath, at range: Range<Int>
  ) throws(StorageError) -> [StoredElement] {
    try doing("reading \(list.property.name)") {
      guard let container = try container(.list, classID, id, list),
        let layout = container.table.elementLayout()
      else { return [] }
      try lookAtViews()
      guard let rows = try countedView(of: container).rows else { return [] }
      let table = container.table
      let statement = try table.statement(
        "SELECT \(layout.columns) FROM \(table.sql) e WHERE e._id = ?")
      return try rows.elements(in: range.clamped(to: 0..<rows.count)).compactMap { row in
        statement.bind(row, at: 1)
        defer { statement.reset() }
        return try statement.step() ? layout.element(statement, id: row, at: 0) : nil
      }
    }
  }

  /// Forgets the order of lists if a commit came between.
  private func lookAtViews() throws {
    guard transaction == nil else { return }
    tables.views.keep(for: try lookAtState())
  }

  // MARK: Finding the collection

  /// Returns the container of a collection's elements; nil if there is none of this kind, or none
  /// any more.
  func container(
    _ kind: CollectionKind, _ classID: ClassID, _ id: RowID, _ path: FieldPath
  ) throws -> Container? {
    try container(classID, id, path).flatMap { $0.kind == kind ? $0 : nil }
  }

  /// Returns the container of a collection's elements; nil if the path there leads through
  /// something that is gone.
  func container(_ classID: ClassID, _ id: RowID, _ path: FieldPath) throws -> Container? {
    guard var (node, owner) = try slot(classID, id, path) else { return nil }
    for element in path.nested ?? [] {
      guard let value = node.elements?.value else { return nil }
      (node, owner) = (value, element.rawValue)
    }
    guard let elements = node.elements else { return nil }
    if case .collection(let kind) = node.kind {
      return path.nested == nil ? Container(table: elements, owner: owner, kind: kind) : nil
    }
    guard path.nested != nil, let kind = try heldKind(node, owner) else { return nil }
    return Container(table: elements, owner: node.owner(of: owner), kind: kind)
  }

  /// Returns the instance of the list or map in an any-typed slot: another number for each that was
  /// assigned there, nil if there is none of this kind.
  package func heldInstance(
    _ kind: CollectionKind, of classID: ClassID, id: RowID, at path: FieldPath
  ) throws(StorageError) -> Int64? {
    try doing("looking at what \(path.property.name) holds") {
      guard var (node, owner) = try slot(classID, id, path) else { return nil }
      for id in path.nested ?? [] {
        guard let row = try tables.load(node.table, owner), let container = node.container(in: row),
          let element = try element(id, in: container), let value = container.table.value
        else { return nil }
        (node, owner) = (value, element.id)
      }
      guard let row = try tables.load(node.table, owner), row.nested[node.ordinal] == kind else {
        return nil
      }
      // Whatever its row came with: ids of elements that are gone may come again.
      return row.state.order(of: node)?.instance
    }
  }

  /// The column that a path leads to, what any-typed values hold left aside, and the row that has it.
  private func slot(
    _ classID: ClassID, _ id: RowID, _ path: FieldPath
  ) throws -> (node: FieldNode, owner: Int64)? {
    var table = try objects(classID)
    var owner = id.rawValue
    var level: FieldNode?
    for step in path.steps {
      switch step {
      case .slot(let property): level = table.child(property, of: level)
      case .element(let property, let id):
        guard let inner = table.child(property, of: level)?.elements else { return nil }
        (table, owner, level) = (inner, id.rawValue, inner.value)
      }
      if level == nil { return nil }
    }
    return table.child(path.property, of: level).map { ($0, owner) }
  }

  /// The kind of collection that a row's any-typed slot holds.
  private func heldKind(_ node: FieldNode, _ row: Int64) throws -> CollectionKind? {
    let statement = try node.table.statement(
      "SELECT \(node.typeSQL) FROM \(node.table.sql) WHERE _id = ?")
    statement.bind(row, at: 1)
    defer { statement.reset() }
    return try statement.step() ? ValueTag.kind(statement.int64(at: 0)) : nil
  }

  // MARK: Reading

  /// Visible elements in the order of their positions, or members in that of their identities.
  func elements(in container: Container) throws -> [StoredElement] {
    let table = container.table
    guard let layout = table.elementLayout() else { return [] }
    let place = container.kind == .set ? "_identity" : "_position"
    let statement = try table.statement(
      """
      SELECT e._id, e.\(place), \(layout.columns) FROM \(table.sql) e
      WHERE e._owner = ? AND e._removed = 0\(table.visibility("e")) ORDER BY e.\(place)
      """)
    statement.bind(container.owner, at: 1)
    var run = ElementRun()
    while try statement.step() { run.append(statement, layout, at: 0) }
    return try elements(of: run, in: table)
  }

  /// The elements of one collection that were read, in the order of positions.
  struct ElementRun {
    private(set) var elements: [StoredElement] = []
    /// True if positions leave the order open.
    private(set) var hasEqual = false
    private var previous: [UInt8] = []

    /// Takes the row of a statement that has id, position and value from `first` on.
    mutating func append(_ statement: Statement, _ layout: ElementLayout, at first: Int32) {
      elements.append(
        layout.element(statement, id: statement.int64(at: first), at: first + 2))
      let position = statement.bytes(at: first + 1)
      if position == previous { hasEqual = true }
      previous = position
    }
  }

  /// The elements of one collection, also where positions leave the order open.
  func elements(of run: ElementRun, in table: CellTable) throws -> [StoredElement] {
    guard run.hasEqual else { return run.elements }
    let order = try sorted(run.elements.map(\.id.rawValue), in: table)
    let byRow = Dictionary(run.elements.map { ($0.id.rawValue, $0) }) { first, _ in first }
    return order.compactMap { byRow[$0] }
  }

  /// Elements that are read together at most.
  static let elementsTogether = 4096

  /// The column that a path leads to, what any-typed values hold left aside; nil unless it is the same
  /// for all rows.
  func sharedNode(_ classID: ClassID, _ path: FieldPath) throws -> FieldNode? {
    let table = try objects(classID)
    var level: FieldNode?
    for step in path.steps {
      guard case .slot(let property) = step else { return nil }
      level = table.child(property, of: level)
      if level == nil { return nil }
    }
    return table.child(path.property, of: level)
  }

  /// The table of a collection of several rows; nil unless it is the same for all of them.
  private func sharedTable(_ classID: ClassID, _ path: FieldPath) throws -> CellTable? {
    guard path.nested == nil, let node = try sharedNode(classID, path), node.isCollection else {
      return nil
    }
    return node.elements
  }

  /// Returns the elements of a list or set of several rows, by row; ``rowsTogether`` of them at
  /// most.
  ///
  /// Left out are rows whose elements would have been too many to be read with the others.
  package func elements(
    of classID: ClassID, ids: some Collection<RowID>, in path: FieldPath
  ) throws(StorageError) -> [RowID: [StoredElement]] {
    try doing("reading \(path.property.name)") {
      guard let table = try sharedTable(classID, path), let layout = table.elementLayout() else {
        return [:]
      }
      let place = path.property.collection == .set ? "_identity" : "_position"
      let marks = Array(repeating: "?", count: Self.rowsTogether).joined(separator: ",")
      let statement = try table.statement(
        """
        SELECT e._owner, e._id, e.\(place), \(layout.columns) FROM \(table.sql) e
        WHERE e._owner IN (\(marks)) AND e._removed = 0\(table.visibility("e"))
        ORDER BY e._owner, e.\(place)
        """)
      defer { statement.reset() }
      statement.clear()
      for (index, id) in ids.prefix(Self.rowsTogether).enumerated() {
        statement.bind(id.rawValue, at: Int32(index + 1))
      }
      var runs: [RowID: ElementRun] = [:]
      var count = 0
      while try statement.step() {
        let owner = RowID(statement.int64(at: 0))
        count += 1
        if count > Self.elementsTogether {
          // The rest of this row, and the rows after it, are not known.
          runs[owner] = nil
          return try elements(of: runs, for: ids.filter { $0 < owner }, in: table)
        }
        runs[owner, default: ElementRun()].append(statement, layout, at: 1)
      }
      return try elements(of: runs, for: ids, in: table)
    }
  }

  private func elements(
    of runs: [RowID: ElementRun], for ids: some Collection<RowID>, in table: CellTable
  ) throws -> [RowID: [StoredElement]] {
    var elements: [RowID: [StoredElement]] = [:]
    for id in ids { elements[id] = try self.elements(of: runs[id] ?? ElementRun(), in: table) }
    return elements
  }

  /// Returns the entries of a map of several rows, by row and ascending by the bytes of the keys,
  /// as ``elements(of:ids:in:)`` does.
  package func entries(
    of classID: ClassID, ids: some Collection<RowID>, in path: FieldPath
  ) throws(StorageError) -> [RowID: [StoredEntry]] {
    try doing("reading \(path.property.name)") {
      guard let table = try sharedTable(classID, path), let layout = table.elementLayout() else {
        return [:]
      }
      let marks = Array(repeating: "?", count: Self.rowsTogether).joined(separator: ",")
      let statement = try table.statement(
        """
        SELECT e._owner, e._id, e._key, \(layout.columns) FROM \(table.sql) e
        WHERE e._owner IN (\(marks)) AND e._removed = 0 ORDER BY e._owner, e._key
        """)
      defer { statement.reset() }
      statement.clear()
      for (index, id) in ids.prefix(Self.rowsTogether).enumerated() {
        statement.bind(id.rawValue, at: Int32(index + 1))
      }
      var entries: [RowID: [StoredEntry]] = [:]
      for id in ids { entries[id] = [] }
      var count = 0
      while try statement.step() {
        let owner = RowID(statement.int64(at: 0))
        count += 1
        if count > Self.elementsTogether { return entries.filter { $0.key < owner } }
        let element = layout.element(statement, id: statement.int64(at: 1), at: 3)
        entries[owner]?.append(StoredEntry(key: statement.string(at: 2), element: element))
      }
      return entries
    }
  }

  /// Entries held, ascending by the bytes of their keys.
  func entries(in container: Container) throws -> [StoredEntry] {
    let table = container.table
    guard let layout = table.elementLayout() else { return [] }
    let statement = try table.statement(
      """
      SELECT e._id, e._key, \(layout.columns) FROM \(table.sql) e
      WHERE e._owner = ? AND e._removed = 0 ORDER BY e._key
      """)
    statement.bind(container.owner, at: 1)
    var entries: [StoredEntry] = []
    while try statement.step() {
      entries.append(
        StoredEntry(
          key: statement.string(at: 1),
          element: layout.element(statement, id: statement.int64(at: 0), at: 2)))
    }
    return entries
  }

  /// The visible member, or the entry held, of a name.
  func element(_ name: RegisterName, in container: Container) throws -> StoredElement? {
    let table = container.table
    guard let layout = table.elementLayout() else { return nil }
    let statement = try table.statement(
      """
      SELECT e._id, \(layout.columns) FROM \(table.sql) e
      WHERE e._owner = ? AND e.\(name.column) = ? AND e._removed = 0\(table.visibility("e"))
      """)
    statement.bind(container.owner, at: 1)
    name.bind(to: statement, at: 2)
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    return layout.element(statement, id: statement.int64(at: 0), at: 1)
  }
}
