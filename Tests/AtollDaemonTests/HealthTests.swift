import AtollChanges
import AtollNode
import AtollPresence
import AtollSQLite
import AtollStorage
import AtollTransport
import AtollVocabulary
import AtollWire
import Dispatch
import Foundation
import Logging
import LoopTestKit
import Testing

@testable import AtollDaemon

/// Each condition of the health, brought about with real daemons.
@Suite(.timeLimit(.minutes(3))) struct HealthTests {
  private static let storeID = StoreID(high: 0x4EA1, low: 19)

  /// A folder of its own for each daemon, so that nobody wakes the other.
  private func path(_ name: String, in folder: String) throws -> String {
    try FileManager.default.createDirectory(
      atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
    return "\(folder)/\(name)/s.atoll"
  }

  private func make(
    _ name: String, in folder: String, notes: Int = 3, length: Int = 10
  ) throws -> String {
    let path = try path(name, in: folder)
    let file = try makeNoteStore(
      path, id: Self.storeID,
      transactions: (0..<notes).lazy.map { [String(repeating: "\($0) ", count: length)] })
    try file.checkpoint()
    file.close()
    // Its data is in the one file now.
    for end in ["-wal", "-shm"] { unlink(path + end) }
    return path
  }

  /// Makes an empty store of the same id.
  private func empty(_ name: String, in folder: String) throws -> String {
    let path = try path(name, in: folder)
    try StoreFile.open(path, options: StoreOptions(storeID: Self.storeID)).close()
    return path
  }

  /// Adds notes of a megabyte together, more than a file has room for that may not grow.
  private func addMuch(to path: String) throws {
    let file = try StoreFile.open(path, options: StoreOptions(storeID: Self.storeID))
    defer { file.close() }
    let notes = try #require(file.classes.first { $0.name == "Note" })
    let text = try #require(notes.property(named: "text"))
    try file.beginWrite()
    for number in 1_000..<1_020 as Range<Int64> {
      let words = String(repeating: "\(number) ", count: 10_000)
      _ = try file.create(
        notes.id, key: .int(number), fields: [NewField(text, .scalar(.string(words)))])
    }
    _ = try file.commitWrite()
  }

  private func modifyExternally(_ sql: String, at path: String) throws {
    let connection = try Connection(path: path, access: .readWrite)
    try connection.execute(sql)
    connection.close()
  }

  // MARK: The file

  @Test func `issue 28.19: damaged pages are a failing condition, while links close`() async throws
  {
    try await withFolder { folder in
      let path = try make("a", in: folder, notes: 200, length: 2_000)
      let size = try #require(FileFacts.size(path: path))
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      // The first and the last data are found, the data between them is not.
      try handle.seek(toOffset: UInt64(size / 2))
      try handle.write(contentsOf: Data(repeating: 0xA5, count: Int(size / 4)))
      try handle.close()
      let daemon = try await WatchedDaemon(path, ["--listen", "127.0.0.1:0"])
      let other = try await WatchedDaemon(
        try empty("b", in: folder), ["--peer", try await daemon.address])
      try await daemon.shows(.fileDamaged)
      _ = other
    }
  }

  @Test func `issue 28.19: a file that was replaced under the daemon is a failing condition`()
    async throws
  {
    try await withFolder { folder in
      let path = try make("a", in: folder)
      let daemon = try await WatchedDaemon(path)
      let aside = try make("b", in: folder)
      #expect(rename(aside, path) == 0)
      try await daemon.shows(.fileReplaced)
      #expect(try await daemon.health().contains("another file was put at"))
    }
  }

  @Test func `issue 28.19: a file that was removed under the daemon is a failing condition`()
    async throws
  {
    try await withFolder { folder in
      let path = try make("a", in: folder)
      let daemon = try await WatchedDaemon(path)
      #expect(unlink(path) == 0)
      let health = try await daemon.health(within: .seconds(40)) { $0.contains("file-replaced") }
      #expect(health.hasPrefix("HTTP/1.1 503 "))
      #expect(health.contains("was removed while it is served"), "\(health)")
    }
  }

  /// The answers of a file that may not grow differ: the exact condition is in `FlowTests`.
  @Test func `issue 28.19: a disk that takes no more is a failing condition, and ends`()
    async throws
  {
    try await withFolder { folder in
      let (a, b) = (try make("a", in: folder), try empty("b", in: folder))
      let full = try await WatchedDaemon(b, ["--listen", "127.0.0.1:0"])
      let sender = try await WatchedDaemon(a, ["--peer", try await full.address])
      try await sender.process.said(" is up: replica")
      let limit = try await OutsideProgram.run(
        "prlimit --pid \(full.process.processID) --fsize=$(stat -c %s \(b)-wal):unlimited")
      try #require(limit.exitCode == 0, "\(limit.text)")
      try addMuch(to: a)
      let health = try await full.health(within: .seconds(40)) {
        $0.contains("disk-full") || $0.contains("file-not-written")
      }
      #expect(health.hasPrefix("HTTP/1.1 503 "))
      _ = try await OutsideProgram.run(
        "prlimit --pid \(full.process.processID) --fsize=unlimited:unlimited")
      _ = try await full.health(within: .seconds(60)) { $0.contains("\"status\":\"ok\"") }
      _ = try await full.status { $0.exitCode == 0 }
    }
  }

  @Test func `issue 28.19: rows modified externally, and the divergence that follows`()
    async throws
  {
    try await withFolder { folder in
      let a = try make("a", in: folder)
      let b = try empty("b", in: folder)
      let other = try await WatchedDaemon(b, ["--listen", "127.0.0.1:0"])
      try modifyExternally("UPDATE Note SET text = 'forged' WHERE id = 1", at: a)
      let daemon = try await WatchedDaemon(a, ["--peer", try await other.address])
      try await daemon.shows(.modifiedExternally)
      try await daemon.shows(.diverged)
      try await other.shows(.diverged)
    }
  }

  // MARK: Clocks

  @Test func `issue 28.19: changesets that wait for a clock are a condition on both sides`()
    async throws
  {
    try await withFolder { folder in
      let a = try make("a", in: folder)
      let file = try StoreFile.open(
        a,
        options: StoreOptions(
          storeID: Self.storeID,
          wallClock: {
            WallTime(milliseconds: SystemClock.wallTime().milliseconds + 3_600_000)
          }))
      try file.setReplicaName("early")
      file.close()
      let b = try empty("b", in: folder)
      let daemon = try await WatchedDaemon(b, ["--listen", "127.0.0.1:0"])
      let early = try await WatchedDaemon(a, ["--peer", try await daemon.address])
      try await daemon.shows(.deferredByClock)
      try await early.shows(.ownClockAhead)
      let author = try #require(StoreStatus.current(ofStoreAt: a)?.replica)
      let released = try await OutsideProgram.atoll("clock", "release", b, author)
      #expect(released.exitCode == 0, "\(released.text)")
      try await daemon.isOver(.deferredByClock)
    }
  }

  // MARK: Peers

  @Test func `issue 28.19: a node that reaches no peer says so, and again when it does`()
    async throws
  {
    try await withFolder { folder in
      let b = try await WatchedDaemon(try empty("b", in: folder), ["--listen", "127.0.0.1:0"])
      let address = try await b.address
      b.process.send(SIGTERM)
      _ = try await b.process.ended.value()
      let a = try make("a", in: folder)
      let daemon = try await WatchedDaemon(a, ["--peer", address])
      try await daemon.shows(.noPeerReachable)
      #expect(try await daemon.health().contains(address))
      let again = try DaemonProcess(["--store", b.store, "--listen", address], in: folder)
      try await daemon.isOver(.noPeerReachable)
      again.send(SIGTERM)
    }
  }

  @Test func `issue 28.4: two that have retired each other, and cut their logs, say so`()
    async throws
  {
    try await withFolder { folder in
      let paths = try ["a", "b"].map { try empty($0, in: folder) }
      let files = try paths.map {
        try StoreFile.open($0, options: StoreOptions(storeID: Self.storeID))
      }
      for (one, other) in [(0, 1), (1, 0)] {
        try files[one].setReplicaName("before the other was retired")
        try files[one].retire(files[other].author.replica)
        #expect(try files[one].truncateLog(olderThan: .zero).changesets > 0)
      }
      for file in files { file.close() }
      let a = try await WatchedDaemon(paths[0], ["--listen", "127.0.0.1:0"])
      let b = try await WatchedDaemon(paths[1], ["--peer", try await a.address])
      for daemon in [a, b] { try await daemon.shows(.leftBehind, within: .seconds(60)) }
    }
  }

  /// A node that two others know by these roles, and that is connected to both.
  private func reader(_ roles: [PeerRole], in folder: String) async throws -> (
    WatchedDaemon, others: [SecureDaemon], admit: (SecureDaemon, PeerRole) throws -> Void
  ) {
    let reader = try await SecureDaemon("reader", in: folder, ["--metrics", "127.0.0.1:0"])
    let identity = try IdentityFile(reader.key).open().identity
    func admit(_ daemon: SecureDaemon, _ role: PeerRole) throws {
      let file = try daemon.file()
      defer { file.close() }
      try file.admit(RosterEntry(identity: identity, name: "reader", role: role))
    }
    var others: [SecureDaemon] = []
    for (number, role) in roles.enumerated() {
      let other = try await SecureDaemon("\(number)", in: folder)
      try admit(other, role)
      others.append(other)
    }
    let file = try reader.file()
    defer { file.close() }
    for (number, other) in others.enumerated() {
      try file.admit(
        RosterEntry(
          identity: try IdentityFile(other.key).open().identity, name: "\(number)",
          addresses: [other.address]))
    }
    let watched = WatchedDaemon(
      store: reader.store, process: reader.process,
      metricsPort: try await reader.process.metricsPort())
    return (watched, others, admit)
  }

  @Test func `issue 28.19: a node whose writes nobody takes says so until they do`() async throws {
    try await withFolder { folder in
      let (reader, others, admit) = try await reader([.read], in: folder)
      try await reader.shows(.declinedByAll)
      try admit(others[0], .write)
      try await reader.isOver(.declinedByAll)
    }
  }

  @Test func `issue 28.19: a node whose writes one of two peers takes says so until both do`()
    async throws
  {
    try await withFolder { folder in
      let (reader, others, admit) = try await reader([.write, .read], in: folder)
      _ = try await reader.health(within: .seconds(40)) { $0.contains("declined-by-peer") }
      let status = try await reader.status { $0.text.contains("declined-by-peer") }
      #expect(status.exitCode == 3, "\(status.text)")
      try admit(others[1], .write)
      _ = try await reader.health(within: .seconds(40)) { !$0.contains("declined-by") }
    }
  }

  @Test func `issue 32: a node whose replica was removed hears of it, and says so`() async throws {
    try await withFolder { folder in
      let (a, b) = (try path("a", in: folder), try path("b", in: folder))
      let owner = try StoreFile.open(a, options: StoreOptions(isOwned: true))
      let other = try StoreFile.open(b, options: StoreOptions(storeID: owner.storeID))
      try owner.remove(other.author.replica)
      for file in [owner, other] { file.close() }
      let daemon = try await WatchedDaemon(a, ["--listen", "127.0.0.1:0"])
      let address = try await daemon.address
      let removed = try await WatchedDaemon(b, ["--peer", address])
      try await removed.shows(.removed)
      #expect(try await removed.health().contains("a peer says"))
      daemon.process.send(SIGTERM)
      _ = try await daemon.process.ended.value()
    }
  }

  @Test func `issue 28.19: a changeset that is refused, with its link, is a condition`()
    async throws
  {
    try await withFolder { folder in
      let daemon = try await WatchedDaemon(
        try empty("b", in: folder), ["--listen", "127.0.0.1:0"])
      let port = try await daemon.process.port()
      let key = ReplicaKey(random: { 9 })
      let author = Author(replica: key.replica, incarnation: Incarnation(9))
      var encoder = FrameEncoder()
      let bytes = [UInt8](repeating: 0xFF, count: 100)
      let hash = ChainHash.origin(of: author).following(bytes)
      let frames = [
        Frame.hello(
          Hello(
            versions: ProtocolVersion.supported, storeID: Self.storeID, author: author,
            agent: "a peer", holdings: .none)),
        .changesets([
          ChangesetRun(
            author: author, first: .first, changesets: [bytes], headHash: hash,
            seal: key.seal(
              ChangesetID(author: author, sequence: .first, hash: hash), in: Self.storeID))
        ]),
      ]
      _ = try await exchange(frames.flatMap { encoder.encode($0) }, at: port)
      try await daemon.shows(.changesetRefused)
    }
  }

  // MARK: The daemon

  @Test func `issue 28.19: a store that a reload could not open is a failing condition`()
    async throws
  {
    try await withFolder { folder in
      let a = try make("a", in: folder)
      let settings = folder + "/settings"
      try "store = \(a)\nmetrics = 127.0.0.1:0\n".write(
        toFile: settings, atomically: true, encoding: .utf8)
      let process = try DaemonProcess(["--config", settings], in: folder)
      let port = try await process.metricsPort()
      let watched = WatchedDaemon(store: a, process: process, metricsPort: port)
      #expect(try await watched.health().contains("\"status\":\"ok\""))
      let wrong = folder + "/wrong.atoll"
      try String(repeating: "no store ", count: 1000)
        .write(toFile: wrong, atomically: true, encoding: .utf8)
      try "store = \(a)\nstore = \(wrong)\nmetrics = 127.0.0.1:0\n".write(
        toFile: settings, atomically: true, encoding: .utf8)
      process.send(SIGHUP)
      let health = try await watched.health(within: .seconds(20)) {
        $0.contains("store-not-opened")
      }
      #expect(health.hasPrefix("HTTP/1.1 503 ") && health.contains(wrong))
    }
  }

  @Test func `issue 28.19: a daemon that was killed is a failing condition of its store`()
    async throws
  {
    try await withFolder { folder in
      let daemon = try await WatchedDaemon(try make("a", in: folder))
      let well = try await OutsideProgram.atoll("status", daemon.store)
      #expect(well.exitCode == 0, "\(well.text)")
      daemon.process.send(SIGKILL)
      _ = try await daemon.process.ended.value()
      let status = try await OutsideProgram.atoll("status", daemon.store)
      #expect(status.exitCode == 4 && status.text.contains("FAILING daemon-gone: "))
      let json = try await OutsideProgram.atoll("status", daemon.store, "--json")
      #expect(json.exitCode == 4 && json.text.contains("\"health\":\"failing\""))
    }
  }

  @Test func `issue 28.19: a loop that does not answer is a failing condition`() async throws {
    try await withFolder { folder in
      let node = try Node(
        NodeConfiguration(stores: [try make("a", in: folder)]),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      try await node.start()
      let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      let watchdog = node.makeWatchdog(logger: logger)
      let registry = MetricRegistry()
      let observatory = Observatory(node, registry: registry, watchdog: watchdog)
      let process = ProcessMeters(registry)
      let request = HTTPRequest(path: "/health")
      let well = await observatory.answer(request, process)
      #expect(String(decoding: well.bytes, as: UTF8.self).contains("\"status\":\"ok\""))
      let release = DispatchSemaphore(value: 0)
      let blocking = Task { await node.block(until: release) }
      let clock = ContinuousClock()
      let end = clock.now.advanced(by: .seconds(20))
      while watchdog.blockedFor == nil, clock.now < end {
        try await clock.sleep(for: .milliseconds(50))
      }
      let text = String(
        decoding: await observatory.answer(request, process).bytes, as: UTF8.self)
      release.signal()
      await blocking.value
      #expect(text.hasPrefix("HTTP/1.1 503 ") && text.contains("\"loop-blocked\""), "\(text)")
      watchdog.stop()
      await node.stop()
    }
  }

  @Test func `the runbook lists every condition, with its severity`() throws {
    let path = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("deploy/RUNBOOK.md")
    let text = try String(contentsOf: path, encoding: .utf8)
    let rows = Set(
      text.matches(of: /\n\| `([a-z-]+)` \| (degraded|failing) \|/).map { "\($0.1) \($0.2)" })
    let known = Set(
      HealthCondition.Kind.allCases.map { "\($0.rawValue) \($0.severity.rawValue)" })
    #expect(rows == known)
  }
}

extension Node {
  /// Keeps the node's loop from everything else.
  fileprivate func block(until release: DispatchSemaphore) {
    _ = release.wait(timeout: .now() + .seconds(30))
  }
}

extension WatchedDaemon {
  fileprivate init(store: String, process: DaemonProcess, metricsPort: UInt16) {
    self.store = store
    self.process = process
    self.metricsPort = metricsPort
  }
}
