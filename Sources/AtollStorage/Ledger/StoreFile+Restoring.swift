import AtollChanges
import AtollSQLite
package import AtollVocabulary

// A lost value written once more: an ordinary new write of this replica, which has seen the winner.
extension StoreFile {
  /// Gives the cell of an entry the value that was lost, and takes the entry out of the ledger; both in
  /// the open write transaction.
  ///
  /// - Throws: `noSuchConflict` if the entry is gone or its value was too large to be kept;
  ///   `noSuchObject` and others if the cell is not there any more.
  package func restoreConflict(_ number: Int64) throws(StorageError) {
    try doing("restoring a lost value") {
      _ = try current("restoring a lost value")
      let (losing, place) = try lostValue(number)
      guard losing != .omitted else {
        throw StorageError.noSuchConflict(number, detail: "its value was too large to be kept")
      }
      if losing == .removed, place.path.isEmpty {
        try restoreDelete(of: place, number)
      } else {
        guard let cell = place.cell, let table = catalog.table(cell.table),
          let node = table.node(of: cell), let row = try tables.load(table, cell.row)
        else {
          let name = place.path.isEmpty ? "the object" : place.path
          throw StorageError.noSuchConflict(number, detail: "\(name) is not there any more")
        }
        try restore(losing, into: node, of: row, number)
      }
      try dismissConflict(number)
    }
  }

  /// Gives a property a value that the log or the ledger has, in the open write transaction.
  ///
  /// - Throws: As ``assign(_:id:_:_:)`` does; `noSuchTarget` for a link to what is deleted.
  package func assign(
    _ classID: ClassID, id: RowID, _ field: FieldPath, kept value: LedgerValue
  ) throws(StorageError) {
    try doing("restoring \(field.property.name)") {
      try assign(classID, id: id, field, try newValue(value, for: field.property))
    }
  }

  private func lostValue(_ number: Int64) throws -> (LedgerValue, LedgerPlace) {
    let statement = try statement(
      """
      SELECT losing, cell_table, cell_row, cell_ordinal, path, class, key FROM atoll_conflict
      WHERE number = ?
      """)
    statement.bind(number, at: 1)
    guard try statement.step() else {
      throw StorageError.noSuchConflict(number, detail: "the ledger has no such entry any more")
    }
    defer { statement.reset() }
    let entry = catalog.entry(ClassID(Int32(truncatingIfNeeded: statement.int64(at: 5))))
    var place = LedgerPlace(
      entry: entry, key: statement.value(entry?.keyType ?? .any, at: 6),
      path: statement.string(at: 4))
    if !statement.isNull(at: 1) {
      place.cell = LedgerPlace.Cell(
        table: Int32(truncatingIfNeeded: statement.int64(at: 1)), row: statement.int64(at: 2),
        ordinal: Int(truncatingIfNeeded: statement.int64(at: 3)))
    }
    return (LedgerValue(bytes: statement.bytes(at: 0)), place)
  }

  private func restoreDelete(of place: LedgerPlace, _ number: Int64) throws {
    guard let entry = place.entry, let found = try tables.alive(entry, place.key) else {
      throw StorageError.noSuchConflict(number, detail: "the object is not there any more")
    }
    try delete(entry.id, id: RowID(found.id))
  }

  private func restore(
    _ value: LedgerValue, into node: FieldNode, of row: LoadedRow, _ number: Int64
  ) throws {
    let table = row.table
    guard table.isElements, node.parent == nil else {
      let (object, steps) = try way(to: row, number)
      let slots = node.way.dropLast().filter { $0.parent != nil || !table.isElements }
      let field = FieldPath(
        steps: steps + slots.map { .slot($0.property) }, property: node.property)
      if case .step(let amount) = value {
        return try increment(table.owner.id, id: object, field, by: amount)
      }
      return try assign(table.owner.id, id: object, field, try newValue(value, for: node.property))
    }
    guard case .elements(let kind) = table.kind, let holder = table.holder,
      let owner = try tables.load(holder.table, row.owner)
    else { throw StorageError.noSuchConflict(number, detail: "it lies in a nested list or map") }
    let (object, steps) = try way(to: owner, number)
    let slots = holder.way.dropLast().filter { $0.parent != nil || !holder.table.isElements }
    let field = FieldPath(
      steps: steps + slots.map { .slot($0.property) }, property: holder.property)
    let classID = table.owner.id
    switch (kind, value) {
    case (.set, .removed):
      try setRemove(classID, id: object, set: field, try member(of: row, node))
    case (.set, _):
      try setInsert(classID, id: object, set: field, try newValue(value, for: node.property))
    case (.map, .removed):
      try mapRemove(classID, id: object, map: field, key: try tables.key(ofEntry: row))
    case (.map, _):
      try mapAssign(
        classID, id: object, map: field, key: try tables.key(ofEntry: row),
        try newValue(value, for: node.property))
    case (.list, .moved(let position)), (.none, .moved(let position)):
      try restoreMove(of: row, to: position, in: field, classID, object)
    case (.list, _) where row.isRemoved:
      try reinsert(row, try newValue(value, for: node.property), classID, object, field)
    case (.list, _), (.none, _):
      try assignElement(row, try newValue(value, for: node.property), classID, object, field)
    }
  }

  /// The object that a row is or belongs to, and the steps from there into the row.
  private func way(
    to row: LoadedRow, _ number: Int64
  ) throws -> (RowID, [FieldPath.Step]) {
    guard row.table.isElements else { return (RowID(row.id), []) }
    guard case .elements = row.table.kind, !row.isRemoved, let holder = row.table.holder,
      let owner = try tables.load(holder.table, row.owner)
    else { throw StorageError.noSuchConflict(number, detail: "what it lies in is gone") }
    let (object, steps) = try way(to: owner, number)
    let slots = holder.way.dropLast().filter { $0.parent != nil || !holder.table.isElements }
    return (
      object,
      steps + slots.map { .slot($0.property) } + [.element(holder.property, ElementID(row.id))]
    )
  }

  private func assignElement(
    _ row: LoadedRow, _ value: NewValue, _ classID: ClassID, _ object: RowID, _ field: FieldPath
  ) throws {
    let ids = try elements(of: classID, id: object, list: field).map(\.id)
    guard let index = ids.firstIndex(of: ElementID(row.id)) else {
      throw StorageError.noSuchElement(list: field.property.name, index: -1, count: ids.count)
    }
    try listAssign(classID, id: object, list: field, at: index, value)
  }

  /// A removed element stays removed: what was written to it comes back as a new one in its place.
  private func reinsert(
    _ row: LoadedRow, _ value: NewValue, _ classID: ClassID, _ object: RowID, _ field: FieldPath
  ) throws {
    let table = row.table
    let statement = try table.statement(
      """
      SELECT count(*) FROM \(table.sql) e WHERE e._owner = ? AND e._removed = 0 \
      \(table.visibility("e")) AND e._position < (SELECT _position FROM \(table.sql) WHERE _id = ?)
      """)
    statement.bind(row.owner, at: 1)
    statement.bind(row.id, at: 2)
    let index = try statement.step() ? Int(statement.int64(at: 0)) : nil
    statement.reset()
    try listInsert(classID, id: object, list: field, at: index, value)
  }

  private func member(of row: LoadedRow, _ node: FieldNode) throws -> NewValue {
    try newValue(try tables.ledgerValue(of: node, in: row), for: node.property)
  }

  /// A value of the ledger as a local write takes it.
  private func newValue(_ value: LedgerValue, for property: StoredProperty) throws -> NewValue {
    switch value {
    case .scalar(let scalar): return .scalar(scalar)
    case .link(let name, let key):
      let entry = catalog.entries.first { $0.name == name && !$0.isEmbedded }
      guard let entry, let found = try tables.alive(entry, key) else {
        throw StorageError.noSuchTarget(class: name, key: key)
      }
      return .link(entry.id, RowID(found.id))
    case .embedded(let fields):
      guard let target = property.target, let entry = catalog.entry(target) else {
        throw mismatch(property, "an embedded object")
      }
      return .embedded(
        try fields.compactMap { field in
          guard let inner = entry.properties.first(where: { $0.name == field.name }) else {
            return nil
          }
          return NewField(inner, try newValue(field.value, for: inner))
        })
    case .list(let values): return .list(try values.map { try newValue($0, for: property) })
    case .set(let values): return .set(try values.map { try newValue($0, for: property) })
    case .map(let entries):
      return .map(
        try entries.map { NewEntry(key: $0.key, value: try newValue($0.value, for: property)) })
    case .step, .moved, .removed, .created, .omitted: return .scalar(.null)
    }
  }

  /// Moves an element once more to where a lost move had put it.
  func restoreMove(
    of row: LoadedRow, to position: PositionKey, in list: FieldPath, _ classID: ClassID,
    _ object: RowID
  ) throws {
    let transaction = try current("restoring a move")
    let cell = try locate(classID, object, list, to: .list, transaction)
    guard !row.isRemoved, row.owner == cell.container.owner else {
      throw StorageError.noSuchElement(list: list.property.name, index: -1, count: 0)
    }
    let reference = try reference(row, transaction)
    tables.views.drop(cell.container)
    try perform(.move(cell.path, reference, to: position), at: cell.place, transaction)
  }
}
