import AtollChanges
import AtollSQLite
import AtollVocabulary

/// Whose changeset is being merged.
struct MergeSource {
  let record: AuthorRecord
  let time: HybridTime
  let sequence: SequenceNumber

  func stamp(_ index: UInt32) -> LocalStamp {
    LocalStamp(time: time, author: record.number, index: index)
  }
}

// One operation into the tables. Local writes and peers' changesets both come through `merge`, with
// the same numbers in them, so that a replica cannot treat its own writes differently.
extension StoreFile {
  /// A cell that an operation leads to: the row, the node in it, and the object it belongs to.
  struct Place {
    var row: LoadedRow
    var node: FieldNode
    var entry: ClassEntry
    var objectID: Int64
  }

  /// Merges one operation; what no longer counts changes nothing.
  func merge(_ operation: Operation, _ source: MergeSource, index: UInt32) throws {
    let stamp = source.stamp(index)
    switch operation {
    case .create(let object, let fields):
      try mergeCreate(object, fields, stamp, source)
    case .delete(let object):
      try mergeDelete(object, source)
    case .assign(let path, let value):
      guard let place = try locate(path, source) else { return }
      try mergeAssign(place, value, CellStamp(isAssigned: true, stamp: stamp), source)
    case .increment(let path, let amount, let base):
      guard let place = try locate(path, source) else { return }
      try mergeIncrement(place, amount, base, source)
    case .insert(let path, let position, let value):
      guard let place = try locate(path, source) else { return }
      try mergeInsert(place, position, value, stamp, source)
    case .assignElement(let path, let element, let value):
      guard let place = try locate(path, source),
        let row = try heldElement(element, in: place, source), let node = row.table.top.first ?? nil
      else { return }
      let order = CellStamp(isAssigned: true, stamp: stamp)
      if try setRegister(row, node, value, order, source) { noteList(place) }
    case .move(let path, let element, let position):
      guard let place = try locate(path, source),
        let row = try heldElement(element, in: place, source)
      else { return }
      try mergeMove(row, place, position, stamp)
    case .remove(let path, let element):
      guard let place = try locate(path, source),
        let row = try heldElement(element, in: place, source)
      else { return }
      try removeElement(row)
      noteList(place)
    case .clear(let path, let elements):
      guard let place = try locate(path, source) else { return }
      for element in elements {
        if let row = try heldElement(element, in: place, source) { try removeElement(row) }
      }
      noteList(place)
    case .insertMember, .removeMember, .assignEntry, .removeEntry: return
    }
  }

  // MARK: Finding the cell

  /// The way down a path; nil if an object or instance it names is not the current one.
  private func locate(_ path: CellPath, _ source: MergeSource) throws -> Place? {
    let entry = try entry(try classID(path.object.class, of: source.record))
    guard var row = try aliveRow(entry, path.object) else { return nil }
    let objectID = row.id
    var level: FieldNode?
    for step in path.steps {
      switch step {
      case .slot(let number, let instance):
        let node = try child(number, of: level, in: row.table, source)
        guard try isCurrent(instance, of: node, in: row, source) else { return nil }
        level = node
      case .element(let number, let reference, let instance):
        let list = try child(number, of: level, in: row.table, source)
        let place = Place(row: row, node: list, entry: entry, objectID: objectID)
        guard let element = try heldElement(reference, in: place, source),
          let value = element.table.top.first ?? nil,
          try isCurrent(instance, of: value, in: element, source)
        else { return nil }
        row = element
        level = value
      case .entry: return nil
      }
    }
    let node = try child(path.property, of: level, in: row.table, source)
    return Place(row: row, node: node, entry: entry, objectID: objectID)
  }

  /// The node of a property at a level; the top of the table if the level is nil.
  private func child(
    _ number: PropertyNumber, of level: FieldNode?, in table: CellTable, _ source: MergeSource
  ) throws -> FieldNode {
    let property = try property(number, of: source.record)
    return try child(property, of: level, in: table)
  }

  func child(
    _ property: StoredProperty, of level: FieldNode?, in table: CellTable
  ) throws -> FieldNode {
    let position = property.position
    let found: FieldNode?
    if let level {
      if level.child(at: position) == nil { try catalog.expand(level, on: connection) }
      found = level.child(at: position)
    } else {
      found = table.top.indices.contains(position) ? table.top[position] : nil
    }
    guard let found, found.property.id == property.id else {
      throw StorageError.noSuchProperty(class: table.owner.name, property: property.name)
    }
    return found
  }

  /// Whether a slot holds an object, put there by this assignment.
  private func isCurrent(
    _ instance: StampReference, of node: FieldNode, in row: LoadedRow, _ source: MergeSource
  ) throws -> Bool {
    guard row.filledSlots.contains(node.ordinal), let order = row.state.order(of: node) else {
      return false
    }
    return order.stamp == (try stamp(instance, of: source.record))
  }

  /// An element that is still there.
  func heldElement(
    _ reference: ElementReference, in place: Place, _ source: MergeSource
  ) throws -> LoadedRow? {
    guard let table = place.node.list else { return nil }
    let author = try authorNumber(reference.author, of: source.record)
    let mark = LocalStamp(time: .zero, author: author, index: reference.index).mark
    let statement = try table.statement(
      "SELECT _id FROM \(table.sql) WHERE _mark = ? AND _sequence = ? AND _owner = ?")
    statement.bind(mark, at: 1)
    statement.bind(reference.sequence.rawValue, at: 2)
    statement.bind(place.row.id, at: 3)
    guard try statement.step() else { return nil }
    let id = statement.int64(at: 0)
    statement.reset()
    guard let row = try load(table, id), !row.isRemoved else { return nil }
    return row
  }

  // MARK: Loading and noting

  /// A row with its stamps; the last one loaded is kept.
  func load(_ table: CellTable, _ id: Int64) throws -> LoadedRow? {
    if let row = transaction?.loadedRow, row.table === table, row.id == id { return row }
    let statement = try table.state()
    statement.bind(id, at: 1)
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    var state = RowState(
      base: LocalStamp(time: statement.uint64(at: 2), mark: statement.uint64(at: 3)),
      assigned: statement.uint64(at: 4), recorded: statement.uint64(at: 5))
    if !statement.isNull(at: 6) { state.exceptions = RowState.exceptions(statement.bytes(at: 6)) }
    var filled: Set<Int> = []
    for (index, slot) in table.slots.enumerated()
    where !statement.isNull(at: Int32(8 + index)) { filled.insert(slot.ordinal) }
    let isObject = table.kind == .objects
    let row = LoadedRow(
      table: table, id: id,
      key: isObject ? statement.value(table.owner.keyType, at: 0) : .null,
      life: Life(UInt32(truncatingIfNeeded: statement.int64(at: 1))),
      owner: isObject ? 0 : statement.int64(at: 0), isRemoved: statement.int64(at: 7) != 0,
      state: state, filledSlots: filled)
    transaction?.loadedRow = row
    return row
  }

  func note(_ place: Place) {
    transaction?.changes.modify(
      place.objectID, of: place.entry.id,
      column: place.row.table.rootColumn ?? place.node.ordinal)
  }

  func noteList(_ place: Place) {
    note(place)
    if let view = transaction?.view, view.table === place.node.list { transaction?.view = nil }
  }
}
