/// A type of the application's own that properties can have, stored as another type.
///
/// `persistableValue` says what is stored, `init(persistedValue:)` gets the value back, and cannot
/// fail. `PersistedType` is a scalar or an ``EmbeddedObject`` subclass:
///
/// ```swift
/// extension Coordinate: CustomPersistable {
///   init(persistedValue: Location) {
///     self.init(latitude: persistedValue.latitude, longitude: persistedValue.longitude)
///   }
///   var persistableValue: Location { … }
/// }
/// ```
///
/// Conversions run at every read and write, are never cached, and must be pure.
public typealias CustomPersistable =
  _CustomMapping & _Mapping & _PersistableValue & _PropertyValue & _ListElement

/// A type of the application's own whose conversion from the stored type may fail.
///
/// A value that does not convert reads as nil where the property is optional, and stops the process
/// where it is not; `object.$property.value()` throws instead. Reading never changes what is
/// stored.
public typealias FailableCustomPersistable =
  _FailableMapping & _Mapping & _PersistableValue & _PropertyValue & _ListElement

/// The conversion of ``CustomPersistable``.
public protocol _CustomMapping {
  associatedtype PersistedType
  init(persistedValue: PersistedType)
}

/// The conversion of ``FailableCustomPersistable``.
public protocol _FailableMapping {
  associatedtype PersistedType
  init?(persistedValue: PersistedType)
}

/// The common part of both kinds of mapped type.
public protocol _Mapping: Hashable {
  associatedtype PersistedType: _BuiltinPersistable
  /// The value that is stored.
  var persistableValue: PersistedType { get }
  static func _convert(_ persisted: PersistedType) -> Self?
}

extension _Mapping where Self: _CustomMapping {
  public static func _convert(_ persisted: PersistedType) -> Self? {
    Self(persistedValue: persisted)
  }
}

extension _Mapping where Self: _FailableMapping {
  public static func _convert(_ persisted: PersistedType) -> Self? {
    Self(persistedValue: persisted)
  }
}

extension _Mapping {
  /// Hashes what is stored, embedded objects member by member, so that equal values hash equally.
  public func hash(into hasher: inout Hasher) {
    persistableValue._encode().hashContents(into: &hasher)
  }
}

extension _Mapping where Self: RawRepresentable, RawValue: Hashable {
  /// Chooses between the hash above and the one of raw values, for types that could have both.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

// The one place where a mapped value becomes a persisted one, and back.
extension _PersistableValue where Self: _Mapping {
  public static var _valueType: _PropertyType {
    var type = PersistedType._valueType
    type.isMapped = true
    return type
  }

  public static func _decode(_ stored: _Stored) -> Self? {
    PersistedType._decode(stored).flatMap(_convert)
  }

  public static func _decodePersisted(_ stored: _Stored) -> PersistedType? {
    PersistedType._decode(stored)
  }

  public func _encode() -> _Stored { persistableValue._encode() }

  public static func _makeDefault() -> Self? { _convert(PersistedType._makeBuiltin()) }

  public static func _makeForNull() -> Self? { _convert(PersistedType._makeBuiltinForNull()) }

  public static func _coerce(_ any: Any) -> _Stored? {
    if let mapped = any as? Self { return mapped._encode() }
    return PersistedType._coerce(any)
  }
}
