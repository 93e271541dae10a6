import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

@Suite struct HistoryScenarios {
  @Test func `scenario 42 a changeset that comes twice, by any route, counts once`() throws {
    let folder = try Folder()
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

  @Test func `scenario 45 a clock that jumps back does not undo one's own later write`() throws {
    try Scenario { peers in
      try peers[0].write(at: 0) { try $0.document.set("n", 1) }
      try peers[0].write(at: -3600) { try $0.document.set("n", 2) }
    } expect: { peer in
      try #expect(peer.shows("n") == "2")
    }
  }

  @Test func `random histories of three peers come out alike`() throws {
    var random = SeededRandom.announced("random histories")
    for _ in 0..<20 {
      let folder = try Folder()
      let peers = try ["A", "B", "C"].map { try Peer($0, in: folder) }
      try peers[0].write(at: 0, Model.fill)
      try exchange(peers)
      for _ in 0..<30 {
        let peer = peers[random.below(3)]
        if random.chance(1, of: 4) { try peer.receive(from: peers[random.below(3)]) }
        try peer.write(at: Int64(random.below(50))) {
          for _ in 0...random.below(3) { try random.edit($0, in: peer.store) }
        }
      }
      try exchange(peers, Topology.allCases[random.below(4)])
      try expectEqual(peers, "seed \(random.seed)")
    }
  }
}
