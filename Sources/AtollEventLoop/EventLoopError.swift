internal import CUV

/// An operating error of the loop's C library, with what was being done and what to do about it.
///
/// `code` and `name` are libuv's own (`-98`, `EADDRINUSE`), kept through every layer.
package struct EventLoopError: Error, Hashable, Sendable {
  /// The action that failed, as the beginning of a sentence: "listening on 127.0.0.1:7400".
  package let action: String
  package let code: Int32
  package let name: String
  /// The system's words for the code: "address already in use".
  package let cause: String
  /// The remedy for the user; nil where there is none.
  package let remedy: String?

  package init(_ action: String, code: Int32, remedy: String? = nil) {
    self.action = action
    self.code = code
    name = Self.text(64) { uv_err_name_r(code, $0, $1) }
    cause = Self.text(256) { uv_strerror_r(code, $0, $1) }
    self.remedy = remedy ?? Self.remedy(for: code)
  }

  private static func text(
    _ size: Int, _ fill: (UnsafeMutablePointer<CChar>?, Int) -> UnsafeMutablePointer<CChar>?
  ) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { buffer in
      fill(buffer.baseAddress, size).map { String(cString: $0) } ?? ""
    }
  }

  private static func remedy(for code: Int32) -> String? {
    switch code {
    case UV_EADDRINUSE.rawValue:
      "another process listens there: stop it, or choose another port (0 takes a free one)"
    case UV_EADDRNOTAVAIL.rawValue: "use an address of this machine"
    case UV_EACCES.rawValue, UV_EPERM.rawValue:
      "use a port above 1023, or a path this user may write"
    case UV_EMFILE.rawValue, UV_ENFILE.rawValue: "raise the limit of open files (ulimit -n)"
    case UV_ECONNREFUSED.rawValue: "nobody listens there: start the peer, or correct the address"
    case UV_ENAMETOOLONG.rawValue: "use a shorter path"
    case UV_EAI_NONAME.rawValue, UV_EAI_AGAIN.rawValue: "correct the host name, or use its address"
    default: nil
    }
  }
}

extension EventLoopError {
  package var isAddressInUse: Bool { code == UV_EADDRINUSE.rawValue }
  package var isRefused: Bool { code == UV_ECONNREFUSED.rawValue }
  package var isNotFound: Bool { code == UV_ENOENT.rawValue }
  package var isPathTooLong: Bool { code == UV_ENAMETOOLONG.rawValue }
  package var isCancelled: Bool { code == UV_ECANCELED.rawValue }

  /// A negative result of `call` becomes an error that says what `action` was.
  static func check(
    _ action: @autoclosure () -> String, _ call: () -> Int32
  ) throws(EventLoopError) {
    let code = call()
    if code < 0 { throw EventLoopError(action(), code: code) }
  }
}

extension EventLoopError: CustomStringConvertible {
  package var description: String {
    "\(action) failed: \(cause) (\(name))" + (remedy.map { "; \($0)" } ?? "")
  }
}
