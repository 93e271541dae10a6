extension Decimal128: Hashable {
  /// Tells whether both are the same number, whatever their trailing zeros; ``nan`` equals nothing.
  public static func == (a: Decimal128, b: Decimal128) -> Bool {
    if a.isNaN || b.isNaN { return false }
    if a.high == b.high, a.low == b.low, a.isCanonical { return true }
    return order(a, b) == 0
  }

  public func hash(into hasher: inout Hasher) {
    let identity = reduced
    hasher.combine(identity.isZero ? Decimal128.zero.high : identity.high)
    hasher.combine(identity.low)
  }

  /// The same number without trailing zeros; zero keeps its sign, there is one NaN.
  ///
  /// Equal numbers have equal bits here, zero and −0 excepted: what a set goes by.
  package var reduced: Decimal128 { finite?.reduced.bits ?? canonical }

  /// Tells whether both are the same value down to trailing zeros and the sign of zero; one NaN.
  package func isIdentical(to other: Decimal128) -> Bool {
    let (a, b) = (canonical, other.canonical)
    return a.high == b.high && a.low == b.low
  }

  /// Hashes what ``isIdentical(to:)`` compares.
  package func hashIdentity(into hasher: inout Hasher) {
    let canonical = canonical
    hasher.combine(canonical.high)
    hasher.combine(canonical.low)
  }
}

extension Decimal128: Comparable {
  /// Tells whether `a` sorts before `b`.
  ///
  /// Numbers by value. ``nan`` comes before every number, negative infinity included, so that any
  /// values can be sorted; it does not come before itself.
  public static func < (a: Decimal128, b: Decimal128) -> Bool {
    if a.isNaN || b.isNaN { return a.isNaN && !b.isNaN }
    return order(a, b) < 0
  }

  public static func <= (a: Decimal128, b: Decimal128) -> Bool { a < b || a == b }
  public static func >= (a: Decimal128, b: Decimal128) -> Bool { b < a || a == b }

  /// Negative, zero or positive as `a` is below, equal to or above `b`; neither is NaN.
  private static func order(_ a: Decimal128, _ b: Decimal128) -> Int {
    let (first, second) = (a.sign, b.sign)
    if first != second { return first < second ? -1 : 1 }
    if first == 0 { return 0 }
    return first * magnitudes(a, b)
  }

  /// −1, 0 or 1.
  private var sign: Int { isZero ? 0 : isNegative ? -1 : 1 }

  /// Neither is zero.
  private static func magnitudes(_ a: Decimal128, _ b: Decimal128) -> Int {
    guard let x = a.finite, let y = b.finite else {
      return (a.isInfinite ? 1 : 0) - (b.isInfinite ? 1 : 0)
    }
    let (first, second) = (x.adjustedExponent, y.adjustedExponent)
    if first != second { return first < second ? -1 : 1 }
    // The first digits stand at the same place, so that aligning needs at most 33 zeros.
    let exponent = Swift.min(x.exponent, y.exponent)
    let left = x.coefficient * PowersOfTen[x.exponent - exponent]
    let right = y.coefficient * PowersOfTen[y.exponent - exponent]
    return left < right ? -1 : left == right ? 0 : 1
  }
}
