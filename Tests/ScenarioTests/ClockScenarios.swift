import AtollChanges
import AtollStorage
import AtollVocabulary
import TestKit
import Testing

/// Clocks that are wrong: what is stamped too far ahead is held everywhere and applied nowhere.
@Suite struct ClockScenarios {
  private static let tenYears: Int64 = 315_576_000
  private static let names = ["A", "B", "C"]

  /// A, B and C with the start, two relays between them, and what A wrote with a clock that is ahead.
  private struct World {
    let start: Peer
    let writers: [Peer]
    let peers: [Peer]
    let topology: Topology

    init(_ topology: Topology) throws {
      self.topology = topology
      let folder = TemporaryFolder(isInMemory: true)
      let start = try Peer("0", in: folder)
      try start.write(at: 0, Model.fill)
      let writers = try ClockScenarios.names.map { try Peer($0, in: folder) }
      let relays = try ["X", "Y"].map { try Peer($0, in: folder) }
      for peer in writers + relays { try peer.receive(from: start) }
      self.start = start
      self.writers = writers
      peers = zip(writers, relays).flatMap { [$0, $1] } + writers.dropFirst(relays.count)
    }

    var others: [Peer] { peers.filter { $0.name != "A" } }

    func exchange() throws { try ScenarioTests.exchange(peers, topology) }

    func setClocks(to seconds: Int64) {
      for peer in peers { peer.clock.set(secondsAfterStart: seconds) }
    }

    func waitUntil(_ seconds: Int64) throws {
      setClocks(to: seconds)
      for peer in peers { _ = try peer.store.applyDeferred() }
      try exchange()
    }
  }

  /// Writes at all three: A ten years ahead, B and C at the same time; A's second on top of B's.
  private func write(_ world: World) throws {
    let (a, b, c) = (world.writers[0], world.writers[1], world.writers[2])
    for peer in world.others { peer.clock.set(secondsAfterStart: 30) }
    try a.write(at: Self.tenYears) {
      try $0.document.set("n", 1)
      try $0.document.add(5, to: "m")
      try $0.document.list("items").append(100)
    }
    try b.write(at: 10) {
      try $0.document.set("n", 2)
      try $0.document.list("items").append(200)
    }
    try a.receive(from: b)
    try a.write { try $0.document.list("items").append(101) }
    try c.write(at: 20) { try $0.document.add(7, to: "m") }
  }

  @Test func `scenario 46 writes of a clock ten years ahead are deferred and drag nobody along`()
    throws
  {
    for topology in Topology.allCases {
      let world = try World(topology)
      try write(world)
      try world.exchange()
      try expectEqual(world.others, "\(topology), while A's changesets are held")
      for peer in world.others {
        #expect(try peer.shows("n") == "2")
        #expect(try peer.shows("m") == "7")
        #expect(try peer.shows("items") == "[0, 1, 2, 3, 200]")
        #expect(try peer.store.holdings().heads == world.writers[0].store.holdings().heads)
      }
      // Whoever writes now is understood by everyone: its clock was not dragged along.
      try world.writers[1].write(at: 40) { try $0.document.set("nn", 9) }
      try world.exchange()
      for peer in world.peers { #expect(try peer.shows("nn") == "9") }

      try world.waitUntil(Self.tenYears)
      try expectEqual(world.peers, "\(topology), ten years later")
      for peer in world.peers {
        #expect(try peer.shows("n") == "1")
        #expect(try peer.shows("m") == "12")
      }
    }
  }

  @Test func `scenario 46 what is held comes out alike in every order`() throws {
    let world = try World(.mesh)
    try write(world)
    try world.exchange()
    let (a, b) = (world.writers[0], world.writers[1])
    let (before, known) = (try b.export(), try world.start.store.appliedVector())
    let contexts = world.writers.reduce(into: [:]) { $0.merge($1.contexts) { one, _ in one } }
    let written = try a.changesets(lackedBy: known).map {
      WrittenChangeset(entry: $0, context: try #require(contexts[$0.id]))
    }
    try world.waitUntil(Self.tenYears)
    let after = try b.export()
    for order in causalOrders(of: written, after: known, limit: 60) {
      let peer = try Peer("Z", in: nil)
      peer.clock.set(secondsAfterStart: 40)
      try peer.receive(from: world.start)
      for entry in order { _ = try peer.store.apply([entry.incoming]) }
      let comment: Comment = "in the order \(order.map(\.id.author.shortDescription))"
      #expect(try peer.export() == before, comment)
      peer.clock.set(secondsAfterStart: Self.tenYears)
      #expect(try peer.store.applyDeferred() == nil, comment)
      #expect(try peer.export() == after, comment)
      #expect(try peer.store.digest() == b.store.digest(), comment)
    }
  }

  @Test
  func `scenario 46 a mended clock and a repair: the changes arrive with present stamps, once`()
    throws
  {
    for topology in Topology.allCases {
      for isHeldFirst in [false, true] {
        let world = try World(topology)
        try write(world)
        if isHeldFirst { try world.exchange() }
        world.setClocks(to: 60)
        let a = world.writers[0]
        let former = a.store.author
        let repair = try #require(try a.store.repairClock())
        #expect(repair.changesets == 2)
        #expect(a.store.author != former)
        try world.exchange()
        let comment: Comment = "\(topology), held before: \(isHeldFirst)"
        try expectEqual(world.peers, comment)
        for peer in world.peers {
          #expect(try peer.shows("n") == "1", comment)
          #expect(try peer.shows("m") == "12", comment)
          #expect(try peer.store.deferredChangesets().isEmpty, comment)
        }
        try world.writers[1].write(at: 70) { try $0.document.set("n", 3) }
        try world.exchange()
        for peer in world.peers { #expect(try peer.shows("n") == "3", comment) }
        let end = try world.peers[1].export()
        try world.waitUntil(Self.tenYears + 60)
        #expect(try world.peers[1].export() == end, comment)
      }
    }
  }

  @Test func `scenario 46 a repair comes out alike in every order`() throws {
    let world = try World(.mesh)
    try write(world)
    try world.exchange()
    world.setClocks(to: 60)
    let a = world.writers[0]
    try a.store.repairClock()
    try world.exchange()
    let known = try world.start.store.appliedVector()
    let entries = try a.changesets(lackedBy: known)
    let (export, digest) = (try a.export(), try a.store.digest())
    var random = SeededRandom.announced("orders of a repair")
    for _ in 0..<60 {
      let peer = try Peer("Z", in: nil)
      peer.clock.set(secondsAfterStart: 60)
      try peer.receive(from: world.start)
      // Whatever waits for something is offered again until all is there.
      var rest = entries
      while !rest.isEmpty {
        let entry = rest.remove(at: random.below(rest.count))
        if case .missing? = try peer.store.apply([entry.incoming]).first { rest.append(entry) }
      }
      #expect(try peer.export() == export, "seed \(random.seed)")
      #expect(try peer.store.digest() == digest, "seed \(random.seed)")
    }
  }

  @Test func `a clock at 1970 holds what others write until it is set, and its own counts`() throws
  {
    for topology in Topology.allCases {
      let world = try World(topology)
      let c = world.writers[2]
      try world.writers[0].write(at: 10) { try $0.document.set("n", 1) }
      try world.writers[1].write(at: 20) { try $0.document.set("m", 2) }
      try c.write(at: -WallClock.start.milliseconds / 1000) {
        try $0.document.set("n", 3)
        try $0.document.set("nn", 4)
      }
      try world.exchange()
      #expect(try c.shows("m") == "0")
      #expect(try world.writers[1].shows("nn") == "4")
      try world.waitUntil(30)
      try expectEqual(world.peers, "\(topology), when the clock is set")
      for peer in world.peers {
        #expect(try peer.shows("m") == "2")
        #expect(try peer.shows("nn") == "4")
      }
    }
  }

  @Test func `a clock strobing by an hour keeps each author's order and converges`() throws {
    for topology in Topology.allCases {
      let world = try World(topology)
      for round in 0..<10 {
        for (place, peer) in world.writers.enumerated() {
          let strobe: Int64 = (round + place).isMultiple(of: 2) ? 3600 : -3600
          try peer.write(at: Int64(round) + strobe) {
            try $0.document.set("n", .int(100 * place + round))
            try $0.document.add(1, to: "m")
          }
          #expect(try peer.shows("n") == "\(100 * place + round)")
        }
        try world.exchange()
      }
      try world.waitUntil(2 * 3600)
      try expectEqual(world.peers, "\(topology)")
      for peer in world.peers { #expect(try peer.shows("m") == "30") }
    }
  }

  @Test func `the persisted time of a store is strictly increasing whatever its clock does`() throws
  {
    let folder = TemporaryFolder(isInMemory: true)
    let peer = try Peer("A", in: folder)
    try peer.write(at: 0, Model.fill)
    for (index, seconds) in [10, 10, -3600, 0, Self.tenYears, 20, -2_000_000_000, 30].enumerated() {
      try peer.write(at: seconds) { try $0.document.set("n", .int(index)) }
    }
    let times = try peer.changesets().map {
      try ChangesetReader($0.bytes, author: $0.id.author).time
    }
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    let path = peer.store.path
    let again = try Peer("B", in: folder, restoring: path)
    try again.write(at: -5000) { try $0.document.set("n", 9) }
    let last = try #require(try again.changesets().last)
    let time = try ChangesetReader(last.bytes, author: last.id.author).time
    #expect(times.allSatisfy { $0 < time })
    #expect(try again.shows("n") == "9")
  }
}
