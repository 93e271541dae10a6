/// A list of integers between any two of which there is another: where siblings of one name stand.
///
/// Compared as lists, a prefix first; the bytes of one compare as it does.
struct PositionFraction: Hashable {
  /// Never empty; each within ``range``.
  var numbers: [Int64]

  /// The range of the bytes: 6, 13, 20 and 56 bits, one after the other, of either sign.
  static let range = -largest - 1...largest

  private static let largest = fourth + 1 << 56 - 1
  /// The first number of each length in bytes.
  private static let second: Int64 = 64
  private static let third = second + 8192
  private static let fourth = third + 1 << 20

  /// One strictly between `low` and `high`, where nil is no bound; nil if the bytes cannot hold it.
  static func between(_ low: PositionFraction?, _ high: PositionFraction?) -> PositionFraction? {
    let numbers = numbersBetween(low?.numbers, high?.numbers)
    return numbers.allSatisfy(range.contains) ? PositionFraction(numbers: numbers) : nil
  }

  private static func numbersBetween(_ low: [Int64]?, _ high: [Int64]?) -> [Int64] {
    guard let low else { return [high.map { $0[0] - 1 } ?? 0] }
    guard let high else { return [low[0] + 1] }
    let shared = zip(low, high).prefix { $0 == $1 }.count
    if shared == low.count { return low + [(shared < high.count ? high[shared] : 1) - 1] }
    if shared == high.count { return low + [0] }
    if high[shared] - low[shared] >= 2 { return low[..<shared] + [low[shared] + 1] }
    if low.count > shared + 1 { return low[...shared] + [low[shared + 1] + 1] }
    return low + [0]
  }
}

// MARK: - Bytes

extension PositionFraction {
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for number in numbers { Self.append(number, to: &bytes) }
    return bytes
  }

  /// Negative numbers are the complement of −n − 1, so that their bytes sort below.
  private static func append(_ number: Int64, to bytes: inout [UInt8]) {
    let magnitude = UInt64(bitPattern: number < 0 ? -number - 1 : number)
    let mask: UInt8 = number < 0 ? 0xFF : 0
    func put(_ first: UInt8, _ rest: UInt64, bytesMore count: UInt64) {
      bytes.append((first | UInt8(truncatingIfNeeded: rest >> (8 * count))) ^ mask)
      for place in (0..<count).reversed() {
        bytes.append(UInt8(truncatingIfNeeded: rest >> (8 * place)) ^ mask)
      }
    }
    switch Int64(magnitude) {
    case ..<second: put(0x80, magnitude, bytesMore: 0)
    case ..<third: put(0xC0, magnitude - UInt64(second), bytesMore: 1)
    case ..<fourth: put(0xE0, magnitude - UInt64(third), bytesMore: 2)
    case _: put(0xF0, magnitude - UInt64(fourth), bytesMore: 7)
    }
  }

  /// Reads numbers up to the side byte that must follow them; moves `offset` onto it.
  ///
  /// - Parameters:
  ///   - bytes: A position key.
  ///   - offset: Where the fraction starts.
  init?(_ bytes: [UInt8], from offset: inout Int) {
    numbers = []
    while offset < bytes.count, bytes[offset] > PositionPath.elementSide {
      guard let number = Self.number(bytes, at: &offset) else { return nil }
      numbers.append(number)
    }
    guard offset < bytes.count, !numbers.isEmpty else { return nil }
  }

  private static func number(_ bytes: [UInt8], at offset: inout Int) -> Int64? {
    let mask: UInt8 = bytes[offset] < 0x80 ? 0xFF : 0
    let first = bytes[offset] ^ mask
    let (bits, count, base): (UInt8, Int, Int64)
    switch first {
    case 0x80..<0xC0: (bits, count, base) = (0x3F, 0, 0)
    case 0xC0..<0xE0: (bits, count, base) = (0x1F, 1, second)
    case 0xE0..<0xF0: (bits, count, base) = (0x0F, 2, third)
    case 0xF0: (bits, count, base) = (0, 7, fourth)
    case _: return nil
    }
    guard count < bytes.count - offset else { return nil }
    var rest = Int64(first & bits)
    for place in 1..<count + 1 { rest = rest << 8 | Int64(bytes[offset + place] ^ mask) }
    offset += 1 + count
    return mask == 0 ? base + rest : -(base + rest) - 1
  }
}
