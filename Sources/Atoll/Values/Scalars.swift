package import AtollVocabulary
public import Foundation

/// A type that is stored as it is.
public protocol _Scalar: _BuiltinPersistable, _PropertyValue, _ListElement
where PersistedType == Self {
  static var _scalarType: _PropertyType { get }
  /// Nil for null, for another type, and for a number that this width cannot hold.
  init?(_stored: _Stored)
  var _stored: _Stored { get }
  init()
}

extension _Scalar {
  public static var _valueType: _PropertyType { _scalarType }
  public static func _decode(_ stored: _Stored) -> Self? { Self(_stored: stored) }
  public static func _decodePersisted(_ stored: _Stored) -> Self? { Self(_stored: stored) }
  public func _encode() -> _Stored { _stored }
  public static func _makeDefault() -> Self? { _makeBuiltin() }
  public static func _makeForNull() -> Self? { _makeBuiltinForNull() }
  public static func _makeBuiltin() -> Self { Self() }
  public static func _makeBuiltinForNull() -> Self { Self() }

  public static func _coerce(_ any: Any) -> _Stored? {
    if let value = any as? Self, !(type(of: any) is AnyClass) { return value._stored }
    guard let value = Coercion.scalar(any, as: _scalarType.type) ?? mapped(any) else { return nil }
    return Self(_stored: _Stored(value))?._stored
  }

  /// Returns the stored value of a mapped type, an enum or an `AnyValue`, if it is of this type.
  private static func mapped(_ any: Any) -> PersistedValue? {
    if any is any _Scalar { return nil }
    guard let stored = (any as? any _PersistableValue)?._encode().scalar else { return nil }
    return stored.type == _scalarType.type ? stored : nil
  }
}

extension Bool: _Scalar, _Indexable {
  public static var _scalarType: _PropertyType { _PropertyType(.bool) }
  public init?(_stored: _Stored) {
    guard case .scalar(.bool(let value)) = _stored.content else { return nil }
    self = value
  }
  public var _stored: _Stored { _Stored(.bool(self)) }
}

/// The integer widths, all stored in 64 bits.
public protocol _StoredInteger: _Scalar, FixedWidthInteger, _Indexable, _PrimaryKey, _Ordered {}

extension _StoredInteger {
  public static var _scalarType: _PropertyType { _PropertyType(.int) }
  public init?(_stored: _Stored) {
    guard case .scalar(.int(let value)) = _stored.content else { return nil }
    self.init(exactly: value)
  }
  public var _stored: _Stored { _Stored(.int(Int64(self))) }
}

extension Int: _StoredInteger {}
extension Int8: _StoredInteger {}
extension Int16: _StoredInteger {}
extension Int32: _StoredInteger {}
extension Int64: _StoredInteger {}

extension Float: _Scalar, _Ordered {
  public static var _scalarType: _PropertyType { _PropertyType(.float) }
  public init?(_stored: _Stored) {
    guard case .scalar(.float(let value)) = _stored.content else { return nil }
    self = value
  }
  public var _stored: _Stored { _Stored(.float(self)) }
}

extension Double: _Scalar, _Ordered {
  public static var _scalarType: _PropertyType { _PropertyType(.double) }
  public init?(_stored: _Stored) {
    guard case .scalar(.double(let value)) = _stored.content else { return nil }
    self = value
  }
  public var _stored: _Stored { _Stored(.double(self)) }
}

extension String: _Scalar, _Indexable, _PrimaryKey, _Ordered {
  public static var _scalarType: _PropertyType { _PropertyType(.string) }
  public init?(_stored: _Stored) {
    guard case .scalar(.string(let value)) = _stored.content else { return nil }
    self = value
  }
  public var _stored: _Stored { _Stored(.string(self)) }
}

extension Data: _Scalar, _Ordered {
  public static var _scalarType: _PropertyType { _PropertyType(.data) }
  public init?(_stored: _Stored) {
    guard case .scalar(.data(let bytes)) = _stored.content else { return nil }
    self.init(bytes)
  }
  public var _stored: _Stored { _Stored(.data(Array(self))) }
}

extension Date: _Scalar, _Indexable, _Ordered {
  public static var _scalarType: _PropertyType { _PropertyType(.date) }
  public init?(_stored: _Stored) {
    guard case .scalar(.date(let seconds)) = _stored.content else { return nil }
    self.init(timeIntervalSinceReferenceDate: seconds)
  }
  public var _stored: _Stored { _Stored(.date(timeIntervalSinceReferenceDate)) }
  public static func _makeBuiltinForNull() -> Date { Date(timeIntervalSinceReferenceDate: 0) }
}

extension UUID: _Scalar, _Indexable, _PrimaryKey {
  public static var _scalarType: _PropertyType { _PropertyType(.uuid) }
  public init?(_stored: _Stored) {
    guard case .scalar(.uuid(let bytes)) = _stored.content else { return nil }
    self.init(bytes)
  }
  public var _stored: _Stored { _Stored(.uuid(UniqueBytes(self))) }
  public static func _makeBuiltinForNull() -> UUID { UUID(UniqueBytes(high: 0, low: 0)) }
}

extension ObjectId: _Scalar, _Indexable, _PrimaryKey {
  public typealias PersistedType = ObjectId
  public static var _scalarType: _PropertyType { _PropertyType(.objectId) }
  public init?(_stored: _Stored) {
    guard case .scalar(.objectId(let value)) = _stored.content else { return nil }
    self = value
  }
  public var _stored: _Stored { _Stored(.objectId(self)) }
  public static func _makeBuiltin() -> ObjectId { .generate() }
  public static func _makeBuiltinForNull() -> ObjectId { ObjectId() }
}

extension Decimal128: _Scalar, _Ordered {
  public typealias PersistedType = Decimal128
  public static var _scalarType: _PropertyType { _PropertyType(.decimal) }
  public init?(_stored: _Stored) {
    guard case .scalar(.decimal(let value)) = _stored.content else { return nil }
    self = value
  }
  public var _stored: _Stored { _Stored(.decimal(self)) }
}

extension UUID {
  package init(_ bytes: UniqueBytes) {
    var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    withUnsafeMutableBytes(of: &value) {
      $0.storeBytes(of: bytes.high.bigEndian, toByteOffset: 0, as: UInt64.self)
      $0.storeBytes(of: bytes.low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    self.init(uuid: value)
  }
}

extension UniqueBytes {
  package init(_ uuid: UUID) {
    let words = withUnsafeBytes(of: uuid.uuid) {
      (
        UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
        UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
    self.init(high: words.0, low: words.1)
  }
}
