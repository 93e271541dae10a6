/// An enum that is stored as its raw value.
///
/// ```swift
/// enum Surface: String, PersistableEnum {
///   case asphalt, grass, gravel
/// }
/// @Persisted var surface: Surface
/// ```
///
/// Without an explicit default a property starts with the first case, which is also what a required
/// property reads where nothing is stored. A raw value without a case, as a newer build may write
/// it, stays stored: an optional property reads nil, and a required one stops;
/// `object.$property.value()` throws instead. Cases are ordered by their raw values.
public protocol PersistableEnum: RawRepresentable, CaseIterable, Hashable, Comparable,
  _PersistableValue, _PropertyValue, _ListElement
where RawValue: _EnumRawValue, PersistedType == RawValue {}

/// The raw values that an enum can be stored as: integers of every width, floating point, strings.
public protocol _EnumRawValue: _Scalar, Hashable, Comparable {}

extension Int: _EnumRawValue {}
extension Int8: _EnumRawValue {}
extension Int16: _EnumRawValue {}
extension Int32: _EnumRawValue {}
extension Int64: _EnumRawValue {}
extension Float: _EnumRawValue {}
extension Double: _EnumRawValue {}
extension String: _EnumRawValue {}

extension PersistableEnum {
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

  public static var _valueType: _PropertyType {
    var type = RawValue._valueType
    type.isMapped = true
    return type
  }

  public static func _decode(_ stored: _Stored) -> Self? {
    RawValue._decode(stored).flatMap(Self.init(rawValue:))
  }

  public static func _decodePersisted(_ stored: _Stored) -> RawValue? { RawValue._decode(stored) }

  public func _encode() -> _Stored { rawValue._encode() }

  public static func _makeDefault() -> Self? { allCases.first }

  public static func _makeForNull() -> Self? { allCases.first }

  public static func _coerce(_ any: Any) -> _Stored? {
    if let value = any as? Self { return value._encode() }
    return RawValue._coerce(any)
  }
}
