/// A decimal floating-point number of 34 digits: IEEE 754-2008 decimal128.
public struct Decimal128: Sendable {
  /// Sign, exponent and the coefficient's first bits, in the binary integer encoding.
  package let high: UInt64
  /// The coefficient's last 64 bits.
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

extension Decimal128 {
  /// Whether both are the same number with the same exponent, NaN included.
  package func isIdentical(to other: Decimal128) -> Bool {
    (high, low) == (other.high, other.low)
  }

  package func hashIdentity(into hasher: inout Hasher) {
    hasher.combine(high)
    hasher.combine(low)
  }
}

extension Decimal128: CustomStringConvertible {
  public var description: String { "\(Hexadecimal.text(high))\(Hexadecimal.text(low))" }
}
