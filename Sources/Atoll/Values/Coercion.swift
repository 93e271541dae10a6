package import AtollVocabulary
import Foundation

// The conversion of values for a property, an element or an argument, where the type is only known
// as `Any`.
//
//   stored as    takes
//   Bool         Bool; an integer 0 or 1
//   Int          an integer of any width that fits; Bool as 0 or 1
//   Float        Float; integers; Double, CGFloat and other floating point within Float's range,
//                infinities and NaN
//   Double       floating point of any width; integers; decimals
//   Decimal128   Decimal128; Foundation's Decimal; integers; floating point by its shortest
//                digits; the text of a number
//   String       String, Substring, NSString
//   Data         Data, NSData
//   Date         Date, NSDate
//   UUID         UUID, NSUUID; its text
//   ObjectId     ObjectId; its text
//   any          all of the above by their own types; an object; arrays and dictionaries by string
//                of these; nil
//
// A fraction never becomes an integer, a Bool never a fraction, a number never a text, and a text a
// number only where it is a decimal. NSNumber counts as what it was made of. Optionals are looked
// through at any depth. A mapped value, an enum and an `AnyValue` count as what they are stored as.
// Nil is `NSNull` or an empty optional at any depth (rule 31), and is not here: whether a property
// takes it is its own affair.

/// The table above.
package enum Coercion {
  /// The scalar that `any` is in a place of `type`; nil if it is none.
  package static func scalar(_ any: Any, as type: PersistedType) -> PersistedValue? {
    switch type {
    case .bool: Number(any)?.bool.map { .bool($0) }
    case .int: Number(any)?.integer.map { .int($0) }
    case .float: Number(any)?.float.map { .float($0) }
    case .double: Number(any)?.double.map { .double($0) }
    case .decimal: decimal(any).map { .decimal($0) }
    case .string: text(any).map { .string($0) }
    case .data: data(any).map { .data($0) }
    case .date: date(any).map { .date($0) }
    case .uuid: uuid(any).map { .uuid($0) }
    case .objectId: objectId(any).map { .objectId($0) }
    case .identity, .link, .embedded, .any: nil
    }
  }

  /// The scalar that `any` is by its own type; nil if it is none.
  package static func natural(_ any: Any) -> PersistedValue? {
    if let number = Number(any) { return number.natural }
    if let text = text(any) { return .string(text) }
    if let data = data(any) { return .data(data) }
    if let date = date(any) { return .date(date) }
    switch any {
    case let value as UUID: return .uuid(UniqueBytes(value))
    case let value as NSUUID: return .uuid(UniqueBytes(value as UUID))
    case let value as ObjectId: return .objectId(value)
    default: return nil
    }
  }

  private static func decimal(_ any: Any) -> Decimal128? {
    if let number = Number(any) { return number.decimal }
    return text(any).flatMap { Decimal128($0) }
  }

  private static func text(_ any: Any) -> String? {
    switch any {
    case let value as String: value
    case let value as Substring: String(value)
    case let value as NSString: value as String
    default: nil
    }
  }

  private static func data(_ any: Any) -> [UInt8]? {
    switch any {
    case let value as Data: Array(value)
    case let value as NSData: Array(value as Data)
    default: nil
    }
  }

  private static func date(_ any: Any) -> Double? {
    switch any {
    case let value as Date: value.timeIntervalSinceReferenceDate
    case let value as NSDate: value.timeIntervalSinceReferenceDate
    default: nil
    }
  }

  private static func uuid(_ any: Any) -> UniqueBytes? {
    switch any {
    case let value as UUID: UniqueBytes(value)
    case let value as NSUUID: UniqueBytes(value as UUID)
    default: text(any).flatMap { UniqueBytes($0) }
    }
  }

  private static func objectId(_ any: Any) -> ObjectId? {
    any as? ObjectId ?? text(any).flatMap { ObjectId($0) }
  }
}

/// The object in `any`, if its own class is `type` or below; what Swift would bridge to it is not.
func instance<Class: AnyObject>(_ any: Any, of _: Class.Type) -> Class? {
  guard let object = any as? Class else { return nil }
  return innermost(type(of: any)) is AnyClass ? object : nil
}

private func innermost(_ type: Any.Type) -> Any.Type {
  (type as? any OptionalType.Type)?.innermost ?? type
}

private protocol OptionalType { static var innermost: Any.Type { get } }

extension Optional: OptionalType {
  fileprivate static var innermost: Any.Type {
    (Wrapped.self as? any OptionalType.Type)?.innermost ?? Wrapped.self
  }
}

/// A number of any type, as what it was made.
private enum Number {
  case truth(Bool)
  case integer(Int64)
  /// Above what `Int64` holds.
  case large(UInt64)
  case single(Float)
  case double(Double)
  case decimal(Decimal128)

  init?(_ any: Any) {
    // Foundation casts its numbers to any type that holds the value; they are asked first.
    if let number = instance(any, of: NSNumber.self) {
      self.init(number)
      return
    }
    switch any {
    case let value as Bool: self = .truth(value)
    case let value as Int: self = .integer(Int64(value))
    case let value as Double: self = .double(value)
    case let value as Float: self = .single(value)
    case let value as Decimal128: self = .decimal(value)
    case let value as Decimal: self = .decimal(Decimal128(value))
    case let value as any BinaryInteger: self.init(integer: value)
    case let value as any BinaryFloatingPoint: self = .double(Double(value))
    default: return nil
    }
  }

  private init?(integer value: some BinaryInteger) {
    if let small = Int64(exactly: value) {
      self = .integer(small)
    } else if let large = UInt64(exactly: value) {
      self = .large(large)
    } else {
      return nil
    }
  }

  private static let truthClass: AnyClass = type(of: NSNumber(value: true))

  private init(_ number: NSNumber) {
    if number is NSDecimalNumber {
      self = .decimal(Decimal128(number.decimalValue))
    } else if type(of: number) == Number.truthClass {
      self = .truth(number.boolValue)
    } else {
      switch String(cString: number.objCType) {
      case "f": self = .single(number.floatValue)
      case "d": self = .double(number.doubleValue)
      case "Q" where number.uint64Value > Int64.max: self = .large(number.uint64Value)
      default: self = .integer(number.int64Value)
      }
    }
  }

  var natural: PersistedValue? {
    switch self {
    case .truth(let value): .bool(value)
    case .integer(let value): .int(value)
    case .large: nil
    case .single(let value): .float(value)
    case .double(let value): .double(value)
    case .decimal(let value): .decimal(value)
    }
  }

  var bool: Bool? {
    switch self {
    case .truth(let value): value
    case .integer(0): false
    case .integer(1): true
    case .integer, .large, .single, .double, .decimal: nil
    }
  }

  var integer: Int64? {
    switch self {
    case .truth(let value): value ? 1 : 0
    case .integer(let value): value
    case .large, .single, .double, .decimal: nil
    }
  }

  var float: Float? {
    switch self {
    case .integer(let value): Float(value)
    case .large(let value): Float(value)
    case .single(let value): value
    case .double(let value): value.isFinite && !Float(value).isFinite ? nil : Float(value)
    case .truth, .decimal: nil
    }
  }

  var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .large(let value): Double(value)
    case .single(let value): Double(value)
    case .double(let value): value
    case .decimal(let value): Double(value)
    case .truth: nil
    }
  }

  var decimal: Decimal128? {
    switch self {
    case .integer(let value): Decimal128(value)
    case .large(let value): Decimal128(value)
    case .single(let value): Decimal128(value)
    case .double(let value): Decimal128(value)
    case .decimal(let value): value
    case .truth: nil
    }
  }
}
