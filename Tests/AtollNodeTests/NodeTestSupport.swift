import AtollChanges
import AtollEventLoop
import AtollNode
import AtollStorage
import AtollTransport
import AtollVocabulary
import Foundation
import Logging
import LoopTestKit
import Testing

/// An application at a store file: writes, says so, and waits for what others write.
final class TestApplication {
  let file: StoreFile
  private let things: StoredClass
  private let watch: StoreWatch
  /// Kept, and replaced, when another process committed.
  private let nextCommit = Shared(Promise<Bool>())

  /// Opens the store as an application whose clock is ahead would.
  init(
    _ path: String, storeID: StoreID? = testStoreID, clockAhead milliseconds: Int64 = 0
  ) throws {
    file = try StoreFile.open(
      path,
      options: StoreOptions(
        storeID: storeID,
        wallClock: {
          WallTime(milliseconds: SystemClock.wallTime().milliseconds + milliseconds)
        }))
    let schema = ClassSchema(
      name: "Thing", primaryKey: "id",
      properties: [
        PropertySchema(name: "id", type: .int), PropertySchema(name: "name", type: .string),
      ])
    things = try #require(try file.adopt([schema]).first)
    watch = try StoreWatch(path: path) { [nextCommit] in
      let promise = nextCommit.withLock { current in
        defer { current = Promise() }
        return current
      }
      promise.keep(true)
    }
  }

  deinit { watch.stop() }

  /// Creates things in one transaction; `isAnnounced` false leaves it to the file to tell.
  func write(
    _ ids: some Sequence<Int>, nameBytes: Int = 10, isAnnounced: Bool = true
  ) throws {
    let name = try #require(things.property(named: "name"))
    try file.beginWrite()
    for number in ids {
      _ = try file.create(
        things.id, key: .int(Int64(number)),
        fields: [NewField(name, .scalar(.string(Self.name(number, nameBytes))))])
    }
    let commit = try #require(try file.commitWrite())
    if isAnnounced { watch.announceCommit(commit.number) }
  }

  /// Digits that hardly repeat within a few frames, so that they do not compress away.
  private static func name(_ number: Int, _ byteCount: Int) -> String {
    var random = SeededGenerator(seed: UInt64(number))
    let block = min(byteCount, 4 * Limits.frameBytes)
    let words = (0...(block / 16)).map { _ in Hexadecimal.text(random.next()) }.joined()
    let blocks = String(repeating: words, count: (byteCount + words.count - 1) / words.count)
    return String(decoding: blocks.utf8.prefix(byteCount), as: UTF8.self)
  }

  /// Returns when this file has everything in `vector`.
  func wait(for vector: VersionVector, within bound: Duration = .seconds(20)) async throws {
    let deadline = ContinuousClock.now.advanced(by: bound)
    while true {
      let promise = nextCommit.withLock { $0 }
      if try file.appliedVector().includes(vector) { return }
      _ = try await promise.value(within: ContinuousClock.now.duration(to: deadline))
    }
  }

  func count() throws -> Int { try file.count(StoreQuery(things.id)) }
}

let testStoreID = StoreID(high: 0x0A70_11, low: 1)

/// A node that is quiet about what it does.
func makeNode(
  _ stores: [String], storeID: StoreID? = testStoreID, port: UInt16? = 0, peers: [UInt16] = []
) throws -> Node {
  var logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
  logger.logLevel = .critical
  return try Node(
    NodeConfiguration(
      stores: stores, storeID: storeID,
      listen: port.map { Endpoint(host: "127.0.0.1", port: $0) },
      peers: peers.map { Endpoint(host: "127.0.0.1", port: $0) }, agent: "test node"),
    logger: logger)
}

/// Starts a node on one store, lends its port, and stops it.
func withNode(
  _ store: String, storeID: StoreID? = testStoreID, peers: [UInt16] = [],
  _ body: (UInt16) async throws -> Void
) async throws {
  let node = try makeNode([store], storeID: storeID, peers: peers)
  try await node.start()
  do {
    try await body(try #require(await node.listening).port)
  } catch {
    await node.stop()
    throw error
  }
  await node.stop()
}
