package import AtollEventLoop

/// The links that are encrypted, with both their ends authenticated.
package enum LinkProtection: String, Hashable, Sendable, CaseIterable {
  /// Those to other machines; within this one both ends have to be of one user.
  case automatic
  /// All, also within this machine.
  case always
  /// Those to other machines; within this one every user reads and writes everything.
  case anyLocalUser = "any-local-user"
  /// None: every program that reaches the port can read and write everything.
  case never
}

/// The credentials that secure a node's links, and the links that are secured.
package struct LinkSecurity {
  package let protection: LinkProtection
  /// Nil for a node without a key, whose links stay within the machine.
  package let context: TLSContext?
  /// The user that plain links within this machine are for.
  package let user: UInt32

  package init(
    _ protection: LinkProtection, _ context: TLSContext?, user: UInt32 = PeerUser.own
  ) {
    self.protection = protection
    self.context = context
    self.user = user
  }

  /// The user to whom the other end of a plain stream to or from `address` has to belong; nil for any.
  package func requiredUser(at address: SocketAddress) -> UInt32? {
    protection == .automatic && address.isLoopback ? user : nil
  }

  /// Returns the context that secures a stream to or from `address`; nil if it is not secured.
  ///
  /// - Throws: `TransportError.noKey` if it would have to be and there is nothing to do it with.
  package func context(for address: SocketAddress) throws(TransportError) -> TLSContext? {
    let isSecured =
      switch protection {
      case .automatic, .anyLocalUser: !address.isLoopback
      case .always: true
      case .never: false
      }
    guard isSecured else { return nil }
    guard let context else { throw .noKey(address) }
    return context
  }
}
