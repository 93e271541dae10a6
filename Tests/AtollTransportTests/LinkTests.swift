import AtollChanges
import AtollEventLoop
import AtollTransport
import AtollVocabulary
import AtollWire
import LoopTestKit
import Testing

@Suite struct LinkTests {
  /// A frame told apart by its number.
  private static func frame(_ number: Int) -> Frame { .committed(number: UInt64(number)) }

  /// A frame with `byteCount` bytes of payload that do not compress.
  private static func large(_ byteCount: Int) -> Frame {
    var state: UInt64 = 88_172_645_463_325_252
    let bytes = (0..<byteCount).map { _ in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return UInt8(truncatingIfNeeded: state)
    }
    let author = Author(replica: ReplicaID(high: 1, low: 2), incarnation: Incarnation(3))
    let id = ChangesetID(
      author: author, sequence: .first, hash: ChainHash.origin(of: author).following(bytes))
    let seal = ReplicaKey(random: { 7 }).seal(id, in: StoreID(high: 0, low: 7))
    return .changesets([
      ChangesetRun(
        author: author, first: .first, changesets: [bytes], headHash: id.hash, seal: seal)
    ])
  }

  @Test func `frames arrive whole and in order`() async throws {
    try await withLoop { place in
      let arrived = Promise<[Frame]>()
      let sent = (0..<500).map(Self.frame) + [Self.large(200_000), Self.frame(500)]
      try await place.run { place throws(EventLoopError) in
        try place.pair { server, client in
          var all: [Frame] = []
          let receiver = Link(stream: server, compression: Compression())
          receiver.onFrame = { frame in
            all.append(frame)
            if all.count == sent.count { arrived.keep(all) }
          }
          receiver.start()
          let sender = Link(stream: client, compression: Compression())
          sender.start()
          for frame in sent { sender.send(frame) }
        }
      }
      #expect(try await arrived.value() == sent)
    }
  }

  @Test func `frames of one turn leave in one write`() async throws {
    try await withLoop { place in
      let reads = Promise<[Int]>()
      try await place.run { place throws(EventLoopError) in
        try place.pair { server, client in
          var sizes: [Int] = []
          var decoder = FrameDecoder()
          var count = 0
          server.onBytes = { bytes in
            sizes.append(bytes.count)
            decoder.append(bytes)
            while (try? decoder.next()) != nil { count += 1 }
            if count == 100 { reads.keep(sizes) }
          }
          server.startReading()
          let sender = Link(stream: client, compression: Compression())
          for number in 0..<100 { sender.send(Self.frame(number)) }
        }
      }
      #expect(try await reads.value().count == 1)
    }
  }

  @Test func `bytes that come one at a time make the same frames`() async throws {
    try await withLoop { place in
      let arrived = Promise<[Frame]>()
      let sent = (0..<20).map(Self.frame)
      try await place.run { place throws(EventLoopError) in
        try place.pair { server, client in
          var all: [Frame] = []
          let receiver = Link(stream: server, compression: Compression())
          receiver.onFrame = { frame in
            all.append(frame)
            if all.count == sent.count { arrived.keep(all) }
          }
          receiver.start()
          var encoder = FrameEncoder()
          var bytes: [UInt8] = []
          for frame in sent { encoder.encode(frame, into: &bytes) }
          Self.trickle(bytes[...], over: client)
        }
      }
      #expect(try await arrived.value() == sent)
    }
  }

  /// Writes one byte a turn of the loop.
  private static func trickle(_ bytes: ArraySlice<UInt8>, over stream: ByteStream) {
    guard let byte = bytes.first else { return }
    stream.write([byte])
    let timer = LoopTimer(loop: stream.loop) { trickle(bytes.dropFirst(), over: stream) }
    timer.start(after: .zero)
  }

  @Test func `garbage is told once, and the peer can still be told why`() async throws {
    try await withLoop { place in
      let problem = Promise<WireError>()
      let answer = Promise<Frame>()
      try await place.run { place throws(EventLoopError) in
        try place.pair { server, client in
          let receiver = Link(stream: server, compression: Compression())
          receiver.onMalformed = { error in
            problem.keep(error)
            receiver.send(.goodbye(Goodbye(.malformed, error.description)))
            receiver.close()
          }
          receiver.start()
          var decoder = FrameDecoder()
          client.onBytes = { bytes in
            decoder.append(bytes)
            if let frame = try? decoder.next() { answer.keep(frame) }
          }
          client.startReading()
          client.write(Array("GET / HTTP/1.1\r\n\r\n".utf8))
        }
      }
      guard case .notAtoll = try await problem.value() else {
        Issue.record("told as something else")
        return
      }
      guard case .goodbye(let goodbye) = try await answer.value() else {
        Issue.record("no goodbye")
        return
      }
      #expect(goodbye.code == .malformed)
    }
  }

  @Test func `a link cut in the middle of a frame delivers the whole frames before it`()
    async throws
  {
    try await withLoop { place in
      let arrived = Promise<[Frame]>()
      try await place.run { place throws(EventLoopError) in
        try place.pair { server, client in
          var all: [Frame] = []
          let receiver = Link(stream: server, compression: Compression())
          receiver.onFrame = { all.append($0) }
          receiver.onClose = { reason in
            #expect(reason == .byPeer)
            arrived.keep(all)
          }
          receiver.start()
          var encoder = FrameEncoder()
          var bytes = encoder.encode(Self.frame(1))
          bytes += encoder.encode(Self.large(10_000)).dropLast(3)
          client.write(bytes)
          client.end()
        }
      }
      #expect(try await arrived.value() == [Self.frame(1)])
    }
  }

  @Test func `a paused link delivers nothing, and everything after it resumes`() async throws {
    try await withLoop { place in
      let whilePaused = Promise<Int>()
      let arrived = Promise<Int>()
      try await place.run { place throws(EventLoopError) in
        try place.pair { server, client in
          var count = 0
          let receiver = Link(stream: server, compression: Compression())
          receiver.onFrame = { _ in
            count += 1
            if count == 3 {
              receiver.pause()
              let timer = LoopTimer(loop: server.loop) {
                whilePaused.keep(count)
                receiver.resume()
              }
              timer.start(after: .milliseconds(5))
            }
            if count == 10 { arrived.keep(count) }
          }
          receiver.start()
          let sender = Link(stream: client, compression: Compression())
          for number in 0..<10 { sender.send(Self.frame(number)) }
        }
      }
      #expect(try await whilePaused.value() == 3)
      #expect(try await arrived.value() == 10)
    }
  }

  @Test func `a sender learns when a slow reader has caught up`() async throws {
    try await withLoop { place in
      let queued = Promise<Int>()
      let drained = Promise<Int>()
      try await place.run { place throws(EventLoopError) in
        try place.pair { server, client in
          let frame = Self.large(250_000)
          let sender = Link(stream: client, compression: Compression())
          while sender.queuedBytes == 0 { sender.send(frame) }
          queued.keep(sender.queuedBytes)
          sender.onDrain = { drained.keep(sender.queuedBytes) }
          let receiver = Link(stream: server, compression: Compression())
          receiver.start()
        }
      }
      #expect(try await queued.value() > 0)
      #expect(try await drained.value() == 0)
    }
  }

  @Test func `a reader that never reads costs its sender a bounded queue, then the link`()
    async throws
  {
    try await withLoop { place in
      let most = Promise<Int>()
      let ended = Promise<StreamClosing>()
      try await place.run { place throws(EventLoopError) in
        try place.pair { server, client in
          let receiver = Link(stream: server, compression: Compression())
          receiver.pause()
          let frame = Self.large(250_000)
          let sender = Link(stream: client, compression: Compression())
          var highest = 0
          sender.onClose = { ended.keep($0) }
          for _ in 0..<200 where client.isOpen {
            sender.send(frame)
            highest = max(highest, sender.queuedBytes)
          }
          most.keep(highest)
        }
      }
      #expect(try await most.value() <= Limits.linkQueueBytes + Limits.frameBytes)
      guard case .failed = try await ended.value() else {
        Issue.record("the link was not given up")
        return
      }
    }
  }

  @Test func `closing delivers what was sent just before`() async throws {
    try await withLoop { place in
      let arrived = Promise<Frame>()
      let ended = Promise<StreamClosing>()
      try await place.run { place throws(EventLoopError) in
        try place.pair { server, client in
          let receiver = Link(stream: server, compression: Compression())
          receiver.onFrame = { arrived.keep($0) }
          receiver.onClose = { ended.keep($0) }
          receiver.start()
          let sender = Link(stream: client, compression: Compression())
          sender.start()
          sender.send(.goodbye(Goodbye(.stopping, "the process is stopping")))
          sender.close()
        }
      }
      #expect(
        try await arrived.value() == .goodbye(Goodbye(.stopping, "the process is stopping")))
      #expect(try await ended.value() == .byPeer)
    }
  }
}
