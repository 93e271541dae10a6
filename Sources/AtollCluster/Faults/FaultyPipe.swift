import AtollEventLoop
import AtollVocabulary
import DequeModule

/// One direction of a connection: takes bytes from a stream, and gives them to another when the
/// network's condition lets it.
final class FaultyPipe {
  private let source: ByteStream
  private let destination: ByteStream
  private var timer: LoopTimer?
  private var waiting: Deque<(due: Instant, bytes: [UInt8])> = []
  private var waitingBytes = 0
  /// The time at which a slow link has sent everything.
  private var isFreeAt: Instant
  private var hasBegun = false

  /// The bytes that may wait here before the source is no longer read: about as many as sockets
  /// take.
  private static let bound = 256 << 10

  var condition = LinkCondition.healthy {
    didSet { pump() }
  }

  init(from source: ByteStream, to destination: ByteStream) {
    self.source = source
    self.destination = destination
    isFreeAt = source.loop.now
    timer = LoopTimer(loop: source.loop) { [weak self] in self?.pump() }
    source.onBytes = { [weak self] in self?.take($0) }
  }

  /// Reads from now on: the other end is there.
  func begin() {
    hasBegun = true
    pump()
  }

  func close() {
    timer?.close()
    timer = nil
    waiting = []
  }

  private func take(_ bytes: UnsafeRawBufferPointer) {
    waiting.append((due(of: bytes.count), Array(bytes)))
    waitingBytes += bytes.count
    pump()
  }

  /// Returns the time at which bytes that come now may leave.
  private func due(of count: Int) -> Instant {
    let now = source.loop.now
    guard case .slow(let delay, let bytesPerSecond) = condition else { return now }
    let time = Duration.nanoseconds(count * 1_000_000_000 / max(1, bytesPerSecond))
    isFreeAt = max(isFreeAt, now).advanced(by: time)
    return isFreeAt.advanced(by: delay)
  }

  /// Gives on what is due, and reads on if there is room for more.
  func pump() {
    guard hasBegun, condition != .silent else { return source.stopReading() }
    let now = source.loop.now
    let limit = Self.bound
    while let next = waiting.first, next.due <= now, destination.queuedBytes < limit {
      waiting.removeFirst()
      destination.write(next.bytes)
      waitingBytes -= next.bytes.count
    }
    if let next = waiting.first, next.due > now { timer?.start(at: next.due) }
    if waitingBytes < limit { source.startReading() } else { source.stopReading() }
  }
}
