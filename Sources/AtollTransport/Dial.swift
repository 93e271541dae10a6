package import AtollEventLoop
internal import AtollVocabulary

/// One attempt to connect to an endpoint: looks the name up, tries its addresses in turn.
package final class Dial {
  private let endpoint: Endpoint
  private let loop: EventLoop
  private var handler: ((Result<ByteStream, TransportError>) -> Void)?
  private var lookup: NameLookup?
  private var stream: ByteStream?
  private var timer: LoopTimer?

  /// Begins; the handler is called once, on the loop, and not after ``cancel()``.
  package init(
    _ endpoint: Endpoint, loop: EventLoop, timeout: Duration = Limits.connectTimeout,
    handler: @escaping (Result<ByteStream, TransportError>) -> Void
  ) {
    self.endpoint = endpoint
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
    guard address.isLoopback else {
      return finish(.failure(.notLoopback(endpoint, address: address)))
    }
    let stream = ByteStream(connectingTo: address, loop: loop)
    self.stream = stream
    stream.onConnect = {
      self.stream = nil
      stream.onClose = nil
      self.finish(.success(stream))
    }
    stream.onClose = { reason in
      if addresses.count > 1 { return self.tryNext(addresses.dropFirst()) }
      guard case .failed(let error) = reason else { return self.cancel() }
      self.finish(.failure(.system(error)))
    }
  }

  private func finish(_ result: Result<ByteStream, TransportError>) {
    let handler = handler
    self.handler = nil
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
