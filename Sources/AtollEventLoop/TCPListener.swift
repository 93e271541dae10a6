internal import CUV

/// Accepts TCP connections on one address.
package final class TCPListener: LoopHandle {
  /// The address at which it listens, with the port that the system chose if 0 was asked for.
  package private(set) var address: SocketAddress
  private var handler: ((ByteStream) -> Void)?

  /// Listens on `address` until closed.
  ///
  /// The handler gets each accepted stream, connected and not yet reading.
  ///
  /// - Throws: `EventLoopError` naming the address when it is taken, or not one of this machine.
  package convenience init(
    address: SocketAddress, loop: EventLoop, handler: @escaping (ByteStream) -> Void
  ) throws(EventLoopError) {
    try self.init(address, loop, handler) { tcp in
      var storage = address.storage
      return atoll_tcp_bind(tcp, &storage)
    }
  }

  /// Listens at a socket that another process has bound to `address`; it is closed with the listener.
  ///
  /// - Throws: `EventLoopError` for what is no TCP socket.
  package convenience init(
    inherited descriptor: Int32, boundTo address: SocketAddress, loop: EventLoop,
    handler: @escaping (ByteStream) -> Void
  ) throws(EventLoopError) {
    try self.init(address, loop, handler) { tcp in uv_tcp_open(tcp, descriptor) }
  }

  private init(
    _ address: SocketAddress, _ loop: EventLoop, _ handler: @escaping (ByteStream) -> Void,
    bind: (UnsafeMutablePointer<uv_tcp_t>) -> Int32
  ) throws(EventLoopError) {
    self.address = address
    super.init(loop: loop, type: UV_TCP)
    uv_tcp_init(loop.loop, pointer())
    adopt()
    do throws(EventLoopError) {
      try listen(bind)
    } catch {
      close()
      throw error
    }
    self.handler = handler
  }

  private func listen(
    _ bind: (UnsafeMutablePointer<uv_tcp_t>) -> Int32
  ) throws(EventLoopError) {
    let action = "listening on \(address)"
    try EventLoopError.check(action) { bind(pointer()) }
    try EventLoopError.check(action) {
      uv_listen(pointer(), Self.backlog) { handle, status in
        if status == 0 { TCPListener.open(handle)?.accept() }
      }
    }
    var storage = address.storage
    try EventLoopError.check(action) { atoll_tcp_local_address(pointer(), &storage) }
    address = SocketAddress(storage) ?? address
  }

  /// Connections that may wait to be accepted; the system may allow fewer.
  static let backlog: Int32 = 511

  private func accept() {
    guard let stream = ByteStream(accepting: self, kind: .tcp, name: "a peer of \(address)") else {
      return
    }
    if let handler { handler(stream) } else { stream.close() }
  }

  override func willClose() { handler = nil }
}
