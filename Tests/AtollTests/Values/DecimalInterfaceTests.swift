import Atoll
import Foundation
import Testing

/// Decimals and object ids as an application that was written for Realm makes and asks them.
@Suite struct DecimalInterfaceTests {
  @Test func `a decimal is made of literals of every kind`() {
    let (float, integer): (Decimal128, Decimal128) = (3.14159, 123)
    let text: Decimal128 = "0.1234567890123456789012345678901234"
    #expect(float.description == "3.14159" && integer.description == "123")
    #expect(text.description == "0.1234567890123456789012345678901234")
    #expect(Decimal128("9.876543") == 9.876543)
    #expect("-Infinity" as Decimal128 == -.infinity)
  }

  @Test func `a literal text that is no number stops`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = "twelve" as Decimal128
    }
    #expect(said(result, "Making a Decimal128: the literal 'twelve' is not a decimal number."))
  }

  @Test func `a decimal is made of a value of any numeric type, or its text`() throws {
    let decimal = try #require(Decimal(string: "0.1"))
    let numbers: [Any] = [
      Int8(-5), UInt64.max, 2.5, Float(0.1), "1E+3", NSNumber(value: 7), decimal,
      Int?.some(3) as Any,
    ]
    #expect(
      numbers.map { Decimal128(value: $0).description }
        == ["-5", "18446744073709551615", "2.5", "0.1", "1E+3", "7", "0.1", "3"])
    #expect(Decimal128(value: NSNull()).isNaN && Decimal128(value: Int?.none as Any).isNaN)
    #expect(Decimal128(value: NSNull()).isSignalingNaN && !Decimal128().isSignaling)
    #expect(Decimal128(number: 3.14159) == 3.14159 && Decimal128(exactly: 5) == 5)
    #expect(try Decimal128(string: "-1.50").stringValue == "-1.50")
    #expect(throws: Store.Error.self) { try Decimal128(string: "1,5") }
  }

  @Test func `a value that is no number stops`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Decimal128(value: Date(timeIntervalSince1970: 0))
    }
    #expect(said(result, "of type Date is no number and not the text of one."))
  }

  @Test func `decimals have distances and can be strided over`() {
    #expect((-123.321 as Decimal128).advanced(by: -123.321) == -246.642)
    #expect((10 as Decimal128).distance(to: 5) == -5)
    let steps = stride(from: 0 as Decimal128, to: 0.3, by: "0.1")
    #expect(steps.map(\.description) == ["0", "0.1", "0.2"])
    #expect((-123.321 as Decimal128).magnitude == 123.321)
    #expect((7 as Decimal128) / 3.5 == 2 && ("0.21" as Decimal128) / "0.7" == 0.3)
  }

  @Test func `an object id is made of a literal, of a text that may fail, and of its parts`() throws
  {
    let id = ObjectId("507f1f77bcf86cd799439011")
    #expect(id.stringValue == "507f1f77bcf86cd799439011")
    #expect(try ObjectId(string: "507F1F77BCF86CD799439011") == id)
    #expect(throws: Store.Error.self) { try ObjectId(string: "507f") }
    #expect(id.timestamp == Date(timeIntervalSince1970: 0x507F_1F77))
    let found: ObjectId? = ObjectId(String("507f1f77bcf86cd799439011"))
    #expect(found == id && ObjectId().stringValue == String(repeating: "0", count: 24))
    let date = Date(timeIntervalSince1970: 1_234_567.9)
    let made = ObjectId(timestamp: date, machineId: 0x12_3456, processId: 0x789A)
    #expect(made.stringValue.hasPrefix("0012d687123456789a"))
    #expect(made.timestamp == Date(timeIntervalSince1970: 1_234_567))
    let next = ObjectId(timestamp: date, machineId: 0x12_3456, processId: 0x789A)
    #expect(next != made)
  }

  @Test func `object ids have an order`() {
    let (a, b) = (ObjectId("000123450000ffbeef91906c"), ObjectId("000123450000ffbeef91906d"))
    #expect(a < b && b > a && a <= b && b >= a && a <= a && a >= a && !(a > a))
    #expect(Set([ObjectId.generate(), .generate(), .generate()]).count == 3)
  }

  @Test func `a literal that is no object id stops`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ObjectId("507f")
    }
    #expect(said(result, "Making an ObjectId: it is 24 hexadecimal digits; '507f' is not."))
  }
}
