/// Bytes as letters and digits that people can read out and copy, with check digits.
///
/// Blocks of data digits, each closed by one check digit:
///
///     d1 d2 … dn c     with  c = b + Σ a^i · di   in GF(32), b the block's number
///
/// The weights of a block's digits all differ, and none is 0. So one wrong digit is found wherever
/// it is, and so are two digits that changed places, in one block or in two; the block's number
/// finds blocks that did. Source: Verhoeff, "Error Detecting Decimal Codes", carried to 32 digits.
struct CheckedText {
  let byteCount: Int
  /// Data digits in a block; below 31, so that no two weights are alike.
  let blockDigits: Int
  /// Characters between two hyphens.
  let groupCharacters: Int

  /// Crockford's: no I, L, O and U.
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  private var digitCount: Int { (byteCount * 8 + 4) / 5 }
  private var blockCount: Int { digitCount / blockDigits }
  private var characterCount: Int { digitCount + blockCount }

  func text(_ bytes: [UInt8]) -> String {
    let digits = Self.digits(bytes)
    let checked = (0..<blockCount).flatMap { block in
      let data = digits[(block * blockDigits)..<((block + 1) * blockDigits)]
      return data + [Self.check(data, block)]
    }
    var characters: [UInt8] = []
    for (index, digit) in checked.enumerated() {
      if index > 0, index.isMultiple(of: groupCharacters) { characters.append(UInt8(ascii: "-")) }
      characters.append(Self.alphabet[Int(digit)])
    }
    return String(decoding: characters, as: UTF8.self)
  }

  /// The bytes; nil for anything that ``text(_:)`` does not make.
  ///
  /// Hyphens and spaces may stand anywhere, small letters are as good as capitals, and O, I and L
  /// are taken for 0, 1 and 1.
  func bytes(_ text: some StringProtocol) -> [UInt8]? {
    var digits: [UInt8] = []
    for character in text.utf8 where character != UInt8(ascii: "-") && character != 32 {
      guard digits.count < characterCount, let digit = Self.digit(character) else { return nil }
      digits.append(digit)
    }
    guard digits.count == characterCount else { return nil }
    var data: [UInt8] = []
    for block in 0..<blockCount {
      let all = digits[(block * (blockDigits + 1))..<((block + 1) * (blockDigits + 1))]
      guard all.last == Self.check(all.dropLast(), block) else { return nil }
      data += all.dropLast()
    }
    return bytes(ofDigits: data)
  }

  // MARK: Digits

  /// Five bits each, most significant first, the last filled up with zeros.
  private static func digits(_ bytes: [UInt8]) -> [UInt8] {
    var digits: [UInt8] = []
    var bits: UInt16 = 0
    var count = 0
    for byte in bytes {
      bits = bits << 8 | UInt16(byte)
      count += 8
      while count >= 5 {
        count -= 5
        digits.append(UInt8(bits >> UInt16(count) & 31))
      }
    }
    if count > 0 { digits.append(UInt8(bits << UInt16(5 - count) & 31)) }
    return digits
  }

  private func bytes(ofDigits digits: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits: UInt16 = 0
    var count = 0
    for digit in digits {
      bits = bits << 5 | UInt16(digit)
      count += 5
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt16(count)))
    }
    // The last digit is filled up with zeros, or one name would have several spellings.
    guard bytes.count == byteCount, bits & (1 << UInt16(count) - 1) == 0 else { return nil }
    return bytes
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "O"), UInt8(ascii: "o"): 0
    case UInt8(ascii: "I"), UInt8(ascii: "i"), UInt8(ascii: "L"), UInt8(ascii: "l"): 1
    case UInt8(ascii: "a")...UInt8(ascii: "z"): place(character - 32)
    default: place(character)
    }
  }

  private static func place(_ character: UInt8) -> UInt8? {
    alphabet.firstIndex(of: character).map { UInt8($0) }
  }

  private static func check(_ digits: ArraySlice<UInt8>, _ block: Int) -> UInt8 {
    var sum: UInt8 = 0
    for digit in digits.reversed() { sum = timesA(sum ^ digit) }
    return sum ^ UInt8(block & 31)
  }

  /// In GF(32) as polynomials over GF(2) modulo x^5 + x^2 + 1, where *a* = x has order 31.
  private static func timesA(_ value: UInt8) -> UInt8 {
    let doubled = value << 1
    return doubled & 32 == 0 ? doubled : doubled ^ 0b10_0101
  }
}
