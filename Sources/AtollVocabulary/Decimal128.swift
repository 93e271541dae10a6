// Decimal numbers as IEEE 754-2008 defines them in 128 bits.
//
// A finite value is sign, coefficient (an integer below 10^34) and exponent (-6176 to 6111); it
// means ±coefficient × 10^exponent. One number can have several such forms, its *cohort*: 1.0 and
// 1.00 are equal and print differently. Arithmetic is exact and rounds once, to the nearest, ties
// to even; it prefers the exponent that the standard calls ideal, so that 1.20 + 1.30 is 2.50.
//
// The file and the wire hold the bits ("BID": the coefficient in binary); an index holds
// `orderedBytes`, whose order as bytes is the order of the numbers. Source: IEEE 754-2008, clauses
// 3.5, 5 and 6, and the General Decimal Arithmetic specification for texts. The tests compare with
// an implementation written by others.

/// A decimal number of 34 digits, as IEEE 754-2008 defines it in 128 bits.
///
/// ```swift
/// let price: Decimal128 = 19.90
/// price * 3    // 59.70
/// ```
///
/// Two values are equal if they are the same number, whatever their trailing zeros (1.0 and 1.00,
/// 0 and −0). ``nan`` equals nothing, itself included, and sorts before every number.
public struct Decimal128: Sendable {
  /// Bits 127 to 64: sign, exponent, and the top of the coefficient.
  package let high: UInt64
  /// Bits 63 to 0.
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Zero.
  public init() { self = Decimal128.zero }
}

// MARK: - Values with a name

extension Decimal128 {
  /// Zero, without a fraction.
  public static var zero: Decimal128 { Decimal128(high: 0x3040_0000_0000_0000, low: 0) }
  /// The result of an operation without an answer, such as 0 ÷ 0.
  public static var nan: Decimal128 { Decimal128(high: 0x7C00_0000_0000_0000, low: 0) }
  /// The value above every number.
  public static var infinity: Decimal128 { Decimal128(high: 0x7800_0000_0000_0000, low: 0) }
  /// 9.999…E+6144, thirty-four nines.
  public static var greatestFiniteMagnitude: Decimal128 {
    Finite(isNegative: false, coefficient: Finite.coefficientBound - 1, exponent: Finite.last).bits
  }
  /// 1E−6176, which has one digit only.
  public static var leastNonzeroMagnitude: Decimal128 {
    Finite(isNegative: false, coefficient: 1, exponent: Finite.first).bits
  }
  /// 1E−6143, the least with all thirty-four digits.
  public static var leastNormalMagnitude: Decimal128 {
    Finite(isNegative: false, coefficient: 1, exponent: -6143).bits
  }
  /// The least finite value.
  public static var min: Decimal128 { -greatestFiniteMagnitude }
  /// The greatest finite value.
  public static var max: Decimal128 { greatestFiniteMagnitude }
}

// MARK: - What a value is

extension Decimal128 {
  /// True if this is not a number.
  public var isNaN: Bool { high & 0x7C00_0000_0000_0000 == 0x7C00_0000_0000_0000 }
  /// True if this is infinity of either sign.
  public var isInfinite: Bool { high & 0x7C00_0000_0000_0000 == 0x7800_0000_0000_0000 }
  /// True if this is a number: neither infinite nor ``nan``.
  public var isFinite: Bool { high & 0x7800_0000_0000_0000 != 0x7800_0000_0000_0000 }
  /// True if this is zero of either sign.
  public var isZero: Bool { finite.map { $0.coefficient == 0 } ?? false }
  /// True if the sign bit is set, as in −1 and −0.
  public var isNegative: Bool { high >> 63 == 1 && !isNaN }
  /// True if this is too small in magnitude for all thirty-four digits, and not zero.
  public var isSubnormal: Bool {
    guard let finite, finite.coefficient != 0 else { return false }
    return finite.adjustedExponent < -6143
  }
  /// The exponent of the last digit, that is the quantum; nil unless the value is finite.
  public var exponent: Int? { finite?.exponent }
  /// The digits as an integer; nil unless the value is finite.
  package var coefficient: UInt128? { finite?.coefficient }

  /// True if these are the bits that this implementation gives to what they mean.
  ///
  /// Other bits are read as the standard says: a coefficient of more than thirty-four digits as
  /// zero, and what goes with infinity and NaN not at all.
  package var isCanonical: Bool {
    let canonical = canonical
    return canonical.high == high && canonical.low == low
  }

  /// The same value in the bits that this implementation gives to it; there is one NaN.
  package var canonical: Decimal128 {
    if let finite { return finite.bits }
    if isNaN { return .nan }
    return isNegative ? -.infinity : .infinity
  }
}

// MARK: - Parts

extension Decimal128 {
  /// Sign, coefficient and exponent of a finite value.
  ///
  /// `coefficient < 10^34`, `first <= exponent <= last`.
  struct Finite {
    var isNegative: Bool
    var coefficient: UInt128
    var exponent: Int

    static let digits = 34
    static let coefficientBound: UInt128 = 10_000_000_000_000_000_000_000_000_000_000_000
    static let first = -6176
    static let last = 6111

    /// The exponent of the first digit; `coefficient > 0`.
    var adjustedExponent: Int { exponent + coefficient.decimalDigits - 1 }

    var bits: Decimal128 {
      let top = UInt64(truncatingIfNeeded: exponent - Finite.first) << 49
      return Decimal128(
        high: (isNegative ? 1 << 63 : 0) | top | UInt64(truncatingIfNeeded: coefficient >> 64),
        low: UInt64(truncatingIfNeeded: coefficient))
    }

    /// Without trailing zeros; the exponent of zero becomes 0.
    var reduced: Finite {
      if coefficient == 0 { return Finite(isNegative: isNegative, coefficient: 0, exponent: 0) }
      var reduced = self
      reduced.strip(upTo: Finite.last)
      return reduced
    }

    /// Without any trailing zero, though the exponent may then be above ``last``; not zero.
    var stripped: Finite {
      var stripped = self
      stripped.strip(upTo: Finite.last + Finite.digits)
      return stripped
    }

    /// Takes trailing zeros away while the exponent is below `ideal`.
    mutating func strip(upTo ideal: Int) {
      // A coefficient of 38 digits ends in at most 37 zeros; 32 + 4 + 1.
      for step in [32, 16, 8, 4, 2, 1] where exponent + step <= ideal {
        let (quotient, remainder) = coefficient.quotientAndRemainder(dividingBy: PowersOfTen[step])
        if remainder == 0 {
          coefficient = quotient
          exponent += step
        }
      }
    }
  }

  /// The parts; nil for infinity and NaN.
  var finite: Finite? {
    guard isFinite else { return nil }
    let isNegative = high >> 63 == 1
    if high & 0x6000_0000_0000_0000 == 0x6000_0000_0000_0000 {
      // The coefficient would begin with binary 100 and have more than thirty-four digits.
      let exponent = Int(high >> 47 & 0x3FFF) + Finite.first
      return Finite(isNegative: isNegative, coefficient: 0, exponent: exponent)
    }
    let exponent = Int(high >> 49 & 0x3FFF) + Finite.first
    let coefficient = UInt128(high & 0x1_FFFF_FFFF_FFFF) << 64 | UInt128(low)
    return Finite(
      isNegative: isNegative,
      coefficient: coefficient < Finite.coefficientBound ? coefficient : 0, exponent: exponent)
  }
}
