internal import CUV

/// One question to the system's resolver, answered on the loop.
///
/// The question itself runs on libuv's thread pool. It cannot be called off once it runs there, so
/// the answer is thrown away instead when nobody wants it any more.
package final class NameLookup {
  private let request = UnsafeMutablePointer<uv_getaddrinfo_t>.allocate(capacity: 1)
  private let name: String
  private let port: UInt16
  private var handler: ((Result<[SocketAddress], EventLoopError>) -> Void)?

  /// Asks for the addresses of `host`; a numeric host is its own answer.
  ///
  /// The handler is called once, on the loop, never before this returns; not after ``cancel()``.
  package init(
    host: String, port: UInt16, loop: EventLoop,
    handler: @escaping (Result<[SocketAddress], EventLoopError>) -> Void
  ) {
    loop.assertOnLoop()
    name = host
    self.port = port
    self.handler = handler
    if let address = SocketAddress(host: host, port: port) {
      loop.atEndOfTurn { self.answer(.success([address])) }
    } else {
      ask(loop)
    }
  }

  deinit { request.deallocate() }

  /// Forgets the handler.
  package func cancel() { handler = nil }

  private func ask(_ loop: EventLoop) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    request.pointee.data = Unmanaged.passRetained(self).toOpaque()
    let code = uv_getaddrinfo(
      loop.loop, request,
      { request, status, list in
        guard let data = request?.pointee.data else { return }
        let lookup = Unmanaged<NameLookup>.fromOpaque(data).takeRetainedValue()
        lookup.answered(status, list)
        uv_freeaddrinfo(list)
      }, name, nil, &hints)
    if code != 0 {
      Unmanaged.passUnretained(self).release()
      loop.atEndOfTurn { self.answer(.failure(self.error(code))) }
    }
  }

  private func answered(_ status: Int32, _ list: UnsafeMutablePointer<addrinfo>?) {
    guard status == 0 else { return answer(.failure(error(status))) }
    var addresses: [SocketAddress] = []
    var next = list
    while let entry = next {
      var storage = sockaddr_storage()
      atoll_address_copy(entry, &storage)
      atoll_address_set_port(&storage, Int32(port))
      if let address = SocketAddress(storage) { addresses.append(address) }
      next = entry.pointee.ai_next
    }
    answer(addresses.isEmpty ? .failure(error(UV_EAI_NONAME.rawValue)) : .success(addresses))
  }

  private func answer(_ result: Result<[SocketAddress], EventLoopError>) {
    let handler = handler
    self.handler = nil
    handler?(result)
  }

  private func error(_ code: Int32) -> EventLoopError {
    EventLoopError("looking up the host \"\(name)\"", code: code)
  }
}
