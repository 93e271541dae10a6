import AtollChanges
import AtollEventLoop
import AtollNode
import AtollPresence
import AtollSQLite
import AtollStorage
import AtollVocabulary
import AtollWire
import Foundation
import Logging
import LoopTestKit
import Testing

/// Peers that do not read, do not apply or have a full disk, and live edits beside a catch-up: whole nodes.
@Suite(.serialized) struct FlowTests {
  /// One transaction of the bulk: a thing with a long name, in a frame of its own.
  private static let bulkBytes = 200 << 10
  private static let longName = TestApplication.name(7, bulkBytes)

  /// Transactions with a thing each, numbered in turn.
  private func writeBulk(_ numbers: Range<Int>, to application: TestApplication) throws {
    for number in numbers { try application.write([number]) { "\($0) \(Self.longName)" } }
  }

  // MARK: A peer that is slow

  @Test func `a peer that reads nothing costs its window, and others get everything`()
    async throws
  {
    try await withFolder { folder in
      let here = try TestApplication(folder + "/a")
      try writeBulk(0..<120, to: here)
      let node = try makeNode([folder + "/a"])
      try await run(node) { port in
        try await withLoop { place in
          let stalled = StrangePeer(place)
          try await stalled.connect(to: port, isReading: false)
          try await withNode(folder + "/b", peers: [port]) { _ in
            let there = try TestApplication(folder + "/b")
            try await there.wait(for: try here.file.appliedVector(), within: .seconds(60))
            let health = try #require(await node.health().stores.first)
            #expect(health.peersConnected == 2)
            #expect(health.waitingBytes <= Limits.unacknowledgedBytes + Limits.batchBytes)
          }
        }
      }
    }
  }

  @Test func `a peer that applies nothing gets as much as it has granted, and no more`()
    async throws
  {
    try await withFolder { folder in
      let here = try TestApplication(folder + "/a")
      try writeBulk(0..<20, to: here)
      try await withNode(folder + "/a") { port in
        try await withLoop { place in
          let slow = StrangePeer(place)
          try await slow.connect(to: port, credit: Credit(window: 2 * Limits.batchBytes))
          _ = try await slow.holds(more: Self.bulkBytes).value(within: .seconds(20))
          try await withNode(folder + "/b", peers: [port]) { _ in
            let there = try TestApplication(folder + "/b")
            try await there.wait(for: try here.file.appliedVector(), within: .seconds(60))
          }
          let received = slow.receivedBytes
          #expect(received <= 2 * Limits.batchBytes)
          await slow.send(.credit(Credit(window: 4 * Limits.batchBytes)))
          _ = try await slow.holds(more: received + Self.bulkBytes).value(within: .seconds(20))
        }
      }
    }
  }

  // MARK: A full disk

  @Test func `a full disk pauses applying, goes on sending, and resumes by itself`() async throws {
    try await withFolder { folder in
      let disk = try FaultDisk()
      let lines = Lines()
      let full = try makeNode(
        [folder + "/b"], disk: disk, logger: Logger(label: "test") { _ in lines })
      try await run(full) { port in
        try await withNode(folder + "/a", peers: [port]) { _ in
          let here = try TestApplication(folder + "/a")
          let there = try TestApplication(folder + "/b")
          try here.write(0..<1)
          try await there.wait(for: try here.file.appliedVector())
          disk.plan(FaultDisk.Plan(.full, at: [.write], isLasting: true))
          try writeBulk(1..<10, to: here)

          let short = try await status(of: folder + "/b") { $0.diskFull != nil }
          #expect(short.diskFull?.contains("is full") == true)
          let told = try await status(of: folder + "/a") { $0.peers.first?.diskFull != nil }
          #expect(told.peers.first?.diskFull == "its disk is full")
          #expect(await full.health().isWorking == false)
          #expect(await full.health().all.map(\.kind) == [.diskFull])
          _ = try await status(of: folder + "/a") { status in
            status.conditions?.map(\.kind) == [.peerTakesNothing]
          }
          // It still sends what it has.
          try there.write(100..<110)
          try await here.wait(for: try there.file.appliedVector())
          #expect(try there.count() == 11)

          disk.plan(nil)
          try await there.agree(with: here)
          #expect(try there.count() == 20)
          #expect(try there.file.digest() == here.file.digest())
          _ = try await status(of: folder + "/b") { $0.diskFull == nil }
          _ = try await status(of: folder + "/a") { $0.peers.first?.diskFull == nil }
          #expect(await full.health().isWorking)
          #expect(lines.count(of: "is up: replica") == 1)
          #expect(lines.count(of: "is not applied, and tried again") == 1)
          #expect(lines.count(of: "disk-full: ") == 1)
          #expect(lines.count(of: "disk-full is over") == 1)
          #expect(lines.count(of: "is applied again") == 1)
        }
      }
    }
  }

  @Test func `a status on a full disk is written over the one before`() async throws {
    try await withFolder { folder in
      try await withNode(folder + "/a") { _ in
        let here = try TestApplication(folder + "/a")
        let author = here.file.author.description
        try here.write(0..<1)
        _ = try await status(of: folder + "/a") { $0.applied[author] == 1 }
        // A folder where the next one would be drafted.
        try FileManager.default.createDirectory(
          atPath: folder + "/a-status.new/in-the-way", withIntermediateDirectories: true)
        try here.write(1..<2)
        _ = try await status(of: folder + "/a") { $0.applied[author] == 2 }
      }
    }
  }

  // MARK: Bulk and live

  @Test func `an edit of another replica passes a long catch-up on the same link`() async throws {
    try await withFolder { folder in
      let relay = try TestApplication(folder + "/relay")
      try writeBulk(0..<150, to: relay)
      // Written offline: it depends on nothing of the bulk.
      let author = try TestApplication(folder + "/c")
      try author.write(1000..<1001)
      let edit = try author.file.appliedVector()
      try await withNode(folder + "/relay") { port in
        try await withNode(folder + "/b", peers: [port]) { _ in
          let there = try TestApplication(folder + "/b")
          var first = VersionVector()
          first[relay.file.author] = .first
          try await there.wait(for: first)
          try await withNode(folder + "/c", peers: [port]) { _ in
            try await relay.wait(for: edit)
            let start = ContinuousClock.now
            try await there.wait(for: edit)
            let delay = ContinuousClock.now - start
            let bulk = try there.file.appliedVector()[relay.file.author]
            print("the edit came \(delay) after the relay had it, with \(bulk) of 150 of the bulk")
            #expect(bulk.rawValue < 150)
          }
        }
      }
    }
  }

  @Test func `an edit of the replica that catches up reaches the other side meanwhile`()
    async throws
  {
    try await withFolder { folder in
      let here = try TestApplication(folder + "/a")
      try writeBulk(0..<150, to: here)
      try await withNode(folder + "/a") { port in
        try await withNode(folder + "/b", peers: [port]) { _ in
          let there = try TestApplication(folder + "/b")
          var first = VersionVector()
          first[here.file.author] = .first
          try await there.wait(for: first)
          let start = ContinuousClock.now
          try there.write(1000..<1001)
          var edit = VersionVector()
          edit[there.file.author] = .first
          try await here.wait(for: edit)
          let delay = ContinuousClock.now - start
          let bulk = try there.file.appliedVector()[here.file.author]
          print("the edit came back after \(delay), with \(bulk) of 150 of the bulk")
          #expect(bulk.rawValue < 150)
        }
      }
    }
  }
}

/// Log lines, to be counted.
private struct Lines: LogHandler {
  private let lines = Shared([String]())
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?
  var logLevel = Logger.Level.info

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { lines.withLock { $0.append("\(event.message)") } }

  func count(of words: String) -> Int {
    lines.withLock { lines in lines.count { $0.contains(words) } }
  }
}
