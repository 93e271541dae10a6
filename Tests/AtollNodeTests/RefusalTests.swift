import AtollChanges
import AtollEventLoop
import AtollNode
import AtollStorage
import AtollTransport
import AtollVocabulary
import AtollWire
import Foundation
import LoopTestKit
import Testing

/// The refusals of a node, and their texts.
@Suite struct RefusalTests {
  /// Returns the answer of a node at `port` to `bytes`: its frames, until it ends the link.
  private func answers(to bytes: [UInt8], at port: UInt16) async throws -> [Frame] {
    let frames = Promise<[Frame]>()
    try await withLoop { place in
      await place.run { place in
        guard let address = SocketAddress(host: "127.0.0.1", port: port) else { return }
        let stream = ByteStream(connectingTo: address, loop: place.loop)
        var decoder = FrameDecoder()
        var all: [Frame] = []
        stream.onConnect = {
          stream.startReading()
          stream.write(bytes)
        }
        stream.onBytes = { bytes in
          decoder.append(bytes)
          while let frame = try? decoder.next() { all.append(frame) }
        }
        stream.onClose = { _ in frames.keep(all) }
      }
      _ = try await frames.value()
    }
    return try await frames.value()
  }

  private func goodbye(in frames: [Frame]) -> Goodbye? {
    for case .goodbye(let goodbye) in frames { return goodbye }
    return nil
  }

  private func hello(
    versions: ClosedRange<UInt8> = ProtocolVersion.supported, storeID: StoreID
  ) -> [UInt8] {
    var encoder = FrameEncoder()
    let author = Author(replica: ReplicaID(high: 9, low: 9), incarnation: Incarnation(9))
    return encoder.encode(
      .hello(
        Hello(
          versions: versions, storeID: storeID, author: author, agent: "a peer", holdings: .none)))
  }

  @Test func `garbage is refused with words, and the node goes on`() async throws {
    try await withFolder { folder in
      try await withNode(folder + "/a") { port in
        let garbage = Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        let goodbye = goodbye(in: try await answers(to: garbage, at: port))
        #expect(goodbye?.code == .malformed)
        #expect(goodbye?.text.contains("not an Atoll peer") == true)
        try await withNode(folder + "/b", peers: [port]) { _ in
          let here = try TestApplication(folder + "/a")
          let there = try TestApplication(folder + "/b")
          try here.write(0..<1)
          try await there.wait(for: try here.file.appliedVector())
        }
      }
    }
  }

  @Test func `a peer of another protocol version is told both versions`() async throws {
    try await withFolder { folder in
      try await withNode(folder + "/a") { port in
        let bytes = hello(versions: 200...201, storeID: testStoreID)
        let goodbye = goodbye(in: try await answers(to: bytes, at: port))
        #expect(goodbye?.code == .version)
        #expect(goodbye?.text.contains("200 to 201") == true)
      }
    }
  }

  @Test func `a peer with another store is refused, and its file stays as it was`() async throws {
    try await withFolder { folder in
      try await withNode(folder + "/a") { port in
        let here = try TestApplication(folder + "/a")
        try here.write(0..<5)
        let bytes = hello(storeID: StoreID(high: 7, low: 7))
        let goodbye = goodbye(in: try await answers(to: bytes, at: port))
        #expect(goodbye?.code == .store)
        #expect(goodbye?.text.contains(testStoreID.description) == true)
      }
    }
  }

  @Test func `a changeset with a broken chain is refused, and the data stays as it was`()
    async throws
  {
    try await withFolder { folder in
      let author = try TestApplication(folder + "/elsewhere")
      try author.write(0..<3)
      let log = try author.file.entries(
        lackedBy: VersionVector(), after: .start, limitBytes: 1, isForPeer: true)
      let entry = try #require(log.entries.first)
      let seal = try #require(entry.seal)
      let wrong = try #require(ChainHash(repeatElement(0xAA, count: ChainHash.byteCount)))
      let forged = ChangesetID(author: entry.id.author, sequence: entry.id.sequence, hash: wrong)
      var encoder = FrameEncoder()
      var bytes = encoder.encode(
        .hello(
          Hello(
            storeID: testStoreID, author: entry.id.author, agent: "a forger",
            holdings: Holdings(heads: [forged]))))
      encoder.encode(
        .changesets([
          ChangesetRun(
            author: entry.id.author, first: entry.id.sequence, changesets: [entry.bytes],
            headHash: wrong, seal: seal)
        ]), into: &bytes)
      try await withNode(folder + "/a") { port in
        let here = try TestApplication(folder + "/a")
        let goodbye = goodbye(in: try await answers(to: bytes, at: port))
        #expect(goodbye?.code == .refused)
        #expect(goodbye?.text.contains(entry.id.author.description) == true)
        #expect(try here.count() == 0)
        #expect(try here.file.appliedVector()[entry.id.author] == .none)
        #expect(try here.file.verify() == [])
      }
    }
  }

  @Test func `a second node on a store is refused with the name and process of the first`()
    async throws
  {
    try await withFolder { folder in
      try await withNode(folder + "/a") { _ in
        let second = try makeNode([folder + "/a"])
        let error = await #expect(throws: NodeError.self) { try await second.start() }
        #expect(error?.description.contains("test node (process \(getpid()))") == true)
      }
    }
  }

  @Test func `a port that is taken leaves the store free for another try`() async throws {
    try await withFolder { folder in
      try await withNode(folder + "/a") { port in
        let second = try makeNode([folder + "/b"], port: port)
        let error = await #expect(throws: NodeError.self) { try await second.start() }
        #expect(error?.description.contains("listening on 127.0.0.1:\(port) failed") == true)
        try await withNode(folder + "/b") { _ in }
      }
    }
  }

  @Test func `a store listed twice is refused before anything is opened`() async throws {
    try await withFolder { folder in
      let path = folder + "/a"
      let node = try makeNode([path, path])
      await #expect(throws: NodeError.storeTwice(path)) { try await node.start() }
      #expect(!FileManager.default.fileExists(atPath: folder + "/a"))
    }
  }

  @Test func `a node whose folder is too deep for a socket serves all the same`() async throws {
    try await withFolder { folder in
      let deep = folder + "/" + String(repeating: "x", count: 120)
      try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: true)
      try await withNode(deep + "/a") { port in
        try await withNode(folder + "/b", peers: [port]) { _ in
          let here = try TestApplication(deep + "/a")
          let there = try TestApplication(folder + "/b")
          try here.write(0..<1)
          try await there.wait(for: try here.file.appliedVector())
        }
      }
    }
  }

  @Test func `a node stops in time while a peer says nothing`() async throws {
    try await withFolder { folder in
      let node = try makeNode([folder + "/a"])
      try await node.start()
      let port = try #require(await node.listening).port
      try await withLoop { place in
        let connected = Promise<Bool>()
        await place.run { place in
          guard let address = SocketAddress(host: "127.0.0.1", port: port) else { return }
          let stream = ByteStream(connectingTo: address, loop: place.loop)
          stream.onConnect = { connected.keep(true) }
        }
        _ = try await connected.value()
        let stopped = Promise<Bool>()
        Task {
          await node.stop()
          stopped.keep(true)
        }
        #expect(try await stopped.value(within: .seconds(2)))
      }
    }
  }
}
