internal import CUV

/// A numeric IPv4 or IPv6 address with a port.
package struct SocketAddress: Hashable, Sendable {
  /// Without brackets: `127.0.0.1`, `::1`.
  package let host: String
  package let port: UInt16
  /// True if packets to it never leave this machine.
  package let isLoopback: Bool

  /// Reads a numeric host; nil for names and anything else.
  package init?(host: String, port: UInt16) {
    var storage = sockaddr_storage()
    guard !host.utf8.contains(0), atoll_address_parse(host, Int32(port), &storage) == 0 else {
      return nil
    }
    self.init(storage)
  }

  /// The address of a bound TCP socket; nil if the descriptor is none.
  package init?(ofSocket descriptor: Int32) {
    var storage = sockaddr_storage()
    guard atoll_socket_address(descriptor, &storage) == 0 else { return nil }
    self.init(storage)
  }

  init?(_ storage: sockaddr_storage) {
    var storage = storage
    let (host, port) = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { name in
      name.initialize(repeating: 0)
      let port = atoll_address_name(&storage, name.baseAddress, name.count)
      return (name.baseAddress.map { String(cString: $0) } ?? "", port)
    }
    guard let port = UInt16(exactly: port) else { return nil }
    self.host = host
    self.port = port
    isLoopback = atoll_address_is_loopback(&storage) != 0
  }

  var storage: sockaddr_storage {
    var storage = sockaddr_storage()
    _ = atoll_address_parse(host, Int32(port), &storage)
    return storage
  }
}

extension SocketAddress: CustomStringConvertible {
  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
