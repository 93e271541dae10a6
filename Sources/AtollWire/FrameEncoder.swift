import AtollVocabulary

/// Turns frames into the bytes of one direction of one link, preamble first.
package struct FrameEncoder {
  private let compression: Compression
  private var isPreambleWritten = false

  /// Shares `compression` with other links of the same thread.
  package init(compression: Compression = Compression()) {
    self.compression = compression
  }

  /// Appends the frame's bytes.
  package mutating func encode(_ frame: Frame, into bytes: inout [UInt8]) {
    if !isPreambleWritten {
      bytes += FrameLayout.preamble
      isPreambleWritten = true
    }
    let start = bytes.count
    var writer = PayloadWriter(bytes: bytes)
    bytes = []
    writer.fixed(UInt32(0))
    writer.byte(frame.kind.rawValue)
    writer.payload(frame, compression)
    bytes = writer.bytes
    seal(&bytes, from: start)
  }

  package mutating func encode(_ frame: Frame) -> [UInt8] {
    var bytes: [UInt8] = []
    encode(frame, into: &bytes)
    return bytes
  }

  /// Fills in the length of the frame that starts at `start`, and appends its checksum.
  private func seal(_ bytes: inout [UInt8], from start: Int) {
    let byteCount = bytes.count - start - FrameLayout.headerBytes
    precondition(byteCount <= Limits.frameBytes, "a frame's payload has \(byteCount) bytes")
    for index in 0..<4 {
      bytes[start + index] = UInt8(truncatingIfNeeded: byteCount >> (24 - 8 * index))
    }
    let checksum = CRC32C.checksum(bytes[start...])
    for index in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: checksum >> (24 - 8 * index))) }
  }
}
