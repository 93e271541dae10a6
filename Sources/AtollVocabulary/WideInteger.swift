/// An unsigned integer of 256 bits, with what exact decimal arithmetic needs of it.
///
/// Nothing here checks for overflow beyond 256 bits; ``Decimal128`` never has more than 72 decimal
/// digits (240 bits) underway.
struct WideInteger: Hashable {
  var high: UInt128
  var low: UInt128

  init(high: UInt128, low: UInt128) {
    self.high = high
    self.low = low
  }

  init(_ low: UInt128) { self.init(high: 0, low: low) }

  /// The product of two words, exactly.
  init(_ a: UInt128, times b: UInt128) {
    (high, low) = a.multipliedFullWidth(by: b)
  }

  var isZero: Bool { high == 0 && low == 0 }

  static func + (a: WideInteger, b: WideInteger) -> WideInteger {
    let (low, carry) = a.low.addingReportingOverflow(b.low)
    return WideInteger(high: a.high &+ b.high &+ (carry ? 1 : 0), low: low)
  }

  /// The difference; `b <= a`.
  static func - (a: WideInteger, b: WideInteger) -> WideInteger {
    let (low, borrow) = a.low.subtractingReportingOverflow(b.low)
    return WideInteger(high: a.high &- b.high &- (borrow ? 1 : 0), low: low)
  }

  /// Quotient and remainder; `divisor > 0`.
  func divided(by divisor: UInt128) -> (quotient: WideInteger, remainder: UInt128) {
    if high == 0 {
      let (quotient, remainder) = low.quotientAndRemainder(dividingBy: divisor)
      return (WideInteger(quotient), remainder)
    }
    let (top, rest) = high.quotientAndRemainder(dividingBy: divisor)
    let (bottom, remainder) = divisor.dividingFullWidth((rest, low))
    return (WideInteger(high: top, low: bottom), remainder)
  }

  /// The number of decimal digits; zero has none.
  var decimalDigits: Int {
    if high == 0 { return low.decimalDigits }
    // 10^38 < 2^128 <= self < 10^78; the quotient has 38 digits fewer.
    let quotient = divided(by: PowersOfTen[38]).quotient
    return 38 + (quotient.high == 0 ? quotient.low.decimalDigits : quotient.decimalDigits)
  }
}

extension WideInteger: Comparable {
  static func < (a: WideInteger, b: WideInteger) -> Bool { (a.high, a.low) < (b.high, b.low) }
}

/// 10^0 to 10^38, all that 128 bits can hold.
enum PowersOfTen {
  private static let table: [UInt128] = (0...38).map { exponent in
    (0..<exponent).reduce(UInt128(1)) { power, _ in power * 10 }
  }

  static subscript(exponent: Int) -> UInt128 { table[exponent] }
}

extension UInt128 {
  /// The number of decimal digits; zero has none.
  var decimalDigits: Int {
    // log10(2) is 1233/4096 to within what 128 bits show; the estimate is exact or one too small.
    let estimate = ((128 - leadingZeroBitCount) * 1233) >> 12
    return estimate > 38 || self < PowersOfTen[estimate] ? estimate : estimate + 1
  }
}
