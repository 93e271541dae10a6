package import AtollEventLoop

/// Why a link could not be opened or listened for.
package enum TransportError: Error, Hashable, Sendable {
  /// Text that is no HOST:PORT, and what is wrong with it.
  case badEndpoint(String, problem: String)
  /// A link that has to be secured, and no key to do it with.
  case noKey(SocketAddress)
  /// A name where only a numeric address will do.
  case notNumeric(Endpoint)
  case timedOut(Endpoint, after: Duration)
  /// A key or certificate that cannot be made, read or used, and what was done with it.
  case credentials(String, problem: String)
  /// A plain stream within this machine whose other end is another user's.
  case otherUser(peer: String, found: UInt32, expected: UInt32)
  /// A plain stream within this machine of which the system does not tell whose the other end is.
  case unknownUser(peer: String, detail: String)
  /// A stream that could not be secured.
  case handshake(peer: String, TLSProblem)
  case system(EventLoopError)
}

extension TransportError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .badEndpoint(let text, let problem):
      "reading the address \"\(text)\": \(problem); write HOST:PORT, such as 127.0.0.1:7400 or "
        + "[::1]:7400"
    case .noKey(let address):
      "opening a link at \(address): it has to be secured, and this node has no key; give it one, "
        + "use a loopback address (127.0.0.1 or ::1), or say `insecure` where nobody else can "
        + "reach the network"
    case .notNumeric(let endpoint):
      "listening on \(endpoint): a numeric address or localhost was expected"
    case .timedOut(let endpoint, let bound):
      "connecting to \(endpoint): no answer within \(bound); check the address and that the peer "
        + "runs"
    case .credentials(let action, let problem):
      "\(action) failed: \(problem); the file has to hold a private key without a password, its "
        + "certificate and those that lead to the authority, as PEM. A node without such a file "
        + "makes one"
    case .otherUser(let peer, let found, let expected):
      "linking with \(peer) within this machine: it belongs to user \(found), expected user "
        + "\(expected). Run both as one user, secure the links (`security = always`, and `atoll pair`), or "
        + "let every user of this machine read and write the store (`security = any-local-user`)"
    case .unknownUser(let peer, let detail):
      "linking with \(peer) within this machine: the system does not tell which user it belongs to "
        + "(\(detail)). Secure the links (`security = always`, and `atoll pair`), or let every user of this "
        + "machine read and write the store (`security = any-local-user`)"
    case .handshake(let peer, let problem): "securing the link with \(peer) failed: \(problem)"
    case .system(let error): error.description
    }
  }
}
