package import AtollEventLoop

/// Why a link could not be opened or listened for.
package enum TransportError: Error, Hashable, Sendable {
  /// Text that is no HOST:PORT, and what is wrong with it.
  case badEndpoint(String, problem: String)
  /// Plain TCP to or from another machine was asked for.
  case notLoopback(Endpoint, address: SocketAddress)
  /// A name where only a numeric address will do.
  case notNumeric(Endpoint)
  case timedOut(Endpoint, after: Duration)
  case system(EventLoopError)
}

extension TransportError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .badEndpoint(let text, let problem):
      "reading the address \"\(text)\": \(problem); write HOST:PORT, such as 127.0.0.1:7400 or "
        + "[::1]:7400"
    case .notLoopback(let endpoint, let address):
      "opening a link at \(endpoint): \(address) is outside this machine, and links are not "
        + "encrypted in this release; use a loopback address (127.0.0.1 or ::1), for other "
        + "machines behind a tunnel"
    case .notNumeric(let endpoint):
      "listening on \(endpoint): a numeric address or localhost was expected"
    case .timedOut(let endpoint, let bound):
      "connecting to \(endpoint): no answer within \(bound); check the address and that the peer "
        + "runs"
    case .system(let error): error.description
    }
  }
}
