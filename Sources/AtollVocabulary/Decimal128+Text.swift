extension Decimal128: LosslessStringConvertible {
  /// The standard's scientific string: plain where that is short, else with an exponent.
  ///
  /// Trailing zeros are kept, and reading the text gives the same value to the bit: "12.50",
  /// "1E+3", "-Infinity", "NaN".
  public var description: String {
    guard let finite else { return isNaN ? "NaN" : isNegative ? "-Infinity" : "Infinity" }
    let digits = Array(String(finite.coefficient).utf8)
    let adjusted = finite.exponent + digits.count - 1
    var text: [UInt8] = finite.isNegative ? [UInt8(ascii: "-")] : []
    let zero = UInt8(ascii: "0")
    if finite.exponent <= 0, adjusted >= -6 {
      let whole = digits.count + finite.exponent
      text += whole > 0 ? digits.prefix(whole) : [zero]
      if finite.exponent < 0 {
        text.append(UInt8(ascii: "."))
        text += Array(repeating: zero, count: Swift.max(0, -whole))
        text += digits.suffix(digits.count - Swift.max(0, whole))
      }
    } else {
      text += digits.prefix(1)
      if digits.count > 1 { text += [UInt8(ascii: ".")] + digits.dropFirst() }
      text += Array((adjusted < 0 ? "E-" : "E+").utf8) + Array(String(adjusted.magnitude).utf8)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads a number as the standard writes them; nil for anything else.
  ///
  /// An optional sign; digits with at most one point; an optional exponent. Or `inf`, `infinity`,
  /// `nan`, `snan`, the latter two with digits that are not kept. Letters in either case. More than
  /// thirty-four digits are rounded once, to the nearest, ties to even.
  public init?(_ text: String) { self.init(text: text.utf8) }

  init?(text: some Collection<UInt8>) {
    var reader = Reader(rest: Array(text)[...])
    guard let value = reader.value() else { return nil }
    self = value
  }
}

/// Takes a decimal's text apart, from left to right.
private struct Reader {
  var rest: ArraySlice<UInt8>

  private var coefficient: UInt128 = 0
  private var exponent = 0
  private var hasDigits = false
  /// True if digits beyond those in the coefficient were more than zeros.
  private var hasMore = false

  init(rest: ArraySlice<UInt8>) { self.rest = rest }

  mutating func value() -> Decimal128? {
    let isNegative = take("-")
    if !isNegative { _ = take("+") }
    if let special = special() {
      return isNegative && !special.isNaN ? -special : special
    }
    takeDigits(afterPoint: false)
    if take(".") { takeDigits(afterPoint: true) }
    guard hasDigits, takeExponent(), rest.isEmpty else { return nil }
    return Decimal128.Exact(
      isNegative: isNegative, coefficient: WideInteger(coefficient), exponent: exponent,
      hasMore: hasMore
    ).rounded
  }

  /// Infinity or NaN, if the rest is its name and nothing else.
  private func special() -> Decimal128? {
    guard let first = rest.first, first > UInt8(ascii: "9") else { return nil }
    let name = String(decoding: rest, as: UTF8.self).lowercased()
    if name == "inf" || name == "infinity" { return .infinity }
    for prefix in ["nan", "snan"] where name.hasPrefix(prefix) {
      return name.dropFirst(prefix.count).utf8.allSatisfy(isDigit) ? .nan : nil
    }
    return nil
  }

  private mutating func takeDigits(afterPoint: Bool) {
    while let byte = rest.first, isDigit(byte) {
      rest.removeFirst()
      hasDigits = true
      let digit = UInt128(byte - UInt8(ascii: "0"))
      // Thirty-seven digits decide the rounding together with whether anything follows.
      if coefficient < PowersOfTen[36] {
        coefficient = coefficient * 10 + digit
        if afterPoint { exponent -= 1 }
      } else {
        hasMore = hasMore || digit != 0
        if !afterPoint { exponent += 1 }
      }
    }
  }

  /// False if an exponent begins and is not one; beyond what counts, its size does not matter.
  private mutating func takeExponent() -> Bool {
    guard take("e") || take("E") else { return true }
    let isNegative = take("-")
    if !isNegative { _ = take("+") }
    guard !rest.isEmpty else { return false }
    var size = 0
    while let byte = rest.first, isDigit(byte) {
      rest.removeFirst()
      size = Swift.min(size * 10 + Int(byte - UInt8(ascii: "0")), 1 << 40)
    }
    exponent += isNegative ? -size : size
    return true
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}

extension Decimal128: Codable {
  /// Reads the text of ``description``, or a plain number.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      guard let value = Decimal128(text) else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "'\(text)' is not a decimal number.")
      }
      self = value
    } else if let integer = try? container.decode(Int64.self) {
      self.init(integer)
    } else {
      self.init(try container.decode(Double.self))
    }
  }

  /// Writes the text of ``description``, which keeps every digit.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
