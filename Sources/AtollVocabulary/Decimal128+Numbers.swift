extension Decimal128: Numeric {
  public typealias Magnitude = Decimal128

  /// The integer, if thirty-four digits hold it exactly.
  public init?(exactly source: some BinaryInteger) {
    guard let magnitude = UInt128(exactly: source.magnitude) else { return nil }
    let value = Decimal128(isNegative: source < 0, magnitude)
    guard let finite = value.finite,
      WideInteger(finite.coefficient, times: PowersOfTen[finite.exponent])
        == WideInteger(magnitude)
    else { return nil }
    self = value
  }

  /// The integer; every one of at most 64 bits is exact.
  public init(_ source: some FixedWidthInteger) {
    if let magnitude = UInt128(exactly: source.magnitude) {
      self.init(isNegative: source < 0, magnitude)
    } else {
      // Wider than 128 bits: through its digits, rounded once.
      self = Decimal128(String(source)) ?? .nan
    }
  }

  private init(isNegative: Bool, _ magnitude: UInt128) {
    self =
      Exact(isNegative: isNegative, coefficient: WideInteger(magnitude), exponent: 0).rounded
  }

  /// The shortest decimal that is nearer to `source` than to any other `Double`.
  ///
  /// 0.1 becomes 0.1, not the 55 digits that the `Double` is in truth. There are no trailing zeros
  /// but those of integers, which are written out if thirty-four digits are enough.
  public init(_ source: Double) { self.init(shortest: source.description) }

  /// The shortest decimal that is nearer to `source` than to any other `Float`.
  public init(_ source: Float) { self.init(shortest: source.description) }

  private init(shortest text: String) {
    let value = Decimal128(text: text.utf8) ?? .nan
    guard var finite = value.finite?.reduced else {
      self = value
      return
    }
    if finite.exponent > 0, finite.coefficient.decimalDigits + finite.exponent <= Finite.digits {
      finite.coefficient *= PowersOfTen[finite.exponent]
      finite.exponent = 0
    }
    self = finite.bits
  }
}

extension Decimal128: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// A literal integer, exact up to thirty-four digits.
  public init(integerLiteral literal: StaticBigInt) {
    let isNegative = literal.signum() < 0
    precondition(
      literal.bitWidth <= 129, "A Decimal128 integer literal has more than 128 bits; write a text.")
    // Two's complement words, least significant first; the sign fills what is above.
    var bits: UInt128 = 0
    for index in 0..<128 / UInt.bitWidth {
      bits |= UInt128(literal[index]) << UInt128(index * UInt.bitWidth)
    }
    self.init(isNegative: isNegative, isNegative ? ~bits &+ 1 : bits)
  }

  /// A literal with a fraction, which the compiler reads as a `Double`: fifteen digits are exact.
  public init(floatLiteral literal: Double) { self.init(literal) }
}

// MARK: - To other numbers

extension FixedWidthInteger {
  /// The decimal's value, if it is an integer that this type can hold; nil for any other.
  public init?(exactly source: Decimal128) {
    guard let finite = source.finite?.reduced, finite.exponent >= 0,
      finite.exponent <= 38 - finite.coefficient.decimalDigits
    else { return nil }
    self.init(isNegative: finite.isNegative, finite.coefficient * PowersOfTen[finite.exponent])
  }

  /// The decimal's value without its fraction; nil if this type cannot hold it, and for NaN.
  public init?(truncating source: Decimal128) {
    guard let finite = source.finite else { return nil }
    if finite.exponent >= 0 {
      self.init(exactly: source)
    } else if finite.exponent < -38 {
      self = 0
    } else {
      self.init(
        isNegative: finite.isNegative, finite.coefficient / PowersOfTen[-finite.exponent])
    }
  }

  private init?(isNegative: Bool, _ magnitude: UInt128) {
    if !isNegative {
      self.init(exactly: magnitude)
    } else if magnitude <= 1 << 127 {
      self.init(exactly: Int128(truncatingIfNeeded: ~magnitude &+ 1))
    } else {
      return nil
    }
  }
}

extension Double {
  /// The `Double` nearest to the decimal; infinite if that is too large.
  public init(_ source: Decimal128) {
    guard let finite = source.finite else {
      self = source.isNaN ? .nan : source.isNegative ? -.infinity : .infinity
      return
    }
    if finite.coefficient < 1 << 53, (-22...22).contains(finite.exponent) {
      // Both factors are exact, so that the one operation rounds once.
      let digits = Double(UInt64(finite.coefficient))
      let power = Double(UInt128(PowersOfTen[Int(finite.exponent.magnitude)]))
      let magnitude = finite.exponent < 0 ? digits / power : digits * power
      self = finite.isNegative ? -magnitude : magnitude
    } else {
      self = Double(source.description) ?? .nan
    }
  }
}

extension Float {
  /// The `Float` nearest to the decimal; infinite if that is too large.
  public init(_ source: Decimal128) { self = Float(source.description.lowercased()) ?? .nan }
}
