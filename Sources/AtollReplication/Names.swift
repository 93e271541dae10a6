/// One stream to a peer, named by the side that opened or accepted it; never used twice, ascending.
package struct LinkID: Hashable, Sendable, Comparable {
  package var rawValue: UInt64

  package init(_ rawValue: UInt64) { self.rawValue = rawValue }

  package static func < (a: LinkID, b: LinkID) -> Bool { a.rawValue < b.rawValue }
}

extension LinkID: CustomStringConvertible {
  package var description: String { "link \(rawValue)" }
}

/// A peer this node is told to connect to, by its address as configured.
///
/// The replica of a peer is known only after the handshake.
package struct PeerID: Hashable, Sendable, Comparable {
  package var address: String

  package init(_ address: String) { self.address = address }

  package static func < (a: PeerID, b: PeerID) -> Bool {
    a.address.utf8.lexicographicallyPrecedes(b.address.utf8)
  }
}

extension PeerID: CustomStringConvertible {
  package var description: String { address }
}

/// The side that opened a link.
package enum LinkOrigin: Hashable, Sendable {
  /// The answer to ``Action/connect(_:)``.
  case dialed(PeerID)
  /// The other side connected; its address, for people.
  case accepted(from: String)
}

extension LinkOrigin: CustomStringConvertible {
  package var description: String {
    switch self {
    case .dialed(let peer): "\(peer)"
    case .accepted(let address): "\(address)"
    }
  }
}
