import AtollStorage
import AtollVocabulary

/// The source behind an embedded object in an element of a list, or in a value of a map.
///
/// It has the collection's row and goes with it from version to version; its fields it keeps itself.
final class ManagedElement: RowSource {
  let collection: ManagedCollection
  let id: ElementID
  /// The instance of this embedded object in the element.
  private let instance: Int64
  /// The index of the element in the contents that the collection had read; −1 if it is not known.
  private let index: Int
  /// The elements whose links are followed together with those of this one.
  private let window: ElementWindow?
  private var columns: [PersistedValue] = []
  /// The contents of any-typed columns that are no scalars.
  private var others: [Int: StoredElement.Value] = [:]
  private var fresh = ManagedRow.Freshness.never

  /// An element that was just written: read when something is asked.
  init(_ collection: ManagedCollection, _ id: ElementID, isInserted: Bool) {
    self.collection = collection
    self.id = id
    instance =
      isInserted
      ? RowLayout.firstInstance : collection.element(id)?.instance ?? RowLayout.rootInstance
    index = -1
    window = nil
  }

  /// An element that was just read.
  init(
    _ collection: ManagedCollection, _ element: StoredElement, _ columns: [PersistedValue],
    at index: Int, of window: ElementWindow? = nil
  ) {
    self.window = window
    self.collection = collection
    self.id = element.id
    self.index = index
    instance = element.instance
    self.columns = columns
    others = element.others
    if !collection.row.store.isFrozen { fresh = collection.freshness }
  }

  override var row: ManagedRow? { collection.row }

  override var steps: [FieldPath.Step] {
    collection.path.steps + [.element(collection.path.property, id)]
  }

  override func isSame(as other: RowSource) -> Bool {
    guard let other = other as? ManagedElement else { return false }
    return id == other.id && instance == other.instance
      && collection.row.isSame(as: other.collection.row)
      && collection.path.property == other.collection.path.property
  }

  // MARK: Freshness

  /// Makes the fields those of the current version; false if the element is not there any more.
  private func load() -> Bool {
    collection.row.store.pin()
    if collection.row.store.isFrozen { return true }
    if collection.row.isCurrent(&fresh) { return true }
    guard collection.isAlive, let found = collection.element(id),
      found.instance == instance,
      case .embedded(let columns) = found.value
    else { return false }
    self.columns = columns
    others = found.others
    fresh = collection.row.freshness()
    return true
  }

  override func isAlive(_ layout: RowLayout, _ instance: Int64) -> Bool {
    !collection.row.store.isInvalidated && load() && layout.holds(instance, in: columns)
  }

  override func counterpart(in store: Store) -> (source: RowSource, root: RowLayout)? {
    guard let other = collection.counterpart(in: store), let element = other.element(id),
      element.instance == instance, case .embedded(let columns) = element.value,
      let root = other.place.elementTable?.layout
    else { return nil }
    return (ManagedElement(other, element, columns, at: -1), root)
  }

  override func instance(at layout: RowLayout) -> Int64 {
    guard layout.presence != nil, load() else { return RowLayout.rootInstance }
    return layout.instance(in: columns) ?? RowLayout.rootInstance
  }

  private func check(_ object: ObjectBase, _ doing: @autoclosure () -> String) {
    collection.row.check(doing())
    guard load() else {
      Trap.stop(
        "\(doing()) of an element that was removed from the \(collection.kindName) "
          + "'\(collection.name)', or replaced there. Ask 'isInvalidated' before using an object "
          + "that others may remove.")
    }
    if let layout = object.layout, !layout.holds(object.instance, in: columns) {
      layout.stopReplaced(doing())
    }
  }

  private func name(_ slot: Int, _ object: ObjectBase) -> String {
    object.layout.map { "'\($0.model.name).\($0.model.properties[slot].name)'" } ?? "a property"
  }

  // MARK: Reading and writing

  override func stored(_ slot: Int, of object: ObjectBase) -> _Stored {
    check(object, "Reading \(name(slot, object))")
    guard let layout = object.layout else { return .null }
    switch layout.slots[slot] {
    case .key, .collection: return .null
    case .scalar(let column, let property):
      guard let other = others[column] else { return _Stored(columns[column]) }
      if case .link(let target, let id) = other,
        let target = collection.row.table.neighbour(target)
      {
        return linked(id, in: target, by: column)
      }
      return self.stored(other, in: property, of: object)
    case .link(let column, _, let table):
      guard case .int(let id) = columns[column] else { return .null }
      return linked(RowID(id), in: collection.row.table.neighbour(table), by: column)
    case .embedded(_, _, let inner):
      return inner.instance(in: columns).map { _Stored(inner.object(in: self, $0)) } ?? .null
    }
  }

  private func linked(_ id: RowID, in target: Table, by column: Int) -> _Stored {
    // Of something frozen several threads may read the same.
    collection.row.store.alone {
      _Stored(target.object(id, of: window?.linked(by: column, to: target)))
    }
  }

  override func assign(_ value: _Stored, to slot: Int, of object: ObjectBase) {
    check(object, "Assigning \(name(slot, object))")
    guard let layout = object.layout else { return }
    switch layout.slots[slot] {
    case .key, .collection: return
    case .scalar(let column, let property):
      write(value, to: property, slot, object)
      guard let scalar = value.scalar else {
        collection.row.table.markChanged(collection.row.id)
        return adopt(value, in: property, of: object)
      }
      columns[column] = scalar
      others[column] = nil
      let element = StoredElement(
        id: id, value: .embedded(columns), others: others, instance: instance)
      collection.recordChange(of: element, at: index)
      fresh = collection.row.freshness()
    case .link(_, let property, _):
      write(value, to: property, slot, object)
      collection.row.table.markChanged(collection.row.id)
    case .embedded(_, let property, let inner):
      write(value, to: property, slot, object)
      collection.row.table.markChanged(collection.row.id)
      if let assigned = value.object, !assigned.isManaged,
        !layout.model.properties[slot].type.isMapped
      {
        assigned.becomeManaged(by: self, inner)
      }
    }
  }

  private func write(
    _ value: _Stored, to property: StoredProperty, _ slot: Int, _ object: ObjectBase
  ) {
    let row = collection.row
    row.store.write("Assigning \(name(slot, object))") { file throws(StorageError) in
      let path = FieldPath(steps: steps + (object.layout?.steps ?? []), property: property)
      try file.assign(row.table.classID, id: row.id, path, try row.store.newValue(value))
    }
  }
}
