import AtollChanges
import AtollEventLoop
import AtollNode
import AtollPresence
import AtollQuery
import AtollSQLite
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
    try write(ids, isAnnounced: isAnnounced) { Self.name($0, nameBytes) }
  }

  /// The same with a name for each.
  func write(
    _ ids: some Sequence<Int>, isAnnounced: Bool = true, names: (Int) -> String
  ) throws {
    let name = try #require(things.property(named: "name"))
    try file.beginWrite()
    for number in ids {
      _ = try file.create(
        things.id, key: .int(Int64(number)),
        fields: [NewField(name, .scalar(.string(names(number))))])
    }
    let commit = try #require(try file.commitWrite())
    if isAnnounced { watch.announceCommit(commit.number) }
  }

  /// Digits that hardly repeat within a few frames, so that they do not compress away.
  static func name(_ number: Int, _ byteCount: Int) -> String {
    var random = SeededGenerator(seed: UInt64(number))
    let block = min(byteCount, 4 * Limits.frameBytes)
    let words = (0...(block / 16)).map { _ in Hexadecimal.text(random.next()) }.joined()
    let blocks = String(repeating: words, count: (byteCount + words.count - 1) / words.count)
    return String(decoding: blocks.utf8.prefix(byteCount), as: UTF8.self)
  }

  /// Returns when this file has everything in `vector`.
  ///
  /// If that does not come in time, the error shows what has come, and what the nodes of all stores
  /// in the folder say of each other.
  func wait(for vector: VersionVector, within bound: Duration = .seconds(20)) async throws {
    let deadline = ContinuousClock.now.advanced(by: bound)
    while true {
      let promise = nextCommit.withLock { $0 }
      if try file.appliedVector().includes(vector) { return }
      do {
        _ = try await promise.value(within: ContinuousClock.now.duration(to: deadline))
      } catch {
        throw NothingCame(
          waited: bound, expected: vector, held: try file.holdings(),
          statuses: Self.statuses(beside: file.path))
      }
    }
  }

  /// Returns when this file and another have applied the same.
  ///
  /// Each node adds a changeset of its own once it is linked, which may still be under way when
  /// everything that the applications wrote has come.
  func agree(with other: TestApplication, within bound: Duration = .seconds(20)) async throws {
    while true {
      let (here, there) = (try file.appliedVector(), try other.file.appliedVector())
      if here == there { return }
      try await wait(for: there, within: bound)
      try await other.wait(for: here, within: bound)
    }
  }

  struct NothingCame: Error {
    var waited: Duration
    var expected: VersionVector
    var held: Holdings
    var statuses: [String]
  }

  private static func statuses(beside path: String) -> [String] {
    let folder = (path as NSString).deletingLastPathComponent
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix("-status") }.sorted().map { name in
      let bytes = FileManager.default.contents(atPath: folder + "/" + name) ?? Data()
      return name + " " + String(decoding: bytes, as: UTF8.self)
    }
  }

  func count() throws -> Int { try file.count(StoreQuery(things.id)) }
}

let testStoreID = StoreID(high: 0x0A70_11, low: 1)

extension ReplicaKey {
  /// The key of a replica that has no file: always the same for a number.
  static func test(_ number: UInt64) -> ReplicaKey { ReplicaKey(random: { number }) }
}

/// A node that is quiet about what it does.
func makeNode(
  _ stores: [String], storeID: StoreID? = testStoreID, port: UInt16? = 0, peers: [UInt16] = [],
  disk: FaultDisk? = nil, logger: Logger? = nil,
  wallClock: @escaping @Sendable () -> WallTime = SystemClock.wallTime
) throws -> Node {
  var configuration = NodeConfiguration(
    stores: stores, storeID: storeID, listen: port.map { Endpoint(host: "127.0.0.1", port: $0) },
    peers: peers.map { Endpoint(host: "127.0.0.1", port: $0) }, agent: "test node")
  configuration.disk = disk
  configuration.wallClock = wallClock
  return try Node(
    configuration, logger: logger ?? Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
}

/// Starts a node on one store, lends its port, and stops it.
func withNode(
  _ store: String, storeID: StoreID? = testStoreID, peers: [UInt16] = [],
  _ body: (UInt16) async throws -> Void
) async throws {
  try await run(try makeNode([store], storeID: storeID, peers: peers), body)
}

/// Starts a node, lends its port, and stops it.
func run(_ node: Node, _ body: (UInt16) async throws -> Void) async throws {
  try await node.start()
  do {
    try await body(try #require(await node.listening).port)
  } catch {
    await node.stop()
    throw error
  }
  await node.stop()
}

/// The status once it satisfies `isRight`.
func status(
  of store: String, _ isRight: @escaping @Sendable (StoreStatus) -> Bool
) async throws -> StoreStatus {
  let found = Promise<StoreStatus>()
  let loop = try EventLoop(name: "test")
  let place = OnLoop(loop)
  try await place.run { place throws(EventLoopError) in
    func look() {
      if let status = StoreStatus.current(ofStoreAt: store), isRight(status) {
        found.keep(status)
      }
    }
    let folder = (store as NSString).deletingLastPathComponent
    _ = try FileWatch(path: folder, loop: loop) { _ in look() }
    look()
  }
  let status = try await found.value()
  await loop.stop()
  return status
}
