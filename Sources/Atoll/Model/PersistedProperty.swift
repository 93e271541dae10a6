import AtollVocabulary

/// A property itself rather than its value: what is stored, and whether it converts.
///
/// `object.$website` for `object.website`. Nothing here stops the process for what is stored.
public struct PersistedProperty<Value: _PropertyValue> {
  let owner: ObjectBase
  let property: PropertyDescriptor

  /// Whether the stored value converts to the property's type; nil always does where it is allowed.
  public var isConvertible: Bool { Value._readIfConvertible(cell) != nil }

  /// The value.
  ///
  /// - Throws: ``Store/Error/Code/invalidValue`` if the stored value does not convert; the message
  ///   has class, property, key and stored value.
  public func value() throws(Store.Error) -> Value {
    if let value = Value._readIfConvertible(cell) { return value }
    throw Store.Error(
      .invalidValue,
      "The persisted value '\(cell.stored)' does not convert to type '\(Value.self)'. "
        + "\(property.place), in the object \(owner.shortDescription).")
  }

  fileprivate var cell: _Cell {
    if owner.isManaged { return _Cell(object: owner, slot: Int32(property.slot)) }
    return _Cell(object: InputReader(property.input(of: owner)), slot: 0)
  }
}

extension PersistedProperty where Value: _PersistableValue {
  /// The stored value as it is; nil if none is stored.
  public var persistedValue: Value.PersistedType? { Value._readPersisted(cell) }
}

extension PersistedProperty where Value: _OptionalProperty {
  /// The stored value as it is, also where the property reads nil because it does not convert.
  public var persistedValue: Value.PersistedType { Value._readStored(cell) }
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
    let properties = ModelClass.of(type(of: owner)).properties
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
