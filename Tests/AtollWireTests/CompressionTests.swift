import AtollChanges
import AtollVocabulary
import Testing

@testable import AtollWire

@Suite struct CompressionTests {
  @Test func `a changeset frame shrinks where its bytes repeat`() {
    var encoder = FrameEncoder()
    // A signature does not.
    #expect(encoder.encode(Fixture.compressible).count < 150 + Seal.byteCount)
  }

  @Test func `compressed frames come back equal, one after the other`() throws {
    var encoder = FrameEncoder()
    var decoder = FrameDecoder()
    for _ in 0..<3 {
      decoder.append(encoder.encode(Fixture.compressible))
      #expect(try decoder.next() == Fixture.compressible)
    }
  }

  @Test func `a declared size over the limit is refused before it is allocated`() throws {
    let compression = Compression()
    let bytes = try #require(compression.compress([UInt8](repeating: 0, count: 4096)[...]))
    let declared = UInt64(Limits.decompressedBytes) + 1
    #expect(throws: WireError.decompressedTooLong(byteCount: declared)) {
      try compression.decompress(bytes[...], byteCount: declared)
    }
  }

  @Test func `a second Zstandard frame behind the first is refused`() throws {
    let compression = Compression()
    let bytes = try #require(compression.compress([UInt8](repeating: 0, count: 4096)[...]))
    let error = WireError.compression("\(bytes.count) bytes follow its Zstandard frame")
    #expect(throws: error) {
      try compression.decompress((bytes + bytes)[...], byteCount: 8192)
    }
  }

  @Test func `a payload that grows beyond what it declares is refused`() throws {
    let compression = Compression()
    let bytes = try #require(compression.compress([UInt8](repeating: 0, count: 4096)[...]))
    #expect(throws: WireError.self) { try compression.decompress(bytes[...], byteCount: 4095) }
  }

  @Test func `a payload that stays under what it declares is refused`() throws {
    let compression = Compression()
    let bytes = try #require(compression.compress([UInt8](repeating: 0, count: 4096)[...]))
    #expect(throws: WireError.compression("expected 4097 bytes, found 4096")) {
      try compression.decompress(bytes[...], byteCount: 4097)
    }
  }

  @Test func `bytes that do not shrink travel as they are`() {
    var random = SeededGenerator(seed: 42)
    let bytes = (0..<1000).map { _ in UInt8.random(in: 0...255, using: &random) }
    #expect(Compression().compress(bytes[...]) == nil)
  }
}
