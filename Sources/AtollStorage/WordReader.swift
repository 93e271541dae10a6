/// Reads bytes and big-endian words from the blobs that this module writes.
struct WordReader {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { place >= bytes.count }

  mutating func byte() -> UInt8? {
    guard place < bytes.count else { return nil }
    defer { place += 1 }
    return bytes[place]
  }

  mutating func word() -> UInt64? {
    guard let part = take(8) else { return nil }
    return part.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Seven bits a byte, least significant first.
  mutating func varint() -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while shift < 64, let byte = byte() {
      value |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 { return value }
      shift += 7
    }
    return nil
  }

  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= bytes.count - place else { return nil }
    defer { place += count }
    return bytes[place..<(place + count)]
  }
}

extension [UInt8] {
  /// Eight bytes, big-endian.
  mutating func append(word: UInt64) {
    for shift in stride(from: 56, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
    }
  }

  /// Seven bits a byte, least significant first.
  mutating func append(number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}
