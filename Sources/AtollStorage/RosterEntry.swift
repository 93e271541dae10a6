package import AtollVocabulary

/// A node that may connect for a store, and what it may do; this file's own affair.
package struct RosterEntry: Hashable, Sendable {
  package let identity: NodeIdentity
  /// The name that it has here; nobody else learns it.
  package var name: String
  package var role: PeerRole
  /// The addresses to connect to, as HOST:PORT; empty if it connects itself.
  package var addresses: [String]

  package init(
    identity: NodeIdentity, name: String, role: PeerRole = .write, addresses: [String] = []
  ) {
    self.identity = identity
    self.name = name
    self.role = role
    self.addresses = addresses
  }
}
