/// Makes a property of a model class part of the store.
///
/// ```swift
/// @Persisted(primaryKey: true) var icao: String
/// @Persisted(indexed: true) var city: String
/// @Persisted(indexed: .fullText) var name: String
/// @Persisted var country: Country?
/// ```
///
/// Without an explicit default the value is nil, zero, empty, *now* for `Date`, random for `UUID`
/// and `ObjectId`; it is made at the first read and then kept. Types of the application's own, see
/// ``CustomPersistable``, are stored in `@Persisted` properties and nowhere else.
@propertyWrapper
public struct Persisted<Value: _PropertyValue> {
  /// The value of an unmanaged object once there is one; a managed object keeps collections only.
  @usableFromInline var value: Value?
  /// The index of the property in its class; negative while the object is unmanaged, and for
  /// properties that the class ignores.
  @usableFromInline var slot: Int32 = -1
  @usableFromInline var traits: PersistedTraits

  /// Declares a property that starts with its type's default.
  @inlinable public init() { self.init(value: nil, traits: []) }

  /// Declares a property that starts with `wrappedValue`.
  @inlinable public init(wrappedValue: Value) { self.init(value: wrappedValue, traits: []) }

  @inlinable init(value: Value?, slot: Int32 = -1, traits: PersistedTraits) {
    self.value = value
    self.slot = slot
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
    @inline(__always) get {
      // Literal key paths that are only projected whole are folded to a field access.
      let wrapper = owner[keyPath: storage]
      if let value = wrapper.value { return value }
      if owner.isManaged, !Value._isHandle, wrapper.slot >= 0 {
        return Value._read(_Cell(object: owner, slot: wrapper.slot))
      }
      guard let made = wrapper.make(for: owner) else {
        owner[keyPath: storage] = wrapper.sought
        stopWithoutDefault(owner)
      }
      owner[keyPath: storage] = Self(
        value: made, slot: wrapper.slot, traits: wrapper.traits.union(.made))
      return made
    }
    @inline(__always) set {
      if owner.isManaged, owner[keyPath: storage].slot >= 0 {
        newValue._write(_Cell(object: owner, slot: owner[keyPath: storage].slot))
      } else if Value._isHandle {
        owner[keyPath: storage].assign(newValue)
      } else {
        // Set whole, for the same reason. The other traits stay, because `init()` of the class's
        // prototype may be what assigns.
        owner[keyPath: storage] = Self(
          value: newValue, traits: owner[keyPath: storage].traits.union(.assigned))
      }
    }
  }

  @available(*, unavailable, message: "@Persisted is for properties of Object and EmbeddedObject")
  public var projectedValue: PersistedProperty<Value> { fatalError("unreachable") }

  /// The property itself.
  public static subscript<Owner: ObjectBase>(
    _enclosingInstance owner: Owner,
    projected projected: KeyPath<Owner, PersistedProperty<Value>>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> PersistedProperty<Value> {
    PersistedProperty(owner: owner, property: property(of: owner, storage))
  }

  @inlinable mutating func assign(_ newValue: Value) {
    value = newValue._replacing(value)
    traits.insert(.assigned)
  }

  /// The default of an unmanaged object, or the handle of a managed object's collection.
  @usableFromInline func make(for owner: ObjectBase) -> Value? {
    owner.isManaged && slot >= 0
      ? Value._read(_Cell(object: owner, slot: slot)) : Value._makeDefault()
  }

  /// The wrapper marked, so that it can be told from its siblings.
  @usableFromInline var sought: Self {
    Self(value: value, slot: slot, traits: traits.union(.sought))
  }
}

/// The traits of a wrapper's property besides the value.
@usableFromInline struct PersistedTraits: OptionSet {
  @usableFromInline let rawValue: UInt8
  @inlinable init(rawValue: UInt8) { self.rawValue = rawValue }

  @inlinable static var primaryKey: PersistedTraits { PersistedTraits(rawValue: 1) }
  @inlinable static var indexed: PersistedTraits { PersistedTraits(rawValue: 2) }
  @inlinable static var fullText: PersistedTraits { PersistedTraits(rawValue: 16) }
  @inlinable static var spatial: PersistedTraits { PersistedTraits(rawValue: 32) }
  /// The application gave the value; otherwise it is the model's default.
  @inlinable static var assigned: PersistedTraits { PersistedTraits(rawValue: 4) }
  /// The value is the type's default, made at the first reading.
  @inlinable static var made: PersistedTraits { PersistedTraits(rawValue: 64) }
  /// The traits of a wrapper that holds a value which its declaration does not give.
  static var holding: PersistedTraits { [.assigned, .made] }
  /// Set only on the way to a message, so that the wrapper can be told from its siblings.
  static var sought: PersistedTraits { PersistedTraits(rawValue: 8) }
}
