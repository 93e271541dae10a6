package import AtollEventLoop
internal import AtollVocabulary

/// Makes a connected stream a secured one, or ends it: in bounded time, with bounded bytes.
package final class TLSHandshake {
  private let stream: ByteStream
  private let session: TLSSession?
  private let peerName: String
  private var handler: ((Result<Channel, TransportError>) -> Void)?
  private var timer: LoopTimer?
  private var receivedBytes = 0

  /// Begins as the one who was connected to.
  package convenience init(
    accepting stream: ByteStream, _ context: TLSContext,
    timeout: Duration = Limits.handshakeTimeout,
    handler: @escaping (Result<Channel, TransportError>) -> Void
  ) {
    let session = TLSSession(context, side: .accepting, purpose: .exchange)
    self.init(stream, session, timeout, handler)
  }

  /// Begins as the one who connected, and says what for.
  package convenience init(
    dialing stream: ByteStream, _ context: TLSContext, purpose: LinkPurpose,
    timeout: Duration = Limits.handshakeTimeout,
    handler: @escaping (Result<Channel, TransportError>) -> Void
  ) {
    let session = TLSSession(context, side: .dialing, purpose: purpose)
    self.init(stream, session, timeout, handler)
  }

  /// The handler is called once, on the loop, later than this returns, and not after ``cancel()``.
  private init(
    _ stream: ByteStream, _ session: TLSSession?, _ timeout: Duration,
    _ handler: @escaping (Result<Channel, TransportError>) -> Void
  ) {
    self.stream = stream
    self.session = session
    self.handler = handler
    peerName = stream.peerAddress?.description ?? stream.name
    let timer = LoopTimer(loop: stream.loop) { self.fail("it took more than \(timeout)") }
    timer.start(after: timeout)
    self.timer = timer
    stream.onBytes = { bytes in self.received(bytes) }
    stream.onClose = { reason in self.fail("\(reason)") }
    stream.startReading()
    stream.loop.atEndOfTurn { self.received(UnsafeRawBufferPointer(start: nil, count: 0)) }
  }

  /// Ends the stream without an answer.
  package func cancel() {
    handler = nil
    finish()
    stream.close()
  }

  private func received(_ bytes: UnsafeRawBufferPointer) {
    guard handler != nil else { return }
    guard let session else { return fail("there is no memory for it") }
    receivedBytes += bytes.count
    do throws(TLSProblem) {
      let isDone = try session.shakeHands(after: bytes)
      flush(session)
      if isDone {
        succeed(session)
      } else if receivedBytes > Limits.handshakeBytes {
        fail("it took more than \(Limits.handshakeBytes) bytes")
      }
    } catch {
      flush(session)
      fail(error.words, remedy: error.remedy)
    }
  }

  private func flush(_ session: TLSSession) {
    let bytes = session.outbound()
    if !bytes.isEmpty { stream.write(bytes) }
  }

  private func succeed(_ session: TLSSession) {
    guard let purpose = session.purpose else {
      return fail("no common application protocol", remedy: "the other side is no Atoll node")
    }
    guard let peer = session.peer() else { return fail("the peer's certificate has no usable key") }
    // Bytes behind the handshake wait in the session; more need not come yet.
    stream.stopReading()
    let handler = handler
    finish()
    let found = Channel.Peer(
      identity: peer.identity, claimedName: peer.name.text, purpose: purpose)
    handler?(.success(Channel(stream, session, found)))
  }

  private func fail(_ words: String, remedy: String? = nil) {
    let handler = handler
    finish()
    // In order, so that the other side gets the alert that is on its way.
    if stream.isOpen { stream.end() }
    handler?(.failure(.handshake(peer: peerName, TLSProblem(words, remedy: remedy))))
  }

  private func finish() {
    handler = nil
    timer?.close()
    timer = nil
    stream.onBytes = nil
    stream.onClose = nil
  }
}
