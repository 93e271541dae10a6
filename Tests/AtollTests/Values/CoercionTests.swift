import Atoll
import AtollVocabulary
import Foundation
import Testing

/// The table in `Coercion.swift`, line by line.
@Suite struct CoercionTests {
  /// Expects the result of each value for a property of `type`; `nil` where it takes none.
  private func expect(
    _ type: PersistedType, _ rows: [(Any, PersistedValue?)],
    _ location: SourceLocation = #_sourceLocation
  ) {
    for (any, expected) in rows {
      let found = Coercion.scalar(any, as: type)
      #expect(
        found == expected, "\(Swift.type(of: any)) \(any) as \(type)", sourceLocation: location)
    }
  }

  @Test func `rule 26: a Bool takes Bool, and 0 and 1`() {
    expect(
      .bool,
      [
        (true, .bool(true)), (0, .bool(false)), (1, .bool(true)), (UInt8(1), .bool(true)),
        (NSNumber(value: true), .bool(true)), (NSNumber(value: 0), .bool(false)), (2, nil),
        (-1, nil), (1.0, nil), (NSNumber(value: 1.0), nil), (NSNumber(value: 2), nil),
        ("true", nil),
        (Decimal128(1), nil),
      ])
  }

  @Test func `rule 26: an integer takes every width, and Bool as 0 and 1`() {
    expect(
      .int,
      [
        (Int8(-5), .int(-5)), (UInt16(5), .int(5)), (Int64.min, .int(.min)), (UInt64(7), .int(7)),
        (UInt64.max, nil), (Int128(9), .int(9)), (true, .int(1)), (NSNumber(value: false), .int(0)),
        (NSNumber(value: 5), .int(5)), (NSNumber(value: Int64.min), .int(.min)),
        (NSNumber(value: UInt64.max), nil), (NSNumber(value: 5.0), nil), (5.0, nil),
        (CGFloat(5), nil), ("5", nil), (Decimal128(5), nil), (NSDecimalNumber(string: "5"), nil),
      ])
  }

  @Test func `rule 26: a Float takes numbers within its range`() {
    expect(
      .float,
      [
        (Float(0.5), .float(0.5)), (0.5, .float(0.5)), (CGFloat(0.5), .float(0.5)), (3, .float(3)),
        (NSNumber(value: Float(2.5)), .float(2.5)), (NSNumber(value: 2.5), .float(2.5)),
        (Double.infinity, .float(.infinity)), (Double.nan, .float(.nan)), (1e300, nil),
        (NSNumber(value: 1e300), nil), (true, nil), ("0.5", nil), (Decimal128(1), nil),
      ])
  }

  @Test func `rule 26: a Double takes numbers of every width`() {
    expect(
      .double,
      [
        (0.1, .double(0.1)), (Float(0.5), .double(0.5)), (CGFloat(0.1), .double(0.1)),
        (Int8(-3), .double(-3)), (UInt64.max, .double(18_446_744_073_709_551_616)),
        (NSNumber(value: 3), .double(3)), (NSNumber(value: 0.1), .double(0.1)),
        (NSDecimalNumber(string: "0.1"), .double(0.1)), (-0.0, .double(-0.0)), (true, nil),
        (NSNumber(value: true), nil), ("0.1", nil),
      ])
  }

  @Test func `rule 26: a decimal takes numbers, by their shortest digits, and their texts`() throws
  {
    let tenth = try Decimal128(string: "0.1")
    expect(
      .decimal,
      [
        (tenth, .decimal(tenth)), ("0.1", .decimal(tenth)), (NSString("0.1"), .decimal(tenth)),
        (0.1, .decimal(tenth)), (Float(0.1), .decimal(tenth)),
        (NSNumber(value: 0.1), .decimal(tenth)),
        (Decimal(string: "0.1") as Any, .decimal(tenth)), (7, .decimal(7)),
        (UInt64.max, .decimal(Decimal128(UInt64.max))),
        (NSDecimalNumber(string: "0.1"), .decimal(tenth)),
        ("1E3", .decimal(try Decimal128(string: "1E3"))), ("ten", nil), (true, nil), (Data(), nil),
      ])
  }

  @Test func `rule 26: a String takes texts only`() {
    expect(
      .string,
      [
        ("a\0b", .string("a\0b")), ("abc".dropFirst(), .string("bc")),
        (NSString("x"), .string("x")),
        (5, nil), (Character("x"), nil), (UUID(), nil), (URL(fileURLWithPath: "/"), nil),
      ])
  }

  @Test func `rule 26: data and dates take Foundation's classes too`() {
    let date = Date(timeIntervalSinceReferenceDate: 0.1)
    expect(
      .data,
      [(Data([1]), .data([1])), (NSData(data: Data([2])), .data([2])), ("x", nil), ([1], nil)])
    expect(
      .date,
      [
        (date, .date(0.1)), (NSDate(timeIntervalSinceReferenceDate: 0.1), .date(0.1)), (0.1, nil),
        ("2001-01-01", nil),
      ])
  }

  @Test func `rule 26: identifiers take their texts`() throws {
    let (uuid, id) = (UUID(), ObjectId.generate())
    let bytes = PersistedValue.uuid(UniqueBytes(uuid))
    expect(
      .uuid,
      [
        (uuid, bytes), (uuid.uuidString, bytes), (uuid.uuidString.lowercased(), bytes),
        (NSUUID(uuidString: uuid.uuidString) as Any, bytes), ("no id", nil), (id, nil),
      ])
    expect(
      .objectId,
      [(id, .objectId(id)), (id.description, .objectId(id)), ("short", nil), (uuid, nil)])
  }

  @Test func `rule 31: optionals are looked through at any depth, and nil is not a value`() {
    let deep: Int??? = 5
    expect(.int, [(deep as Any, .int(5)), (Int??.none as Any, nil), (NSNull(), nil)])
    expect(.string, [(String??("x") as Any, .string("x"))])
    expect(.double, [(Optional(NSNumber(value: 3)) as Any, .double(3))])
    #expect(Int8._coerce(deep as Any)?.scalar == .int(5))
    #expect(Int8?._coerceElement(Int8??.some(nil) as Any)?.isNull == true)
    #expect(Int8?._coerceElement(NSNull())?.isNull == true)
    #expect(Int8._coerceElement(NSNull()) == nil)
  }

  @Test func `an integer that is wider than its property is refused`() {
    #expect(Int8._coerce(300) == nil && Int8._coerce(-128)?.scalar == .int(-128))
    #expect(Int16._coerce(NSNumber(value: 40_000)) == nil)
    #expect(Int32._coerce(UInt32.max) == nil && Int64._coerce(UInt32.max) != nil)
  }

  @Test func `rule 26: mapped values and enums count as what they are stored as`() {
    #expect(Int._coerce(Wrapped(value: 7))?.scalar == .int(7))
    #expect(String._coerce(ValuesKind.grass)?.scalar == .string("grass"))
    #expect(Int._coerce(ValuesKind.grass) == nil)
    #expect(ValuesKind._coerce("grass")?.scalar == .string("grass"))
    #expect(ValuesKind._coerce(ValuesKind.grass)?.scalar == .string("grass"))
    #expect(Wrapped._coerce(NSNumber(value: 7))?.scalar == .int(7))
    #expect(Wrapped._coerce(Wrapped(value: 7))?.scalar == .int(7))
  }

  @Test func `rule 27: an embedded mapping takes an object, a dictionary or an array`() {
    for raw: Any in [
      Location(value: [1, 2]), ["latitude": 1.0, "longitude": 2], [1, 2.0 as CGFloat],
    ] {
      let location = Coordinate._coerce(raw)?.object as? Location
      #expect(location?.latitude == 1 && location?.longitude == 2)
    }
    #expect(Coordinate._coerce("here") == nil)
  }
}
