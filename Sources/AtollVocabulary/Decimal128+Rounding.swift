extension Decimal128 {
  /// A finite result before it is rounded: `coefficient × 10^exponent`, and perhaps a little more.
  struct Exact {
    var isNegative: Bool
    var coefficient: WideInteger
    var exponent: Int
    /// True if the exact result lies above the coefficient by less than one.
    var hasMore = false

    /// The nearest value that thirty-four digits and the exponents can express, ties to even.
    ///
    /// Too large becomes infinity; too small loses digits down to zero, once.
    var rounded: Decimal128 {
      var exponent = exponent
      var digits = coefficient.decimalDigits
      var kept = coefficient.low
      let excess = Swift.max(digits - Finite.digits, Finite.first - exponent)
      if excess > 0, digits > 0 {
        kept = quotient(droppingDigits: excess)
        exponent += excess
        if kept == Finite.coefficientBound {
          kept /= 10
          exponent += 1
        }
        digits = kept.decimalDigits
      }
      if kept == 0 {
        exponent = Swift.min(Swift.max(exponent, Finite.first), Finite.last)
      } else if exponent > Finite.last {
        // The same number with zeros at its end, as long as there is room for them.
        guard digits + exponent - Finite.last <= Finite.digits else {
          return isNegative ? -.infinity : .infinity
        }
        kept *= PowersOfTen[exponent - Finite.last]
        exponent = Finite.last
      }
      return Finite(isNegative: isNegative, coefficient: kept, exponent: exponent).bits
    }

    /// The coefficient without its last `count` digits, rounded to the nearest, ties to even.
    ///
    /// The quotient has at most thirty-five digits; `count > 0`.
    private func quotient(droppingDigits count: Int) -> UInt128 {
      if count > coefficient.decimalDigits { return 0 }
      // All but the last of the digits to drop, so that one digit decides and the rest breaks ties.
      var rest = coefficient
      var hasMore = hasMore
      var drop = count - 1
      while drop > 0 {
        let step = Swift.min(drop, 38)
        let (quotient, remainder) = rest.divided(by: PowersOfTen[step])
        rest = quotient
        hasMore = hasMore || remainder != 0
        drop -= step
      }
      let (quotient, digit) = rest.low.quotientAndRemainder(dividingBy: 10)
      let isUp = digit > 5 || digit == 5 && (hasMore || quotient & 1 == 1)
      return isUp ? quotient + 1 : quotient
    }
  }
}
