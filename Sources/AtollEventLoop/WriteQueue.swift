internal import AtollVocabulary
internal import DequeModule

/// The bytes that were written to a stream and not yet taken by the system.
struct WriteQueue {
  /// Chunks in order, the first of which is written in part.
  var chunks: Deque<[UInt8]> = []
  /// Bytes of the first waiting chunk that are gone already.
  var offset = 0
  /// Bytes in `chunks` that wait.
  var waitingBytes = 0
  /// Bytes in libuv's hands, in one request at most.
  var bytesInFlight = 0
  /// True if something had to wait since the queue was last empty.
  var didWait = false

  /// Buffers of one gathered write.
  static let gatherBuffers = 16

  var totalBytes: Int { waitingBytes + bytesInFlight }

  mutating func append(_ chunk: [UInt8]) {
    guard !chunk.isEmpty else { return }
    chunks.append(chunk)
    waitingBytes += chunk.count
  }

  /// The number of chunks in the next gathered write: one at least, if any waits.
  var gathered: Int {
    var end = 0
    var bytes = -offset
    while end < chunks.count, end < Self.gatherBuffers {
      bytes += chunks[end].count
      if end > 0, bytes > Limits.gatherBytes { break }
      end += 1
    }
    return end
  }

  /// Takes `count` bytes off the front.
  mutating func consume(_ count: Int) {
    waitingBytes -= count
    var left = count + offset
    while let first = chunks.first, left >= first.count {
      left -= first.count
      chunks.removeFirst()
    }
    offset = left
    // Only what had to wait can have made the queue long; its memory is given back.
    if chunks.isEmpty, didWait { chunks = [] }
  }

  mutating func forget() {
    self = WriteQueue()
  }
}
