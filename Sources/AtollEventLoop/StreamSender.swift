internal import CUV

/// Sends short messages over a connected stream from any thread, without a turn of its loop.
///
/// For signals that must be cheap for the one who gives them: a system call instead of waking the
/// loop's thread. Callers send one at a time. Lives on a descriptor of its own, so that closing the
/// stream meanwhile does no harm.
package final class StreamSender: Sendable {
  private let descriptor: Int32

  fileprivate init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { atoll_socket_close(descriptor) }

  /// Sends a message, whole or not at all; false if the peer does not read or is gone.
  package func send(_ message: [UInt8]) -> Bool {
    let taken = message.withUnsafeBytes { bytes in
      atoll_socket_send(descriptor, bytes.baseAddress, bytes.count)
    }
    guard taken > 0, taken < message.count else { return taken == message.count }
    // Half a message cannot be taken back: the stream is of no more use.
    atoll_socket_shut_down(descriptor)
    return false
  }
}

extension ByteStream {
  /// A sender for this stream, which must not be written to itself any more.
  ///
  /// Nil if the stream is closed, something still waits to be written, or the system has no
  /// descriptors left.
  package func makeSender() -> StreamSender? {
    loop.assertOnLoop()
    var descriptor = uv_os_fd_t()
    guard isOpen, queuedBytes == 0, uv_fileno(pointer(), &descriptor) == 0 else { return nil }
    let copy = atoll_socket_duplicate(descriptor)
    return copy < 0 ? nil : StreamSender(descriptor: copy)
  }
}
