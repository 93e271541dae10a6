import AtollEventLoop
import AtollPresence
import AtollWire
import LoopTestKit
import Testing

@Suite struct LocalLinkTests {
  private static func frame(_ number: Int) -> Frame { .committed(number: UInt64(number)) }

  @Test func `frames of one turn arrive in order, also those sent just before the end`()
    async throws
  {
    try await withLoop { place in
      let ended = Promise<[Frame]>()
      try await place.run { place throws(EventLoopError) in
        try place.pair { server, client in
          var all: [Frame] = []
          let receiver = LocalLink(stream: server, compression: Compression())
          receiver.onFrame = { all.append($0) }
          receiver.onClose = { _ in ended.keep(all) }
          receiver.start()
          let sender = LocalLink(stream: client, compression: Compression())
          sender.start()
          for number in 1...3 { sender.send(Self.frame(number)) }
          sender.close()
        }
      }
      #expect(try await ended.value() == (1...3).map(Self.frame))
    }
  }

  @Test func `bytes that are no frame end the link`() async throws {
    try await withLoop { place in
      let ended = Promise<StreamClosing>()
      try await place.run { place throws(EventLoopError) in
        try place.pair { server, client in
          let receiver = LocalLink(stream: server, compression: Compression())
          receiver.start()
          client.onClose = { ended.keep($0) }
          client.startReading()
          client.write(Array("GET / HTTP/1.1".utf8))
        }
      }
      #expect(try await ended.value() == .byPeer)
    }
  }

  @Test func `another thread goes on where a link has stopped sending`() async throws {
    try await withLoop { place in
      let sender = Promise<LocalSender?>()
      let arrived = Promise<[Frame]>()
      try await place.run { place throws(EventLoopError) in
        try place.pair { server, client in
          let link = LocalLink(stream: client, compression: Compression())
          link.start()
          link.send(Self.frame(1))
          var all: [Frame] = []
          let receiver = LocalLink(stream: server, compression: Compression())
          receiver.onFrame = { frame in
            all.append(frame)
            if all.count == 1 { sender.keep(link.makeSender()) }
            if all.count == 3 { arrived.keep(all) }
          }
          receiver.start()
        }
      }
      let found = try #require(try await sender.value())
      #expect(found.send(Self.frame(2)))
      #expect(found.send(Self.frame(3)))
      #expect(try await arrived.value() == (1...3).map(Self.frame))
    }
  }
}
