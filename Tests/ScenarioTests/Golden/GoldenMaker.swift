import AtollChanges
import AtollSQLite
import AtollStorage
import AtollVocabulary
import AtollWire
import Foundation
import TestKit
import Testing

/// Writes what later releases must be able to read: a file with a cell of every kind in every state, and
/// a frame of every kind.
struct GoldenMaker {
  let release: Golden

  func make() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let (a, b) = (try Peer("A", in: folder), try Peer("B", in: folder))
    try write(a, b)
    try FileManager.default.createDirectory(
      atPath: release.path(""), withIntermediateDirectories: true)
    try save(try a.export(), as: "export.txt")
    try save(try frames(of: a), as: "frames.txt")
    a.store.close()
    // Nothing is left in the write-ahead log, so that the file is whole by itself.
    let connection = try Connection(path: folder.storePath("A"), access: .readWrite)
    // Before the first read, SQLite does not know that there is a log.
    _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
    try connection.checkpoint()
    connection.close()
    let target = release.path("store.atoll")
    try? FileManager.default.removeItem(atPath: target)
    try FileManager.default.copyItem(atPath: folder.storePath("A"), toPath: target)
  }

  private func save(_ text: String, as file: String) throws {
    try text.write(toFile: release.path(file), atomically: true, encoding: .utf8)
  }

  /// Two authors who wrote at the same time, so that there are winners and losers among the cells.
  private func write(_ a: Peer, _ b: Peer) throws {
    try a.write(at: 0, Model.fill)
    try b.receive(from: a)
    try a.write(at: 10) { transaction in
      let document = try transaction.document
      try document.set("n", 1)
      try document.add(5, to: "n")
      try document.set("nn", nil)
      try document.set("token", .uuid(7))
      try document.set("any", ["k": .text("in a map")])
      try document.mapInside("any").set("list", [])
      try document.list("anys").append([])
      try document.listInside("anys").append(.elements([]))
      try document.map("anyDict").set("é", .decimal(Decimal128(high: 6174 << 49, low: 150)))
      try document.members("anySet").insert("a member")
      try document.members("prices").insert(.decimal(Decimal128(high: 6176 << 49, low: 2)))
      try document.members("friends").insert(.target(3))
      try document.map("lm").set("t", .target(2))
      try document.list("items").move(0, to: 3)
      try document.list("items").remove(1)
      try document.list("es").element(0).set("v", 50)
      try document.list("es").element(0).list("inner").append(7)
      try document.map("em").entry("a").set("w", 3)
      try document.members("tags").remove(1)
      try document.map("dict").remove("a")
      try transaction.delete("Target", 2)
      try transaction.create("Document", 2, ["n": 9], defaults: ["m": 0, "name": "default"])
    }
    try b.write(at: 20) { transaction in
      let document = try transaction.document
      try document.set("n", 2)
      try document.set("one", ["v": 1, "w": 2])
      try document.embedded("one").set("w", 4)
      try document.list("items").append(100)
      try document.list("items").clear()
      try document.list("items").append(200)
      try document.members("tags").insert(5)
      try document.set("link", .target(3))
      try transaction.delete("Target", 1)
      try transaction.create("Target", 1)
    }
    try exchange([a, b], .line)
    try expectEqual([a, b], "the writers of the golden file")
  }

  private func snapshotFrames(_ holdings: Holdings, _ head: LogEntry) -> [Frame] {
    let part = ChangesetChunk(
      id: head.id, total: head.bytes.count, offset: 2, bytes: Array(head.bytes.dropFirst(2)))
    return [
      .snapshotOffer(
        SnapshotOffer(id: head.id.hash, pages: 3, objects: 4, frontier: holdings)),
      .snapshotRequest(SnapshotRequest(id: head.id.hash, first: 1, count: 2)),
      .snapshotWanted(holdings.stored),
      .snapshotPage(
        SnapshotPage(id: head.id.hash, index: 1, hash: head.id.hash, bytes: head.bytes)),
      .backfillRequest(
        BackfillRequest(
          after: VersionVector(), through: holdings.stored,
          part: ChunkReceipt(
            author: head.id.author, sequence: head.id.sequence, received: 2))),
      .backfill(Backfill(truncationPoint: holdings, state: .more, parts: [part])),
    ]
  }

  /// The changesets of a peer itself, each with a seal of its own.
  private func sealed(_ peer: Peer) throws -> [LogEntry] {
    var found: [LogEntry] = []
    var position = LogPosition.start
    while true {
      let batch = try peer.store.entries(
        lackedBy: VersionVector(), after: position, limitBytes: 1, isForPeer: true)
      found += batch.entries
      if batch.isAtEnd { return found }
      position = batch.next
    }
  }

  private func frames(of peer: Peer) throws -> String {
    let log = try sealed(peer)
    let (first, head) = (try #require(log.first), try #require(log.last))
    let holdings = Holdings(heads: try peer.store.heads())
    let runs = log.compactMap { entry in
      entry.seal.map { seal in
        ChangesetRun(
          author: entry.id.author, first: entry.id.sequence, changesets: [entry.bytes],
          headHash: entry.id.hash, seal: seal)
      }
    }
    let hello = Hello(
      storeID: StoreID(high: 1, low: 2), author: peer.store.author, agent: "golden",
      holdings: holdings)
    let chunk = ChangesetChunk(
      id: head.id, total: head.bytes.count, offset: 2, bytes: Array(head.bytes.dropFirst(2)),
      seal: head.seal)
    let digest = FrontierDigest(
      heads: holdings.heads, digest: StateDigest(high: 0xA1A2_A3A4_A5A6_A7A8, low: 0xB1))
    let frames: [Frame] =
      [
        .hello(hello), .changesets([runs[0]]), .changesets(runs), .chunk(chunk),
        .chunkReceipt(
          ChunkReceipt(author: first.id.author, sequence: first.id.sequence, received: 262_144)),
        .progress(holdings), .request(try peer.store.appliedVector()), .keepAlive(holdings),
        .digest(digest),
        .question(
          DigestQuestion(storeID: hello.storeID, level: 1, prefixes: [3, 9], wantsObjects: false)),
        .answer(
          DigestAnswer(
            current: digest, found: .parts([.empty, .init(count: 300, digest: digest.digest)]))),
        .prune, .pair(PairingProof(of: [1, 2, 3, 4, 5], over: Array(repeating: 7, count: 32))),
        .paired(hello.storeID), .declined(hello.author, reason: "may only read"),
        .acknowledgements(
          Acknowledgements(
            number: 2, follows: 1, received: 9,
            replicas: [PeerProgress(peer: peer.store.author, holdings: holdings)])),
      ]
      + snapshotFrames(holdings, head) + [
        .credit(Credit(window: 0, reason: "its disk has no room")), .expedited([runs[0]]),
        .clock(
          ClockReading(
            sent: WallTime(milliseconds: 1_795_319_539_178),
            answered: .init(
              sent: WallTime(milliseconds: 1_795_319_536_000),
              received: WallTime(milliseconds: 1_795_319_539_177)))),
        .localHello(LocalHello(processID: 4321, name: "golden")), .committed(number: 65_537),
        .goodbye(Goodbye(.stopping, "that was all")),
      ]
    #expect(
      Set(frames.map(\.kind)) == Set(Frame.Kind.allCases), "a kind of frame is not among them")
    var encoder = FrameEncoder()
    return frames.map { frame in
      ([Hexadecimal.text(bytes: encoder.encode(frame))] + frame.lines.map { "means: \($0)" })
        .joined(separator: "\n") + "\n"
    }.joined()
  }
}
