import AtollStorage
import AtollVocabulary

/// A collection of one object as its observer was last shown it.
struct CollectionTracker<Handle: CollectionBase> {
  let handle: Handle
  let store: Store
  private let start: CollectionStart
  private let paths: [ObservedPath]?
  private let elementTable: Table?
  private(set) var shown = CollectionContent()
  private var number = CommitNumber(0)

  init(_ start: CollectionStart, _ handle: Handle, in store: Store) {
    self.start = start
    self.store = store
    self.handle = handle
    let table = start.elementTable(in: store)
    elementTable = table
    paths = table.flatMap { table in
      start.paths?.map { ObservedPath($0, from: table, under: []) }
    }
  }

  /// Takes the present as shown.
  mutating func begin() throws(Store.Error) {
    store.moveOn()
    number = store.commitNumber
    shown = try CollectionContent(of: start, in: store)
  }

  /// Moves the store on; what was shown before, and which elements count as modified, or nil if
  /// nothing can have changed.
  mutating func proceed() throws(Store.Error) -> (
    before: CollectionContent, isModified: (StoredElement) -> Bool
  )? {
    store.moveOn()
    if store.commitNumber == number { return nil }
    let effects = try CommitEffects(after: number, in: store)
    number = store.commitNumber
    let modified = try modifiedObjects(effects)
    let own = effects.changes(of: start.classID)
    let isTouched =
      own.isWhole || own.modified[start.id] != nil || own.deleted.contains(start.id)
      || modified?.ids?.isEmpty != true
    guard isTouched || elementTable != nil else { return nil }
    let before = shown
    shown = try CollectionContent(of: start, in: store)
    return (
      before,
      { element in
        guard case .link(_, let id) = element.value else { return false }
        return modified?.contains(id) ?? false
      }
    )
  }

  /// Objects that count as modified; nil for collections of values.
  private func modifiedObjects(
    _ effects: CommitEffects
  ) throws(Store.Error) -> ChangedObjects? {
    guard let elementTable else { return nil }
    guard let paths else { return try ChangedObjects(of: elementTable, effects, in: store) }
    var changed = ChangedObjects()
    for path in paths {
      changed.formUnion(try ChangedObjects(along: path, effects, in: store))
    }
    return changed
  }
}

/// A list or a set, by index.
struct ElementsTracker<Handle: CollectionBase>: ChangeTracker {
  private var tracker: CollectionTracker<Handle>

  init(_ tracker: CollectionTracker<Handle>) { self.tracker = tracker }

  var hub: StoreHub { tracker.store.hub }

  static func failure(_ error: Store.Error) -> ResultsChange<Handle> { .error(error) }

  mutating func start() throws(Store.Error) -> ResultsChange<Handle>? {
    try tracker.begin()
    return .initial(tracker.handle)
  }

  mutating func advance() throws(Store.Error) -> ResultsChange<Handle>? {
    guard let (before, isModified) = try tracker.proceed() else { return nil }
    let difference = tracker.shown.difference(from: before, isModified: isModified)
    if difference.isEmpty { return nil }
    return .update(
      tracker.handle, deletions: difference.deletions, insertions: difference.insertions,
      modifications: difference.modifications)
  }
}

/// A map, by key.
struct EntriesTracker<Handle: CollectionBase>: ChangeTracker {
  private var tracker: CollectionTracker<Handle>

  init(_ tracker: CollectionTracker<Handle>) { self.tracker = tracker }

  var hub: StoreHub { tracker.store.hub }

  static func failure(_ error: Store.Error) -> MapChange<Handle> { .error(error) }

  mutating func start() throws(Store.Error) -> MapChange<Handle>? {
    try tracker.begin()
    return .initial(tracker.handle)
  }

  mutating func advance() throws(Store.Error) -> MapChange<Handle>? {
    guard let (before, isModified) = try tracker.proceed() else { return nil }
    let difference = tracker.shown.keyDifference(from: before, isModified: isModified)
    if difference.deletions.isEmpty, difference.insertions.isEmpty,
      difference.modifications.isEmpty
    {
      return nil
    }
    return .update(
      tracker.handle, deletions: difference.deletions, insertions: difference.insertions,
      modifications: difference.modifications)
  }
}
