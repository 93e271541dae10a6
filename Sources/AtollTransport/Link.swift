package import AtollEventLoop
internal import AtollVocabulary
package import AtollWire

/// Frames, both ways, over one stream, secured or not; confined to the stream's loop.
///
/// Bytes that are no frame are told once through ``onMalformed``; the link reads no further, but
/// can still send, so that the peer can be told before the link is closed.
package final class Link {
  package var onFrame: ((Frame) -> Void)?
  package var onMalformed: ((WireError) -> Void)?
  /// Called when all that was sent has been handed to the system, after some had to wait.
  package var onDrain: (() -> Void)?
  /// Called once, last.
  package var onClose: ((StreamClosing) -> Void)?

  let stream: ByteStream
  private let session: TLSSession?
  /// The peer's identity; nil where the stream is not secured.
  package let peer: Channel.Peer?
  private var encoder: FrameEncoder
  private var decoder: FrameDecoder
  /// Frames of this turn, encoded.
  private var outgoing: [UInt8] = []
  private var isFlushComing = false
  private var isPaused = false
  private var isReadingOver = false
  /// True if frames are being delivered: the consumer may pause and resume meanwhile.
  private var isDelivering = false

  /// Takes over a connected stream; reads from ``start()`` on.
  package convenience init(stream: ByteStream, compression: Compression) {
    self.init(Channel(plain: stream), compression: compression)
  }

  /// Takes over a channel; reads from ``start()`` on.
  ///
  /// - Parameters:
  ///   - channel: The channel.
  ///   - compression: Shared with other links of the loop.
  ///   - payloadBytes: What a frame that comes may have; a longer one is malformed by its header.
  package init(
    _ channel: Channel, compression: Compression, payloadBytes: Int = Limits.frameBytes
  ) {
    stream = channel.stream
    session = channel.session
    peer = channel.peer
    encoder = FrameEncoder(compression: compression)
    decoder = FrameDecoder(compression: compression, payloadBytes: payloadBytes)
    stream.onBytes = { [weak self] bytes in self?.received(bytes) }
    stream.onDrain = { [weak self] in self?.onDrain?() }
    stream.onClose = { reason in self.closed(reason) }
  }

  package func start() {
    // Bytes that came right behind a handshake are in the session already.
    if session != nil { received(UnsafeRawBufferPointer(start: nil, count: 0)) }
    if !isPaused, !isReadingOver { stream.startReading() }
  }

  /// The other end, for people.
  package var peerName: String { stream.peerAddress?.description ?? stream.name }

  /// Bytes sent and not yet taken by the system.
  package var queuedBytes: Int { outgoing.count + stream.queuedBytes }

  // MARK: Sending

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

  private func flush() {
    guard !outgoing.isEmpty else { return }
    let chunk = outgoing
    outgoing = []
    guard let session else { return stream.write(chunk) }
    do throws(TLSProblem) {
      stream.write(try session.seal(chunk))
    } catch {
      stream.close(.broken("encrypting for \(peerName) failed: \(error)"))
    }
  }

  /// Sends what is waiting, then ends the link in order.
  package func close() {
    flush()
    isPaused = false
    isReadingOver = true
    if let session, stream.isOpen { stream.write(session.farewell()) }
    stream.end()
  }

  // MARK: Receiving

  /// Delivers no frames until ``resume()``; the peer is slowed down by its socket.
  package func pause() {
    isPaused = true
    stream.stopReading()
  }

  package func resume() {
    guard isPaused, !isReadingOver else { return }
    isPaused = false
    stream.loop.atEndOfTurn {
      self.deliver()
      if !self.isPaused, !self.isReadingOver { self.stream.startReading() }
    }
  }

  private func received(_ bytes: UnsafeRawBufferPointer) {
    guard !isReadingOver else { return }
    if let session { return decrypt(bytes, session) }
    decoder.append(bytes)
    deliver()
  }

  private func decrypt(_ bytes: UnsafeRawBufferPointer, _ session: TLSSession) {
    do throws(TLSProblem) {
      try session.open(bytes) { plain in
        guard !isReadingOver else { return }
        decoder.append(plain)
        deliver()
      }
    } catch {
      isReadingOver = true
      stream.write(session.outbound())
      return stream.close(.broken("what came from \(peerName) is no TLS: \(error)"))
    }
    let answer = session.outbound()
    if !answer.isEmpty { stream.write(answer) }
    if session.isEnded, !isReadingOver { stream.close(.byPeer) }
  }

  private func deliver() {
    guard !isDelivering else { return }
    isDelivering = true
    defer { isDelivering = false }
    do throws(WireError) {
      while !isPaused, !isReadingOver, let frame = try decoder.next() { onFrame?(frame) }
    } catch {
      isReadingOver = true
      stream.stopReading()
      onMalformed?(error)
    }
  }

  private func closed(_ reason: StreamClosing) {
    let handler = onClose
    isReadingOver = true
    onFrame = nil
    onMalformed = nil
    onDrain = nil
    onClose = nil
    handler?(reason)
  }
}
