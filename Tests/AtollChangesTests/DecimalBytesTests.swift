import AtollChanges
import AtollVocabulary
import Testing

/// Of each decimal there is one form on the wire.
@Suite struct DecimalBytesTests {
  private func changeset(_ value: Decimal128) -> Changeset {
    Samples.changeset([.assign(Samples.path(Samples.price), .scalar(.decimal(value)))])
  }

  /// The last sixteen bytes are the value's.
  private func bytes(_ value: Decimal128) -> [UInt8] { changeset(value).encoded() }

  @Test(arguments: [
    (high: UInt64(0x7C00_0000_0000_0001), low: UInt64(0), text: "NaN"),
    (0x7E00_0000_0000_0000, 0, "NaN"), (0xFC00_0000_0000_0000, 5, "NaN"),
    (0x7800_0000_0000_0001, 0, "Infinity"), (0xF900_0000_0000_0000, 7, "-Infinity"),
    (0x3041_ED09_BEAD_87C0, 0x378D_8E64_0000_0000, "0"),
    (0xB041_FFFF_FFFF_FFFF, 0, "-0"), (0x6C10_0000_0000_0000, 9, "0"),
  ])
  func `another form of a value is written as the one, and refused`(
    high: UInt64, low: UInt64, text: String
  ) throws {
    let value = Decimal128(high: high, low: low)
    let canonical = bytes(value)
    let decoded = try Changeset(decoding: canonical, author: Samples.author)
    #expect(decoded.operations[0].description.hasSuffix("= decimal \(text)"))
    #expect(decoded.encoded() == canonical)

    var other = Array(canonical.dropLast(16))
    for word in [high, low] {
      other += (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
    }
    let error = #expect(throws: ChangesetError.self) {
      try Changeset(decoding: other, author: Samples.author)
    }
    #expect(error?.kind == .notCanonical)
  }

  @Test(arguments: [
    (UInt64(0x3040_0000_0000_0000), UInt64(1), "1"), (0x303E_0000_0000_0000, 15, "1.5"),
    (0x303C_0000_0000_0000, 150, "1.50"), (0xB040_0000_0000_0000, 0, "-0"),
    (0x5FFF_ED09_BEAD_87C0, 0x378D_8E63_FFFF_FFFF, "9.999999999999999999999999999999999E+6144"),
    (0x0000_0000_0000_0000, 1, "1E-6176"), (0x7800_0000_0000_0000, 0, "Infinity"),
    (0x7C00_0000_0000_0000, 0, "NaN"),
  ])
  func `a value keeps its digits and its exponent`(
    high: UInt64, low: UInt64, text: String
  ) throws {
    let value = Decimal128(high: high, low: low)
    let decoded = try Changeset(decoding: bytes(value), author: Samples.author)
    #expect(decoded == changeset(value))
    #expect(decoded.operations[0].description.hasSuffix("= decimal \(text)"))
  }
}
