import AtollStorage

// Freezing and thawing of the things of a store.

extension ObjectBase {
  /// True if the object shows one version for good, and may be used anywhere.
  public final var isFrozen: Bool { store?.isFrozen ?? false }

  /// The object as it is in the version that its store shows; see ``Store/freeze()``.
  ///
  /// Stops for an object that no store manages, one that was deleted, and inside a write transaction.
  public final func freeze() -> Self {
    guard let store else {
      Trap.stop("Freezing an object of class '\(model.name)' that no store manages. Add it first.")
    }
    if store.isFrozen { return self }
    store.checkAccess("Freezing an object of class '\(model.name)'")
    let frozen = store.freeze()
    guard !isInvalidated, let object = counterpart(in: frozen) else {
      Trap.stop("Freezing an object of class '\(model.name)' that was deleted.")
    }
    return object
  }

  /// The live object, in the live store that ``Store/thaw(isolation:)`` gives; nil if it was deleted.
  ///
  /// A live object itself.
  public final func thaw(isolation: isolated (any Actor)? = #isolation) -> Self? {
    guard let store, store.isFrozen else { return self }
    guard let object = counterpart(in: store.thawed(in: isolation)), !object.isInvalidated else {
      return nil
    }
    return object
  }

  /// The same object in another store of the file; it may not be there.
  private final func counterpart(in store: Store) -> Self? {
    guard let layout, let (source, root) = source?.counterpart(in: store),
      let its = layout.counterpart(under: root)
    else { return nil }
    let object = its.model.type.init()
    object.bindNew(to: source, its, instance)
    return object as? Self
  }
}

extension RowLayout {
  /// The layout in the same place under a class's own.
  func counterpart(under root: RowLayout) -> RowLayout? {
    root.inner(along: slotProperties.map(\.id))
  }
}

extension Table {
  /// The same class in another store of the file.
  func counterpart(in store: Store) -> Table? {
    if model.type == DynamicObject.self { return store.dynamic.table(of: classID) }
    return store.table(of: classID)
  }
}

extension CollectionPlace {
  /// The same place in another store of the file; nil if the class is not there.
  func counterpart(in store: Store) -> CollectionPlace? {
    guard let (owner, root) = owner.counterpart(in: store), let row = owner.row,
      let layout = layout.counterpart(under: root)
    else { return nil }
    var place = self
    place.owner = owner
    place.row = row
    place.layout = layout
    place.elementTable = elementTable?.counterpart(in: store)
    return place
  }
}

extension ManagedCollection {
  /// The same collection in another store of the file; nil if it is not there.
  func counterpart(in store: Store) -> ManagedCollection? {
    guard let place = place.counterpart(in: store) else { return nil }
    let collection = ManagedCollection.make(kind, place)
    return collection?.isAlive == true ? collection : nil
  }
}

extension CollectionBase {
  /// True if the collection shows one version for good, and may be used anywhere.
  public final var isFrozen: Bool { store?.isFrozen ?? false }

  /// Makes a new handle that of this collection in the version that its store shows.
  fileprivate func frozen<Handle: CollectionBase>(_ handle: Handle) -> Handle {
    guard let place else {
      Trap.stop("Freezing a collection that no store manages. Add its object first.")
    }
    place.row.store.checkAccess("Freezing the \(place.kindName) '\(place.name)'")
    guard let collection = place.counterpart(in: place.row.store.freeze()) else {
      Trap.stop("Freezing the \(place.kindName) '\(place.name)' of an object that was deleted.")
    }
    handle.attach(to: collection)
    return handle
  }

  /// Makes a new handle that of the live collection; nil if that is gone.
  fileprivate func thawed<Handle: CollectionBase>(
    _ handle: Handle, in actor: (any Actor)?
  ) -> Handle? {
    guard let place,
      let collection = place.counterpart(in: place.row.store.thawed(in: actor))
    else { return nil }
    handle.attach(to: collection)
    return handle
  }
}

extension List {
  /// The list as it is in the version that its store shows; see ``Store/freeze()``.
  public func freeze() -> List { isFrozen ? self : frozen(List()) }

  /// The live list; nil if its object was deleted.
  public func thaw(isolation: isolated (any Actor)? = #isolation) -> List? {
    isFrozen ? thawed(List(), in: isolation) : self
  }
}

extension MutableSet {
  /// The set as it is in the version that its store shows; see ``Store/freeze()``.
  public func freeze() -> MutableSet { isFrozen ? self : frozen(MutableSet()) }

  /// The live set; nil if its object was deleted.
  public func thaw(isolation: isolated (any Actor)? = #isolation) -> MutableSet? {
    isFrozen ? thawed(MutableSet(), in: isolation) : self
  }
}

extension Map {
  /// The map as it is in the version that its store shows; see ``Store/freeze()``.
  public func freeze() -> Map { isFrozen ? self : frozen(Map()) }

  /// The live map; nil if its object was deleted.
  public func thaw(isolation: isolated (any Actor)? = #isolation) -> Map? {
    isFrozen ? thawed(Map(), in: isolation) : self
  }
}
