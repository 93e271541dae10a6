import Testing

@testable import AtollWire

@Suite struct ChecksumTests {
  @Test func `the check value of CRC-32C comes out`() {
    #expect(CRC32C.checksum(Array("123456789".utf8)) == 0xE306_9283)
  }

  @Test func `thirty-two zeros give the checksum of RFC 3720`() {
    #expect(CRC32C.checksum([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
  }

  @Test func `every length agrees with the bit-by-bit definition`() {
    for count in 0..<40 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
      #expect(CRC32C.checksum(bytes) == bitByBit(bytes))
    }
  }

  private func bitByBit(_ bytes: [UInt8]) -> UInt32 {
    var remainder = UInt32.max
    for byte in bytes {
      remainder ^= UInt32(byte)
      for _ in 0..<8 {
        remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0x82F6_3B78 : remainder >> 1
      }
    }
    return ~remainder
  }
}
