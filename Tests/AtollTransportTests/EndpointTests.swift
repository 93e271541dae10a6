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
  func `links beyond loopback are secured, or refused without a key, unless all are open`(
    text: String
  ) throws {
    let address = try Endpoint(text).listeningAddress()
    let error = #expect(throws: TransportError.self) {
      try LinkSecurity(.automatic, nil).context(for: address)
    }
    #expect(error?.description.contains("has to be secured") == true)
    let context = try TLSContext(try Credentials(makingKeyOf: "test"))
    #expect(try LinkSecurity(.automatic, context).context(for: address) === context)
    #expect(try LinkSecurity(.never, context).context(for: address) == nil)
  }

  @Test(arguments: ["127.0.0.1:7400", "[::1]:7400", "localhost:7400"])
  func `links within the machine are plain, unless all are secured`(text: String) throws {
    let address = try Endpoint(text).listeningAddress()
    let context = try TLSContext(try Credentials(makingKeyOf: "test"))
    #expect(try LinkSecurity(.automatic, context).context(for: address) == nil)
    #expect(try LinkSecurity(.always, context).context(for: address) === context)
  }

  @Test func `dialing beyond loopback without a key is refused`() async throws {
    try await withLoop { place in
      let answer = Promise<TransportError?>()
      await place.run { place in
        let security = LinkSecurity(.automatic, nil)
        _ = Dial(Endpoint(host: "10.1.2.3", port: 7400), security, loop: place.loop) { result in
          if case .failure(let error) = result { answer.keep(error) } else { answer.keep(nil) }
        }
      }
      let error = try await answer.value()
      #expect(error?.description.contains("10.1.2.3:7400: it has to be secured") == true)
    }
  }

  @Test func `dialing where nobody listens tells the address`() async throws {
    try await withLoop { place in
      let answer = Promise<TransportError?>()
      try await place.run { place throws(EventLoopError) in
        let listener = try TCPListener(address: try anyPort, loop: place.loop) { _ in }
        let port = listener.address.port
        listener.close()
        let security = LinkSecurity(.automatic, nil)
        _ = Dial(Endpoint(host: "localhost", port: port), security, loop: place.loop) { result in
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
