import AtollStorage
import AtollVocabulary
public import Dispatch

extension List {
  /// Calls `block` with the list, and again after each change, of any origin.
  ///
  /// Indices are those of the stored list. Elements that are objects count as modified when a
  /// property of theirs changes, or one of an object that they link to in up to four steps; with
  /// `keyPaths` when what those lead to changes. For `queue` and the token see
  /// `observe` of ``Results``.
  @_disfavoredOverload
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ResultsChange<List<Element>>) -> Void
  ) -> NotificationToken {
    observe(
      keyPaths, on: queue.map(TurnPlace.init), ObserverBlock(block), as: { ElementsTracker($0) },
      making: { List() })
  }

  /// Calls `block` in the same way, and also says who made the change and which elements were moved.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ResultsChange<List<Element>>, ChangeDetails) -> Void
  ) -> NotificationToken {
    observe(
      keyPaths, on: queue.map(TurnPlace.init), ObserverBlock(block), as: { ElementsTracker($0) },
      making: { List() })
  }

  /// Calls `block` in an actor, with it.
  ///
  /// If it is the actor of the list's store, `block` is given this list.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A,
    _ block: @escaping @Sendable (isolated A, ResultsChange<List<Element>>) -> Void
  ) -> NotificationToken {
    observe(
      keyPaths, on: TurnPlace(actor), ObserverBlock(in: actor, block), as: { ElementsTracker($0) },
      making: { List() })
  }

  /// The changes of the list as an asynchronous sequence, beginning with the list as it is.
  public var changes: ObservedChanges<ResultsChange<List<Element>>> {
    let start = CollectionStart(self, nil)
    return ObservedChanges { ElementsTracker(start.tracker(of: self)) }
  }
}

extension List where Element: ObjectBase {
  /// Calls `block` whenever the list or what the key paths lead to changes.
  @_disfavoredOverload
  public func observe(
    keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ResultsChange<List<Element>>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map(KeyPathNames.text), on: queue, block)
  }

  /// Calls `block` in an actor whenever the list or what the key paths lead to changes.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<Element>], on actor: A,
    _ block: @escaping @Sendable (isolated A, ResultsChange<List<Element>>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map(KeyPathNames.text), on: actor, block)
  }
}

extension MutableSet {
  /// Calls `block` with the set, and again whenever it changes; see `observe` of ``List``.
  ///
  /// Indices are places in the set's present order.
  @_disfavoredOverload
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ResultsChange<MutableSet<Element>>) -> Void
  ) -> NotificationToken {
    observe(
      keyPaths, on: queue.map(TurnPlace.init), ObserverBlock(block), as: { ElementsTracker($0) },
      making: { MutableSet() })
  }

  /// Calls `block` in the same way, and also says who made the change.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ResultsChange<MutableSet<Element>>, ChangeDetails) -> Void
  ) -> NotificationToken {
    observe(
      keyPaths, on: queue.map(TurnPlace.init), ObserverBlock(block), as: { ElementsTracker($0) },
      making: { MutableSet() })
  }

  /// Calls `block` in an actor, with it.
  ///
  /// If it is the actor of the set's store, `block` is given this set.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A,
    _ block: @escaping @Sendable (isolated A, ResultsChange<MutableSet<Element>>) -> Void
  ) -> NotificationToken {
    observe(
      keyPaths, on: TurnPlace(actor), ObserverBlock(in: actor, block), as: { ElementsTracker($0) },
      making: { MutableSet() })
  }

  /// The changes of the set as an asynchronous sequence, beginning with the set as it is.
  public var changes: ObservedChanges<ResultsChange<MutableSet<Element>>> {
    let start = CollectionStart(self, nil)
    return ObservedChanges { ElementsTracker(start.tracker(of: self)) }
  }
}

extension MutableSet where Element: ObjectBase {
  /// Calls `block` whenever the set or what the key paths lead to changes.
  @_disfavoredOverload
  public func observe(
    keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ResultsChange<MutableSet<Element>>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map(KeyPathNames.text), on: queue, block)
  }

  /// Calls `block` in an actor whenever the set or what the key paths lead to changes.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<Element>], on actor: A,
    _ block: @escaping @Sendable (isolated A, ResultsChange<MutableSet<Element>>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map(KeyPathNames.text), on: actor, block)
  }
}

extension Map {
  /// Calls `block` with the map, and again with the keys that changed; see
  /// `observe` of ``List``.
  @_disfavoredOverload
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (MapChange<Map<Key, Value>>) -> Void
  ) -> NotificationToken {
    observe(
      keyPaths, on: queue.map(TurnPlace.init), ObserverBlock(block), as: { EntriesTracker($0) },
      making: { Map() })
  }

  /// Calls `block` in the same way, and also says who made the change.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (MapChange<Map<Key, Value>>, ChangeDetails) -> Void
  ) -> NotificationToken {
    observe(
      keyPaths, on: queue.map(TurnPlace.init), ObserverBlock(block), as: { EntriesTracker($0) },
      making: { Map() })
  }

  /// Calls `block` in an actor, with it.
  ///
  /// If it is the actor of the map's store, `block` is given this map.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A,
    _ block: @escaping @Sendable (isolated A, MapChange<Map<Key, Value>>) -> Void
  ) -> NotificationToken {
    observe(
      keyPaths, on: TurnPlace(actor), ObserverBlock(in: actor, block), as: { EntriesTracker($0) },
      making: { Map() })
  }

  /// The changes of the map as an asynchronous sequence, beginning with the map as it is.
  public var changes: ObservedChanges<MapChange<Map<Key, Value>>> {
    let start = CollectionStart(self, nil)
    return ObservedChanges { EntriesTracker(start.tracker(of: self)) }
  }
}

extension CollectionBase {
  /// The common observation of lists, sets and maps; `make` makes a handle for another store.
  fileprivate final func observe<Handle: CollectionBase, Tracker: ChangeTracker>(
    _ keyPaths: [String]?, on place: TurnPlace?, _ block: ObserverBlock<Tracker.Change>,
    as wrap: @escaping (CollectionTracker<Handle>) -> Tracker,
    making make: @escaping () -> Handle
  ) -> NotificationToken {
    let start = CollectionStart(self, keyPaths)
    guard let store else { Trap.stop("An observed collection without a store.") }
    let observers = store.observers(on: place)
    let own =
      observers.belongs(to: store) ? (self as? Handle).map { Confined(value: $0) } : nil
    return Observation<Tracker>(
      observers,
      make: { store throws(Store.Error) in
        if let own { return wrap(CollectionTracker(start, own.value, in: store)) }
        return wrap(try start.tracker(attaching: make(), in: store))
      }, block: block
    ).start()
  }
}

extension List: ObservableElements where Element: ObjectBase {
  func observeElements(
    keyPaths: [String], on place: TurnPlace?, _ block: ObserverBlock<ResultsChange<List>>
  ) -> NotificationToken {
    observe(keyPaths, on: place, block, as: { ElementsTracker($0) }, making: { List() })
  }

  func elementChanges(keyPaths: [String]) -> ObservedChanges<ResultsChange<List>> {
    let start = CollectionStart(self, keyPaths)
    return ObservedChanges { ElementsTracker(start.tracker(of: self)) }
  }
}

extension MutableSet: ObservableElements where Element: ObjectBase {
  func observeElements(
    keyPaths: [String], on place: TurnPlace?, _ block: ObserverBlock<ResultsChange<MutableSet>>
  ) -> NotificationToken {
    observe(keyPaths, on: place, block, as: { ElementsTracker($0) }, making: { MutableSet() })
  }

  func elementChanges(keyPaths: [String]) -> ObservedChanges<ResultsChange<MutableSet>> {
    let start = CollectionStart(self, keyPaths)
    return ObservedChanges { ElementsTracker(start.tracker(of: self)) }
  }
}

extension CollectionStart {
  /// For the store of the collection itself.
  fileprivate func tracker<Handle: CollectionBase>(
    of handle: Handle
  ) -> CollectionTracker<Handle> {
    guard let store = handle.store else { Trap.stop("An observed collection without a store.") }
    return CollectionTracker(self, handle, in: store)
  }

  /// For another store of the file, where `handle` becomes the collection's.
  fileprivate func tracker<Handle: CollectionBase>(
    attaching handle: Handle, in store: Store
  ) throws(Store.Error) -> CollectionTracker<Handle> {
    handle.attach(to: try present(in: store))
    return CollectionTracker(self, handle, in: store)
  }

  /// The collection in a store of the file.
  func present(in store: Store) throws(Store.Error) -> ManagedCollection {
    if let collection = collection(in: store) { return collection }
    throw Store.Error(
      .schemaMismatch, "Observing '\(className).\(path.property.name)': the class is not there.")
  }

  /// The collection in a store of the file; nil if that does not have the class.
  func collection(in store: Store) -> ManagedCollection? {
    guard let table = table(in: store) else { return nil }
    let row = ManagedRow(store: store, table: table, id: id)
    guard let (owner, layout) = owner(in: row) else { return nil }
    let place = CollectionPlace(
      row: row, owner: owner, layout: layout, instance: owner.instance(at: layout), path: path,
      elementTable: path.property.target.flatMap(table.neighbour),
      hasLiveElements: layout.hasLiveElements(path.property))
    return isNested ? place.held(kind) : ManagedCollection.make(kind, place)
  }

  /// The object whose property the collection is: the row's own, or one embedded in it or in an element.
  private func owner(in row: ManagedRow) -> (source: RowSource, layout: RowLayout)? {
    var (source, layout): (RowSource, RowLayout) = (row, row.table.layout)
    for (index, step) in path.steps.enumerated() {
      switch step {
      case .slot(let property):
        guard let inner = layout.inner(property.id) else { return nil }
        layout = inner
      case .element(let property, let id):
        guard let table = property.target.flatMap(row.table.neighbour),
          let collection = ManagedCollection.make(
            property.collection,
            CollectionPlace(
              row: row, owner: source, layout: layout, instance: source.instance(at: layout),
              path: FieldPath(steps: Array(path.steps[..<index]), property: property),
              elementTable: table, hasLiveElements: layout.hasLiveElements(property)))
        else { return nil }
        (source, layout) = (ManagedElement(collection, id, isInserted: false), table.layout)
      }
    }
    return (source, layout)
  }
}

extension RowLayout {
  /// Tells whether elements of a collection are embedded objects that the application may hold.
  fileprivate func hasLiveElements(_ property: StoredProperty) -> Bool {
    guard property.type == .embedded else { return false }
    let slot = slots.firstIndex {
      if case .collection(let found, _) = $0 { found.id == property.id } else { false }
    }
    return slot.map { !model.properties[$0].type.isMapped } ?? false
  }
}
