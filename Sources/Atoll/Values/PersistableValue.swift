import AtollVocabulary

// The protocols below carry no inheritance among themselves: a conditional conformance such as
// `extension Measurement: CustomPersistable where UnitType == UnitLength` would have to repeat every
// inherited protocol. `CustomPersistable` is their composition instead.

/// A single value that can be persisted: a scalar, an object, or a type mapped to one of them.
public protocol _PersistableValue {
  /// The type that the file holds.
  associatedtype PersistedType
  static var _valueType: _PropertyType { get }
  /// The value, nil for null and for what does not convert.
  static func _decode(_ stored: _Stored) -> Self?
  /// The stored value before any mapping, nil for null.
  static func _decodePersisted(_ stored: _Stored) -> PersistedType?
  func _encode() -> _Stored
  /// A fresh default for a new object; nil if a mapping rejects its persisted type's default.
  static func _makeDefault() -> Self?
  /// Returns the value of a required property where the file has null.
  static func _makeForNull() -> Self?
  /// The value for `any` in its mapped or its persisted form, as stored; nil if it is neither.
  static func _coerce(_ any: Any) -> _Stored?
}

/// A type that a `@Persisted` property can have.
public protocol _PropertyValue {
  associatedtype PersistedType
  static var _propertyType: _PropertyType { get }
  /// True if the wrapper keeps the value although the object is managed: collections are handles.
  static var _isHandle: Bool { get }
  static func _makeDefault() -> Self?
  /// The value of a managed object's property; stops if it must not be nil and does not convert.
  static func _read(_ cell: _Cell) -> Self
  /// The value of a managed object's property, nil if it must not be nil and does not convert.
  static func _readIfConvertible(_ cell: _Cell) -> Self?
  static func _readPersisted(_ cell: _Cell) -> PersistedType?
  func _write(_ cell: _Cell)
  /// Returns the value that an unmanaged object keeps when this is assigned over `old`.
  func _replacing(_ old: Self?) -> Self
  /// The value as a new row takes it.
  func _encodeProperty() -> _PropertyInput
  static func _coerceProperty(_ any: Any) -> _PropertyInput?
  /// Returns the value of the wrapper at `address`, as a new row takes it; nil if it holds nothing.
  static func _encodeHeld(_ address: UnsafeMutableRawPointer) -> _PropertyInput?
  /// Makes the wrapper at `address` that of a managed object.
  ///
  /// It gives up what it holds, which is the value of a new object; `keepsHandle` says that a
  /// collection it holds has been handed out and becomes the managed object's.
  static func _bind(_ address: UnsafeMutableRawPointer, _ slot: Int32, keepsHandle: Bool)
}

// Requirements rather than generic functions, so that each type has them specialised.
extension _PropertyValue {
  @inlinable
  public static func _encodeHeld(_ address: UnsafeMutableRawPointer) -> _PropertyInput? {
    address.assumingMemoryBound(to: Persisted<Self>.self).pointee.value?._encodeProperty()
  }

  @inlinable
  public static func _bind(
    _ address: UnsafeMutableRawPointer, _ slot: Int32, keepsHandle: Bool
  ) {
    let wrapper = address.assumingMemoryBound(to: Persisted<Self>.self)
    wrapper.pointee.slot = slot
    if !(_isHandle && keepsHandle) { wrapper.pointee.value = nil }
  }
}

/// A type of the elements of a `List` or `MutableSet` and of the values of a `Map`.
public protocol _ListElement {
  static var _elementType: _PropertyType { get }
  static func _decodeElement(_ stored: _Stored) -> Self?
  func _encodeElement() -> _Stored
  static func _coerceElement(_ any: Any) -> _Stored?
  /// Tells whether a stored element is one of this type, without reading as nil what it is not.
  static func _isConvertible(_ stored: _Stored) -> Bool
}

/// The value that a new row is given for one property.
public struct _PropertyInput {
  package enum Content {
    case single(_Stored)
    case list([_Stored])
    case set([_Stored])
    case map([_StoredEntry])
  }

  package var content: Content

  package init(_ stored: _Stored) { content = .single(stored) }
  package init(list: [_Stored]) { content = .list(list) }
  package init(set: [_Stored]) { content = .set(set) }
  package init(map: [_StoredEntry]) { content = .map(map) }
}

/// The types a mapped type can name as its `PersistedType`: scalars and embedded classes.
public protocol _BuiltinPersistable: _PersistableValue {
  static func _makeBuiltin() -> Self
  static func _makeBuiltinForNull() -> Self
}

/// Marks persisted types that the file can index.
public protocol _Indexable {}

/// Marks persisted types that can be a primary key.
public protocol _PrimaryKey {}

/// Marks persisted types that have an order: numbers, dates, strings and data.
public protocol _Ordered: _Sortable {}

// MARK: - Single values as properties and elements

extension _PropertyValue where Self: _PersistableValue {
  public static var _propertyType: _PropertyType { _valueType }

  @inlinable public static var _isHandle: Bool { false }

  public static func _read(_ cell: _Cell) -> Self {
    let stored = cell.stored
    if let value = _decode(stored) { return value }
    if stored.isNull, let value = _makeForNull() { return value }
    cell.stopUnconvertible(stored, to: Self.self)
  }

  public static func _readIfConvertible(_ cell: _Cell) -> Self? {
    let stored = cell.stored
    return _decode(stored) ?? (stored.isNull ? _makeForNull() : nil)
  }

  public static func _readPersisted(_ cell: _Cell) -> PersistedType? {
    _decodePersisted(cell.stored)
  }

  public func _write(_ cell: _Cell) { cell.assign(_encode()) }

  @inlinable public func _replacing(_ old: Self?) -> Self { self }

  public func _encodeProperty() -> _PropertyInput { _PropertyInput(_encode()) }

  public static func _coerceProperty(_ any: Any) -> _PropertyInput? {
    if let stored = _coerce(any) { return _PropertyInput(stored) }
    return _valueType.type == .embedded && isNull(any) ? _PropertyInput(.null) : nil
  }
}

extension _ListElement where Self: _PersistableValue {
  public static var _elementType: _PropertyType { _valueType }
  /// Null reads as the type's default: where another build has optional elements, and in a map of
  /// embedded mappings (rule 29).
  public static func _decodeElement(_ stored: _Stored) -> Self? {
    _decode(stored) ?? (stored.isNull ? _makeForNull() : nil)
  }
  public func _encodeElement() -> _Stored { _encode() }
  public static func _coerceElement(_ any: Any) -> _Stored? { _coerce(any) }
}
