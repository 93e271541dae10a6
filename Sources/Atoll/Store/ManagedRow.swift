import AtollStorage
import AtollVocabulary

/// The row behind a managed object, and its values in the current version of the store.
final class ManagedRow: RowSource {
  /// The state of the store from which a copy of its values is.
  struct Freshness {
    /// ``Store/version`` when the copy was made.
    var version: UInt64
    /// ``Table/changes`` when the copy was made.
    var loaded: Int
    /// ``Table/changes`` up to which the copy is known to be good; `loaded <= seen`.
    var seen: Int

    static let never = Freshness(version: 0, loaded: 0, seen: 0)
  }

  let store: Store
  let table: Table
  /// The id of the row, unless a reader stands at it, which then knows.
  private var ownID: RowID
  /// ``Store/version`` when this store first knew of the row.
  private var knownSince: UInt64
  /// True if the row was created in that version and is therefore there as long as it lasts.
  private let isNew: Bool

  // The state that every read of a property touches is confined to the store's thread and never
  // accessed twice at once; the check took two thirds of a read.
  @exclusivity(unchecked) private var key = PersistedValue.null
  @exclusivity(unchecked) private var columns: [PersistedValue] = []
  /// Stands at the row, and has it as long as it does: id, key, values, and how fresh they are.
  @exclusivity(unchecked) private var reader: RowReader? {
    didSet { reading = reader.map(Unmanaged.passUnretained) }
  }
  /// The same, which no value that is read counts.
  @exclusivity(unchecked) private var reading: Unmanaged<RowReader>?
  /// The contents of any-typed columns that are no scalars.
  @exclusivity(unchecked) private var others: [Int: StoredElement.Value] = [:]
  @exclusivity(unchecked) private var fresh = Freshness.never
  /// The rows that are read together with this one, and whose links with its.
  @exclusivity(unchecked) private var page: RowPage?

  init(
    store: Store, table: Table, id: RowID, isNew: Bool = false, row: ObjectRow? = nil,
    page: RowPage? = nil
  ) {
    self.store = store
    self.table = table
    ownID = id
    self.isNew = isNew
    knownSince = store.version
    super.init()
    if let row {
      take(row)
    } else if store.isFrozen, let row = page?.row(id)?.row ?? fetch() {
      // Several threads may read the row, so that it is complete from the beginning.
      take(row)
    }
    if !store.isFrozen { self.page = page }
  }

  convenience init(store: Store, table: Table, row: ObjectRow, page: RowPage? = nil) {
    self.init(store: store, table: table, id: row.id, row: row, page: page)
  }

  /// The row that a reader is at, and then any other it goes to, until ``takeRest()``.
  init(store: Store, table: Table, at reader: RowReader, page: RowPage) {
    self.store = store
    self.table = table
    ownID = reader.id
    isNew = false
    knownSince = store.version
    super.init()
    if !store.isFrozen { self.page = page }
  }

  override var row: ManagedRow? { self }

  var id: RowID { reading?._withUnsafeGuaranteedRef { $0.id } ?? ownID }

  override func isSame(as other: RowSource) -> Bool {
    guard let other = other as? ManagedRow else { return false }
    return id == other.id && table === other.table && store === other.store
  }

  // MARK: Freshness

  func freshness() -> Freshness { Freshness(of: table) }

  func isCurrent(_ fresh: inout Freshness) -> Bool {
    guard fresh.version == store.version else { return false }
    if fresh.seen == table.changes { return true }
    if let changed = table.changed[id], changed > fresh.loaded { return false }
    fresh.seen = table.changes
    return true
  }

  /// Tells other accessors of the row that their values are out of date.
  func markChanged() {
    let wasCurrent = isCurrent(&fresh)
    table.markChanged(id)
    if wasCurrent { fresh = freshness() }
  }

  /// Makes this the row that `reader` has gone to; nobody may know it as another one.
  func stand(at reader: RowReader) {
    // Unless the rest of the one before was taken, the reader is this row's already.
    if reading == nil { self.reader = reader }
  }

  /// Takes everything from the reader before that leaves the row, or the store its state.
  func takeRest() {
    guard let reader else { return }
    let row = reader.row()
    ownID = reader.id
    self.reader = nil
    knownSince = store.version
    take(row)
  }

  private func value(_ column: Int) -> PersistedValue {
    guard let reading else { return columns[column] }
    if let value = reading._withUnsafeGuaranteedRef({ $0.value(column) }) { return value }
    takeRest()
    return columns[column]
  }

  private var presentKey: PersistedValue {
    if let key = reader?.key { return key }
    takeRest()
    return key
  }

  private var allColumns: [PersistedValue] {
    reader?.askForWhole()
    takeRest()
    return columns
  }

  private func holds(_ instance: Int64, at layout: RowLayout) -> Bool {
    layout.presence == nil || layout.holds(instance, in: allColumns)
  }

  private func take(_ row: ObjectRow) {
    key = row.key
    columns = row.columns
    others = row.others
    fresh = freshness()
  }

  /// Makes the values those of the current version; false if the object is not there any more.
  private func load() -> Bool {
    // As long as a reader stands at the row, the store shows the version that it reads.
    if reader != nil { return true }
    store.pin()
    // The common case first, and without the exclusive access that `isCurrent` asks for.
    if fresh.version == store.version, fresh.seen == table.changes { return true }
    if store.isFrozen { return false }
    if isCurrent(&fresh) { return true }
    if table.wasCancelled(id, knownSince: knownSince) { return false }
    if takeFromPage() { return true }
    guard let row = fetch() else { return false }
    take(row)
    return true
  }

  /// Takes the values that were read together with others, if they still are those of the version.
  private func takeFromPage() -> Bool {
    guard var read = page?.row(id), isCurrent(&read.freshness) else { return false }
    take(read.row)
    fresh = read.freshness
    return true
  }

  private func fetch() -> ObjectRow? {
    store.attempt("reading an object of class '\(table.model.name)'") {
      file throws(StorageError) in try file.row(of: table.classID, id: id)
    }
  }

  override func isAlive(_ layout: RowLayout, _ instance: Int64) -> Bool {
    !store.isInvalidated && load() && holds(instance, at: layout)
  }

  override func counterpart(in store: Store) -> (source: RowSource, root: RowLayout)? {
    guard let table = table.counterpart(in: store) else { return nil }
    return (ManagedRow(store: store, table: table, id: id), table.layout)
  }

  override func instance(at layout: RowLayout) -> Int64 {
    guard layout.presence != nil, load() else { return RowLayout.rootInstance }
    return layout.instance(in: allColumns) ?? RowLayout.rootInstance
  }

  /// Stops if the caller may not use the row now.
  func check(_ doing: @autoclosure () -> String) {
    store.checkAccess(doing())
    if isNew, knownSince == store.version { return }
    guard load() else { stopDeleted(doing()) }
  }

  /// Stops if the caller may not use the object now, which may be one that the row's object embeds.
  func check(_ object: ObjectBase, _ doing: @autoclosure () -> String) {
    guard let layout = object.layout else { return }
    check(layout, object.instance, doing())
  }

  func check(_ layout: RowLayout, _ instance: Int64, _ doing: @autoclosure () -> String) {
    check(doing())
    if layout.presence == nil { return }
    guard load(), holds(instance, at: layout) else { layout.stopReplaced(doing()) }
  }

  private func stopDeleted(_ doing: String) -> Never {
    Trap.stop("\(doing) of \(deletedText)")
  }

  /// The message about an object that is not there any more, with the remedy.
  private var deletedText: String {
    let name = table.model.name
    let object =
      table.model.primaryKey == nil || key.isNull
      ? "an object of class '\(name)'"
      : "the object of class '\(name)' with primary key '\(_Stored(key))'"
    return "\(object) that was deleted, or whose creation was cancelled. "
      + "Ask 'isInvalidated' before using an object that others may delete."
  }

  /// Why a property cannot be read; nil if it can.
  func absence(_ slot: Int, of object: ObjectBase) -> String? {
    object.isInvalidated ? "Reading \(name(slot, object)) of \(deletedText)" : nil
  }

  private func name(_ slot: Int, _ object: ObjectBase) -> String {
    object.layout.map { "'\($0.model.name).\($0.model.properties[slot].name)'" } ?? "a property"
  }

  // MARK: Reading

  override func stored(_ slot: Int, of object: ObjectBase) -> _Stored {
    store.checkAccess("Reading \(name(slot, object))")
    guard load() else { stopDeleted("Reading \(name(slot, object))") }
    guard let layout = object.uncountedLayout else { return .null }
    return layout._withUnsafeGuaranteedRef { stored(slot, of: object, at: $0) }
  }

  @inline(__always)
  private func stored(_ slot: Int, of object: ObjectBase, at layout: RowLayout) -> _Stored {
    if layout.presence != nil, !holds(object.instance, at: layout) {
      layout.stopReplaced("Reading \(name(slot, object))")
    }
    store.recordRead(places(layout.slots[slot]))
    // The common case first, and without taking the slot apart.
    if others.isEmpty, let column = layout.scalarColumns[slot] { return _Stored(value(column)) }
    switch layout.slots[slot] {
    case .scalar(let column, let property):
      guard let other = others[column] else { return _Stored(value(column)) }
      if case .link(let target, let id) = other, let target = table.neighbour(target) {
        return _Stored(linked(id, in: target, by: column))
      }
      return self.stored(other, in: property, of: object)
    case .key:
      return _Stored(presentKey)
    case .link(let column, _, let table):
      guard case .int(let id) = value(column) else { return .null }
      return _Stored(linked(RowID(id), in: self.table.neighbour(table), by: column))
    case .embedded(_, _, let inner):
      return inner.instance(in: allColumns).map { _Stored(inner.object(in: self, $0)) } ?? .null
    case .collection:
      return .null
    }
  }

  /// Returns the elements of a list or set of the row, if they are read together with those of
  /// other rows.
  func elements(of path: FieldPath) -> [StoredElement]? {
    guard var read = page?.elements(of: id, in: path), isCurrent(&read.freshness)
    else { return nil }
    return read.elements
  }

  /// Returns the entries of a map of the row, likewise.
  func entries(of path: FieldPath) -> [StoredEntry]? {
    guard var read = page?.entries(of: id, in: path), isCurrent(&read.freshness)
    else { return nil }
    return read.entries
  }

  /// Returns the instance of the list or map in an any-typed slot of the row, likewise.
  func held(at path: FieldPath) -> PageCollection.Held? {
    guard var read = page?.held(by: id, at: path), isCurrent(&read.freshness)
    else { return nil }
    return read.held
  }

  /// Returns the contents of a collection of the row among those of other rows, if it was read with
  /// them.
  func window(of path: FieldPath) -> ElementWindow? {
    page?.window(of: id, in: path)
  }

  private func linked(_ id: RowID, in target: Table, by column: Int) -> ObjectBase {
    target.object(id, of: page?.linked(by: column, to: target))
  }

  /// Returns the places that a read of a slot shows.
  private func places(_ slot: RowLayout.Slot) -> [ReadTracking.Place] {
    switch slot {
    case .key, .collection: return [.existence(table.classID, id)]
    case .scalar(let column, _), .embedded(let column, _, _):
      return [.column(table.classID, id, column)]
    case .link(let column, _, let table):
      guard case .int(let target) = value(column) else {
        return [.column(self.table.classID, id, column)]
      }
      return [
        .column(self.table.classID, id, column),
        .existence(self.table.neighbour(table).classID, RowID(target)),
      ]
    }
  }

  // MARK: Writing

  override func assign(_ value: _Stored, to slot: Int, of object: ObjectBase) {
    check(object, "Assigning \(name(slot, object))")
    guard let layout = object.layout else { return }
    switch layout.slots[slot] {
    case .key:
      takeRest()
      guard load(), value.scalar != key else { return }
      Trap.stop(
        "Assigning \(name(slot, object)): the primary key of a managed object cannot change. "
          + "It is '\(_Stored(key))', the new value '\(value)'. Create another object.")
    case .scalar(let column, let property):
      write(value, to: property, slot, object)
      guard let scalar = value.scalar else {
        table.markChanged(id)
        return adopt(value, in: property, of: object)
      }
      if isCurrent(&fresh) {
        columns[column] = scalar
        others[column] = nil
      }
      markChanged()
    case .link(_, let property, _):
      write(value, to: property, slot, object)
      table.markChanged(id)
    case .embedded(_, let property, let inner):
      write(value, to: property, slot, object)
      table.markChanged(id)
      adopt(value, at: slot, of: layout, inner)
    case .collection:
      break
    }
  }

  private func write(
    _ value: _Stored, to property: StoredProperty, _ slot: Int, _ object: ObjectBase
  ) {
    store.write("Assigning \(name(slot, object))") { file throws(StorageError) in
      let path = FieldPath(steps: object.layout?.steps ?? [], property: property)
      try file.assign(table.classID, id: id, path, try store.newValue(value))
    }
  }

  /// An embedded object that was assigned as such, not as a mapped value, is the live one now.
  private func adopt(_ value: _Stored, at slot: Int, of layout: RowLayout, _ inner: RowLayout) {
    guard let object = value.object, !object.isManaged,
      !layout.model.properties[slot].type.isMapped
    else { return }
    object.becomeManaged(by: self, inner)
  }
}

extension RowLayout {
  /// An accessor of the embedded object that stands here.
  func object(in source: RowSource, _ instance: Int64) -> ObjectBase {
    let object = model.type.init()
    object.bindNew(to: source, self, instance)
    return object
  }

  func stopReplaced(_ doing: String) -> Never {
    Trap.stop(
      "\(doing) of an embedded object of class '\(model.name)' that was deleted, or replaced by "
        + "another. Ask 'isInvalidated' before using an object that others may replace.")
  }
}

extension ManagedRow.Freshness {
  /// The present state of the store.
  init(of table: Table) {
    self.init(version: table.store.version, loaded: table.changes, seen: table.changes)
  }
}
