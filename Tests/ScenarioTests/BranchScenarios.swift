import AtollChanges
import AtollReplication
import AtollStorage
import AtollVocabulary
import TestKit
import Testing

/// A disk is rolled back as it had been, under a file that cannot tell: its author writes two histories.
@Suite struct BranchScenarios {
  @Test(arguments: Topology.allCases)
  func `scenario 44 of a disk that was rolled back both histories live on, everywhere alike`(
    _ topology: Topology
  ) throws {
    var random = SeededRandom.announced("two histories")
    for order in 0..<2 {
      let folder = TemporaryFolder(isInMemory: true)
      let fleet = try BranchFleet(in: folder)
      try fleet.fork(random: &random)
      let peers = fleet.peers.shuffled(using: &random)
      var linked = try LinkedPeers(peers, topology, random)
      try linked.run()
      try expectEqual(peers, "\(topology), order \(order), seed \(random.seed)")
      try fleet.expectAll(on: peers[0])
      for (peer, reports) in zip(peers, linked.reports)
      where fleet.unaware.contains(where: { $0 === peer }) {
        let branched = reports.contains { if case .branched = $0 { true } else { false } }
        #expect(branched, "\(peer.name) did not say so; seed \(random.seed)")
      }
      #expect(fleet.writer.store.author.commonHistory != fleet.former)
      for peer in peers { try fleet.editAll(by: peer, at: 3610) }
      try linked.announce()
      try linked.run()
      try expectEqual(peers, "\(topology), order \(order), after, seed \(random.seed)")
      try fleet.expectAll(on: peers[0])
    }
  }

  @Test(arguments: Topology.allCases)
  func `scenario 44 three histories, and a fork of a fork, come out alike`(
    _ topology: Topology
  ) throws {
    var random = SeededRandom.announced("forks of forks")
    for _ in 0..<2 {
      let folder = TemporaryFolder(isInMemory: true)
      let fleet = try BranchFleet(in: folder)
      try fleet.fork(random: &random, histories: 3 + random.below(2))
      let peers = fleet.peers.shuffled(using: &random)
      var linked = try LinkedPeers(peers, topology, random)
      try linked.run()
      try expectEqual(peers, "\(topology), seed \(random.seed)")
      try fleet.expectAll(on: peers[0])
    }
  }

  @Test func `scenario 44 a fresh replica that hears of both histories gets the same`() throws {
    var random = SeededRandom.announced("a fresh replica")
    let folder = TemporaryFolder(isInMemory: true)
    let fleet = try BranchFleet(in: folder)
    try fleet.fork(random: &random)
    var linked = try LinkedPeers(fleet.peers, .line, random)
    try linked.run()
    let fresh = try Peer("Z", in: folder, schema: BranchMatter.schema)
    var late = try LinkedPeers([fleet.peers[1], fresh], .line, random)
    try late.run()
    try expectEqual([fleet.peers[0], fresh], "seed \(random.seed)")
    #expect(try fresh.store.heads() == fleet.peers[0].store.heads())
    try fleet.expectAll(on: fresh)
  }

  @Test(arguments: Topology.allCases)
  func `scenario 44 what is lost of a history's object is in everyone's ledger`(
    _ topology: Topology
  ) throws {
    var random = SeededRandom.announced("lost in a history")
    let folder = TemporaryFolder(isInMemory: true)
    let fleet = try BranchFleet(in: folder)
    try fleet.fork(random: &random)
    let matter = BranchMatter(number: 9)
    try fleet.hearers[0].write(at: 720, matter.step)
    try fleet.second.write(at: 730, matter.end)
    let peers = fleet.peers.shuffled(using: &random)
    var linked = try LinkedPeers(peers, topology, random)
    try linked.run()
    try expectEqual(peers, "\(topology), seed \(random.seed)")
    for peer in peers {
      let ended = try peer.store.conflicts().filter {
        $0.className == "Note" && $0.rule == .deleted && $0.losing.value == .step(1)
      }
      // The peer that ended it had not seen the other's step, nor those of others who edited it
      // meanwhile.
      #expect(ended.contains { $0.losing.author == fleet.hearers[0].store.author })
      #expect(!ended.contains { $0.losing.author == fleet.second.store.author })
      // The changesets before the fork were seen by everyone, both histories included.
      #expect(try !peer.store.conflicts().contains { $0.losing.author == fleet.former })
    }
  }
}
