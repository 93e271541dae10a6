import AtollChanges
import AtollSQLite
import AtollVocabulary

// From what a caller names (rows, properties, values) to what an operation says (keys, numbers,
// instances).
extension StoreFile {
  /// A live object's row.
  func object(_ entry: ClassEntry, _ id: RowID) throws -> LoadedRow {
    guard !entry.isEmbedded, let row = try tables.load(entry.table, id.rawValue) else {
      throw StorageError.noSuchObject(class: entry.name, id: id)
    }
    return row
  }

  /// A cell that a caller names: where it lies, and how an operation names it.
  ///
  /// The path is walked once: the merge takes the place as it was found here.
  struct LocatedCell {
    var place: ObjectTables.Place
    var path: CellPath
  }

  /// A collection that a caller names.
  struct LocatedCollection {
    var container: Container
    var place: ObjectTables.Place
    var path: CellPath
  }

  func locate(
    _ classID: ClassID, _ id: RowID, _ field: FieldPath, _ transaction: WriteTransaction
  ) throws -> LocatedCell {
    let entry = try tables.entry(classID)
    var row = try object(entry, id)
    let object = ObjectReference(
      class: try tables.ownNumber(of: entry, transaction), key: row.key, generation: row.generation)
    var level: FieldNode?
    try LocalLimits.checkDepth(field.steps.count, of: field.property)
    var steps: [PathStep] = []
    for step in field.steps {
      switch step {
      case .slot(let property):
        let node = try tables.child(property, of: level, in: row.table)
        let instance = try instance(node, row, transaction)
        steps.append(.slot(try tables.ownNumber(of: property, transaction), instance: instance))
        level = node
      case .element(let property, let id):
        let node = try tables.child(property, of: level, in: row.table)
        let number = try tables.ownNumber(of: property, transaction)
        guard let container = node.container(in: row),
          let element = try element(id, in: container), let value = container.table.value
        else { throw StorageError.noSuchInstance(property: property.name) }
        let instance = try instance(value, element, transaction)
        steps.append(
          container.kind == .map
            ? .entry(number, key: try tables.key(ofEntry: element), instance: instance)
            : .element(number, try reference(element, transaction), instance: instance))
        (row, level) = (element, value)
      }
    }
    let node = try tables.child(field.property, of: level, in: row.table)
    let property = try tables.ownNumber(of: field.property, transaction)
    return LocatedCell(
      place: ObjectTables.Place(row: row, node: node, entry: entry, objectID: id.rawValue),
      path: CellPath(object: object, steps: steps, property: property))
  }

  /// Finds a collection: a property's own, or one that lies in an any-typed value.
  func locate(
    _ classID: ClassID, _ id: RowID, _ field: FieldPath, to kind: CollectionKind,
    _ transaction: WriteTransaction
  ) throws -> LocatedCollection {
    var cell = try locate(classID, id, field, transaction)
    if let nested = field.nested {
      try LocalLimits.checkDepth(nested.count, of: field.property)
      cell.place.isNested = true
      let place = cell.place
      if !place.node.isCollection {
        cell.path.nested.append(.slot(instance: try instance(place.node, place.row, transaction)))
        cell.place.container = place.node.container(in: place.row)
      }
      for element in nested { try step(into: element, &cell, field.property, transaction) }
    } else if !cell.place.node.isCollection {
      throw mismatch(field.property, kind)
    }
    guard let container = cell.place.container, container.kind == kind else {
      throw mismatch(field.property, kind)
    }
    return LocatedCollection(container: container, place: cell.place, path: cell.path)
  }

  /// From a collection on into the list or map that one of its elements holds.
  private func step(
    into id: ElementID, _ cell: inout LocatedCell, _ property: StoredProperty,
    _ transaction: WriteTransaction
  ) throws {
    guard let container = cell.place.container,
      let element = try element(id, in: container), let value = container.table.value
    else { throw StorageError.noSuchInstance(property: property.name) }
    let instance = try instance(value, element, transaction)
    cell.path.nested.append(
      container.kind == .map
        ? .entry(key: try tables.key(ofEntry: element), instance: instance)
        : .element(try reference(element, transaction), instance: instance))
    cell.place.row = element
    cell.place.node = value
    cell.place.container = value.container(in: element)
  }

  /// An element or entry that a collection holds.
  func element(_ id: ElementID, in container: Container) throws -> LoadedRow? {
    guard let row = try tables.load(container.table, id.rawValue), !row.isRemoved,
      row.owner == container.owner
    else { return nil }
    return row
  }

  /// The assignment that put the present object, or list or map, into a slot.
  private func instance(
    _ node: FieldNode, _ row: LoadedRow, _ transaction: WriteTransaction
  ) throws -> StampReference {
    guard row.filledSlots.contains(node.ordinal) || row.nested[node.ordinal] != nil,
      let order = row.state.order(of: node)
    else {
      throw StorageError.noSuchInstance(property: node.property.name)
    }
    return try reference(order.stamp, transaction)
  }

  func reference(_ stamp: LocalStamp, _ transaction: WriteTransaction) throws -> StampReference {
    StampReference(
      time: HybridTime(rawValue: stamp.time),
      author: try tables.ownNumber(ofAuthor: stamp.author, transaction), index: stamp.index)
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
      author: try tables.ownNumber(ofAuthor: stamp.author, transaction),
      sequence: SequenceNumber(sequence), index: stamp.index)
  }

  // MARK: Values

  func createdField(
    _ field: NewField, _ entry: ClassEntry, _ transaction: WriteTransaction
  ) throws -> CreatedField {
    guard field.property.owner == entry.id, !field.property.isKey else {
      throw StorageError.noSuchProperty(class: entry.name, property: field.property.name)
    }
    let value: FieldValue
    if case .scalar(let scalar) = field.value, field.property.collection == .none {
      value = try scalarValue(scalar, of: field.property)
    } else {
      value = try fieldValue(field.value, of: FieldPath(field.property), transaction)
    }
    return CreatedField(
      property: try tables.ownNumber(of: field.property, transaction), value: value,
      isAssigned: field.isAssigned)
  }

  /// A scalar that may be a value, or an element's value, of the property.
  private func scalarValue(
    _ scalar: PersistedValue, of property: StoredProperty
  ) throws -> FieldValue {
    guard let type = scalar.type else { return .scalar(.null) }
    guard property.type == .any ? type != .identity : type == property.type else {
      throw mismatch(property, type.description)
    }
    try LocalLimits.checkSize(of: scalar, limit: Limits.valueBytes, "a value of \(property.name)")
    return .scalar(scalar)
  }

  /// A value in the words of an operation; what collections inside hold is written afterwards.
  ///
  /// With `isElement` it is for an element of the collection that the path leads to.
  func fieldValue(
    _ value: NewValue, of path: FieldPath, isElement: Bool = false,
    _ transaction: WriteTransaction, depth: Int = 1
  ) throws -> FieldValue {
    let property = path.property
    guard isElement || property.collection == .none else { throw mismatch(property, .none) }
    switch value {
    case .scalar(let scalar): return try scalarValue(scalar, of: property)
    case .link(let target, let id):
      guard property.type == .any || property.type == .link && property.target == target else {
        throw mismatch(property, "a link to class \(target.rawValue)")
      }
      return .link(try linkReference(target, id, transaction))
    case .embedded(let fields):
      guard property.type == .embedded else { throw mismatch(property, "an embedded object") }
      try LocalLimits.checkDepth(depth, of: property)
      return .embedded(try embeddedFields(fields, of: property, transaction, depth: depth + 1))
    case .list, .map:
      guard property.type == .any, property.collection != .set else {
        throw mismatch(property, value.collectionKind.description)
      }
      try LocalLimits.checkNesting(value, inside: path, isElement: isElement)
      return .collection(value.collectionKind)
    case .set: throw mismatch(property, "a set")
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
          property: try tables.ownNumber(of: field.property, transaction),
          value: try fieldValue(
            field.value, of: FieldPath(field.property), transaction, depth: depth)))
    }
    return made
  }

  private func linkReference(
    _ target: ClassID, _ id: RowID, _ transaction: WriteTransaction
  ) throws -> ObjectReference {
    let entry = try tables.entry(target)
    guard !entry.isEmbedded, let found = try tables.identity(of: id.rawValue, entry), found.isAlive
    else {
      throw StorageError.noSuchObject(class: entry.name, id: id)
    }
    return ObjectReference(
      class: try tables.ownNumber(of: entry, transaction), key: found.key,
      generation: found.generation)
  }

  /// A link that is held, whether its target is alive or not.
  func heldReference(
    _ entry: ClassEntry, _ id: RowID, _ transaction: WriteTransaction
  ) throws -> ObjectReference {
    guard let found = try tables.identity(of: id.rawValue, entry) else {
      throw StorageError.damaged(
        path: path, detail: "a link to \(entry.name) leads to the unknown row \(id.rawValue)")
    }
    return ObjectReference(
      class: try tables.ownNumber(of: entry, transaction), key: found.key,
      generation: found.generation)
  }

  func mismatch(_ property: StoredProperty, _ found: String) -> StorageError {
    .typeMismatch(property: property.name, expected: property.type, found: found)
  }

  /// For an operation on a collection of another kind than the property is.
  private func mismatch(_ property: StoredProperty, _ wanted: CollectionKind) -> StorageError {
    mismatch(
      property, wanted == .none ? "one value for a whole collection" : "an operation on \(wanted)")
  }

  // MARK: After a create or an assignment

  /// The row id that a create has just given.
  func madeID(_ entry: ClassEntry, _ key: PersistedValue) throws -> RowID {
    guard let made = transaction?.madeID else {
      throw StorageError.duplicateKey(class: entry.name, key: key)
    }
    return RowID(made)
  }
}
