import AtollEventLoop
import AtollPresence
import AtollVocabulary
import AtollWire
import LoopTestKit
import Testing

/// A process at a local socket, as far as the socket can tell.
private final class Client {
  let link: LocalLink
  private(set) var heard: [UInt64] = []

  init(store: String, loop: EventLoop, onHeard: @escaping (Client) -> Void) {
    let stream = ByteStream(connectingTo: StorePaths(store).socket, loop: loop)
    link = LocalLink(stream: stream, compression: Compression())
    stream.onConnect = { [link] in
      link.start()
      link.send(.localHello(LocalHello(processID: 1, name: "test")))
    }
    link.onFrame = { frame in
      guard case .committed(let number) = frame else { return }
      self.heard.append(number)
      onHeard(self)
    }
  }
}

@Suite struct LocalSocketTests {
  private func socket(
    _ store: String, latest: Int64, _ place: isolated OnLoop
  ) throws(EventLoopError) -> LocalSocket {
    try LocalSocket(
      StorePaths(store), latest: CommitNumber(latest), compression: Compression(), loop: place.loop)
  }

  @Test func `who connects is told of the last commit, so as to look for what it missed`()
    async throws
  {
    try await withFolder { folder in
      let store = folder + "/s.atoll"
      try await withLoop { place in
        let heard = Promise<[UInt64]>()
        try await place.run { place throws(EventLoopError) in
          place.keep(try socket(store, latest: 7, place))
          place.keep(Client(store: store, loop: place.loop) { heard.keep($0.heard) })
        }
        #expect(try await heard.value() == [7])
      }
    }
  }

  @Test func `a commit of one process is told to the others and not to itself`() async throws {
    try await withFolder { folder in
      let store = folder + "/s.atoll"
      try await withLoop { place in
        let first = Promise<[UInt64]>()
        let second = Promise<[UInt64]>()
        try await place.run { place throws(EventLoopError) in
          let socket = try socket(store, latest: 0, place)
          place.keep(socket)
          // The socket is told of a further commit once it has heard of the first.
          socket.onCommitted = { [weak socket] in
            socket?.announce(CommitNumber(1), after: CommitNumber(0))
            socket?.announce(CommitNumber(2), after: CommitNumber(1))
          }
          place.keep(
            Client(store: store, loop: place.loop) { client in
              if client.heard.last == 2 { second.keep(client.heard) }
              guard client.heard.count == 1 else { return }
              place.assumeIsolated { place in
                place.keep(
                  Client(store: store, loop: place.loop) { author in
                    if author.heard.count == 1 { author.link.send(.committed(number: 1)) }
                    if author.heard.last == 2 { first.keep(author.heard) }
                  })
              }
            })
        }
        #expect(try await first.value() == [0, 2])
        #expect(try await second.value() == [0, 1, 2])
      }
    }
  }

  @Test func `a process that says what only peers say is shown out`() async throws {
    try await withFolder { folder in
      let store = folder + "/s.atoll"
      try await withLoop { place in
        let ended = Promise<StreamClosing>()
        try await place.run { place throws(EventLoopError) in
          place.keep(try socket(store, latest: 0, place))
          let client = Client(store: store, loop: place.loop) { client in
            client.link.send(.goodbye(Goodbye(.stopping, "")))
          }
          client.link.onClose = { ended.keep($0) }
          place.keep(client)
        }
        #expect(try await ended.value() == .byPeer)
      }
    }
  }
}
