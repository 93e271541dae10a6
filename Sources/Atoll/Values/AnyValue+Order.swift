import AtollStorage
import Foundation

// Equality and order of values of different types.
//
// Numbers of every type (not Bool) are one kind and compare by value: 1, 1.0 and the decimal 1.00
// are equal. A `Float` counts as the `Double` it is, so that Float 0.1 is not Double 0.1; a `Double`
// with a fraction counts as its shortest decimal, so that Double 0.1 is decimal 0.1. NaN is equal to
// nothing and before every number, −0.0 equals 0.0.
//
// Strings compare as Swift compares them, dates and bytes by their order. Lists and maps are equal
// if their contents are; objects if they are the same object. Between kinds the order is: none,
// false and true, numbers, strings, data, dates, object ids, UUIDs, objects, lists, maps.

extension AnyValue: Equatable {
  public static func == (a: AnyValue, b: AnyValue) -> Bool {
    switch a {
    case .none: b.isNone
    case .int(let value): b.intValue.map { $0 == value } ?? equalNumbers(a, b)
    case .float, .double, .decimal128: equalNumbers(a, b)
    case .bool(let value): b.boolValue == value
    case .string(let value): b.stringValue == value
    case .data(let value): b.dataValue == value
    case .date(let value): b.dateValue == value
    case .objectId(let value): b.objectIdValue == value
    case .uuid(let value): b.uuidValue == value
    case .object(let value): b.object(Object.self)?.isSameObject(as: value) ?? false
    case .list(let value): b.listValue.map { $0 == value || $0.elementsEqual(value) } ?? false
    case .dictionary(let value):
      b.dictionaryValue.map { $0 == value || entries($0) == entries(value) } ?? false
    }
  }

  private static func equalNumbers(_ a: AnyValue, _ b: AnyValue) -> Bool {
    guard let a = a.number, let b = b.number else { return false }
    return a == b
  }

  fileprivate static func entries(_ map: Map<String, AnyValue>) -> [String: AnyValue] {
    Dictionary(map.map { ($0.key, $0.value) }) { first, _ in first }
  }

  /// A number of any type as a decimal that stands for it in comparisons.
  ///
  /// Integers are exact. Of other numbers the shortest decimal lies nearer to it than to any other,
  /// so that the order is kept.
  var number: Decimal128? {
    switch self {
    case .int(let value): return Decimal128(value)
    case .float(let value): return AnyValue.double(Double(value)).number
    case .double(let value):
      return Int64(exactly: value).map { Decimal128($0) } ?? Decimal128(value)
    case .decimal128(let value): return value
    case .none, .bool, .string, .data, .date, .object, .objectId, .uuid, .list, .dictionary:
      return nil
    }
  }
}

extension AnyValue: Hashable {
  public func hash(into hasher: inout Hasher) {
    hasher.combine(rank)
    switch self {
    case .none: break
    case .int, .float, .double, .decimal128: hasher.combine(number)
    case .bool(let value): hasher.combine(value)
    case .string(let value): hasher.combine(value)
    case .data(let value): hasher.combine(value)
    case .date(let value): hasher.combine(value)
    // Two accessors of one row are equal and need not have one hash of their own.
    case .object(let value): hasher.combine(ObjectIdentifier(type(of: value)))
    case .objectId(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .list(let value):
      for element in value { hasher.combine(element) }
    case .dictionary(let value): hasher.combine(AnyValue.entries(value))
    }
  }
}

extension AnyValue: Comparable {
  /// The place of the value's kind among the kinds.
  fileprivate var rank: Int {
    switch self {
    case .none: 0
    case .bool: 1
    case .int, .float, .double, .decimal128: 2
    case .string: 3
    case .data: 4
    case .date: 5
    case .objectId: 6
    case .uuid: 7
    case .object: 8
    case .list: 9
    case .dictionary: 10
    }
  }

  /// Tells whether `a` sorts before `b`.
  ///
  /// Objects sort by class and then in no order that means anything; lists element by element, maps
  /// by their entries in the order of keys.
  public static func < (a: AnyValue, b: AnyValue) -> Bool {
    a.rank == b.rank ? isOrdered(a, b) : a.rank < b.rank
  }

  /// Both are of one kind.
  private static func isOrdered(_ a: AnyValue, _ b: AnyValue) -> Bool {
    func compare<Value>(_ a: Value?, _ b: Value?, _ order: (Value, Value) -> Bool) -> Bool {
      guard let a, let b else { return false }
      return order(a, b)
    }
    return switch a {
    case .none: false
    case .int, .float, .double, .decimal128: compare(a.number, b.number, <)
    case .bool: compare(a.boolValue, b.boolValue) { !$0 && $1 }
    case .string: compare(a.stringValue, b.stringValue, <)
    case .data: compare(a.dataValue, b.dataValue) { $0.lexicographicallyPrecedes($1) }
    case .date: compare(a.dateValue, b.dateValue, <)
    case .objectId: compare(a.objectIdValue, b.objectIdValue, <)
    case .uuid:
      compare(a.uuidValue.map(bytes), b.uuidValue.map(bytes)) {
        $0.lexicographicallyPrecedes($1)
      }
    case .object:
      compare(a.object(Object.self).map(place), b.object(Object.self).map(place)) { $0 < $1 }
    case .list: compare(a.listValue, b.listValue) { $0.lexicographicallyPrecedes($1) }
    case .dictionary:
      compare(a.dictionaryValue?.map(Entry.init), b.dictionaryValue?.map(Entry.init)) {
        $0.lexicographicallyPrecedes($1)
      }
    }
  }

  private struct Entry: Comparable {
    var key: String
    var value: AnyValue

    init(_ entry: SingleMapEntry<String, AnyValue>) {
      key = entry.key
      value = entry.value
    }

    static func < (a: Entry, b: Entry) -> Bool { (a.key, a.value) < (b.key, b.value) }
  }

  private static func bytes(_ uuid: UUID) -> [UInt8] {
    withUnsafeBytes(of: uuid.uuid) { Array($0) }
  }

  private static func place(_ object: Object) -> (String, UInt64) {
    let row = object.managedRow.map { UInt64(bitPattern: $0.id.rawValue) }
    let address = UInt64(UInt(bitPattern: ObjectIdentifier(object)))
    return (type(of: object).className(), row ?? address)
  }
}
