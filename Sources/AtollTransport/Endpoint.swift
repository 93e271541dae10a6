package import AtollEventLoop

/// The address at which a node listens or a peer is reached, as people write it: HOST:PORT.
///
/// The host is a name, an IPv4 address, or an IPv6 address in brackets.
package struct Endpoint: Hashable, Sendable {
  /// Without brackets.
  package let host: String
  package let port: UInt16

  package init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Reads HOST:PORT.
  ///
  /// - Throws: `TransportError.badEndpoint` saying what is missing or wrong.
  package init(_ text: String) throws(TransportError) {
    func bad(_ problem: String) -> TransportError { .badEndpoint(text, problem: problem) }
    guard let colon = text.lastIndex(of: ":") else { throw bad("the port is missing") }
    let digits = text[text.index(after: colon)...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }),
      let port = UInt16(digits)
    else { throw bad("\"\(digits)\" is no port from 0 to 65535") }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
      guard SocketAddress(host: String(host), port: port) != nil, host.contains(":") else {
        throw bad("\"\(host)\" is no IPv6 address")
      }
    } else if host.contains(":") {
      throw bad("an IPv6 address is written in brackets")
    }
    guard !host.isEmpty else { throw bad("the host is missing") }
    guard !host.utf8.contains(where: { $0 <= 32 || $0 == 127 }) else {
      throw bad("a host has no spaces or control characters")
    }
    self.init(host: String(host), port: port)
  }

  /// The address if no name needs to be looked up; `localhost` is 127.0.0.1.
  package var numericAddress: SocketAddress? {
    SocketAddress(host: host == "localhost" ? "127.0.0.1" : host, port: port)
  }

  /// True if it is on this machine for sure; a name other than `localhost` has to be looked up.
  package var isLoopback: Bool { numericAddress?.isLoopback == true }

  /// The address to listen on.
  ///
  /// - Throws: `TransportError` if the host is a name.
  package func listeningAddress() throws(TransportError) -> SocketAddress {
    guard let address = numericAddress else { throw .notNumeric(self) }
    return address
  }
}

extension Endpoint: CustomStringConvertible {
  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
