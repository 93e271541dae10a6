import AtollStorage
import AtollVocabulary

/// A collection of one object as its observer was last shown it.
struct CollectionTracker<Handle: CollectionBase> {
  let handle: Handle
  let store: Store
  private let start: CollectionStart
  /// The observed parts of elements that are objects; nil for values.
  private let parts: ObservedParts?
  private(set) var shown = CollectionContent()
  private(set) var number = CommitNumber(0)
  /// The origins of the changes that were last found.
  private(set) var origins: Set<ChangeOrigin> = []

  init(_ start: CollectionStart, _ handle: Handle, in store: Store) {
    self.start = start
    self.store = store
    self.handle = handle
    parts = start.elementTable(in: store).map { ObservedParts(start.paths, of: $0) }
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
    let effects = try store.effects(after: number)
    number = store.commitNumber
    let modified = try parts?.changed(effects, in: store) ?? ChangedObjects()
    let isTouched = start.isTouched(by: effects)
    guard isTouched || modified.ids?.isEmpty != true else { return nil }
    origins = effects.origins
    let before = shown
    if isTouched { shown = try CollectionContent(of: start, in: store) }
    return (
      before,
      { element in
        guard case .link(_, let id) = element.value else { return false }
        return modified.contains(id)
      }
    )
  }
}

/// A list or a set, by index.
struct ElementsTracker<Handle: CollectionBase>: ChangeTracker {
  private var tracker: CollectionTracker<Handle>

  init(_ tracker: CollectionTracker<Handle>) { self.tracker = tracker }

  private(set) var details = ChangeDetails()
  var store: Store { tracker.store }
  var number: CommitNumber { tracker.number }

  static func failure(_ error: Store.Error) -> ResultsChange<Handle>? { .error(error) }

  mutating func start() throws(Store.Error) -> ResultsChange<Handle>? {
    try tracker.begin()
    return .initial(tracker.handle)
  }

  mutating func advance() throws(Store.Error) -> ResultsChange<Handle>? {
    guard let (before, isModified) = try tracker.proceed() else { return nil }
    let difference = tracker.shown.difference(from: before, isModified: isModified)
    if difference.isEmpty { return nil }
    details = ChangeDetails(origins: tracker.origins, moves: difference.moves)
    return .update(
      tracker.handle, deletions: difference.deletions, insertions: difference.insertions,
      modifications: difference.modifications)
  }
}

/// A map, by key.
struct EntriesTracker<Handle: CollectionBase>: ChangeTracker {
  private var tracker: CollectionTracker<Handle>

  init(_ tracker: CollectionTracker<Handle>) { self.tracker = tracker }

  private(set) var details = ChangeDetails()
  var store: Store { tracker.store }
  var number: CommitNumber { tracker.number }

  static func failure(_ error: Store.Error) -> MapChange<Handle>? { .error(error) }

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
    details = ChangeDetails(origins: tracker.origins)
    return .update(
      tracker.handle, deletions: difference.deletions, insertions: difference.insertions,
      modifications: difference.modifications)
  }
}
