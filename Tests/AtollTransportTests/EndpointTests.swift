import AtollEventLoop
import AtollTransport
import LoopTestKit
import Testing

@Suite struct EndpointTests {
  @Test(arguments: [
    ("127.0.0.1:7400", "127.0.0.1", 7400), ("[::1]:0", "::1", 0), ("localhost:1", "localhost", 1),
    ("peer.example:65535", "peer.example", 65535),
  ])
  func `an endpoint reads back as it was written`(text: String, host: String, port: Int) throws {
    let endpoint = try Endpoint(text)
    #expect(endpoint.host == host)
    #expect(Int(endpoint.port) == port)
    #expect(endpoint.description == text)
  }

  @Test(arguments: [
    "", "127.0.0.1", ":7400", "host:", "host:x", "host:-1", "host:+1", "host:65536", "::1:7400",
    "[::1]", "[127.0.0.1]:1", "[]:1", "ho st:1", "host:７",
  ])
  func `what is no endpoint is an error that shows how to write one`(text: String) {
    let error = #expect(throws: TransportError.self) { try Endpoint(text) }
    #expect(error?.description.contains("\"\(text)\"") == true)
    #expect(error?.description.contains("HOST:PORT") == true)
  }

  @Test(arguments: ["0.0.0.0:7400", "10.1.2.3:7400", "[::]:7400"])
  func `listening in plain TCP beyond loopback is refused`(text: String) throws {
    let endpoint = try Endpoint(text)
    let error = #expect(throws: TransportError.self) { try endpoint.listeningAddress() }
    #expect(error?.description.contains("not encrypted") == true)
  }

  @Test func `dialing in plain TCP beyond loopback is refused`() async throws {
    try await withLoop { place in
      let answer = Promise<TransportError?>()
      await place.run { place in
        _ = Dial(Endpoint(host: "10.1.2.3", port: 7400), loop: place.loop) { result in
          if case .failure(let error) = result { answer.keep(error) } else { answer.keep(nil) }
        }
      }
      let error = try await answer.value()
      #expect(error?.description.contains("10.1.2.3:7400 is outside this machine") == true)
    }
  }

  @Test func `dialing where nobody listens tells the address`() async throws {
    try await withLoop { place in
      let answer = Promise<TransportError?>()
      try await place.run { place throws(EventLoopError) in
        let listener = try TCPListener(address: try anyPort, loop: place.loop) { _ in }
        let port = listener.address.port
        listener.close()
        _ = Dial(Endpoint(host: "localhost", port: port), loop: place.loop) { result in
          if case .failure(let error) = result { answer.keep(error) } else { answer.keep(nil) }
        }
      }
      guard case .system(let error) = try await answer.value() else {
        Issue.record("not a system error")
        return
      }
      #expect(error.isRefused)
    }
  }
}
