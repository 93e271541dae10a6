import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

/// The source of the changeset that is being merged.
struct MergeSource {
  let author: AuthorNumbers
  let time: HybridTime
  let sequence: SequenceNumber

  var record: AuthorRecord { author.record }
  var cause: AuthorRecord.Cause {
    AuthorRecord.Cause(writer: record.number, sequence: sequence)
  }

  func stamp(_ index: UInt32) -> LocalStamp {
    LocalStamp(time: time, author: record.number, index: index)
  }
}

// One operation into the tables. Local writes and peers' changesets both come through `merge`, with
// the same numbers in them, so that a replica cannot treat its own writes differently.
extension ObjectTables {
  /// A cell that an operation leads to: the row, the node in it, and the object it belongs to.
  struct Place {
    var row: LoadedRow
    var node: FieldNode
    var entry: ClassEntry
    var objectID: Int64
    /// The collection that the operation leads to: the cell's own, or one nested in its value.
    var container: Container?
    /// True if the way went on into an any-typed value; then only ``container`` is meant.
    var isNested = false

    init(row: LoadedRow, node: FieldNode, entry: ClassEntry, objectID: Int64) {
      self.row = row
      self.node = node
      self.entry = entry
      self.objectID = objectID
      container = node.isCollection ? node.container(in: row) : nil
    }
  }

  /// Merges one operation; what no longer counts changes nothing.
  ///
  /// `found` is the cell that it leads to, if a local write has found it already.
  func merge(
    _ operation: DataOperation, at found: Place? = nil, _ source: MergeSource, index: UInt32
  ) throws {
    try bringSearchIndexesUpIfLong()
    let stamp = source.stamp(index)
    let operation = try resolving(operation, of: source.author)
    func cell(_ path: CellPath) throws -> Place? {
      let place = try found ?? place(operation, path, stamp, source)
      return place?.isNested == false ? place : nil
    }
    func collection(_ kind: CollectionKind, _ path: CellPath) throws -> (Place, Container)? {
      guard let place = try found ?? place(operation, path, stamp, source),
        let container = place.container, container.kind == kind
      else { return nil }
      return (place, container)
    }
    switch operation {
    case .create(let object, let fields): try mergeCreate(object, fields, stamp, source)
    case .delete(let object): try mergeDelete(object, stamp, source)
    case .assign(let path, let value):
      guard let place = try cell(path) else { return }
      try mergeAssign(place, value, CellStamp(isAssigned: true, stamp: stamp), source)
    case .increment(let path, let amount, let base):
      guard let place = try cell(path) else { return }
      try mergeIncrement(place, amount, base, stamp, source)
    case .insert(let path, _, _), .assignElement(let path, _, _), .move(let path, _, _),
      .remove(let path, _), .clear(let path, _):
      guard let (place, container) = try collection(.list, path) else { return }
      try mergeList(operation, place, container, stamp, source)
    case .insertMember(let path, let value), .removeMember(let path, let value):
      guard let (place, container) = try collection(.set, path) else { return }
      let isRemoval = if case .removeMember = operation { true } else { false }
      let identity = try memberIdentity(value, source)
      try mergeRegister(
        place, container, .member(identity), value, isRemoval: isRemoval, stamp, source)
    case .assignEntry(let path, let key, let value):
      guard let (place, container) = try collection(.map, path) else { return }
      try mergeRegister(place, container, .key(key), value, isRemoval: false, stamp, source)
    case .removeEntry(let path, let key):
      guard let (place, container) = try collection(.map, path) else { return }
      try mergeRegister(place, container, .key(key), nil, isRemoval: true, stamp, source)
    }
  }

  // MARK: Finding the cell

  /// The cell that an operation leads to; one that leads nowhere any more may be a loss.
  private func place(
    _ operation: DataOperation, _ path: CellPath, _ stamp: LocalStamp, _ source: MergeSource
  ) throws -> Place? {
    if let place = try locate(path, source) { return place }
    if try makeMissing(path.object, stamp, source), let place = try locate(path, source) {
      return place
    }
    try recordDropped(operation, stamp, source)
    return nil
  }

  /// The way down a path; nil if an object or instance it names is not the current one.
  func locate(_ path: CellPath, _ source: MergeSource) throws -> Place? {
    let entry = try entry(try classID(path.object.class, of: source.author))
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
        let node = try child(number, of: level, in: row.table, source)
        guard let container = node.container(in: row),
          let element = try heldElement(reference, in: container, source),
          let value = element.table.value,
          try isCurrent(instance, of: value, in: element, source)
        else { return nil }
        (row, level) = (element, value)
      case .entry(let number, let key, let instance):
        let node = try child(number, of: level, in: row.table, source)
        guard let container = node.container(in: row), container.kind == .map,
          let entry = try held(.key(key), in: container), let value = entry.table.value,
          try isCurrent(instance, of: value, in: entry, source)
        else { return nil }
        (row, level) = (entry, value)
      }
    }
    let node = try child(path.property, of: level, in: row.table, source)
    let place = Place(row: row, node: node, entry: entry, objectID: objectID)
    return path.nested.isEmpty ? place : try nested(path.nested, in: place, source)
  }

  /// The way on into the list or map that an any-typed slot holds, and into what that holds.
  private func nested(
    _ steps: [NestedStep], in start: Place, _ source: MergeSource
  ) throws -> Place? {
    var place = start
    place.isNested = true
    for (index, step) in steps.enumerated() {
      var row = place.row
      var node = place.node
      let instance: StampReference
      switch step {
      case .slot(let reference):
        guard index == 0, place.container == nil else { return nil }
        instance = reference
      case .element(let element, let reference):
        guard let container = place.container, container.kind == .list,
          let found = try heldElement(element, in: container, source),
          let value = container.table.value
        else { return nil }
        (row, node, instance) = (found, value, reference)
      case .entry(let key, let reference):
        guard let container = place.container, container.kind == .map,
          let found = try held(.key(key), in: container), let value = container.table.value
        else { return nil }
        (row, node, instance) = (found, value, reference)
      }
      guard try isCurrent(instance, of: node, in: row, source) else { return nil }
      place.row = row
      place.node = node
      place.container = node.container(in: row)
    }
    return place
  }

  /// The node of a property at a level; the top of the table if the level is nil.
  private func child(
    _ number: PropertyNumber, of level: FieldNode?, in table: CellTable, _ source: MergeSource
  ) throws -> FieldNode {
    let property = try property(number, of: source.author)
    return try child(property, of: level, in: table)
  }

  func child(
    _ property: StoredProperty, of level: FieldNode?, in table: CellTable
  ) throws -> FieldNode {
    let position = property.position
    let found: FieldNode?
    if let level {
      if level.child(at: position) == nil {
        try catalog.growing(on: connection) { try catalog.expand(level, on: connection) }
      }
      found = level.child(at: position)
    } else {
      found = table.top.indices.contains(position) ? table.top[position] : nil
    }
    guard let found, found.property.id == property.id else {
      throw StorageError.noSuchProperty(class: table.owner.name, property: property.name)
    }
    return found
  }

  /// Tells whether a slot holds an object, or a list or map, put there by this assignment.
  private func isCurrent(
    _ instance: StampReference, of node: FieldNode, in row: LoadedRow, _ source: MergeSource
  ) throws -> Bool {
    guard row.filledSlots.contains(node.ordinal) || row.nested[node.ordinal] != nil,
      let order = row.state.order(of: node)
    else { return false }
    return order.stamp == (try stamp(instance, of: source.author))
  }

  /// An element that is still there.
  func heldElement(
    _ reference: ElementReference, in container: Container, _ source: MergeSource
  ) throws -> LoadedRow? {
    guard container.kind == .list else { return nil }
    let author = try branch(reference.author, reference.sequence, of: source.author)
    let mark = LocalStamp(time: .zero, author: author, index: reference.index).mark
    let table = container.table
    let statement = try table.statement(
      "SELECT _id FROM \(table.sql) WHERE _mark = ? AND _sequence = ? AND _owner = ?")
    statement.bind(mark, at: 1)
    statement.bind(reference.sequence.rawValue, at: 2)
    statement.bind(container.owner, at: 3)
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
    return try loaded(statement, table)
  }

  /// The row of an object by its key.
  func load(_ entry: ClassEntry, key: PersistedValue) throws -> LoadedRow? {
    let statement = try entry.table.stateByKey()
    statement.bind(key, at: 1)
    return try loaded(statement, entry.table)
  }

  private func loaded(_ statement: Statement, _ table: CellTable) throws -> LoadedRow? {
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    let row = LoadedRow(statement, of: table, StateColumns(of: table))
    transaction?.loadedRow = row
    return row
  }

  func recordChange(_ place: Place) {
    transaction?.changes.modify(
      place.objectID, of: place.entry.id,
      column: place.row.table.rootColumn ?? place.node.ordinal)
  }

  func recordChange(_ place: Place, changed container: Container) {
    recordChange(place)
    views.drop(container)
  }
}
