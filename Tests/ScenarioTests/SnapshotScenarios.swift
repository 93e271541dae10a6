import AtollChanges
import AtollStorage
import AtollVocabulary
import TestKit
import Testing

/// Replicas that begin, or continue, with a snapshot.
@Suite struct SnapshotScenarios {
  @Test func `scenario 50 peers that began with different snapshots come out alike`() throws {
    var random = SeededRandom.announced("scenario 50")
    for round in 0..<12 {
      let folder = TemporaryFolder(isInMemory: true)
      let (a, b) = (try Peer("A", in: folder), try Peer("B", in: folder))
      try a.write(at: 0, Model.fill)
      try b.receive(from: a)
      try edit([a, b], &random)
      let (c, d) = (try Peer("C", in: folder), try Peer("D", in: folder))
      try meet([a, c], .line, &random)
      try edit([a, b, c], &random)
      // The second has all that the first has, and more.
      try meet([a, b, c], .star, &random)
      try edit([a, b, c], &random)
      try meet([a, d], .line, &random)
      try #expect(c.store.snapshotOffer() != nil && d.store.snapshotOffer() != nil)
      try edit([a, b, c, d], &random)
      // Either may be ahead, and neither has the log that the other one lacks.
      try meet(round.isMultiple(of: 2) ? [c, d] : [d, c], .line, &random)
      try expectEqual([c, d], "seed \(random.seed)")
      let peers = [a, b, c, d]
      try meet(peers, Topology.allCases[round % 4], &random)
      try expectEqual(peers, "seed \(random.seed)")
      for peer in peers { try #expect(peer.store.verify() == [], "seed \(random.seed)") }
    }
  }

  @Test func `scenario 50 two that began with snapshots come out alike when their givers are gone`()
    throws
  {
    var random = SeededRandom.announced("scenario 50, givers gone")
    for round in 0..<8 {
      let folder = TemporaryFolder(isInMemory: true)
      let (a, b) = (try Peer("A", in: folder), try Peer("B", in: folder))
      try a.write(at: 0, Model.fill)
      try b.receive(from: a)
      // Neither giver has all that the other one has.
      try edit([a, b], &random)
      let (c, d) = (try Peer("C", in: folder), try Peer("D", in: folder))
      try meet([a, c], .line, &random)
      try meet([b, d], .line, &random)
      try #expect(c.store.snapshotOffer() != nil && d.store.snapshotOffer() != nil)
      try #expect(c.store.logStart().truncationPoint.entries.isEmpty, "seed \(random.seed)")
      try edit([c, d], &random)
      try meet(round.isMultiple(of: 2) ? [c, d] : [d, c], .line, &random)
      try expectEqual([c, d], "seed \(random.seed)")
      for peer in [c, d] { try #expect(peer.store.verify() == [], "seed \(random.seed)") }
    }
  }

  @Test func `scenario 51 a backup older than all logs comes back, and nothing is doubled`() throws
  {
    var random = SeededRandom.announced("scenario 51")
    let folder = TemporaryFolder(isInMemory: true)
    let (a, b) = (try Peer("A", in: folder), try Peer("B", in: folder))
    try a.write(at: 0, Model.fill)
    let backup = folder.storePath("backup")
    try TemporaryFolder.copyStore(from: a.store.path, to: backup)
    try a.write(at: 10) { try $0.document.add(5, to: "n") }
    try a.write(at: 11) { try $0.document.list("items").append(100) }
    try b.receive(from: a)
    let c = try Peer("C", in: folder)
    try meet([b, c], .line, &random)
    for peer in [b, c] {
      let known = PeerProgress(peer: a.store.author, holdings: try a.store.holdings())
      try peer.store.setPeerProgress([known])
      try #expect(peer.store.truncateLog(olderThan: .zero).changesets == 3)
    }
    let restored = try Peer("R", in: folder, restoring: backup)
    try restored.write(at: 20) { try $0.document.add(40, to: "n") }
    try meet([c, restored], .line, &random)
    try #expect(restored.store.snapshotOffer() != nil)
    let peers = [b, c, restored]
    try meet(peers, .ring, &random)
    try expectEqual(peers, "seed \(random.seed)")
    for peer in peers {
      try #expect(peer.shows("n") == "45")
      try #expect(peer.shows("items") == "[0, 1, 2, 3, 100]")
      try #expect(peer.store.verify() == [])
    }
  }

  @Test func `scenario 52 cut off at any point a snapshot goes on, and both write meanwhile`()
    throws
  {
    var random = SeededRandom.announced("scenario 52")
    let folder = TemporaryFolder(isInMemory: true)
    let (a, b) = (try Peer("A", in: folder), try Peer("B", in: folder))
    try a.write(at: 0, Model.fill)
    for key in 2...31 {
      let name = String(repeating: "\(key)", count: 60_000)
      try a.write(at: Int64(key)) { try $0.create("Document", key, ["name": .text(name)]) }
    }
    for round in 0..<40 where try b.store.snapshotOffer() == nil {
      var linked = try LinkedPeers([a, b], .line, random, snapshotChangesets: 25)
      try linked.run(steps: 4 + random.below(30))
      try a.write(at: Int64(100 + round)) { try $0.document.add(1, to: "n") }
    }
    try #expect(b.store.snapshotOffer() != nil, "it never came whole; seed \(random.seed)")
    try b.write(at: 200) { try $0.document.add(1000, to: "n") }
    try meet([a, b], .line, &random)
    try expectEqual([a, b], "seed \(random.seed)")
    try #expect(b.store.verify() == [])
  }

  private func edit(_ peers: [Peer], _ random: inout SeededRandom) throws {
    for _ in 0..<12 {
      let peer = peers[random.below(peers.count)]
      try peer.write(at: Int64(random.below(50))) {
        for _ in 0...random.below(3) { try random.edit($0, in: peer.store) }
      }
    }
  }

  private func meet(
    _ peers: [Peer], _ topology: Topology, _ random: inout SeededRandom
  ) throws {
    var linked = try LinkedPeers(peers, topology, random, snapshotChangesets: 1)
    try linked.run()
    _ = random.below(2)
  }
}
