/// Lower-case hexadecimal text of words and bytes.
package enum Hexadecimal {
  private static let digits = Array("0123456789abcdef".utf8)

  /// Sixteen digits, most significant first.
  package static func text(_ word: UInt64) -> String {
    text(bytes: (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) })
  }

  /// Two digits a byte.
  package static func text(bytes: some Sequence<UInt8>) -> String {
    var characters: [UInt8] = []
    for byte in bytes {
      characters.append(digits[Int(byte >> 4)])
      characters.append(digits[Int(byte & 0xF)])
    }
    return String(decoding: characters, as: UTF8.self)
  }

  /// The bytes of an even number of digits; nil for anything else.
  package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    let characters = Array(text.utf8)
    guard characters.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(characters.count / 2)
    for start in stride(from: 0, to: characters.count, by: 2) {
      guard let high = value(characters[start]), let low = value(characters[start + 1]) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// Two words from thirty-two digits; nil for anything else.
  static func pair(_ text: String) -> (UInt64, UInt64)? {
    guard let bytes = bytes(text), bytes.count == 16 else { return nil }
    func word(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
    return (word(bytes[0..<8]), word(bytes[8..<16]))
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
