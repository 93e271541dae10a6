import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

/// Creates of one class that follow each other in a changeset.
struct CreationRun {
  typealias Item = (object: ObjectReference, fields: [CreatedField], index: UInt32)

  fileprivate(set) var items: [Item] = []
  /// The number of them in a statement; 1 if each has to be merged alone.
  fileprivate var rows = 1
}

// Making the rows of new objects: one by one, or several to a statement where a changeset makes
// several of a class.
extension ObjectTables {
  /// Merges an operation of a changeset, or keeps it until it is known whether more such follow.
  ///
  /// After the last one the run has to be merged, too.
  func merge(
    _ operation: DataOperation, _ source: MergeSource, index: UInt32,
    after run: inout CreationRun
  ) throws {
    guard case .create(let object, let fields) = operation, !object.key.isNull,
      case let `class` = try classID(object.class, of: source.author),
      try !fields.contains(where: { try isApart($0.value, `class`, source) })
    else {
      try merge(&run, source)
      return try merge(operation, source, index: index)
    }
    if run.items.first.map({ $0.object.class != object.class }) ?? true {
      try merge(&run, source)
      run.rows = try creationsAtOnce(object, source)
    }
    run.items.append((object, fields, index))
    if run.items.count >= run.rows { try merge(&run, source) }
  }

  /// Merges what is in a run as if one after the other.
  func merge(_ run: inout CreationRun, _ source: MergeSource) throws {
    let items = run.items
    run.items.removeAll(keepingCapacity: true)
    let made = items.count == run.rows && run.rows > 1 ? try makeRows(items, source) : 0
    for item in items.dropFirst(made) {
      try merge(.create(item.object, item.fields), source, index: item.index)
    }
  }

  /// One where objects may have been there before, columns may have to be added, or keys have to be
  /// looked up in histories.
  private func creationsAtOnce(_ object: ObjectReference, _ source: MergeSource) throws -> Int {
    let entry = try entry(try classID(object.class, of: source.author))
    guard authors.branchCount == 0, !entry.table.hasOpenSlots, try !hasIdentities(entry) else {
      return 1
    }
    return try entry.table.insertSeveral().rows
  }

  /// Makes as many rows as one statement takes; returns how many were made before one whose key was
  /// there.
  private func makeRows(_ items: [CreationRun.Item], _ source: MergeSource) throws -> Int {
    guard let first = items.first else { return 0 }
    try bringSearchIndexesUpIfLong()
    let entry = try entry(try classID(first.object.class, of: source.author))
    let several = try entry.table.insertSeveral()
    let statement = several.statement
    if entry.table.hasColumnsWithoutBit { statement.clear() }
    var rows: [(id: Int64, digest: StateDigest)] = []
    rows.reserveCapacity(items.count)
    defer { statement.offset = 0 }
    for (number, item) in items.enumerated() {
      statement.offset = Int32(number) * several.width
      let id = try nextID(entry)
      let digest = try bind(
        item.object, id: id, item.fields, source.stamp(item.index), source, entry, to: statement)
      rows.append((id, digest))
    }
    let areAllNew = try statement.runUnlessConstrained()
    let made = rows.prefix(areAllNew ? rows.count : connection.changedRows)
    for row in made {
      transaction?.changes.insert(row.id, of: entry.id)
      redigest(entry, plus: row.digest)
    }
    return made.count
  }

  /// Makes the row of an object; false if there is one with its key.
  func makeRow(
    _ entry: ClassEntry, _ object: ObjectReference, id: Int64, _ fields: [CreatedField],
    _ stamp: LocalStamp, _ source: MergeSource
  ) throws -> Bool {
    let table = entry.table
    if table.hasOpenSlots {
      for field in fields {
        try expandIfDeep(try node(field, table, source), field.value, source)
      }
    }
    let statement = try table.insert()
    if table.hasColumnsWithoutBit { statement.clear() }
    if table.mayLinkToItself { transaction?.making = (entry, object, id) }
    defer { if table.mayLinkToItself { transaction?.making = nil } }
    let digest = try bind(object, id: id, fields, stamp, source, entry, to: statement)
    guard try statement.runUnlessConstrained() else { return false }
    transaction?.changes.insert(id, of: entry.id)
    redigest(entry, plus: digest)
    transaction?.madeID = id
    return true
  }

  /// Binds one row of the row-making statement; returns the digest of the object and its cells.
  private func bind(
    _ object: ObjectReference, id: Int64, _ fields: [CreatedField], _ stamp: LocalStamp,
    _ source: MergeSource, _ entry: ClassEntry, to statement: Statement
  ) throws -> StateDigest {
    var state = RowState(base: stamp)
    let identity = DigestHasher.object(entry, object.key, object.generation)
    var digest = RowDigest(identity, in: self)
    for field in fields {
      let node = try node(field, entry.table, source)
      let order = CellStamp(isAssigned: field.isAssigned, stamp: stamp)
      try place(field.value, at: node, order, statement, &state, &digest, source)
    }
    statement.bind(id, at: 1)
    statement.bind(object.key, at: 2)
    statement.bind(Int64(object.generation.rawValue), at: 3)
    statement.bind(stamp.time, at: 4)
    statement.bind(stamp.mark, at: 5)
    statement.bind(state.assigned, at: 6)
    statement.bind(state.recorded, at: 7)
    if state.exceptions.isEmpty {
      statement.bindNull(at: 8)
    } else {
      statement.bind(state.exceptionBytes, at: 8)
    }
    bindRest(of: entry.table, state, statement)
    return digest.sum + identity
  }

  /// Makes NULL what the fields of a row being made have left out, and an earlier row may have had.
  private func bindRest(of table: CellTable, _ state: RowState, _ statement: Statement) {
    var missing = table.columnBits & ~state.recorded
    while missing != 0 {
      let node = table.nodes[missing.trailingZeroBitCount]
      missing &= missing - 1
      statement.bindNull(at: node.parameter)
      if node.isAny { statement.bindNull(at: node.parameter + 1) }
    }
  }

  func node(
    _ field: CreatedField, _ table: CellTable, _ source: MergeSource
  ) throws -> FieldNode {
    try child(try property(field.property, of: source.author), of: nil, in: table)
  }

  /// Binds a value of a row being made, where the row-making statement takes it.
  func place(
    _ value: FieldValue, at node: FieldNode, _ order: CellStamp,
    instance: Int64 = CellStamp.firstInstance, _ statement: Statement, _ state: inout RowState,
    _ digest: inout RowDigest, _ source: MergeSource
  ) throws {
    if node.bit == 0 {
      state.setOrder(order, at: node.ordinal, steps: 0)
    } else {
      state.recorded |= node.bit
      if order.isAssigned { state.assigned |= node.bit }
    }
    try bind(value, of: node, at: node.parameter, instance, statement, source)
    try digest.add(node, order, value, source)
    guard case .embedded(let fields) = value else { return }
    for field in fields {
      let property = try property(field.property, of: source.author)
      let inner = try child(property, of: node, in: node.table)
      try place(
        field.value, at: inner, order, instance: instance, statement, &state, &digest, source)
    }
  }

  /// Tells whether a value is for a row made alone: it is long, or may link to what is made beside it.
  private func isApart(
    _ value: FieldValue, _ class: ClassID, _ source: MergeSource
  ) throws -> Bool {
    switch value {
    case .scalar(let scalar): scalar.isLong
    case .collection: false
    case .link(let target): try classID(target.class, of: source.author) == `class`
    case .embedded(let fields): try fields.contains { try isApart($0.value, `class`, source) }
    }
  }
}

extension PersistedValue {
  /// True if several rows of such values are more than is to be kept of one statement.
  var isLong: Bool {
    switch self {
    case .string(let text): text.utf8.count > Self.longBytes
    case .data(let bytes): bytes.count > Self.longBytes
    case .null, .bool, .int, .float, .double, .date, .uuid, .objectId, .decimal, .identity: false
    }
  }

  private static let longBytes = 4096
}
