// The stored form of a decimal where bytes are compared: an index, a sorted column.
//
//   NaN            00
//   −infinity      01
//   negative       02, then the complement of what a positive number has up to the terminator,
//                  and the number of trailing zeros
//   zero           03, sign and exponent in two bytes
//   positive       04, exponent of the first digit + 6176 in two bytes, pairs of digits from the
//                  first one on (00 to 99, each plus one) without trailing zeros, 00, and the
//                  number of trailing zeros
//   infinity       05
//
// Everything up to the number of trailing zeros (for zero: its first byte) is the number; what
// follows tells equal numbers apart. So 1.5 is 04 1820 10 00 00, and 1.50 ends in 01.

extension Decimal128 {
  /// Bytes whose order is that of the numbers, NaN first; equal numbers stand together.
  ///
  /// At most 22 bytes. Exact: ``init(orderedBytes:)`` gives the value back with its trailing zeros.
  package var orderedBytes: [UInt8] {
    guard let finite else { return orderedPrefix }
    if finite.coefficient == 0 {
      let cohort = (finite.isNegative ? 0 : 0x8000) | UInt16(finite.exponent - Finite.first)
      return orderedPrefix + Decimal128.bigEndian(cohort)
    }
    let zeros = finite.stripped.exponent - finite.exponent
    return orderedPrefix + [UInt8(truncatingIfNeeded: zeros)]
  }

  /// The bytes with which ``orderedBytes`` of this number begin, and of no other number.
  ///
  /// The bytes of equal numbers lie in `orderedPrefix ..< orderedPrefix + [0xFF]`; those of greater
  /// ones from there on.
  package var orderedPrefix: [UInt8] {
    guard var finite else { return [isNaN ? 0 : isNegative ? 1 : 5] }
    if finite.coefficient == 0 { return [3] }
    finite = finite.stripped
    var bytes = Decimal128.bigEndian(UInt16(finite.adjustedExponent - Finite.first))
    var digits = finite.coefficient.decimalDigits
    var rest = finite.coefficient
    if digits & 1 == 1 {
      rest *= 10
      digits += 1
    }
    while digits > 0 {
      digits -= 2
      let (pair, next) = rest.quotientAndRemainder(dividingBy: PowersOfTen[digits])
      bytes.append(UInt8(truncatingIfNeeded: pair) + 1)
      rest = next
    }
    bytes.append(0)
    return finite.isNegative ? [2] + bytes.map { ~$0 } : [4] + bytes
  }

  /// Reads ``orderedBytes``; nil for bytes that are not those of any value.
  package init?(orderedBytes bytes: some Collection<UInt8>) {
    guard let kind = bytes.first else { return nil }
    let rest = Array(bytes.dropFirst())
    switch kind {
    case 0 where rest.isEmpty: self = .nan
    case 1 where rest.isEmpty: self = -.infinity
    case 5 where rest.isEmpty: self = .infinity
    case 3:
      guard rest.count == 2 else { return nil }
      let exponent = (Int(rest[0] & 0x7F) << 8 | Int(rest[1])) + Finite.first
      guard exponent <= Finite.last else { return nil }
      self = Finite(isNegative: rest[0] < 0x80, coefficient: 0, exponent: exponent).bits
    case 2:
      guard let zeros = rest.last else { return nil }
      self.init(isNegative: true, rest.dropLast().map { ~$0 } + [zeros])
    case 4: self.init(isNegative: false, rest)
    default: return nil
    }
  }

  /// `bytes`: exponent of the first digit, pairs, terminator, number of trailing zeros.
  private init?(isNegative: Bool, _ bytes: [UInt8]) {
    let pairs = bytes.dropFirst(2).dropLast(2)
    guard (1...17).contains(pairs.count), bytes[bytes.count - 2] == 0,
      pairs.allSatisfy({ (1...100).contains($0) }), pairs.first != 1, pairs.last != 1
    else { return nil }
    var coefficient = pairs.reduce(UInt128(0)) { $0 * 100 + UInt128($1 - 1) }
    if coefficient % 10 == 0 { coefficient /= 10 }
    let zeros = Int(bytes[bytes.count - 1])
    // A first pair below ten is a first digit zero, which no number has.
    guard pairs.first.map({ $0 > 10 }) == true,
      coefficient.decimalDigits + zeros <= Finite.digits
    else { return nil }
    let first = (Int(bytes[0]) << 8 | Int(bytes[1])) + Finite.first
    let exponent = first - (coefficient.decimalDigits - 1) - zeros
    guard (Finite.first...Finite.last).contains(exponent) else { return nil }
    self =
      Finite(
        isNegative: isNegative, coefficient: coefficient * PowersOfTen[zeros], exponent: exponent
      ).bits
  }

  private static func bigEndian(_ word: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: word >> 8), UInt8(truncatingIfNeeded: word)]
  }
}
