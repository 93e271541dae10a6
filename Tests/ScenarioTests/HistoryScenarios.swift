import AtollChanges
import AtollStorage
import AtollVocabulary
import TestKit
import Testing

@Suite struct HistoryScenarios {
  @Test func `scenario 42 a changeset that comes twice, by any route, counts once`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let peers = try ["A", "B", "C"].map { try Peer($0, in: folder) }
    let (a, b, c) = (peers[0], peers[1], peers[2])
    try a.write(at: 0, Model.fill)
    try exchange(peers)
    try a.write(at: 10) {
      try $0.document.add(5, to: "n")
      try $0.document.list("items").append(4)
    }
    try b.receive(from: a)
    try c.receive(from: b)
    let before = try c.export()
    for peer in [a, b] {
      let all = try peer.changesets()
      let outcomes = try c.store.apply(all.map(\.incoming))
      #expect(outcomes == all.map { _ in .duplicate })
    }
    try #expect(c.export() == before)
    try #expect(c.shows("n") == "5")
    try #expect(c.shows("items") == "[0, 1, 2, 3, 4]")
  }

  @Test func `scenario 43 a replica restored from a backup starts a new incarnation`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let (a, b) = (try Peer("A", in: folder), try Peer("B", in: folder))
    try a.write(at: 0, Model.fill)
    let backup = folder.storePath("backup")
    try TemporaryFolder.copyStore(from: a.store.path, to: backup)
    try a.write(at: 10) { try $0.document.set("n", 1) }
    try b.receive(from: a)

    let restored = try Peer("R", in: folder, restoring: backup)
    #expect(restored.store.author.replica == a.store.author.replica)
    #expect(restored.store.author != a.store.author)
    try restored.write(at: 20) { try $0.document.set("m", 2) }
    try exchange([restored, b], .line)
    try expectEqual([restored, b], "the restored replica and its peer")
    for peer in [restored, b] {
      #expect(try peer.shows("n") == "1")
      #expect(try peer.shows("m") == "2")
    }
  }

  @Test func `scenario 44 two copies of one replica keep what both write`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let (a, b) = (try Peer("A", in: folder), try Peer("B", in: folder))
    try a.write(at: 0, Model.fill)
    let copy = try Peer("C", in: folder, restoring: a.store.path)
    #expect(copy.store.author != a.store.author)
    try a.write(at: 10) { try $0.document.list("items").append(100) }
    try copy.write(at: 10) { try $0.document.list("items").append(200) }
    let peers = [a, b, copy]
    try exchange(peers, .line)
    try expectEqual(peers, "two copies and their peer")
    let results = ["[0, 1, 2, 3, 100, 200]", "[0, 1, 2, 3, 200, 100]"]
    for peer in peers { #expect(try results.contains(peer.shows("items"))) }
  }

  @Test func `scenario 45 a clock that jumps back does not undo one's own later write`() throws {
    try Scenario { peers in
      try peers[0].write(at: 0) { try $0.document.set("n", 1) }
      try peers[0].write(at: -3600) { try $0.document.set("n", 2) }
    } expect: { peer in
      try #expect(peer.shows("n") == "2")
    }
  }

  @Test func `scenario 46 a changeset too far ahead drags no clock along, whatever comes with it`()
    throws
  {
    let folder = TemporaryFolder(isInMemory: true)
    let peers = try ["A", "B", "C"].map { try Peer($0, in: folder) }
    let (a, b, c) = (peers[0], peers[1], peers[2])
    try a.write(at: 0, Model.fill)
    try exchange(peers)
    let known = try c.store.appliedVector()
    try a.write(at: 3600) { try $0.document.set("m", 1) }
    try b.write(at: 10) { try $0.document.set("m", 2) }
    c.clock.set(secondsAfterStart: 20)
    let batch = try a.changesets(lackedBy: known) + b.changesets(lackedBy: known)
    _ = try c.store.apply(batch.map(\.incoming))
    try #expect(c.shows("m") == "2")
    try c.write(at: 20) { try $0.document.set("n", 3) }
    try b.write(at: 30) { try $0.document.set("n", 4) }
    try c.receive(from: b)
    try #expect(c.shows("n") == "4")
  }

  @Test func `random histories of three peers come out alike`() throws {
    var random = SeededRandom.announced("random histories")
    for _ in 0..<20 {
      let folder = TemporaryFolder(isInMemory: true)
      let peers = try random.peers(writing: 30, in: folder)
      try exchange(peers, Topology.allCases[random.below(4)])
      try expectEqual(peers, "seed \(random.seed)")
    }
  }
}
