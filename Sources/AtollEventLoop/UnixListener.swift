internal import CUV

/// Accepts connections of processes of the same user at a socket file.
package final class UnixListener: LoopHandle {
  package let path: String
  private var handler: ((ByteStream) -> Void)?

  /// Listens at `path` until closed, which removes the file; only its owner can connect.
  ///
  /// A socket file that nobody answers at is left over from a process that was killed, and is
  /// replaced; anything else at `path` is left alone.
  ///
  /// The handler gets each accepted stream, connected and not yet reading.
  ///
  /// - Throws: `EventLoopError`: ``EventLoopError/isAddressInUse`` when a process answers there,
  ///   ``EventLoopError/isPathTooLong`` when sockets cannot have such a path, others when the
  ///   folder is missing or may not be written.
  package init(
    path: String, loop: EventLoop, handler: @escaping (ByteStream) -> Void
  ) throws(EventLoopError) {
    self.path = path
    super.init(loop: loop, type: UV_NAMED_PIPE)
    uv_pipe_init(loop.loop, pointer(), 0)
    adopt()
    do throws(EventLoopError) {
      try clearTheWay()
      try listen()
    } catch {
      close()
      throw error
    }
    self.handler = handler
  }

  /// Tells whether the system allows a socket at `path`: about a hundred bytes, no zero among them.
  package static func isSocketPath(_ path: String) -> Bool {
    !path.isEmpty && !path.utf8.contains(0) && path.utf8.count <= atoll_unix_path_limit()
  }

  private var action: String { "listening at the socket \(path)" }

  private func clearTheWay() throws(EventLoopError) {
    guard Self.isSocketPath(path) else {
      throw EventLoopError(
        action, code: UV_ENAMETOOLONG.rawValue,
        remedy: "use a path of at most \(atoll_unix_path_limit()) bytes")
    }
    guard atoll_path_is_socket(path) != 0 else { return }
    guard atoll_unix_is_answered(path) == 0 else {
      throw EventLoopError(
        action, code: UV_EADDRINUSE.rawValue, remedy: "stop the process that answers there")
    }
    try EventLoopError.check("removing the left-over socket \(path)") { atoll_path_remove(path) }
  }

  private func listen() throws(EventLoopError) {
    try EventLoopError.check(action) { uv_pipe_bind(pointer(), path) }
    // Nobody can connect before uv_listen, so there is no moment in which others could.
    try EventLoopError.check(action) { atoll_path_make_private(path) }
    try EventLoopError.check(action) {
      uv_listen(pointer(), TCPListener.backlog) { handle, status in
        if status == 0 { UnixListener.open(handle)?.accept() }
      }
    }
  }

  private func accept() {
    guard let stream = ByteStream(accepting: self, kind: .unix, name: "a peer of \(path)") else {
      return
    }
    if let handler { handler(stream) } else { stream.close() }
  }

  override func willClose() { handler = nil }
}
