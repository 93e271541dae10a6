import AtollEventLoop
import LoopTestKit
import Testing

@testable import AtollTransport

/// The users whose processes may have the other end of a plain link within the machine.
@Suite struct UserCheckTests {
  /// Dials a listener of this process as a node of `user` would.
  private func dial(
    as user: UInt32, _ protection: LinkProtection = .automatic, host: String = "127.0.0.1"
  ) async throws -> Result<Bool, TransportError> {
    let dialed = Promise<Result<Bool, TransportError>>()
    try await withLoop { place in
      try await place.run { place throws(EventLoopError) in
        guard let address = SocketAddress(host: host, port: 0) else { return }
        let listener = try TCPListener(address: address, loop: place.loop) { place.keep($0) }
        place.keep(listener)
        let endpoint = Endpoint(host: host, port: listener.address.port)
        let security = LinkSecurity(protection, nil, user: user)
        _ = Dial(endpoint, security, loop: place.loop) { result in
          dialed.keep(result.map { _ in true })
        }
      }
      _ = try await dialed.value()
    }
    return try await dialed.value()
  }

  @Test(arguments: ["127.0.0.1", "::1"])
  func `issue 28.17: a process of the same user is linked with over loopback`(
    host: String
  ) async throws {
    #expect(try await dial(as: PeerUser.own, host: host) == .success(true))
  }

  @Test(arguments: ["127.0.0.1", "::1"])
  func `issue 28.17: a process of another user is not, and the error names both`(
    host: String
  ) async throws {
    let other = PeerUser.own + 1
    let result = try await dial(as: other, host: host)
    guard case .failure(.otherUser(_, let found, let expected)) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(found == PeerUser.own && expected == other)
  }

  @Test func `issue 28.17: where every local user is let in nobody is asked`() async throws {
    #expect(try await dial(as: PeerUser.own + 1, .anyLocalUser) == .success(true))
    #expect(try await dial(as: PeerUser.own + 1, .never) == .success(true))
  }
}
