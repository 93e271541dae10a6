package import AtollEventLoop
internal import AtollVocabulary

/// One attempt to connect to an endpoint: looks the name up, tries its addresses in turn, and
/// secures the stream where that is wanted.
package final class Dial {
  private let endpoint: Endpoint
  private let security: LinkSecurity
  private let purpose: LinkPurpose
  private let loop: EventLoop
  private var handler: ((Result<Channel, TransportError>) -> Void)?
  private var handshake: TLSHandshake?
  private var userCheck: UserCheck?
  private var lookup: NameLookup?
  private var stream: ByteStream?
  private var timer: LoopTimer?

  /// Begins; the handler is called once, on the loop, and not after ``cancel()``.
  package init(
    _ endpoint: Endpoint, _ security: LinkSecurity, purpose: LinkPurpose = .exchange,
    loop: EventLoop, timeout: Duration = Limits.connectTimeout,
    handler: @escaping (Result<Channel, TransportError>) -> Void
  ) {
    self.endpoint = endpoint
    self.security = security
    self.purpose = purpose
    self.loop = loop
    self.handler = handler
    let timer = LoopTimer(loop: loop) {
      self.finish(.failure(.timedOut(endpoint, after: timeout)))
    }
    timer.start(after: timeout)
    self.timer = timer
    let host = endpoint.numericAddress?.host ?? endpoint.host
    lookup = NameLookup(host: host, port: endpoint.port, loop: loop) { result in
      switch result {
      case .success(let addresses): self.tryNext(addresses[...])
      case .failure(let error): self.finish(.failure(.system(error)))
      }
    }
  }

  /// Gives up without an answer.
  package func cancel() {
    handler = nil
    finish(.failure(.timedOut(endpoint, after: .zero)))
  }

  private func tryNext(_ addresses: ArraySlice<SocketAddress>) {
    guard let address = addresses.first else { return }
    let context: TLSContext?
    do throws(TransportError) {
      context = try security.context(for: address)
    } catch {
      return finish(.failure(error))
    }
    let stream = ByteStream(connectingTo: address, loop: loop)
    self.stream = stream
    stream.onConnect = {
      self.stream = nil
      stream.onClose = nil
      if let context { return self.secure(stream, context) }
      self.admit(stream, at: address)
    }
    stream.onClose = { reason in
      if addresses.count > 1 { return self.tryNext(addresses.dropFirst()) }
      guard case .failed(let error) = reason else { return self.cancel() }
      self.finish(.failure(.system(error)))
    }
  }

  private func secure(_ stream: ByteStream, _ context: TLSContext) {
    timer?.close()
    handshake = TLSHandshake(dialing: stream, context, purpose: purpose) { result in
      self.handshake = nil
      self.finish(result)
    }
  }

  /// Makes sure whose process answers, where that is all that protects a link.
  private func admit(_ stream: ByteStream, at address: SocketAddress) {
    guard let user = security.requiredUser(at: address) else {
      return finish(.success(Channel(plain: stream)))
    }
    stream.onClose = { _ in
      self.finish(
        .failure(
          .unknownUser(
            peer: stream.name, detail: "it ended the connection")))
    }
    userCheck = UserCheck(stream, user: user, loop: loop) { problem in
      stream.onClose = nil
      guard let problem else { return self.finish(.success(Channel(plain: stream))) }
      stream.close()
      self.finish(.failure(problem))
    }
  }

  private func finish(_ result: Result<Channel, TransportError>) {
    let handler = handler
    self.handler = nil
    handshake?.cancel()
    handshake = nil
    userCheck?.cancel()
    userCheck = nil
    lookup?.cancel()
    lookup = nil
    timer?.close()
    timer = nil
    stream?.onClose = nil
    stream?.close()
    stream = nil
    handler?(result)
  }
}
