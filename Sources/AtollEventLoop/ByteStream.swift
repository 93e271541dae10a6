internal import CUV

/// Why a stream is no more.
package enum StreamClosing: Hashable, Sendable {
  /// The peer ended its side, in order.
  case byPeer
  /// This side closed it, or its loop stopped.
  case here
  case failed(EventLoopError)
  /// The consumer of the stream cannot read the bytes, and gives the reason.
  case broken(String)
}

extension StreamClosing: CustomStringConvertible {
  package var description: String {
    switch self {
    case .byPeer: "the other side ended the stream"
    case .here: "the stream was closed here"
    case .failed(let error): error.description
    case .broken(let reason): reason
    }
  }
}

/// A connected TCP or Unix-domain socket: bytes in order, both ways.
///
/// Reading is off until ``startReading()``; a consumer that is behind calls ``stopReading()``, the
/// socket's buffers fill, and the peer slows down. Writing never waits: what the socket does not
/// take at once is queued, up to a bound, and ``onDrain`` tells when the queue is empty again.
///
/// A stream ends once, for one reason, and says so through ``onClose`` after its handle is gone;
/// no other callback comes after ``close()``.
package final class ByteStream: LoopHandle {
  enum Kind {
    case tcp
    case unix
  }

  /// Called when an outgoing connection is there; accepted streams begin connected.
  package var onConnect: (() -> Void)?
  /// Bytes that arrived; the memory is valid only during the call.
  package var onBytes: ((UnsafeRawBufferPointer) -> Void)?
  /// Called when everything written has been handed to the system, after some had to wait.
  package var onDrain: (() -> Void)?
  package var onClose: ((StreamClosing) -> Void)?

  /// The other end of the stream, for messages.
  package let name: String
  var writing = WriteQueue()
  /// Bytes that arrived, and that were handed over to be sent, since the stream was made.
  package private(set) var receivedBytes: UInt64 = 0
  package internal(set) var sentBytes: UInt64 = 0
  var closing = StreamClosing.here
  /// Set by ``end(timeout:)``: what arrives since then is thrown away.
  var isEnding = false
  var endTimer: LoopTimer?

  private init(loop: EventLoop, kind: Kind, name: String) {
    self.name = name
    super.init(loop: loop, type: kind == .tcp ? UV_TCP : UV_NAMED_PIPE)
    switch kind {
    case .tcp: uv_tcp_init(loop.loop, pointer())
    case .unix: uv_pipe_init(loop.loop, pointer(), 0)
    }
    adopt()
  }

  /// Connects to a TCP listener; ``onConnect`` or ``onClose`` tells how it went, never during init.
  package convenience init(connectingTo address: SocketAddress, loop: EventLoop) {
    self.init(loop: loop, kind: .tcp, name: address.description)
    var storage = address.storage
    connect { request, callback in
      atoll_tcp_connect(request, pointer(), &storage, callback)
    }
  }

  /// Connects to a Unix-domain socket; ``onConnect`` or ``onClose`` tells how it went.
  package convenience init(connectingTo path: String, loop: EventLoop) {
    self.init(loop: loop, kind: .unix, name: path)
    connect { request, callback in
      guard UnixListener.isSocketPath(path) else { return UV_ENAMETOOLONG.rawValue }
      uv_pipe_connect(request, pointer(), path, callback)
      return 0
    }
  }

  /// Takes the connection that a listener has ready; nil if it is gone already.
  convenience init?(accepting listener: LoopHandle, kind: Kind, name: String) {
    self.init(loop: listener.loop, kind: kind, name: name)
    guard isOpen, uv_accept(listener.pointer(), pointer()) == 0 else {
      close()
      return nil
    }
    if kind == .tcp { uv_tcp_nodelay(pointer(), 1) }
  }

  /// The address of the other end; nil for Unix-domain sockets and closed streams.
  package var peerAddress: SocketAddress? {
    guard isOpen, uv_handle_get_type(pointer()) == UV_TCP else { return nil }
    var storage = sockaddr_storage()
    guard atoll_tcp_peer_address(pointer(), &storage) == 0 else { return nil }
    return SocketAddress(storage)
  }

  private func connect(
    _ start: (UnsafeMutablePointer<uv_connect_t>, uv_connect_cb) -> Int32
  ) {
    guard isOpen else { return }
    let request = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
    let code = start(request) { request, status in
      let stream = ByteStream.open(request?.pointee.handle)
      request?.deallocate()
      stream?.connected(status)
    }
    if code != 0 {
      request.deallocate()
      fail("connecting to \(name)", code)
    }
  }

  private func connected(_ status: Int32) {
    guard status == 0 else { return fail("connecting to \(name)", status) }
    if uv_handle_get_type(pointer()) == UV_TCP { uv_tcp_nodelay(pointer(), 1) }
    onConnect?()
  }

  func fail(_ action: String, _ code: Int32, remedy: String? = nil) {
    close(.failed(EventLoopError(action, code: code, remedy: remedy)))
  }

  /// Closes at once, for a reason that ``onClose`` tells.
  package func close(_ reason: StreamClosing) {
    guard isOpen else { return }
    closing = reason
    close()
  }

  override func willClose() {
    onConnect = nil
    onBytes = nil
    onDrain = nil
    writing.forget()
    endTimer?.close()
    endTimer = nil
  }

  override func didClose() {
    let handler = onClose
    onClose = nil
    handler?(closing)
  }
}

// MARK: Reading

extension ByteStream {
  package func startReading() {
    loop.assertOnLoop()
    guard isOpen else { return }
    let code = uv_read_start(
      pointer(),
      { handle, _, buffer in
        let memory = EventLoop.of(handle?.pointee.loop)?.readBuffer
        let bytes = memory?.baseAddress?.assumingMemoryBound(to: CChar.self)
        buffer?.pointee = uv_buf_init(bytes, UInt32(memory?.count ?? 0))
      },
      { handle, count, buffer in
        ByteStream.open(handle)?.received(count, buffer?.pointee.base)
      })
    if code != 0, code != UV_EALREADY.rawValue { fail("reading from \(name)", code) }
  }

  /// Leaves what arrives in the socket, so that the peer slows down.
  package func stopReading() {
    loop.assertOnLoop()
    if isOpen { uv_read_stop(pointer()) }
  }

  private func received(_ count: Int, _ base: UnsafeMutablePointer<CChar>?) {
    switch count {
    case 0: break
    case Int(UV_EOF.rawValue): close(.byPeer)
    case ..<0: fail("reading from \(name)", Int32(truncatingIfNeeded: count))
    default:
      receivedBytes &+= UInt64(count)
      if !isEnding { onBytes?(UnsafeRawBufferPointer(start: base, count: count)) }
    }
  }
}
