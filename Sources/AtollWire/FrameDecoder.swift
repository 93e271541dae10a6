import AtollVocabulary

/// Turns the bytes of one direction of one link into frames, however they are cut.
///
/// Holds at most one frame of ``Limits/frameBytes`` and what was appended last: take every frame
/// out with ``next()`` before appending more. After an error the link's bytes mean nothing any
/// more, and ``next()`` throws it again.
package struct FrameDecoder {
  private let compression: Compression
  private var buffer: [UInt8] = []
  /// Bytes of `buffer` that were decoded.
  private var consumed = 0
  private var isPreambleRead = false
  private var failure: WireError?
  private let payloadBytes: Int

  /// Shares `compression` with other links of the same thread; a frame has at most `payloadBytes`.
  package init(
    compression: Compression = Compression(), payloadBytes: Int = Limits.frameBytes
  ) {
    self.compression = compression
    self.payloadBytes = payloadBytes
  }

  /// Takes the next bytes of the link, in order.
  package mutating func append(_ bytes: some Collection<UInt8>) {
    if consumed == buffer.count {
      buffer.removeAll(keepingCapacity: true)
      consumed = 0
    } else if consumed > Limits.batchBytes {
      buffer.removeFirst(consumed)
      consumed = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// True if a part of a frame, or of the preamble, has come.
  package var isInFrame: Bool { consumed < buffer.count }

  /// The next whole frame; nil until more bytes are appended.
  ///
  /// - Throws: ``WireError`` as soon as the bytes cannot become a frame, before they are complete.
  package mutating func next() throws(WireError) -> Frame? {
    if let failure { throw failure }
    do {
      return try decode()
    } catch {
      failure = error
      buffer = []
      consumed = 0
      throw error
    }
  }

  private mutating func decode() throws(WireError) -> Frame? {
    guard try readPreamble() else { return nil }
    let available = buffer.count - consumed
    guard available >= FrameLayout.headerBytes else { return nil }
    let length = Int(word(at: consumed))
    let kindByte = buffer[consumed + 4]
    guard let kind = Frame.Kind(rawValue: kindByte) else { throw .unknownKind(kindByte) }
    guard length <= payloadBytes else {
      throw .frameTooLong(kind: kindByte, byteCount: length)
    }
    let end = consumed + FrameLayout.headerBytes + length
    guard buffer.count >= end + FrameLayout.checksumBytes else { return nil }
    let computed = CRC32C.checksum(buffer[consumed..<end])
    let found = word(at: end)
    guard computed == found else {
      throw .checksum(kind: kindByte, found: found, computed: computed)
    }
    let payload = buffer[(consumed + FrameLayout.headerBytes)..<end]
    consumed = end + FrameLayout.checksumBytes
    return try PayloadReader.frame(kind, payload, compression)
  }

  /// Tells whether the preamble is behind us; a wrong byte is told as soon as it is there.
  private mutating func readPreamble() throws(WireError) -> Bool {
    if isPreambleRead { return true }
    let found = buffer.dropFirst(consumed).prefix(FrameLayout.preamble.count)
    guard FrameLayout.preamble.starts(with: found) else { throw .notAtoll(found: Array(found)) }
    guard found.count == FrameLayout.preamble.count else { return false }
    consumed += found.count
    isPreambleRead = true
    return true
  }

  private func word(at index: Int) -> UInt32 {
    buffer[index..<(index + 4)].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
