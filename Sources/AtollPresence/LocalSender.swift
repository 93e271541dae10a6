internal import AtollEventLoop
package import AtollWire
private import Synchronization

/// Sends small frames over an open local link from any thread, at the price of a system call.
package final class LocalSender: Sendable {
  private let stream: StreamSender
  private let encoder: Mutex<FrameEncoder>

  /// Goes on where the link's own encoder, which wrote the preamble, has stopped.
  init(_ stream: StreamSender) {
    self.stream = stream
    var encoder = FrameEncoder()
    _ = encoder.encode(.committed(number: 0))
    self.encoder = Mutex(encoder)
  }

  /// Sends a frame, whole or not at all; false if the peer does not read or is gone.
  @discardableResult
  package func send(_ frame: Frame) -> Bool {
    encoder.withLock { encoder in stream.send(encoder.encode(frame)) }
  }
}
