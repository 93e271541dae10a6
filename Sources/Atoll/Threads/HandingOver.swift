import AtollStorage

// What the things that can be handed over are in another store of the file.

extension ObjectBase: ThreadConfined {
  public final var _confiningStore: Store? { store }

  public final func _handingOver() -> _HandedOver {
    let start = ObjectStart(handingOver: self)
    return _HandedOver { store in
      guard let object = start.object(in: store), !object.isInvalidated else { return nil }
      return object
    }
  }
}

extension List: ThreadConfined {
  public var _confiningStore: Store? { store }

  public func _handingOver() -> _HandedOver {
    let start = CollectionStart(handingOver: self)
    return _HandedOver { store in start.attached(List(), in: store) }
  }
}

extension MutableSet: ThreadConfined {
  public var _confiningStore: Store? { store }

  public func _handingOver() -> _HandedOver {
    let start = CollectionStart(handingOver: self)
    return _HandedOver { store in start.attached(MutableSet(), in: store) }
  }
}

extension Map: ThreadConfined {
  public var _confiningStore: Store? { store }

  public func _handingOver() -> _HandedOver {
    let start = CollectionStart(handingOver: self)
    return _HandedOver { store in start.attached(Map(), in: store) }
  }
}

extension CollectionStart {
  /// The collection in a store of the file; nil if it is gone.
  fileprivate func attached(_ handle: CollectionBase, in store: Store) -> CollectionBase? {
    guard let collection = collection(in: store), collection.isAlive else { return nil }
    handle.attach(to: collection)
    return handle
  }
}
