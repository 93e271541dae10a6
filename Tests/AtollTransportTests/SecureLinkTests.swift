import AtollChanges
import AtollEventLoop
import AtollTransport
import AtollVocabulary
import AtollWire
import LoopTestKit
import Testing

/// Links over TLS, both ends here; `AtollDaemonTests` has ends that are not ours.
@Suite struct SecureLinkTests {
  private static func frame(_ number: Int) -> Frame { .committed(number: UInt64(number)) }

  /// Both ends of a secured connection, when both handshakes are over.
  private static func secured(
    _ place: isolated OnLoop, _ purpose: LinkPurpose = .exchange,
    _ body: @escaping @Sendable (_ server: Channel, _ client: Channel) -> Void
  ) throws {
    let keys = (try Credentials(makingKeyOf: "server"), try Credentials(makingKeyOf: "client"))
    try place.pair { accepted, connected in
      guard let server = try? TLSContext(keys.0), let client = try? TLSContext(keys.1) else {
        return
      }
      var ends: (server: Channel?, client: Channel?)
      func begin() {
        if let server = ends.server, let client = ends.client { body(server, client) }
      }
      _ = TLSHandshake(accepting: accepted, server) { result in
        ends.server = try? result.get()
        begin()
      }
      _ = TLSHandshake(dialing: connected, client, purpose: purpose) { result in
        ends.client = try? result.get()
        begin()
      }
    }
  }

  /// Returns the end of a handshake to which the other side contributes these bytes.
  private static func failure(
    of bytes: [UInt8], timeout: Duration = Limits.handshakeTimeout
  ) async throws -> TransportError {
    let failure = Promise<TransportError>()
    let ended = Promise<Bool>()
    try await withLoop { place in
      let key = try Credentials(makingKeyOf: "server")
      try await place.run { place throws(EventLoopError) in
        try place.pair { server, client in
          guard let context = try? TLSContext(key) else { return }
          client.onClose = { _ in ended.keep(true) }
          client.startReading()
          client.write(bytes)
          _ = TLSHandshake(accepting: server, context, timeout: timeout) { result in
            if case .failure(let error) = result { failure.keep(error) }
          }
        }
      }
      _ = try await ended.value()
    }
    return try await failure.value()
  }

  @Test func `frames arrive whole and in order, large ones too, and both ends know the other`()
    async throws
  {
    try await withLoop { place in
      let arrived = Promise<Int>()
      let names = Promise<[String?]>()
      try await place.run { place in
        try Self.secured(place) { server, client in
          names.keep([server.peer?.claimedName, client.peer?.claimedName])
          var count = 0
          let receiver = Link(server, compression: Compression())
          receiver.onFrame = { frame in
            #expect(frame == Self.sent(count))
            count += 1
            if count == 300 { arrived.keep(count) }
          }
          receiver.start()
          let sender = Link(client, compression: Compression())
          sender.start()
          for number in 0..<300 { sender.send(Self.sent(number)) }
        }
      }
      #expect(try await arrived.value() == 300)
      #expect(try await names.value() == ["client", "server"])
    }
  }

  /// Every hundredth is larger than any record, and does not compress.
  private static func sent(_ number: Int) -> Frame {
    guard number.isMultiple(of: 100) else { return frame(number) }
    var random = SeededGenerator(seed: UInt64(number))
    let author = Author(replica: ReplicaID(high: 1, low: 2), incarnation: Incarnation(3))
    let id = ChangesetID(author: author, sequence: .first, hash: .origin(of: author))
    let bytes = (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    return .chunk(
      ChangesetChunk(
        id: id, total: bytes.count, offset: 0, bytes: bytes,
        seal: ReplicaKey(random: { 7 }).seal(id, in: StoreID(high: 0, low: 7))))
  }

  @Test func `both ends export the same key, and another connection another one`() async throws {
    let keys = Shared<[[UInt8]]>([])
    for _ in 0..<2 {
      try await withLoop { place in
        let made = Promise<Bool>()
        try await place.run { place in
          try Self.secured(place, .pairing) { server, client in
            #expect(server.peer?.purpose == .pairing)
            let label = PairingProof.exporterLabel
            let both = [server.exportedKey(label: label), client.exportedKey(label: label)]
            keys.withLock { $0 += both.compactMap { $0 } }
            made.keep(true)
          }
        }
        _ = try await made.value()
      }
    }
    let made = keys.withLock { $0 }
    try #require(made.count == 4)
    #expect(made[0] == made[1])
    #expect(made[2] == made[3])
    #expect(made[0] != made[2])
  }

  @Test func `closing delivers what was sent just before, and the end in order`() async throws {
    try await withLoop { place in
      let arrived = Promise<Frame>()
      let ended = Promise<StreamClosing>()
      try await place.run { place in
        try Self.secured(place) { server, client in
          let receiver = Link(server, compression: Compression())
          receiver.onFrame = { arrived.keep($0) }
          receiver.onClose = { ended.keep($0) }
          receiver.start()
          let sender = Link(client, compression: Compression())
          sender.send(Self.frame(1))
          sender.close()
        }
      }
      #expect(try await arrived.value() == Self.frame(1))
      #expect(try await ended.value() == .byPeer)
    }
  }

  @Test func `a byte that is changed on the way ends the link, and no frame comes of it`()
    async throws
  {
    try await withLoop { place in
      let ended = Promise<StreamClosing>()
      try await place.run { place in
        try Self.secured(place) { server, client in
          let receiver = Link(server, compression: Compression())
          receiver.onFrame = { _ in Issue.record("a frame came") }
          receiver.onClose = { ended.keep($0) }
          receiver.start()
          // A record of 40 bytes that nobody has encrypted.
          client.stream.write([0x17, 3, 3, 0, 40] + [UInt8](repeating: 1, count: 40))
        }
      }
      guard case .broken(let reason) = try await ended.value() else {
        Issue.record("ended otherwise")
        return
      }
      #expect(reason.contains("bad record mac"))
    }
  }

  @Test(arguments: ["GET / HTTP/1.1\r\nHost: here\r\n\r\n", String(repeating: "x", count: 200)])
  func `garbage ends a handshake with words`(text: String) async throws {
    let error = try await Self.failure(of: Array(text.utf8))
    #expect(error.description.contains("does not speak TLS"))
  }

  @Test func `a handshake that is not finished in its time is given up`() async throws {
    // The beginning of a record, and then nothing.
    let error = try await Self.failure(of: [0x16, 3, 1], timeout: .milliseconds(20))
    #expect(error.description.contains("it took more than"))
  }

  @Test func `a peer that goes on and on before it has said who it is is given up`() async throws {
    // A greeting that says it has 16 MiB, record after record.
    let record: [UInt8] = [0x16, 3, 1, 0x40, 0]
    let greeting: [UInt8] = [1, 0xFF, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 16_380)
    _ = try await Self.failure(of: (0..<8).flatMap { _ in record + greeting })
  }

  @Test func `two keys have two identities, and a key read back has its own`() throws {
    let one = try Credentials(makingKeyOf: "one")
    let other = try Credentials(makingKeyOf: "one")
    #expect(one.identity != other.identity)
    #expect(try Credentials(pem: try one.pem()).identity == one.identity)
  }

  @Test func `what is no key, or another's certificate, is refused with words`() throws {
    let one = try Credentials(makingKeyOf: "one").pem()
    let other = try Credentials(makingKeyOf: "other").pem()
    let lines = String(decoding: one, as: UTF8.self).split(separator: "\n")
    let end = try #require(lines.firstIndex { $0.hasPrefix("-----END PRIVATE") })
    let key = lines[...end].joined(separator: "\n") + "\n"
    let rest = String(decoding: other, as: UTF8.self)
      .split(separator: "\n").drop { !$0.hasPrefix("-----BEGIN CERT") }.joined(separator: "\n")
    for text in ["", "no key", key, key + rest] {
      let error = #expect(throws: TransportError.self) { try Credentials(pem: Array(text.utf8)) }
      #expect(error?.description.contains("PEM") == true)
    }
  }

  @Test func `cut and changed key files are refused, never trusted`() throws {
    let pem = try Credentials(makingKeyOf: "one").pem()
    let identity = try Credentials(pem: pem).identity
    for count in stride(from: 0, to: pem.count, by: 7) {
      _ = try? Credentials(pem: Array(pem.prefix(count)))
      var changed = pem
      changed[count] ^= 0x11
      // A name in the certificate may change; whose key it is may not.
      if let read = try? Credentials(pem: changed) { #expect(read.identity == identity) }
    }
  }
}
