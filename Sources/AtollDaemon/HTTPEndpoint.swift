import AtollEventLoop
import AtollVocabulary

/// Answers GET requests, one a connection, on an event loop of its own.
///
/// Of its own, so that it answers while the node's loop is blocked, and so that whoever asks cannot
/// slow the node down. Its handlers retain it until ``stop()``. At most `Limits.requests` are answered at a time, each has
/// `Limits.requestTimeout`; a library for more of HTTP than this would be larger than the daemon.
actor HTTPEndpoint {
  /// One connection, from its acceptance to its end.
  private struct Visit {
    let stream: ByteStream
    let timer: LoopTimer
    var bytes: [UInt8] = []
    /// True if the request is whole, and the answer is what takes its time.
    var isRead = false
    var isAnswered = false
  }

  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private let answer: @Sendable (HTTPRequest) async -> HTTPResponse
  private var listener: TCPListener?
  private var visits: [Int: Visit] = [:]
  private var lastVisit = 0
  /// Tells whether it listens on loopback, where only names of this machine are taken for it.
  private var isLocal = true

  init(
    answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
  ) throws(EventLoopError) {
    self.answer = answer
    loop = try EventLoop(name: "atoll-http")
  }

  /// Begins to listen.
  ///
  /// - Returns: Where, with the port it got.
  func listen(on address: SocketAddress) throws(EventLoopError) -> SocketAddress {
    let listener = try TCPListener(address: address, loop: loop) { self.accept($0) }
    self.listener = listener
    isLocal = address.isLoopback
    return listener.address
  }

  /// Ends every connection, and the loop.
  func stop() async {
    listener?.close()
    listener = nil
    for visit in visits.values { visit.stream.close() }
    visits = [:]
    await loop.stop()
  }

  private func accept(_ stream: ByteStream) {
    lastVisit += 1
    let id = lastVisit
    let timer = LoopTimer(loop: loop) {
      self.timedOut(id)
    }
    timer.start(after: Limits.requestTimeout)
    visits[id] = Visit(stream: stream, timer: timer)
    stream.onBytes = { self.received(Array($0), id) }
    stream.onClose = { _ in self.forget(id) }
    guard visits.count <= Limits.requests else {
      return respond(id, HTTPResponse(.unavailable, "too many requests are being answered"))
    }
    stream.startReading()
  }

  private func received(_ bytes: [UInt8], _ id: Int) {
    guard let visit = visits[id], !visit.isAnswered else { return }
    visits[id]?.bytes += bytes
    switch HTTPRequest.read(visit.bytes + bytes, isLocal: isLocal) {
    case .incomplete: break
    case .refused(let response): respond(id, response)
    case .request(let request):
      visits[id]?.isRead = true
      visit.stream.stopReading()
      Task {
        let response = await answer(request)
        respond(id, response)
      }
    }
  }

  private func timedOut(_ id: Int) {
    let isRead = visits[id]?.isRead ?? false
    respond(
      id,
      isRead
        ? HTTPResponse(.unavailable, "the daemon did not come to an answer in time")
        : HTTPResponse(.timeout, "the request took too long"))
  }

  private func respond(_ id: Int, _ response: HTTPResponse) {
    guard let visit = visits[id], !visit.isAnswered else { return }
    visits[id]?.isAnswered = true
    visit.stream.write(response.bytes)
    visit.stream.end()
  }

  private func forget(_ id: Int) { visits.removeValue(forKey: id)?.timer.close() }
}
