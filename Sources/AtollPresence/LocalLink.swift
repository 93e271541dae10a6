package import AtollEventLoop
internal import AtollVocabulary
package import AtollWire

/// Frames, both ways, between two processes at one store; confined to the loop of its stream.
///
/// A socket in the file system needs none of what links between nodes have: no TLS, and no
/// back-pressure, since nothing longer than a few words is said. Bytes that are no frame end it.
package final class LocalLink {
  package var onFrame: ((Frame) -> Void)?
  /// Called once, last.
  package var onClose: ((StreamClosing) -> Void)?

  private let stream: ByteStream
  private var encoder: FrameEncoder
  private var decoder: FrameDecoder
  /// Frames of this turn of the loop, encoded; they leave in one write.
  private var outgoing: [UInt8] = []
  private var isFlushComing = false
  private var isEnding = false

  /// Takes over a stream; reads from ``start()`` on.
  ///
  /// - Parameters:
  ///   - stream: Connected, or about to be.
  ///   - compression: Shared with other links of the loop.
  package init(stream: ByteStream, compression: Compression) {
    self.stream = stream
    encoder = FrameEncoder(compression: compression)
    decoder = FrameDecoder(compression: compression)
    stream.onBytes = { [weak self] bytes in self?.received(bytes) }
    stream.onClose = { reason in self.closed(reason) }
  }

  package func start() {
    if !isEnding { stream.startReading() }
  }

  /// Sends a frame after those before it, together with what else this turn of the loop sends.
  package func send(_ frame: Frame) {
    guard stream.isOpen else { return }
    encoder.encode(frame, into: &outgoing)
    if outgoing.count >= Limits.gatherBytes { return flush() }
    guard !isFlushComing else { return }
    isFlushComing = true
    stream.loop.atEndOfTurn {
      self.isFlushComing = false
      self.flush()
    }
  }

  /// Sends what is waiting, then ends the link in order.
  package func close() {
    flush()
    isEnding = true
    stream.end()
  }

  /// A sender for other threads, once a frame was sent; the link itself must not send any more.
  ///
  /// Nil if frames still wait to be written, or the link is closed.
  package func makeSender() -> LocalSender? {
    guard outgoing.isEmpty else { return nil }
    return stream.makeSender().map(LocalSender.init)
  }

  private func flush() {
    guard !outgoing.isEmpty else { return }
    let chunk = outgoing
    outgoing = []
    stream.write(chunk)
  }

  private func received(_ bytes: UnsafeRawBufferPointer) {
    guard !isEnding else { return }
    decoder.append(bytes)
    do throws(WireError) {
      while !isEnding, let frame = try decoder.next() { onFrame?(frame) }
    } catch {
      close()
    }
  }

  private func closed(_ reason: StreamClosing) {
    let handler = onClose
    isEnding = true
    onFrame = nil
    onClose = nil
    handler?(reason)
  }
}
