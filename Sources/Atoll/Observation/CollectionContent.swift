import AtollStorage
import AtollVocabulary

/// The contents of a list, set or map in a row, compared by its stored elements (rule 39).
struct CollectionContent {
  /// Elements in order; of a map, its entries by key.
  var elements: [StoredElement] = []
  var keys: [String] = []

  init() {}

  init(of place: CollectionStart, in store: Store) throws(Store.Error) {
    do throws(StorageError) {
      if place.isNested,
        try store.file.heldInstance(
          place.kind, of: place.classID, id: place.id, at: place.path) != place.held
      {
        return
      }
      switch place.kind {
      case .none: break
      case .list:
        elements = try store.file.elements(of: place.classID, id: place.id, list: place.path)
      case .set:
        elements = try store.file.members(of: place.classID, id: place.id, set: place.path)
      case .map:
        let entries = try store.file.entries(of: place.classID, id: place.id, map: place.path)
        elements = entries.map(\.element)
        keys = entries.map(\.key)
      }
    } catch {
      throw Store.Error(error)
    }
  }

  /// Places by element.
  func difference(
    from old: CollectionContent, isModified: (StoredElement) -> Bool
  ) -> ResultsDifference {
    let before = Dictionary(
      old.elements.map { ($0.id, $0.value) }, uniquingKeysWith: { first, _ in first })
    var modified: Set<RowID> = []
    for element in elements {
      guard let value = before[element.id] else { continue }
      if value != element.value || isModified(element) {
        modified.insert(RowID(element.id.rawValue))
      }
    }
    return ResultsDifference(
      from: old.elements.map { RowID($0.id.rawValue) },
      to: elements.map { RowID($0.id.rawValue) }, isAscending: false,
      isModified: { modified.contains($0) })
  }

  /// Keys of a map that were removed, came, and have another value.
  func keyDifference(
    from old: CollectionContent, isModified: (StoredElement) -> Bool
  ) -> (deletions: [String], insertions: [String], modifications: [String]) {
    let before = Dictionary(zip(old.keys, old.elements), uniquingKeysWith: { first, _ in first })
    let now = Set(keys)
    var insertions: [String] = []
    var modifications: [String] = []
    for (key, element) in zip(keys, elements) {
      guard let earlier = before[key] else {
        insertions.append(key)
        continue
      }
      if earlier.value != element.value || isModified(element) { modifications.append(key) }
    }
    return (old.keys.filter { !now.contains($0) }, insertions, modifications)
  }
}

/// The place of an observed collection.
struct CollectionStart: Sendable {
  let classID: ClassID
  let className: String
  let id: RowID
  let path: FieldPath
  let kind: CollectionKind
  /// The instance among the lists or maps that are in an any-typed slot one after the other.
  let held: Int64?
  let isDynamic: Bool
  let paths: [String]?

  /// For an observer; stops if no store manages the collection, inside a transaction, or if a name
  /// is unknown.
  init(_ collection: CollectionBase, _ paths: [String]?) {
    self.init(collection, paths, "Observing")
    if collection.store?.isInWriteTransaction == true {
      Trap.stop(
        "Observing the collection '\(className).\(path.property.name)' inside a "
          + "write transaction. Begin before or after it.")
    }
  }

  /// For another thread.
  init(handingOver collection: CollectionBase) { self.init(collection, nil, "Handing over") }

  private init(_ collection: CollectionBase, _ paths: [String]?, _ doing: String) {
    guard let place = collection.place else {
      Trap.stop("\(doing) a collection that no store manages. Add its object first.")
    }
    self.init(of: place, paths)
  }

  init(of place: ManagedCollection, _ paths: [String]? = nil) {
    let row = place.row
    classID = row.table.classID
    className = row.table.model.name
    id = row.id
    path = place.path
    kind = place.kind
    held = path.property.type == .any ? place.place.heldInstance(kind) : nil
    isDynamic = row.table.model.type == DynamicObject.self
    self.paths = paths
    if let table = elementTable(in: row.store) { _ = ObservedParts(paths, of: table) }
  }

  /// Tells whether it is inside an any-typed value.
  var isNested: Bool { path.property.collection == .none }

  /// Tells whether other elements may be there than before some commits.
  func isTouched(by effects: CommitEffects) -> Bool {
    let own = effects.changes(of: classID)
    if own.isWhole || own.modified[id] != nil || own.deleted.contains(id) { return true }
    guard path.property.type == .link, let target = path.property.target else {
      return path.property.type == .any
    }
    return effects.changes(of: target).areOfMembership
  }

  func table(in store: Store) -> Table? {
    isDynamic ? store.dynamic.table(of: classID) : store.table(of: classID)
  }

  /// The class of elements that are objects of their own.
  func elementTable(in store: Store) -> Table? {
    guard path.property.type == .link, let target = path.property.target else { return nil }
    return isDynamic ? store.dynamic.table(of: target) : store.table(of: target)
  }
}
