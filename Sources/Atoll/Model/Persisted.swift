/// Makes a property of a model class part of the store.
///
/// ```swift
/// @Persisted(primaryKey: true) var icao: String
/// @Persisted(indexed: true) var name: String
/// @Persisted var country: Country?
/// ```
///
/// Without an explicit default the value is nil, zero, empty, *now* for `Date`, random for `UUID`
/// and `ObjectId`; it is made at the first read and then kept.
@propertyWrapper
public struct Persisted<Value: _PropertyValue> {
  /// The value of an unmanaged object once there is one; a managed object keeps collections only.
  @usableFromInline var value: Value?
  /// The index of the property in its class; negative while the object is unmanaged.
  @usableFromInline var slot: Int32 = -1
  @usableFromInline var traits: PersistedTraits

  /// Declares a property that starts with its type's default.
  @inlinable public init() { self.init(value: nil, traits: []) }

  /// Declares a property that starts with `wrappedValue`.
  @inlinable public init(wrappedValue: Value) { self.init(value: wrappedValue, traits: []) }

  @inlinable init(value: Value?, traits: PersistedTraits) {
    self.value = value
    self.traits = traits
  }

  @available(*, unavailable, message: "@Persisted is for properties of Object and EmbeddedObject")
  public var wrappedValue: Value {
    get { fatalError("unreachable") }
    set { fatalError("unreachable: \(newValue)") }
  }

  @inlinable
  public static subscript<Owner: ObjectBase>(
    _enclosingInstance owner: Owner, wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    get {
      if let value = owner[keyPath: storage].value { return value }
      if owner.isManaged, !Value._isHandle {
        return Value._read(_Cell(object: owner, slot: owner[keyPath: storage].slot))
      }
      return readAndKeep(owner, storage)
    }
    set {
      if owner.isManaged {
        newValue._write(_Cell(object: owner, slot: owner[keyPath: storage].slot))
      } else {
        owner[keyPath: storage].assign(newValue)
      }
    }
  }

  @inlinable mutating func assign(_ newValue: Value) {
    value = newValue._replacing(value)
    traits.insert(.assigned)
  }

  /// Makes the default of an unmanaged object, or the handle of a managed object's collection.
  @usableFromInline static func readAndKeep<Owner: ObjectBase>(
    _ owner: Owner, _ storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    let made: Value
    if owner.isManaged {
      made = Value._read(_Cell(object: owner, slot: owner[keyPath: storage].slot))
    } else if let value = Value._makeDefault() {
      made = value
    } else {
      owner[keyPath: storage].traits.insert(.sought)
      stopWithoutDefault(owner)
    }
    owner[keyPath: storage].value = made
    return made
  }
}

/// What a wrapper knows about its property besides the value.
@usableFromInline struct PersistedTraits: OptionSet {
  @usableFromInline let rawValue: UInt8
  @inlinable init(rawValue: UInt8) { self.rawValue = rawValue }

  static var primaryKey: PersistedTraits { PersistedTraits(rawValue: 1) }
  static var indexed: PersistedTraits { PersistedTraits(rawValue: 2) }
  /// The application gave the value; otherwise it is the model's default.
  @inlinable static var assigned: PersistedTraits { PersistedTraits(rawValue: 4) }
  /// Set only on the way to a message, so that the wrapper can be told from its siblings.
  static var sought: PersistedTraits { PersistedTraits(rawValue: 8) }
}
