import AtollChanges
import AtollSQLite
import AtollVocabulary

// From what a caller names (rows, properties, values) to what an operation says (keys, numbers,
// instances).
extension StoreFile {
  /// A live object's row.
  func object(_ entry: ClassEntry, _ id: RowID) throws -> LoadedRow {
    guard !entry.isEmbedded, let row = try load(entry.table, id.rawValue) else {
      throw StorageError.noSuchObject(class: entry.name, id: id)
    }
    return row
  }

  /// Where a local path leads, in rows and in the words of an operation.
  struct Way {
    var row: LoadedRow
    var node: FieldNode
    var path: CellPath
  }

  func cellPath(
    _ classID: ClassID, _ id: RowID, _ field: FieldPath, _ transaction: WriteTransaction
  ) throws -> CellPath {
    try walk(classID, id, field, transaction).path
  }

  func walk(
    _ classID: ClassID, _ id: RowID, _ field: FieldPath, _ transaction: WriteTransaction
  ) throws -> Way {
    let entry = try entry(classID)
    var row = try object(entry, id)
    let object = ObjectReference(
      class: try ownNumber(of: entry, transaction), key: row.key, life: row.life)
    var level: FieldNode?
    try checkDepth(field.steps.count, of: field.property)
    var steps: [PathStep] = []
    for step in field.steps {
      switch step {
      case .slot(let property):
        let node = try child(property, of: level, in: row.table)
        let instance = try instance(node, row, transaction)
        steps.append(.slot(try ownNumber(of: property, transaction), instance: instance))
        level = node
      case .element(let property, let id):
        let list = try child(property, of: level, in: row.table)
        guard let table = list.list, let element = try load(table, id.rawValue),
          let value = table.top.first ?? nil, !element.isRemoved
        else { throw StorageError.noSuchInstance(property: property.name) }
        steps.append(
          .element(
            try ownNumber(of: property, transaction), try reference(element, transaction),
            instance: try instance(value, element, transaction)))
        row = element
        level = value
      }
    }
    let node = try child(field.property, of: level, in: row.table)
    let property = try ownNumber(of: field.property, transaction)
    return Way(
      row: row, node: node, path: CellPath(object: object, steps: steps, property: property))
  }

  /// The assignment that put the present object into a slot.
  private func instance(
    _ node: FieldNode, _ row: LoadedRow, _ transaction: WriteTransaction
  ) throws -> StampReference {
    guard row.filledSlots.contains(node.ordinal), let order = row.state.order(of: node) else {
      throw StorageError.noSuchInstance(property: node.property.name)
    }
    return try reference(order.stamp, transaction)
  }

  func reference(_ stamp: LocalStamp, _ transaction: WriteTransaction) throws -> StampReference {
    StampReference(
      time: HybridTime(rawValue: stamp.time),
      author: try ownNumber(ofAuthor: stamp.author, transaction), index: stamp.index)
  }

  func reference(_ row: LoadedRow, _ transaction: WriteTransaction) throws -> ElementReference {
    let statement = try row.table.statement("SELECT _sequence FROM \(row.table.sql) WHERE _id = ?")
    statement.bind(row.id, at: 1)
    let sequence = try statement.step() ? statement.uint64(at: 0) : 0
    statement.reset()
    return try reference(mark: row.state.base.mark, sequence: sequence, transaction)
  }

  func reference(
    mark: UInt64, sequence: UInt64, _ transaction: WriteTransaction
  ) throws -> ElementReference {
    let stamp = LocalStamp(time: 0, mark: mark)
    return ElementReference(
      author: try ownNumber(ofAuthor: stamp.author, transaction),
      sequence: SequenceNumber(sequence), index: stamp.index)
  }

  // MARK: Values

  func createdField(
    _ field: NewField, _ entry: ClassEntry, _ transaction: WriteTransaction
  ) throws -> CreatedField {
    guard field.property.owner == entry.id, !field.property.isKey else {
      throw StorageError.noSuchProperty(class: entry.name, property: field.property.name)
    }
    return CreatedField(
      property: try ownNumber(of: field.property, transaction),
      value: try fieldValue(field.value, of: field.property, transaction),
      isAssigned: field.isAssigned)
  }

  /// A value in the words of an operation; lists inside are left to be inserted afterwards.
  func fieldValue(
    _ value: NewValue, of property: StoredProperty, _ transaction: WriteTransaction,
    depth: Int = 1
  ) throws -> FieldValue {
    switch value {
    case .scalar(.null): return .scalar(.null)
    case .scalar(let scalar):
      guard scalar.type == property.type else {
        throw mismatch(property, scalar.type?.description ?? "nil")
      }
      try checkSize(of: scalar, limit: Limits.valueBytes, "a value of \(property.name)")
      return .scalar(scalar)
    case .link(let target, let id):
      guard property.type == .link, property.target == target else {
        throw mismatch(property, "a link to class \(target.rawValue)")
      }
      return .link(try linkReference(target, id, transaction))
    case .embedded(let fields):
      guard property.type == .embedded else { throw mismatch(property, "an embedded object") }
      try checkDepth(depth, of: property)
      return .embedded(try embeddedFields(fields, of: property, transaction, depth: depth + 1))
    case .list: throw mismatch(property, "a list")
    case .set: throw mismatch(property, "a set")
    case .map: throw mismatch(property, "a map")
    }
  }

  private func embeddedFields(
    _ fields: [NewField], of property: StoredProperty, _ transaction: WriteTransaction,
    depth: Int
  ) throws -> [EmbeddedField] {
    var made: [EmbeddedField] = []
    made.reserveCapacity(fields.count)
    for field in fields {
      guard field.property.owner == property.target else {
        throw StorageError.noSuchProperty(class: property.name, property: field.property.name)
      }
      if field.property.collection != .none { continue }
      made.append(
        EmbeddedField(
          property: try ownNumber(of: field.property, transaction),
          value: try fieldValue(field.value, of: field.property, transaction, depth: depth)))
    }
    return made
  }

  private func linkReference(
    _ target: ClassID, _ id: RowID, _ transaction: WriteTransaction
  ) throws -> ObjectReference {
    let entry = try entry(target)
    let row = try entry.table.state()
    row.bind(id.rawValue, at: 1)
    guard try row.step() else { throw StorageError.noSuchObject(class: entry.name, id: id) }
    defer { row.reset() }
    return ObjectReference(
      class: try ownNumber(of: entry, transaction), key: row.value(entry.keyType, at: 0),
      life: Life(UInt32(truncatingIfNeeded: row.int64(at: 1))))
  }

  private func mismatch(_ property: StoredProperty, _ found: String) -> StorageError {
    .typeMismatch(property: property.name, expected: property.type, found: found)
  }

  // MARK: After a create or an assignment

  /// The row id that a create has just given.
  func madeID(_ entry: ClassEntry, _ key: PersistedValue) throws -> RowID {
    guard let made = transaction?.madeID else {
      throw StorageError.duplicateKey(class: entry.name, key: key)
    }
    return RowID(made)
  }

  /// Fills every collection inside a value that was just written.
  func fillCollections(
    _ field: NewField, at path: FieldPath, _ classID: ClassID, _ id: RowID
  ) throws {
    switch field.value {
    case .scalar, .link: return
    case .list(let values):
      for value in values { _ = try insert(classID, id, path, at: nil, value) }
    case .set(let members):
      for member in members { _ = try setInsert(classID, id: id, set: path, member) }
    case .map(let entries):
      for entry in entries {
        try mapAssign(classID, id: id, map: path, key: entry.key, entry.value)
      }
    case .embedded(let fields):
      for inner in fields where inner.value.hasCollection {
        let steps = path.steps + [.slot(path.property)]
        try fillCollections(
          inner, at: FieldPath(steps: steps, property: inner.property), classID, id)
      }
    }
  }
}
