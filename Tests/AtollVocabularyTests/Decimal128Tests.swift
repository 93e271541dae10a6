import AtollVocabulary
import Foundation
import Testing

@Suite struct Decimal128Tests {
  private func decimal(_ text: String) -> Decimal128 {
    guard let value = Decimal128(text) else {
      Issue.record("'\(text)' is not read")
      return .nan
    }
    return value
  }

  @Test func `literals are decimals`() {
    let price: Decimal128 = 19.90
    let count: Decimal128 = -3
    let large: Decimal128 = 1234567890123456789012345678901234
    #expect((price * count).description == "-59.7")
    #expect(large.description == "1234567890123456789012345678901234")
    #expect((-9_223_372_036_854_775_809 as Decimal128).description == "-9223372036854775809")
    #expect(0 as Decimal128 == .zero && Decimal128() == 0)
  }

  @Test func `trailing zeros are kept and do not count`() {
    let (a, b) = (decimal("1.20"), decimal("1.30"))
    #expect((a + b).description == "2.50")
    #expect(a + b == decimal("2.5"))
    #expect(Set([a + b, decimal("2.5"), decimal("25E-1")]).count == 1)
    #expect((a + b).reduced.description == "2.5")
    #expect(!(a + b).isIdentical(to: decimal("2.5")))
    #expect((a + b).exponent == -2)
  }

  @Test func `zero and minus zero are equal and stay what they are`() {
    let negative = -Decimal128.zero
    #expect(negative == 0 && negative.hashValue == Decimal128.zero.hashValue)
    #expect(!(negative < 0) && !(0 < negative))
    #expect(negative.description == "-0" && negative.isNegative && negative.isZero)
    #expect(!negative.isIdentical(to: .zero))
    #expect(decimal("-0.00").orderedPrefix == Decimal128.zero.orderedPrefix)
  }

  @Test func `nan equals nothing and sorts before every number`() {
    let nan = Decimal128.nan
    #expect(nan != nan && !(nan < nan) && !(nan <= nan))
    #expect(nan < -.infinity && !(-.infinity < nan))
    #expect(nan.isIdentical(to: .zero / 0) && nan.hashValue == (Decimal128.infinity * 0).hashValue)
    #expect([1, nan, -.infinity, 0].sorted().map(\.description) == ["NaN", "-Infinity", "0", "1"])
    #expect((-nan).description == "NaN" && (nan + 1).isNaN && !nan.isFinite && !nan.isInfinite)
  }

  @Test func `too large is infinite, too small loses digits, then everything`() {
    #expect(Decimal128.greatestFiniteMagnitude * 10 == .infinity)
    #expect(Decimal128.min * 10 == -.infinity && Decimal128.min == -Decimal128.max)
    #expect(Decimal128.leastNonzeroMagnitude.description == "1E-6176")
    #expect(Decimal128.leastNonzeroMagnitude.isSubnormal)
    #expect(!Decimal128.leastNormalMagnitude.isSubnormal)
    #expect(Decimal128.leastNonzeroMagnitude / 2 == 0)
    #expect(Decimal128.leastNonzeroMagnitude * decimal("1.5") == decimal("2E-6176"))
    #expect(1 / Decimal128.zero == .infinity && -1 / Decimal128.zero == -.infinity)
  }

  @Test func `texts that are no numbers are refused`() {
    for text in [
      "", " ", "1 ", " 1", ".", "+", "-", "e5", "1e", "1e+", "1..2", "1.2.3", "--1", "0x1", "1_000",
      "١", "in", "infinit", "nanx", "snan-1", "1,5", "1e1.5", "NaN\0", "\0",
    ] { #expect(Decimal128(text) == nil, "'\(text)'") }
  }

  @Test func `integers convert exactly, or not at all`() {
    #expect(Decimal128(Int64.min).description == "-9223372036854775808")
    #expect(Decimal128(UInt64.max).description == "18446744073709551615")
    #expect(Decimal128(exactly: UInt128.max) == nil)
    #expect(Decimal128(exactly: UInt128(10) * 1_000_000)?.description == "10000000")
    #expect(Int64(exactly: decimal("-9223372036854775808.0")) == .min)
    #expect(Int64(exactly: decimal("9223372036854775808")) == nil)
    #expect(Int8(exactly: decimal("128")) == nil && Int8(exactly: decimal("127")) == 127)
    #expect(Int(exactly: decimal("1.5")) == nil && Int(exactly: decimal("15E-1")) == nil)
    #expect(Int(exactly: decimal("1E3")) == 1000 && Int(exactly: decimal("1E40")) == nil)
    #expect(Int(truncating: decimal("-1.99")) == -1 && Int(truncating: .nan) == nil)
    #expect(Int(truncating: decimal("9E-50")) == 0)
    #expect(UInt8(exactly: decimal("-1")) == nil && UInt8(exactly: decimal("-0")) == 0)
  }

  @Test func `floating point converts to the nearest`() {
    #expect(Double(decimal("0.1")) == 0.1 && Float(decimal("0.1")) == 0.1)
    #expect(Double(decimal("1E400")) == .infinity && Double(Decimal128.nan).isNaN)
    #expect(Double(decimal("-0")).sign == .minus)
    #expect(Decimal128(Float(0.1)).description == "0.1" && Decimal128(Double.nan).isNaN)
    #expect(Decimal128(-Double.infinity) == -.infinity)
    #expect(Double(decimal("9007199254740993")) == 9_007_199_254_740_992)
  }

  @Test func `generic code sees a number`() {
    func total<Number: SignedNumeric>(_ numbers: [Number]) -> Number { numbers.reduce(0, +) }
    #expect(total([1.5, -0.25] as [Decimal128]) == 1.25)
    #expect((-1.5 as Decimal128).magnitude == 1.5)
    var value: Decimal128 = 3
    value *= 2
    value -= 1
    value /= 4
    value.negate()
    #expect(value == -1.25)
  }

  @Test func `json keeps every digit as text`() throws {
    let values = [decimal("12.3400"), -.infinity, decimal("1E-6176")]
    let json = try JSONEncoder().encode(values)
    #expect(String(decoding: json, as: UTF8.self) == #"["12.3400","-Infinity","1E-6176"]"#)
    let back = try JSONDecoder().decode([Decimal128].self, from: json)
    #expect(zip(values, back).allSatisfy { $0.isIdentical(to: $1) })
    let plain = try JSONDecoder().decode([Decimal128].self, from: Data("[1, 2.5]".utf8))
    #expect(plain == [1, 2.5])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([Decimal128].self, from: Data(#"["x"]"#.utf8))
    }
  }

  @Test func `bits that no value has are read as the standard says`() {
    let tooLarge = Decimal128(high: 0x3041_ED09_BEAD_87C0, low: 0x378D_8E64_0000_0000)
    #expect(!tooLarge.isCanonical && tooLarge == 0)
    let otherForm = Decimal128(high: 0x6C10_0000_0000_0000, low: 1)
    #expect(!otherForm.isCanonical && otherForm.isZero && otherForm.canonical.isCanonical)
    let payload = Decimal128(high: 0x7E00_0000_0000_0000, low: 5)
    #expect(!payload.isCanonical && payload.isIdentical(to: .nan))
    #expect(PersistedValue.decimal(payload) == .decimal(.nan))
    #expect(PersistedValue.decimal(payload).hashValue == PersistedValue.decimal(.nan).hashValue)
    let infinity = Decimal128(high: 0xF800_0000_0000_0001, low: 0)
    #expect(!infinity.isCanonical && infinity == -.infinity)
  }

  @Test func `bytes that no value has are refused`() {
    #expect((1.5 as Decimal128).orderedBytes == [4, 0x18, 0x20, 0x10, 0, 0])
    #expect(decimal("-1.50").orderedBytes == [2, 0xE7, 0xDF, 0xEF, 0xFF, 1])
    for bytes: [UInt8] in [
      [], [0, 0], [1, 0], [5, 1], [6], [3], [3, 0x80], [3, 0xFF, 0xFF], [2], [4], [4, 0x18, 0x20],
      [4, 0x18, 0x20, 0, 0], [4, 0x18, 0x20, 0x10, 1, 0], [4, 0x18, 0x20, 0x10, 0, 33],
      [4, 0x18, 0x20, 0x05, 0, 0], [4, 0x18, 0x20, 0x10, 1, 0, 0], [4, 0x18, 0x20, 102, 0, 0],
      [4, 0xFF, 0xFF, 0x10, 0, 0], [4, 0, 0, 0x10, 0, 0], [4, 0x18, 0x20, 0x10, 0],
    ] { #expect(Decimal128(orderedBytes: bytes) == nil, "\(bytes)") }
  }

  @Test func `every flipped or missing byte of a stored decimal is read or refused`() {
    for text in ["1.5", "-12.340", "0", "-0E+10", "9.99E+6144", "NaN", "-Infinity"] {
      let bytes = decimal(text).orderedBytes
      for index in bytes.indices {
        _ = Decimal128(orderedBytes: bytes[..<index])
        for bit in 0..<8 {
          var flipped = bytes
          flipped[index] ^= 1 << UInt8(bit)
          if let value = Decimal128(orderedBytes: flipped) {
            #expect(value.orderedBytes == flipped)
          }
        }
      }
    }
  }
}
