internal import AtollEventLoop
package import AtollWire
private import Synchronization

/// Sends small frames over an open link from any thread, at the price of a system call.
package final class LinkSender: Sendable {
  private let stream: StreamSender
  private let encoder: Mutex<FrameEncoder>

  /// Goes on where a link's own encoder, which wrote the preamble, has stopped.
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

extension Link {
  /// A sender for this link, once it has sent a frame; the link itself must not send any more.
  ///
  /// Nil if frames still wait to be written, or the link is closed.
  package func makeSender() -> LinkSender? {
    guard queuedBytes == 0 else { return nil }
    return stream.makeSender().map(LinkSender.init)
  }
}
