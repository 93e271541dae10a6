internal import CUV

/// Accepts TCP connections on one address.
package final class TCPListener: LoopHandle {
  /// Where it listens, with the port the system chose if 0 was asked for.
  package private(set) var address: SocketAddress
  private var handler: ((ByteStream) -> Void)?

  /// Listens on `address` until closed.
  ///
  /// The handler gets each accepted stream, connected and not yet reading.
  ///
  /// - Throws: `EventLoopError` naming the address when it is taken, or not one of this machine.
  package init(
    address: SocketAddress, loop: EventLoop, handler: @escaping (ByteStream) -> Void
  ) throws(EventLoopError) {
    self.address = address
    super.init(loop: loop, type: UV_TCP)
    uv_tcp_init(loop.loop, pointer())
    adopt()
    do throws(EventLoopError) {
      try listen()
    } catch {
      close()
      throw error
    }
    self.handler = handler
  }

  private func listen() throws(EventLoopError) {
    let action = "listening on \(address)"
    var storage = address.storage
    try EventLoopError.check(action) { atoll_tcp_bind(pointer(), &storage) }
    try EventLoopError.check(action) {
      uv_listen(pointer(), Self.backlog) { handle, status in
        if status == 0 { TCPListener.open(handle)?.accept() }
      }
    }
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
