import AtollStorage
import AtollVocabulary

/// The place of a collection: in a row, in an embedded object of the row, or in an element of
/// another collection.
struct CollectionPlace {
  /// The row of the object at the root.
  var row: ManagedRow
  /// The source behind the object whose property the collection is.
  var owner: RowSource
  /// The layout of that object in its row.
  var layout: RowLayout
  /// The instance among the embedded objects that are there one after the other.
  var instance: Int64
  var path: FieldPath
  /// The class of the elements, if they are objects.
  var elementTable: Table?
  /// True if elements are embedded objects that the application may hold, not mapped values.
  var hasLiveElements = false
  /// The instance among the lists or maps that are in an any-typed slot one after the other.
  private(set) var held: Int64?

  /// The same as long as the slot holds what it holds now.
  private func holding(_ instance: Int64?) -> CollectionPlace {
    var place = self
    place.held = instance
    return place
  }

  /// Returns the instance of the list or map of this kind in the slot; those of other rows may be
  /// read with it.
  func heldInstance(_ kind: CollectionKind) -> Int64? {
    guard let held = row.held(at: path) else { return newInstance(kind) }
    return held.kind == kind ? held.instance : nil
  }

  /// The same, where the slot may have been written to just now.
  private func newInstance(_ kind: CollectionKind) -> Int64? {
    row.store.attempt("reading '\(layout.model.name).\(path.property.name)'") {
      file throws(StorageError) in
      try file.heldInstance(kind, of: row.table.classID, id: row.id, at: path)
    }
  }

  /// The list or map that an any-typed slot holds.
  func held(_ kind: CollectionKind) -> ManagedCollection? {
    ManagedCollection.make(kind, holding(heldInstance(kind)))
  }

  /// The handle of a list or map in an any-typed slot.
  func handle(_ kind: CollectionKind) -> _Stored {
    guard let collection = held(kind) else { return .null }
    let handle: CollectionBase = kind == .map ? Map<String, AnyValue>() : List<AnyValue>()
    handle.attach(to: collection)
    return _Stored(handle)
  }

  /// Makes a list or map that was assigned to an any-typed slot the handle of what is there.
  func adopt(_ handle: CollectionBase) {
    let kind: CollectionKind = handle is MapBase ? .map : .list
    guard handle.place == nil,
      let collection = ManagedCollection.make(kind, holding(newInstance(kind)))
    else { return }
    handle.attach(to: collection)
  }
}

/// The content of a collection in a row: read at first touch, then kept for the current version.
class ManagedCollection {
  final let place: CollectionPlace
  final var freshness = ManagedRow.Freshness.never
  /// See ``CollectionPlace/held``; nil as long as the value is on its way into the store.
  private final var held: Int64?
  /// The state in which the slot was last seen to hold the list or map.
  private final var heldFreshness = ManagedRow.Freshness.never
  /// Of what was read.
  final var windows = ElementWindows()

  init(_ place: CollectionPlace) {
    self.place = place
    held = place.held
  }

  /// Makes the managed collection of a property of this kind; nil for one of a single value.
  static func make(_ kind: CollectionKind, _ place: CollectionPlace) -> ManagedCollection? {
    switch kind {
    case .none: nil
    case .list: ManagedList(place)
    case .set: ManagedSet(place)
    case .map: ManagedMap(place)
    }
  }

  final var row: ManagedRow { place.row }
  final var path: FieldPath { place.path }
  final var classID: ClassID { row.table.classID }
  final var isAlive: Bool { place.owner.isAlive(place.layout, place.instance) && isHeld }

  /// True if an any-typed slot still holds this very list or map.
  private final var isHeld: Bool {
    if path.nested == nil || row.store.isFrozen || row.isCurrent(&heldFreshness) { return true }
    let instance = place.heldInstance(kind)
    if held == nil, instance == nil { return true }
    guard let instance, instance == held ?? instance else { return false }
    held = instance
    heldFreshness = row.freshness()
    return true
  }

  /// Tells whether it is the same collection, and not one that was in its place before.
  final func isSame(as other: ManagedCollection) -> Bool {
    guard row.isSame(as: other.row), path == other.path else { return false }
    return path.nested == nil || isAlive == other.isAlive && held == other.held
  }

  /// The name of the collection in messages.
  final var name: String { "\(place.layout.model.name).\(path.property.name)" }
  var kindName: String { "collection" }
  var kind: CollectionKind { .none }

  /// Puts in the content of an object on its way into the store.
  func take(_ content: _PropertyInput.Content) {}

  /// The elements as the file has them now, in order.
  var currentElements: [StoredElement] { [] }

  /// An element as it is now, nil if it is gone; does not read the others.
  final func element(_ id: ElementID) -> StoredElement? {
    read { file throws(StorageError) in
      try file.element(id, of: classID, id: row.id, collection: path)
    }
  }

  /// Takes over what an element's accessor wrote, so that nothing has to be read again; false if
  /// the element is not at `index` of what was read.
  func update(_ element: StoredElement, at index: Int) -> Bool { false }

  /// Called after an element's accessor wrote something.
  final func recordChange(of element: StoredElement, at index: Int) {
    let isKept = row.isCurrent(&freshness) && update(element, at: index)
    row.markChanged()
    if isKept { freshness = row.freshness() }
  }

  // MARK: Reading and changing

  /// Does something with the file that only fails if the file does.
  final func read<R>(_ body: (StoreFile) throws(StorageError) -> R) -> R {
    row.store.attempt("reading the \(kindName) '\(name)'", body)
  }

  /// Returns the content that was read of the collection, or reads it, because the row was
  /// refreshed since.
  ///
  /// Called alone, since of something frozen other threads may read the same.
  final func kept<Content>(
    in cache: inout Content?, or body: (StoreFile) throws(StorageError) -> Content
  ) -> Content {
    checkReading()
    if let cache, row.isCurrent(&freshness) { return cache }
    let content = read(body)
    windows = ElementWindows()
    cache = content
    freshness = row.freshness()
    return content
  }

  final func checkReading() {
    check("Reading")
    row.store.recordRead(places)
  }

  /// The places that a reading of the collection shows.
  private final var places: [ReadTracking.Place] {
    let own = ReadTracking.Place.column(
      classID, row.id, path.steps.isEmpty ? row.table.stored.column([path.property]) : nil)
    guard path.property.type == .link, let target = path.property.target else { return [own] }
    return [own, .deletions(target)]
  }

  /// Stops if the caller may not use the collection now.
  private final func check(_ doing: String) {
    row.check("\(doing) the \(kindName) '\(name)'")
    if path.nested == nil, place.owner === row, place.layout.presence == nil { return }
    if isAlive { return }
    if path.nested != nil, place.owner.isAlive(place.layout, place.instance) {
      Trap.stop(
        "\(doing) a \(kindName) of any values that '\(name)' does not hold any more: another value was "
          + "assigned there. Ask 'isInvalidated' before using what others may replace.")
    }
    place.layout.stopReplaced("\(doing) the \(kindName) '\(name)'")
  }

  /// Runs a change inside the transaction; other handles of the collection read it anew.
  final func change(_ doing: String, _ body: (StoreFile) throws(StorageError) -> Void) {
    check(doing)
    if !row.isCurrent(&freshness) { forget() }
    row.store.write("\(doing) the \(kindName) '\(name)'", body)
    windows = ElementWindows()
    row.markChanged()
    freshness = row.freshness()
    heldFreshness = freshness
  }

  /// Drops what was read.
  func forget() {}

  // MARK: Elements

  /// An element as the application takes it; `index` is where it is in what was read, if known.
  ///
  /// The targets of links are read with those of the others in `window`.
  final func decode(
    _ element: StoredElement, at index: Int = -1, of window: ElementWindow? = nil
  ) -> _Stored {
    switch element.value {
    case .scalar(let value): return _Stored(value)
    case .link(let classID, let id):
      let table = place.elementTable ?? row.table.neighbour(classID)
      return table.map { _Stored($0.object(id, of: window?.linked(to: $0))) } ?? .null
    case .embedded(let columns):
      guard let layout = place.elementTable?.layout else { return .null }
      let object = layout.model.type.init()
      object.bindNew(to: ManagedElement(self, element, columns, at: index, of: window), layout)
      return _Stored(object)
    case .collection(let kind): return nested(in: element.id).handle(kind)
    }
  }

  /// All elements as the application takes them.
  final func decoded(_ elements: some RandomAccessCollection<StoredElement>) -> [_Stored] {
    guard hasLinks else { return elements.enumerated().map { decode($1, at: $0) } }
    let shared = row.window(of: path)
    var windows = ElementWindows()
    return elements.enumerated().map { index, element in
      decode(element, at: index, of: shared ?? windows.window(at: index, of: elements))
    }
  }

  /// The elements that are likely to be read with the one at an index; nil if they have no links.
  final func window(
    at index: Int, of elements: some RandomAccessCollection<StoredElement>
  ) -> ElementWindow? {
    guard hasLinks else { return nil }
    return row.window(of: path) ?? windows.window(at: index, of: elements)
  }

  /// True if elements can be links, or have some.
  final var hasLinks: Bool { place.elementTable != nil || path.property.type == .any }

  /// Returns the form of a new element in the cache; nil if it has to be read.
  final func element(_ id: ElementID, _ value: NewValue) -> StoredElement? {
    switch value {
    case .scalar(let scalar): StoredElement(id: id, value: .scalar(scalar))
    case .link(let target, let row): StoredElement(id: id, value: .link(target, row))
    case .embedded, .list, .set, .map: nil
    }
  }

  /// Returns the place of the list or map in an any-typed element.
  private final func nested(in id: ElementID) -> CollectionPlace {
    var place = place
    place.path.nested = (path.nested ?? []) + [id]
    return place
  }

  /// True if elements can be something that the application holds and goes on using.
  final var adoptsElements: Bool { place.hasLiveElements || path.property.type == .any }

  /// Makes an embedded object that came in as such, not as a mapped value, the live one from now on.
  ///
  /// Likewise a list or map in an any-typed element. `isInserted` says that the element is new.
  final func adopt(_ stored: _Stored, as id: ElementID, isInserted: Bool = false) {
    if let handle = stored.handle { return nested(in: id).adopt(handle) }
    guard place.hasLiveElements, let object = stored.object, !object.isManaged,
      let layout = place.elementTable?.layout
    else { return }
    object.becomeManaged(
      by: ManagedElement(self, id, isInserted: isInserted), layout)
  }
}

extension RowSource {
  /// A collection property's content; nil if it is not one of a managed object.
  final func collection(_ slot: Int, of object: ObjectBase) -> ManagedCollection? {
    guard let row, let layout = object.layout,
      case .collection(let property, let target) = layout.slots[slot]
    else { return nil }
    let type = layout.model.properties[slot].type
    return ManagedCollection.make(
      property.collection,
      CollectionPlace(
        row: row, owner: self, layout: layout, instance: object.instance,
        path: FieldPath(steps: steps + layout.steps, property: property),
        elementTable: target.map { row.table.neighbour($0) },
        hasLiveElements: type.type == .embedded && !type.isMapped))
  }
}
