import AtollStorage
import AtollVocabulary

/// A property itself rather than its value: what is stored, whether it converts, since when.
///
/// `object.$website` for `object.website`. Nothing here stops the process for what is stored.
public struct PersistedProperty<Value: _PropertyValue> {
  let owner: ObjectBase
  let property: PropertyDescriptor

  /// True if the stored value converts to the property's type, and every element of a collection.
  ///
  /// Nil does where it is allowed; a value that makes an optional property read nil does not.
  public var isConvertible: Bool { unconvertible.isEmpty }

  /// The value.
  ///
  /// - Throws: ``Store/Error/Code/invalidValue`` if the stored value, or an element, does not
  ///   convert; the message has class, property, key and stored value.
  ///   ``Store/Error/Code/invalidObject`` if the object was deleted;
  ///   ``Store/Error/Code/versionEnded`` if it is frozen and its version was ended.
  public func value() throws(Store.Error) -> Value {
    if owner.isInvalidated { throw absence }
    let unconvertible = unconvertible
    if unconvertible.isEmpty, let value = readable { return value }
    guard let stored = unconvertible.first?.stored else {
      throw Store.Error(.invalidValue, property.withoutDefault)
    }
    throw Store.Error(
      .invalidValue,
      "The persisted value '\(stored)' does not convert to type '\(Value.self)'. "
        + "\(property.place), in the object \(owner.shortDescription).")
  }

  /// Sets the value, as an assignment to the property does.
  ///
  /// - Throws: ``Store/Error/Code/invalidObject`` if the object was deleted,
  ///   ``Store/Error/Code/notInTransaction`` outside a write transaction of its store.
  public func set(_ value: Value) throws(Store.Error) {
    if owner.isInvalidated { throw absence }
    if owner.store?.isInWriteTransaction == false {
      throw Store.Error(
        .notInTransaction,
        "Assigning \(property.place) outside a write transaction. Do it inside "
          + "'try store.write { … }'.")
    }
    guard owner.isManaged else {
      _ = property.assign(value, to: owner)
      return
    }
    value._write(_Cell(object: owner, slot: Int32(property.slot)))
  }

  private var absence: Store.Error {
    if let store = owner.store, store.isFrozen, store.isInvalidated {
      return store.endOfVersion("Reading \(property.place)")
    }
    return Store.Error(
      .invalidObject,
      owner.managedRow?.absence(property.slot, of: owner)
        ?? "Using \(property.place) of an object that was deleted, or replaced where it was embedded."
    )
  }

  private var readable: Value? {
    if let value = property.anyValue(of: owner) as? Value { return value }
    return cell.flatMap { Value._readIfConvertible($0) }
  }

  private var unconvertible: [UnconvertibleValue.Found] { property.unconvertible(in: owner) }

  /// The stored value; nil for an unmanaged object whose property has neither value nor default.
  fileprivate var cell: _Cell? {
    if owner.isManaged { return _Cell(object: owner, slot: Int32(property.slot)) }
    return property.inputIfAny(of: owner).map { _Cell(object: InputReader($0), slot: 0) }
  }
}

extension PersistedProperty where Value: _PersistableValue {
  /// The stored value as it is; nil if none is stored.
  public var persistedValue: Value.PersistedType? { cell.flatMap { Value._readPersisted($0) } }
}

extension PersistedProperty where Value: _OptionalProperty {
  /// The stored value as it is, also where the property reads nil because it does not convert.
  public var persistedValue: Value.PersistedType {
    Value._readStored(cell ?? _Cell(object: InputReader(_PropertyInput(.null)), slot: 0))
  }
}

extension PersistedProperty where Value: CollectionBase {
  /// The elements as they are stored: by index for lists and sets, by key for maps.
  public var persistedElements: [(element: UnconvertibleValue.Element, persistedValue: Any?)] {
    (property.inputIfAny(of: owner)?.elements ?? []).map {
      ($0.element, $0.stored.dynamicValue)
    }
  }

  /// The elements that do not convert.
  public var unconvertibleElements: [UnconvertibleValue.Element] {
    property.unconvertible(in: owner).compactMap(\.element)
  }
}

/// Marks optional properties.
public protocol _OptionalProperty: _PropertyValue {
  static func _readStored(_ cell: _Cell) -> PersistedType
}

extension Optional: _OptionalProperty where Wrapped: _PersistableValue {
  public static func _readStored(_ cell: _Cell) -> PersistedType {
    Wrapped._decodePersisted(cell.stored)
  }
}

extension Persisted {
  static func property<Owner: ObjectBase>(
    of owner: Owner, _ storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> PropertyDescriptor {
    let properties = owner.model.properties
    let slot = Int(owner[keyPath: storage].slot)
    if properties.indices.contains(slot) { return properties[slot] }
    owner[keyPath: storage].traits.insert(.sought)
    defer { owner[keyPath: storage].traits.remove(.sought) }
    guard let property = properties.first(where: { $0.isSought(in: owner) }) else {
      Trap.stop("A @Persisted property that its class ignores has nothing stored to speak of.")
    }
    return property
  }
}
