/// CRC-32C (Castagnoli), reflected, as in iSCSI and ext4: eight table lookups per eight bytes.
///
/// Kounavis and Berry, "A Systematic Approach to Building High Performance, Software-based, CRC
/// Generators", 2005 ("slicing-by-8").
package enum CRC32C {
  private static let polynomial: UInt32 = 0x82F6_3B78

  /// Eight tables of 256, one after the other: table k is the effect of a byte k places before the
  /// end of a group.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var remainder = UInt32(byte)
      for _ in 0..<8 {
        remainder = remainder & 1 == 1 ? remainder >> 1 ^ polynomial : remainder >> 1
      }
      tables[byte] = remainder
    }
    for index in 256..<tables.count {
      let previous = tables[index - 256]
      tables[index] = previous >> 8 ^ tables[Int(previous & 0xFF)]
    }
    return tables
  }()

  package static func checksum(_ bytes: some Collection<UInt8>) -> UInt32 {
    bytes.withContiguousStorageIfAvailable { checksum(of: UnsafeRawBufferPointer($0)) }
      ?? Array(bytes).withUnsafeBytes { checksum(of: $0) }
  }

  private static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
    tables.withUnsafeBufferPointer { tables in
      var remainder = UInt32.max
      var index = 0
      while index + 8 <= bytes.count {
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        remainder = step(word ^ UInt64(remainder), tables)
        index += 8
      }
      while index < bytes.count {
        remainder = remainder >> 8 ^ tables[Int((remainder ^ UInt32(bytes[index])) & 0xFF)]
        index += 1
      }
      return ~remainder
    }
  }

  /// The remainder after the eight bytes of `word`, lowest first.
  @inline(__always)
  private static func step(_ word: UInt64, _ tables: UnsafeBufferPointer<UInt32>) -> UInt32 {
    let low =
      entry(word, 0, tables) ^ entry(word, 1, tables)
      ^ entry(word, 2, tables) ^ entry(word, 3, tables)
    let high =
      entry(word, 4, tables) ^ entry(word, 5, tables)
      ^ entry(word, 6, tables) ^ entry(word, 7, tables)
    return low ^ high
  }

  @inline(__always)
  private static func entry(
    _ word: UInt64, _ byte: UInt64, _ tables: UnsafeBufferPointer<UInt32>
  ) -> UInt32 {
    tables[Int((7 &- byte) &* 256 &+ (word >> (8 &* byte) & 0xFF))]
  }
}
