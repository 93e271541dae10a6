/// The base of model classes whose objects stand on their own.
///
/// ```swift
/// final class Country: Object {
///   @Persisted(primaryKey: true) var code: String
///   @Persisted var name: String
/// }
/// ```
///
/// Objects are made with `init()`, filled, and given to `add(_:update:)` of a ``Store``; from then on they are
/// live. They belong to the thread or queue of their store.
open class Object: ObjectBase, _PersistableValue, _BuiltinPersistable, _ListElement {
  public typealias PersistedType = Object

  public override init() { super.init() }

  /// The name of the primary key, for classes that do not use `@Persisted(primaryKey: true)`.
  open class func primaryKey() -> String? { nil }
}

/// The base of model classes whose objects belong to one property of one other object.
///
/// An embedded object comes into a store by assignment to its owner, has no primary key, and is
/// deleted with the owner or when something else is assigned.
open class EmbeddedObject: ObjectBase, _PersistableValue, _BuiltinPersistable, _ListElement {
  public typealias PersistedType = EmbeddedObject

  public override init() { super.init() }
}

extension Object {
  public static var _valueType: _PropertyType { _PropertyType(.link, target: self) }
  public static func _decode(_ stored: _Stored) -> Self? { stored.object as? Self }
  public static func _decodePersisted(_ stored: _Stored) -> Object? { stored.object as? Object }
  public final func _encode() -> _Stored { _Stored(self) }
  public static func _makeDefault() -> Self? { nil }
  public static func _makeForNull() -> Self? { nil }
  // For mappings to such a class, which compile and are refused by the schema (rule 2).
  public static func _makeBuiltin() -> Self { self.init() }
  public static func _makeBuiltinForNull() -> Self { self.init() }
  public static func _coerce(_ any: Any) -> _Stored? { coerceObject(any) }
}

extension EmbeddedObject {
  public static var _valueType: _PropertyType { _PropertyType(.embedded, target: self) }
  public static func _decode(_ stored: _Stored) -> Self? { stored.object as? Self }
  public static func _decodePersisted(_ stored: _Stored) -> EmbeddedObject? {
    stored.object as? EmbeddedObject
  }
  public final func _encode() -> _Stored { _Stored(self) }
  public static func _makeDefault() -> Self? { self.init() }
  public static func _makeForNull() -> Self? { self.init() }
  public static func _makeBuiltin() -> Self { self.init() }
  public static func _makeBuiltinForNull() -> Self { self.init() }
  public static func _coerce(_ any: Any) -> _Stored? { coerceObject(any) }
}

extension ObjectBase {
  /// An instance as it is, or a draft from what an object can be made of.
  fileprivate static func coerceObject(_ any: Any) -> _Stored? {
    if let object = any as? Self { return _Stored(object) }
    guard !isNull(any), !(any is any _PersistableValue) || any is ObjectBase else { return nil }
    guard any is ObjectBase || any is [String: Any] || any is [Any] || any is any Encodable
    else { return nil }
    return _Stored(draft(of: any))
  }
}
