import AtollEventLoop
import AtollVocabulary
import Foundation
import LoopTestKit
import Testing

@Suite struct ByteStreamTests {
  @Test func `bytes come back in order from a server that echoes`() async throws {
    try await withLoop { place in
      let sent = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let received = Promise<[UInt8]>()
      try await place.run { place throws(EventLoopError) in
        try place.pair { server, client in
          server.onBytes = { server.write(Array($0)) }
          server.startReading()
          var back: [UInt8] = []
          client.onBytes = { bytes in
            back += bytes
            if back.count == sent.count { received.keep(back) }
          }
          client.startReading()
          client.write(
            stride(from: 0, to: sent.count, by: 7000).map {
              Array(sent[$0..<min($0 + 7000, sent.count)])
            })
        }
      }
      #expect(try await received.value() == sent)
    }
  }

  @Test func `what a slow reader leaves is queued, and drained later`() async throws {
    try await withLoop { place in
      let chunk = [UInt8](repeating: 7, count: 100_000)
      let queued = Promise<Int>()
      let drained = Promise<Bool>()
      let received = Promise<Int>()
      try await place.run { place throws(EventLoopError) in
        try place.pair { server, client in
          var written = 0
          while client.queuedBytes == 0 {
            client.write([chunk, chunk])
            written += 2 * chunk.count
          }
          queued.keep(client.queuedBytes)
          client.onDrain = { drained.keep(true) }
          var count = 0
          server.onBytes = { bytes in
            count += bytes.count
            if count == written { received.keep(count) }
          }
          server.startReading()
        }
      }
      #expect(try await queued.value() > 0)
      #expect(try await drained.value())
      _ = try await received.value()
    }
  }

  @Test func `a peer that never reads is given up before memory grows past the bound`()
    async throws
  {
    try await withLoop { place in
      let ended = Promise<StreamClosing>()
      let most = Promise<Int>()
      try await place.run { place throws(EventLoopError) in
        try place.pair { server, client in
          client.onClose = { ended.keep($0) }
          var highest = 0
          while client.isOpen {
            client.write([UInt8](repeating: 0, count: 65536))
            highest = max(highest, client.queuedBytes)
          }
          most.keep(highest)
          _ = server.isOpen
        }
      }
      guard case .failed(let error) = try await ended.value() else {
        Issue.record("not a failure")
        return
      }
      #expect(error.name == "ENOBUFS")
      #expect(try await most.value() <= Limits.linkQueueBytes + 65536)
    }
  }

  @Test func `a stream that stopped reading gets the rest when it starts again`() async throws {
    try await withLoop { place in
      let received = Promise<[UInt8]>()
      try await place.run { place throws(EventLoopError) in
        try place.pair { server, client in
          var all: [UInt8] = []
          server.onBytes = { bytes in
            all += bytes
            guard all.count < 3 else { return received.keep(all) }
            server.stopReading()
            let timer = LoopTimer(loop: server.loop) { server.startReading() }
            timer.start(after: .milliseconds(1))
            client.write([UInt8(all.count + 1)])
          }
          server.startReading()
          client.write([1])
        }
      }
      #expect(try await received.value() == [1, 2, 3])
    }
  }

  @Test func `ending delivers what was written, and both sides learn of it`() async throws {
    try await withLoop { place in
      let received = Promise<[UInt8]>()
      let server = Promise<StreamClosing>()
      let client = Promise<StreamClosing>()
      try await place.run { place throws(EventLoopError) in
        try place.pair { far, near in
          var all: [UInt8] = []
          far.onBytes = { all += $0 }
          far.onClose = {
            received.keep(all)
            server.keep($0)
          }
          far.write([9, 9, 9])  // unread at the near end: closing there at once would reset
          far.startReading()
          near.onClose = { client.keep($0) }
          near.write([1, 2, 3])
          near.end()
        }
      }
      #expect(try await received.value() == [1, 2, 3])
      #expect(try await server.value() == .byPeer)
      #expect(try await client.value() == .byPeer)
    }
  }

  @Test func `another thread sends over a stream without the loop`() async throws {
    try await withLoop { place in
      let sender = Promise<StreamSender?>()
      let received = Promise<[UInt8]>()
      try await place.run { place throws(EventLoopError) in
        try place.pair { server, client in
          server.onBytes = { received.keep(Array($0)) }
          server.startReading()
          sender.keep(client.makeSender())
        }
      }
      let found = try #require(try await sender.value())
      #expect(found.send([1, 2, 3]))
      #expect(try await received.value() == [1, 2, 3])
    }
  }

  @Test func `a sender whose peer is gone says so`() async throws {
    try await withLoop { place in
      let sender = Promise<StreamSender?>()
      let ended = Promise<StreamClosing>()
      try await place.run { place throws(EventLoopError) in
        try place.pair { server, client in
          sender.keep(client.makeSender())
          client.onClose = { ended.keep($0) }
          client.startReading()
          server.close()
        }
      }
      let found = try #require(try await sender.value())
      _ = try await ended.value()
      var isTaken = true
      // The first message may still be taken; its answer is that nobody is there.
      for _ in 0..<3 where isTaken { isTaken = found.send([1]) }
      #expect(!isTaken)
    }
  }

  @Test func `closing with writes in flight calls back once and writes no freed memory`()
    async throws
  {
    try await withLoop { place in
      let ended = Promise<StreamClosing>()
      try await place.run { place throws(EventLoopError) in
        try place.pair { _, client in
          while client.queuedBytes == 0 { client.write([UInt8](repeating: 1, count: 200_000)) }
          client.onClose = { ended.keep($0) }
          client.close()
          client.close()
          client.write([1])
        }
      }
      #expect(try await ended.value() == .here)
    }
  }

  @Test func `connecting where nobody listens fails with the address`() async throws {
    try await withLoop { place in
      let ended = Promise<StreamClosing>()
      try await place.run { place throws(EventLoopError) in
        let listener = try TCPListener(address: try anyPort, loop: place.loop) { _ in }
        let address = listener.address
        listener.close()
        let client = ByteStream(connectingTo: address, loop: place.loop)
        client.onClose = { ended.keep($0) }
      }
      guard case .failed(let error) = try await ended.value() else {
        Issue.record("not a failure")
        return
      }
      #expect(error.isRefused)
      #expect(error.description.contains("connecting to 127.0.0.1:"))
    }
  }
}
