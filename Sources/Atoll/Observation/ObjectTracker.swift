import AtollStorage
import AtollVocabulary

/// One object as its observer was last shown it.
struct ObjectTracker<T: ObjectBase>: ChangeTracker {
  private let object: T
  private let row: ManagedRow
  private let layout: RowLayout
  /// The paths that the observer asked for; nil for the properties of first level.
  private let paths: [ObservedPath]?
  /// The classes whose changes can matter.
  private var reach: Set<ClassID>
  private var shown: ObjectRow?
  private(set) var number: CommitNumber
  private(set) var isOver = false
  private(set) var details = ChangeDetails()

  init(_ start: ObjectStart, in store: Store) throws(Store.Error) {
    guard let found = start.object(in: store), let object = found as? T,
      let row = object.managedRow, let layout = object.layout
    else {
      throw Store.Error(.system, "Observing an object of a class that the store does not have.")
    }
    self.object = object
    self.row = row
    self.layout = layout
    paths = start.paths?.map { ObservedPath($0, of: object, in: row) }
    shown = start.row
    number = start.number
    reach = [row.table.classID]
    for hop in paths?.flatMap(\.hops) ?? [] {
      reach.insert(hop.classID)
      if let target = hop.target { reach.insert(target) }
    }
    if paths == nil { reach.formUnion(row.table.stored.columns.compactMap(\.linkTarget)) }
  }

  var store: Store { row.store }

  static func failure(_ error: Store.Error) -> ObjectChange<T>? { .error(error) }

  /// Changes since the call of `observe` are reported, too.
  mutating func start() throws(Store.Error) -> ObjectChange<T>? { try advance() }

  mutating func advance() throws(Store.Error) -> ObjectChange<T>? {
    store.moveOn()
    if store.commitNumber == number { return nil }
    let effects = try store.effects(after: number)
    number = store.commitNumber
    guard effects.touches(reach) else { return nil }
    details = ChangeDetails(origins: effects.origins)
    let before = shown
    shown = try current()
    guard let after = shown, layout.holds(object.instance, in: after.columns) else {
      isOver = true
      return .deleted
    }
    guard let before else { return nil }
    let changes = try changes(effects, from: before, to: after)
    return changes.isEmpty ? nil : .change(object, changes)
  }

  private func current() throws(Store.Error) -> ObjectRow? {
    do {
      return try row.store.file.row(of: row.table.classID, id: row.id)
    } catch {
      throw Store.Error(error)
    }
  }

  // MARK: Properties

  private func changes(
    _ effects: CommitEffects, from before: ObjectRow, to after: ObjectRow
  ) throws(Store.Error) -> [PropertyChange] {
    let names = try changedNames(effects, from: before, to: after)
    if names.isEmpty { return [] }
    let old = Snapshot(before, of: row, layout)
    let new = Snapshot(after, of: row, layout)
    return layout.model.properties.filter { names.contains($0.name) }.map { property in
      PropertyChange(
        name: property.name, oldValue: old.value(of: property, isDetached: true),
        newValue: new.value(of: property, isDetached: false))
    }
  }

  private func changedNames(
    _ effects: CommitEffects, from before: ObjectRow, to after: ObjectRow
  ) throws(Store.Error) -> Set<String> {
    if let paths {
      var names: Set<String> = []
      for path in paths
      where try ChangedObjects(along: path, effects, in: row.store).contains(row.id) {
        names.insert(path.name)
      }
      return names
    }
    let changes = effects.changes(of: row.table.classID)
    let columns = changes.modified[row.id] ?? ColumnSet()
    var names: Set<String> = []
    for (slot, property) in layout.model.properties.enumerated() {
      guard let column = column(of: slot) else { continue }
      let isAssigned =
        column < 63 ? columns.contains(column) : columns.contains(column) && changes.isWhole
      let isOther = isAssigned || before.columns[column] != after.columns[column]
      if try isOther ? true : isShortened(row.table.stored.columns[column], effects) {
        names.insert(property.name)
      }
    }
    return names
  }

  /// Tells whether elements of a collection of objects were deleted.
  private func isShortened(
    _ column: StoredColumn, _ effects: CommitEffects
  ) throws(Store.Error) -> Bool {
    guard let target = column.linkTarget, column.properties.last?.collection != CollectionKind.none
    else { return false }
    let gone = effects.changes(of: target).deleted
    if gone.isEmpty { return false }
    let hop = ObservedPath.Hop(row.table.classID, column.properties)
    return try hop.linking(to: gone, in: row.store)?.contains(row.id) ?? true
  }

  /// The property's own column; that of an embedded object says whether and which one is there.
  private func column(of slot: Int) -> Int? {
    switch layout.slots[slot] {
    case .key: nil
    case .scalar(let column, _), .link(let column, _, _), .embedded(let column, _, _): column
    case .collection(let property, _):
      row.table.stored.column(layout.slotProperties + [property])
    }
  }
}

/// The place of an object, and its values when observation began.
struct ObjectStart: Sendable {
  let className: String
  let isDynamic: Bool
  let id: RowID
  let steps: [PropertyID]
  /// The instance of an embedded object.
  let instance: Int64
  let row: ObjectRow?
  let number: CommitNumber
  let paths: [String]?
  /// The accessor that observes, if its own store does.
  private let own: Confined<ObjectBase>?

  /// `isOwn` says that the object's own store observes; stops if there is none, or for an unknown name.
  init(_ object: ObjectBase, _ paths: [String]?, isOwn: Bool) {
    self.init(object, paths, isOwn: isOwn, "Observing")
    if object.store?.isInWriteTransaction == true {
      Trap.stop(
        "Observing an object of class '\(object.model.name)' inside a write transaction. Begin "
          + "before or after it.")
    }
  }

  /// For another thread; stops if no store manages the object, or it was deleted.
  init(handingOver object: ObjectBase) {
    self.init(object, nil, isOwn: false, "Handing over")
  }

  private init(_ object: ObjectBase, _ paths: [String]?, isOwn: Bool, _ doing: String) {
    guard let row = object.managedRow, let layout = object.layout, !object.isInvalidated else {
      Self.stopUnmanaged(object, doing)
    }
    className = row.table.model.name
    isDynamic = object is DynamicObject
    id = row.id
    steps = layout.slotProperties.map(\.id)
    instance = object.instance
    self.row = row.store.attempt("reading an object") { file throws(StorageError) in
      try file.row(of: row.table.classID, id: row.id)
    }
    number = row.store.commitNumber
    self.paths = paths
    own = isOwn ? Confined(value: object) : nil
    // Unknown names stop where they were written.
    for path in paths ?? [] { _ = ObservedPath(path, of: object, in: row) }
  }

  static func stopUnmanaged(_ object: ObjectBase, _ doing: String = "Observing") -> Never {
    let name = "\(doing) an object of class '\(object.model.name)' that"
    if object.isInvalidated { Trap.stop("\(name) was deleted or replaced. Find another one.") }
    guard object.store == nil else {
      Trap.stop(
        "\(name) is an element of a collection. Take the collection, or its owner with a key path.")
    }
    Trap.stop("\(name) no store manages. Add it first.")
  }

  /// The object in a store of the file.
  func object(in store: Store) -> ObjectBase? {
    if let own { return own.value }
    let tables = isDynamic ? store.dynamic.tables : store.tables
    guard let table = tables.first(where: { $0.model.name == className }) else { return nil }
    guard let layout = table.layout.inner(along: steps) else { return nil }
    let row = ManagedRow(store: store, table: table, id: id)
    let object = layout.model.type.init()
    object.bindNew(to: row, layout, instance)
    return object
  }
}

extension RowLayout {
  /// The layout at the end of embedded properties; nil if one of them is not there.
  func inner(along steps: [PropertyID]) -> RowLayout? {
    var layout = self
    for step in steps {
      guard let inner = layout.inner(step) else { return nil }
      layout = inner
    }
    return layout
  }

  /// The layout of what is embedded in a property.
  func inner(_ id: PropertyID) -> RowLayout? {
    for case .embedded(_, let property, let inner) in slots where property.id == id {
      return inner
    }
    return nil
  }
}

/// One state of an object's row, read as the dynamic interface reads.
private struct Snapshot {
  private let object: ObjectBase

  init(_ state: ObjectRow, of row: ManagedRow, _ layout: RowLayout) {
    object = layout.model.type.init()
    let row = ManagedRow(store: row.store, table: row.table, row: state)
    object.bindNew(to: row, layout, row.instance(at: layout))
  }

  /// The stored value, convertible or not; `isDetached` copies what is embedded out of the row.
  func value(of property: PropertyDescriptor, isDetached: Bool) -> Any? {
    guard property.type.collection == .none, let source = object.source else { return nil }
    let value = property.dynamicValue(source.stored(property.slot, of: object))
    guard isDetached, let embedded = value as? EmbeddedObject else { return value }
    let copy = type(of: embedded).init()
    for member in embedded.model.properties {
      if let given = member.dynamicValue(
        embedded.source?.stored(member.slot, of: embedded) ?? .null)
      {
        _ = member.assign(given, to: copy)
      }
    }
    return copy
  }
}

extension StoredColumn {
  /// The class that the column's link, or its collection's links, lead to.
  fileprivate var linkTarget: ClassID? {
    properties.last.flatMap { $0.type == .link ? $0.target : nil }
  }
}
