import AtollStorage
import AtollVocabulary

// Handing things over to another store of the file.

extension ObjectBase: ThreadConfined {
  public final var _confiningStore: Store? { store }

  public final func _handingOver() -> _HandedOver {
    if let start = ElementStart(self) {
      return _HandedOver { store in start.object(in: store) }
    }
    let start = ObjectStart(handingOver: self)
    return _HandedOver { store in
      guard let object = start.object(in: store), !object.isInvalidated else { return nil }
      return object
    }
  }
}

/// The place of an embedded object that is an element of a list or map, or is embedded in one.
private struct ElementStart: Sendable {
  private let collection: CollectionStart
  private let id: ElementID
  /// From the element's class to the object's.
  private let steps: [PropertyID]
  private let instance: Int64

  /// Nil for any other object, and for one that is not there any more.
  init?(_ object: ObjectBase) {
    guard let element = object.source as? ManagedElement, let layout = object.layout,
      !object.isInvalidated
    else { return nil }
    collection = CollectionStart(of: element.collection)
    id = element.id
    steps = layout.slotProperties.map(\.id)
    instance = object.instance
  }

  /// The object in a store of the file; nil if it is gone.
  func object(in store: Store) -> ObjectBase? {
    guard let collection = collection.collection(in: store), collection.isAlive,
      let element = collection.element(id), case .embedded(let columns) = element.value,
      let layout = collection.place.elementTable?.layout.inner(along: steps)
    else { return nil }
    let object = layout.model.type.init()
    object.bindNew(to: ManagedElement(collection, element, columns, at: -1), layout, instance)
    return object.isInvalidated ? nil : object
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
