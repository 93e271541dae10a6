import AtollChanges
import AtollVocabulary
import Foundation
import Testing

@testable import AtollWire

@Suite struct FrameDecoderTests {
  @Test func `frames come whole from a stream of single bytes`() throws {
    var encoder = FrameEncoder()
    var bytes: [UInt8] = []
    for (_, frame) in Fixture.frames { encoder.encode(frame, into: &bytes) }
    var decoder = FrameDecoder()
    var found: [Frame] = []
    for byte in bytes {
      decoder.append(CollectionOfOne(byte))
      while let frame = try decoder.next() { found.append(frame) }
    }
    #expect(found == Fixture.frames.map(\.frame))
  }

  @Test func `frames come whole from one piece`() throws {
    var encoder = FrameEncoder()
    var decoder = FrameDecoder()
    for (_, frame) in Fixture.frames { decoder.append(encoder.encode(frame)) }
    for (_, frame) in Fixture.frames { #expect(try decoder.next() == frame) }
    #expect(try decoder.next() == nil)
  }

  @Test(arguments: Fixture.frames.map(\.name))
  func `a truncated frame is no frame`(name: String) throws {
    let bytes = try bytes(of: name)
    for count in bytes.indices {
      var decoder = FrameDecoder()
      decoder.append(bytes.prefix(count))
      #expect(try decoder.next() == nil)
    }
  }

  @Test(arguments: Fixture.frames.map(\.name))
  func `a flipped byte is an error, or a frame that never ends`(name: String) throws {
    let bytes = try bytes(of: name)
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << bit
        var decoder = FrameDecoder()
        decoder.append(damaged)
        if let frame = try? decoder.next() {
          Issue.record("bit \(bit) of byte \(index) flipped: read as \(frame)")
        }
      }
    }
  }

  @Test(arguments: Fixture.frames.map(\.name))
  func `a payload damaged under a good checksum never traps`(name: String) throws {
    let bytes = try bytes(of: name)
    let start = FrameLayout.preamble.count + FrameLayout.headerBytes
    for index in start..<(bytes.count - FrameLayout.checksumBytes) {
      for value in [0x00, 0x01, 0x7F, 0x80, 0xFF] as [UInt8] {
        var damaged = bytes
        damaged[index] = value
        var decoder = FrameDecoder()
        decoder.append(sealed(damaged))
        _ = try? decoder.next()
      }
    }
  }

  /// A chunk or a page ends where its payload does, so that a shorter one is another.
  @Test(arguments: Fixture.frames.map(\.name).filter { !["chunk", "snapshot-page"].contains($0) })
  func `a payload cut short under a good checksum is an error`(name: String) throws {
    let bytes = try bytes(of: name)
    let start = FrameLayout.preamble.count + FrameLayout.headerBytes
    for end in start..<(bytes.count - FrameLayout.checksumBytes) {
      var decoder = FrameDecoder()
      decoder.append(sealed(bytes.prefix(end) + [0, 0, 0, 0]))
      #expect(throws: WireError.self) { try decoder.next() }
    }
  }

  @Test func `other first bytes are told at once`() {
    var decoder = FrameDecoder()
    decoder.append(Array("GET / HTTP/1.1\r\n".utf8))
    #expect(throws: WireError.notAtoll(found: Array("GET / HT".utf8))) { try decoder.next() }
  }

  @Test func `a single wrong byte is told before a second comes`() {
    var decoder = FrameDecoder()
    decoder.append([0x16])
    #expect(throws: WireError.notAtoll(found: [0x16])) { try decoder.next() }
  }

  @Test func `a length over the limit is refused before its bytes come`() {
    var decoder = FrameDecoder()
    decoder.append(FrameLayout.preamble + [0x7F, 0xFF, 0xFF, 0xFF, Frame.Kind.hello.rawValue])
    #expect(throws: WireError.frameTooLong(kind: 1, byteCount: 0x7FFF_FFFF)) {
      try decoder.next()
    }
  }

  @Test func `an unknown kind is refused by its number`() {
    var decoder = FrameDecoder()
    decoder.append(FrameLayout.preamble + [0, 0, 0, 0, 99])
    #expect(throws: WireError.unknownKind(99)) { try decoder.next() }
  }

  @Test func `an error is repeated whatever comes after it`() throws {
    var decoder = FrameDecoder()
    decoder.append([0x00])
    #expect(throws: WireError.notAtoll(found: [0x00])) { try decoder.next() }
    decoder.append(try bytes(of: "goodbye"))
    #expect(throws: WireError.notAtoll(found: [0x00])) { try decoder.next() }
  }

  @Test func `random payloads never trap`() {
    let seed =
      ProcessInfo.processInfo.environment["ATOLL_SEED"].flatMap { UInt64($0) }
      ?? UInt64.random(in: 0...UInt64.max)
    print("random payloads: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for kind in Frame.Kind.allCases {
      for _ in 0..<2000 {
        let payload = (0..<Int.random(in: 0...90, using: &random)).map { _ in
          Bool.random(using: &random)
            ? UInt8.random(in: 0...3, using: &random) : UInt8.random(in: 0...255, using: &random)
        }
        var decoder = FrameDecoder()
        let header = FrameLayout.preamble + [0, 0, 0, 0, kind.rawValue]
        decoder.append(sealed(header + payload + [0, 0, 0, 0]))
        _ = try? decoder.next()
      }
    }
  }

  @Test func `20,000 damaged frame vectors, their checksums put right, never trap`() throws {
    let seed =
      ProcessInfo.processInfo.environment["ATOLL_SEED"].flatMap { UInt64($0) }
      ?? UInt64.random(in: 0...UInt64.max)
    print("damaged frames: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let vectors = try Fixture.frames.map { try bytes(of: $0.name) }
    for _ in 0..<20_000 {
      var damaged = vectors[Int.random(in: vectors.indices, using: &random)]
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: FrameLayout.preamble.count..<damaged.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: damaged[place] = UInt8.random(in: 0...255, using: &random)
        case 1: damaged[place] &+= 1
        case 2: damaged.insert(UInt8.random(in: 0...255, using: &random), at: place)
        default: if damaged.count > 20 { damaged.remove(at: place) }
        }
      }
      var decoder = FrameDecoder()
      decoder.append(sealed(damaged))
      _ = try? decoder.next()
    }
  }

  private func bytes(of name: String) throws -> [UInt8] {
    try FrameVector(named: "preamble").bytes + FrameVector(named: name).bytes
  }

  /// The frame with length and checksum that fit its bytes.
  private func sealed(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    let start = FrameLayout.preamble.count
    let end = bytes.count - FrameLayout.checksumBytes
    let length = end - start - FrameLayout.headerBytes
    for index in 0..<4 { bytes[start + index] = UInt8(length >> (24 - 8 * index) & 0xFF) }
    let checksum = CRC32C.checksum(bytes[start..<end])
    for index in 0..<4 { bytes[end + index] = UInt8(checksum >> (24 - 8 * UInt32(index)) & 0xFF) }
    return bytes
  }
}
