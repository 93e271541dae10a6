internal import AtollVocabulary

/// What was written to a stream and not yet taken by the system.
struct WriteQueue {
  /// Chunks in order; the first `head` are done with.
  var chunks: [[UInt8]] = []
  var head = 0
  /// Bytes of the first waiting chunk that are gone already.
  var offset = 0
  /// Bytes in `chunks` that wait.
  var waitingBytes = 0
  /// Bytes in libuv's hands, in one request at most.
  var bytesInFlight = 0
  /// Whether something had to wait since the queue was last empty.
  var didWait = false

  /// Buffers of one gathered write.
  static let gatherBuffers = 16

  var totalBytes: Int { waitingBytes + bytesInFlight }

  mutating func append(_ chunk: [UInt8]) {
    guard !chunk.isEmpty else { return }
    chunks.append(chunk)
    waitingBytes += chunk.count
  }

  /// The range of chunks for the next gathered write: one at least, if any waits.
  var gathered: Range<Int> {
    var end = head
    var bytes = -offset
    while end < chunks.count, end - head < Self.gatherBuffers {
      bytes += chunks[end].count
      if end > head, bytes > Limits.gatherBytes { break }
      end += 1
    }
    return head..<end
  }

  /// Takes `count` bytes off the front.
  mutating func consume(_ count: Int) {
    waitingBytes -= count
    var left = count + offset
    while head < chunks.count, left >= chunks[head].count {
      left -= chunks[head].count
      chunks[head] = []
      head += 1
    }
    offset = left
    if head == chunks.count {
      chunks.removeAll(keepingCapacity: chunks.capacity <= 64)
      head = 0
    } else if head > 64 {
      chunks.removeFirst(head)
      head = 0
    }
  }

  mutating func forget() {
    self = WriteQueue()
  }
}
