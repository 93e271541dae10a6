extension Decimal128: AdditiveArithmetic {
  /// The sum, rounded once; its exponent is the smaller one where the digits allow.
  public static func + (a: Decimal128, b: Decimal128) -> Decimal128 {
    guard let x = a.finite, let y = b.finite else { return specialSum(a, b) }
    return x.exponent >= y.exponent ? sum(x, y) : sum(y, x)
  }

  /// The difference, rounded once.
  public static func - (a: Decimal128, b: Decimal128) -> Decimal128 { a + -b }

  private static func specialSum(_ a: Decimal128, _ b: Decimal128) -> Decimal128 {
    if a.isNaN || b.isNaN { return .nan }
    if a.isInfinite, b.isInfinite { return a.isNegative == b.isNegative ? a : .nan }
    return a.isInfinite ? a : b
  }

  /// `a.exponent >= b.exponent`.
  private static func sum(_ a: Finite, _ b: Finite) -> Decimal128 {
    let distance = a.exponent - b.exponent
    if a.coefficient == 0 || b.coefficient == 0 { return sumWithZero(a, b) }
    let digits = a.coefficient.decimalDigits
    if digits + distance <= 37 {
      return narrowSum(a.coefficient * PowersOfTen[distance], a.isNegative, b)
    }
    // a is written with as many zeros as there is room for; b loses what lies below its last one.
    let zeros = Swift.min(distance, 72 - digits)
    let large = appending(zeros, to: a.coefficient)
    let (small, lost) = dropping(distance - zeros, of: b.coefficient)
    var sum = Exact(
      isNegative: a.isNegative, coefficient: large, exponent: a.exponent - zeros, hasMore: lost)
    if a.isNegative == b.isNegative {
      sum.coefficient = large + WideInteger(small)
    } else if WideInteger(small) <= large {
      sum.coefficient = large - WideInteger(small)
      // The lost part of b is taken away: one less, and a part of it more.
      if lost { sum.coefficient = sum.coefficient - WideInteger(1) }
    } else {
      sum.coefficient = WideInteger(small) - large
      sum.isNegative = b.isNegative
    }
    return sum.rounded
  }

  /// The sum where a's coefficient, written at b's exponent, has at most 37 digits.
  private static func narrowSum(
    _ coefficient: UInt128, _ isNegative: Bool, _ b: Finite
  ) -> Decimal128 {
    var sum = Finite(isNegative: isNegative, coefficient: 0, exponent: b.exponent)
    if isNegative == b.isNegative {
      sum.coefficient = coefficient + b.coefficient
    } else if coefficient > b.coefficient {
      sum.coefficient = coefficient - b.coefficient
    } else {
      sum.coefficient = b.coefficient - coefficient
      sum.isNegative = sum.coefficient != 0 && b.isNegative
    }
    if sum.coefficient < Finite.coefficientBound { return sum.bits }
    return Exact(
      isNegative: sum.isNegative, coefficient: WideInteger(sum.coefficient),
      exponent: sum.exponent
    ).rounded
  }

  /// One of the two is zero: the other one, at the smaller exponent if its digits allow.
  private static func sumWithZero(_ a: Finite, _ b: Finite) -> Decimal128 {
    let exponent = Swift.min(a.exponent, b.exponent)
    guard a.coefficient != 0 else {
      let isNegative = b.coefficient == 0 ? a.isNegative && b.isNegative : b.isNegative
      return Finite(isNegative: isNegative, coefficient: b.coefficient, exponent: exponent).bits
    }
    let zeros = Swift.min(
      a.exponent - exponent, Finite.digits - a.coefficient.decimalDigits)
    return Finite(
      isNegative: a.isNegative, coefficient: a.coefficient * PowersOfTen[zeros],
      exponent: a.exponent - zeros
    ).bits
  }

  /// The coefficient with zeros at its end, up to 72 digits in all.
  private static func appending(_ count: Int, to coefficient: UInt128) -> WideInteger {
    let narrow = Swift.min(count, 38 - coefficient.decimalDigits)
    return WideInteger(
      coefficient * PowersOfTen[narrow], times: PowersOfTen[count - narrow])
  }

  /// The coefficient without its last digits, and whether they were more than zeros.
  private static func dropping(_ count: Int, of coefficient: UInt128) -> (UInt128, lost: Bool) {
    if count > 38 { return (0, coefficient != 0) }
    let (quotient, rest) = coefficient.quotientAndRemainder(dividingBy: PowersOfTen[count])
    return (quotient, rest != 0)
  }
}

extension Decimal128: SignedNumeric {
  /// The absolute value.
  public var magnitude: Decimal128 { Decimal128(high: high & ~(1 << 63), low: low) }

  /// The same with the other sign, zero and infinity included; NaN has none.
  public static prefix func - (a: Decimal128) -> Decimal128 {
    a.isNaN ? .nan : Decimal128(high: a.high ^ 1 << 63, low: a.low)
  }

  /// Gives the value the other sign.
  public mutating func negate() { self = -self }

  /// The product, rounded once.
  public static func * (a: Decimal128, b: Decimal128) -> Decimal128 {
    let isNegative = a.isNegative != b.isNegative
    guard let x = a.finite, let y = b.finite else {
      if a.isNaN || b.isNaN || a.isZero || b.isZero { return .nan }
      return isNegative ? -.infinity : .infinity
    }
    return Exact(
      isNegative: isNegative, coefficient: WideInteger(x.coefficient, times: y.coefficient),
      exponent: x.exponent + y.exponent
    ).rounded
  }

  /// Multiplies in place.
  public static func *= (a: inout Decimal128, b: Decimal128) { a = a * b }

  /// The quotient, rounded once; a number by zero is infinity, zero by zero is ``nan``.
  public static func / (a: Decimal128, b: Decimal128) -> Decimal128 {
    let isNegative = a.isNegative != b.isNegative
    let infinity = isNegative ? -Decimal128.infinity : .infinity
    guard let x = a.finite, let y = b.finite else {
      if a.isNaN || b.isNaN || a.isInfinite && b.isInfinite { return .nan }
      if a.isInfinite { return infinity }
      return Finite(isNegative: isNegative, coefficient: 0, exponent: Finite.first).bits
    }
    if y.coefficient == 0 { return x.coefficient == 0 ? .nan : infinity }
    return quotient(x, y, isNegative)
  }

  /// Divides in place.
  public static func /= (a: inout Decimal128, b: Decimal128) { a = a / b }

  private static func quotient(_ a: Finite, _ b: Finite, _ isNegative: Bool) -> Decimal128 {
    let ideal = a.exponent - b.exponent
    if a.coefficient == 0 {
      return Exact(isNegative: isNegative, coefficient: WideInteger(0), exponent: ideal).rounded
    }
    // Zeros are appended so that the quotient has 35 or 36 digits, one or two more than are kept.
    let zeros = b.coefficient.decimalDigits + 35 - a.coefficient.decimalDigits
    let (digits, rest) = appending(zeros, to: a.coefficient).divided(by: b.coefficient)
    var quotient = Finite(
      isNegative: isNegative, coefficient: digits.low, exponent: ideal - zeros)
    if rest == 0 { quotient.strip(upTo: ideal) }
    return Exact(
      isNegative: isNegative, coefficient: WideInteger(quotient.coefficient),
      exponent: quotient.exponent, hasMore: rest != 0
    ).rounded
  }
}

extension Decimal128: Strideable {
  /// The difference `other - self`.
  public func distance(to other: Decimal128) -> Decimal128 { other - self }

  /// The sum of the value and `distance`.
  public func advanced(by distance: Decimal128) -> Decimal128 { self + distance }
}
