public import Foundation

/// A value whose type is chosen when it is written, not when its property is declared.
///
/// ```swift
/// @Persisted var setting: AnyValue
/// object.setting = 5
/// object.setting = .string("five")
/// object.setting = ["sizes": [1, 2, 3], "owner": .object(person)]
/// ```
///
/// A scalar of any type, an object of any class of the store, or a list or map of such values, inside
/// one another. It is never optional: no value is ``none``. A list or map read from a managed object
/// is live, and changes to it are recorded as such; assigning replaces the whole.
public enum AnyValue {
  /// No value.
  case none
  /// A whole number, of which 64 bits are kept.
  case int(Int)
  /// True or false.
  case bool(Bool)
  /// A number of single precision.
  case float(Float)
  /// A number of double precision.
  case double(Double)
  /// A text.
  case string(String)
  /// Bytes.
  case data(Data)
  /// A moment, to the nanosecond.
  case date(Date)
  /// A link; reads as ``none`` once the object is deleted.
  case object(Object)
  /// An object id.
  case objectId(ObjectId)
  /// A decimal number.
  case decimal128(Decimal128)
  /// A UUID.
  case uuid(UUID)
  /// A list of such values.
  case list(List<AnyValue>)
  /// A map from text to such values.
  case dictionary(Map<String, AnyValue>)
}

// MARK: - Reading by type

extension AnyValue {
  /// The value, if it is an `Int`; another type is not converted, here and below.
  public var intValue: Int? { if case .int(let value) = self { value } else { nil } }
  /// The value, if it is a `Bool`.
  public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The value, if it is a `Float`.
  public var floatValue: Float? { if case .float(let value) = self { value } else { nil } }
  /// The value, if it is a `Double`.
  public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }
  /// The value, if it is a `String`.
  public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
  /// The value, if it is `Data`.
  public var dataValue: Data? { if case .data(let value) = self { value } else { nil } }
  /// The value, if it is a `Date`.
  public var dateValue: Date? { if case .date(let value) = self { value } else { nil } }
  /// The value, if it is an `ObjectId`.
  public var objectIdValue: ObjectId? { if case .objectId(let value) = self { value } else { nil } }
  /// The value, if it is a `Decimal128`.
  public var decimal128Value: Decimal128? {
    if case .decimal128(let value) = self { value } else { nil }
  }
  /// The value, if it is a `UUID`.
  public var uuidValue: UUID? { if case .uuid(let value) = self { value } else { nil } }
  /// The value, if it is a list.
  public var listValue: List<AnyValue>? { if case .list(let value) = self { value } else { nil } }
  /// The value, if it is a map.
  public var dictionaryValue: Map<String, AnyValue>? {
    if case .dictionary(let value) = self { value } else { nil }
  }

  /// The object, if it is one of class `type`.
  public func object<Model: Object>(_ type: Model.Type) -> Model? {
    if case .object(let value) = self { value as? Model } else { nil }
  }

  /// The managed object as one whose properties are known by name, whatever its class; nil if this
  /// is no object, or one of no store.
  public var dynamicObject: DynamicObject? {
    guard case .object(let object) = self else { return nil }
    if let object = object as? DynamicObject { return object }
    guard let row = object.managedRow else { return nil }
    return row.store.dynamic.table(of: row.table.classID)?.object(row.id) as? DynamicObject
  }

  /// True if there is no value.
  public var isNone: Bool { if case .none = self { true } else { false } }

  /// The element of a list; nil if this is no list.
  public subscript(index: Int) -> AnyValue? {
    get { listValue?[index] }
    nonmutating set { if let newValue { listValue?[index] = newValue } }
  }

  /// The value of a key; nil if this is no map, or has no such key.
  public subscript(key: String) -> AnyValue? {
    get { dictionaryValue?[key] }
    nonmutating set { dictionaryValue?[key] = newValue }
  }
}

// MARK: - Making

extension AnyValue {
  /// No value.
  public init() { self = .none }

  /// A list that no store manages, of the elements of an array.
  public static func fromArray(_ array: [AnyValue]) -> AnyValue { .list(List(array)) }

  /// A map that no store manages, of the entries of a dictionary.
  public static func fromDictionary(_ dictionary: [String: AnyValue]) -> AnyValue {
    .dictionary(Map(dictionary))
  }
}

extension AnyValue: ExpressibleByNilLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral, ExpressibleByStringInterpolation,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(nilLiteral: ()) { self = .none }
  public init(integerLiteral value: Int) { self = .int(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(arrayLiteral elements: AnyValue...) { self = .fromArray(elements) }

  /// The last value of a key that is there twice counts.
  public init(dictionaryLiteral elements: (String, AnyValue)...) {
    self = .fromDictionary(Dictionary(elements) { _, last in last })
  }
}

extension AnyValue: CustomStringConvertible {
  /// The value alone, as its own type describes it.
  public var description: String {
    switch self {
    case .none: "nil"
    case .int(let value): value.description
    case .bool(let value): value.description
    case .float(let value): value.description
    case .double(let value): value.description
    case .string(let value): value
    case .data(let value): value.description
    case .date(let value): value.description
    case .object(let value): value.description
    case .objectId(let value): value.description
    case .decimal128(let value): value.description
    case .uuid(let value): value.description
    case .list(let value): value.description
    case .dictionary(let value): value.description
    }
  }
}
