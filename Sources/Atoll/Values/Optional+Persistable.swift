import Foundation
import AtollVocabulary

extension Optional: _PropertyValue where Wrapped: _PersistableValue {
  /// The stored type of the value, or null.
  public typealias PersistedType = Wrapped.PersistedType?

  public static var _propertyType: _PropertyType {
    var type = Wrapped._valueType
    type.isOptional = true
    return type
  }

  @inlinable public static var _isHandle: Bool { false }

  public static func _makeDefault() -> Self? { .some(.none) }

  public static func _read(_ cell: _Cell) -> Self { Wrapped._decode(cell.stored) }

  public static func _readIfConvertible(_ cell: _Cell) -> Self? {
    let stored = cell.stored
    if stored.isNull { return .some(.none) }
    return Wrapped._decode(stored).map { .some($0) }
  }

  public static func _readPersisted(_ cell: _Cell) -> PersistedType? {
    .some(Wrapped._decodePersisted(cell.stored))
  }

  public func _write(_ cell: _Cell) { cell.assign(encoded) }

  @inlinable public func _replacing(_ old: Self?) -> Self { self }

  public func _encodeProperty() -> _PropertyInput { _PropertyInput(encoded) }

  public static func _coerceProperty(_ any: Any) -> _PropertyInput? {
    if let stored = Wrapped._coerce(any) { return _PropertyInput(stored) }
    return isNull(any) ? _PropertyInput(.null) : nil
  }

  private var encoded: _Stored { map { $0._encode() } ?? .null }
}

extension Optional: _ListElement where Wrapped: _PersistableValue {
  public static var _elementType: _PropertyType {
    var type = Wrapped._valueType
    type.isOptional = true
    return type
  }

  public static func _decodeElement(_ stored: _Stored) -> Self? { .some(Wrapped._decode(stored)) }
  public func _encodeElement() -> _Stored { map { $0._encode() } ?? .null }

  public static func _coerceElement(_ any: Any) -> _Stored? {
    Wrapped._coerce(any) ?? (isNull(any) ? .null : nil)
  }
}

extension Optional: _Indexable where Wrapped: _Indexable {}
extension Optional: _PrimaryKey where Wrapped: _PrimaryKey {}
extension Optional: _Ordered where Wrapped: _Ordered {}

/// Tells whether `any` says nil: `NSNull`, or an optional without a value at any depth.
func isNull(_ any: Any) -> Bool {
  if any is NSNull { return true }
  guard let optional = any as? any OptionalValue else { return false }
  return optional.isEmpty
}

private protocol OptionalValue { var isEmpty: Bool { get } }

extension Optional: OptionalValue {
  fileprivate var isEmpty: Bool {
    switch self {
    case .none: true
    case .some(let value): isNull(value)
    }
  }
}
