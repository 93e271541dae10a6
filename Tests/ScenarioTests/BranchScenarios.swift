import AtollChanges
import AtollReplication
import AtollStorage
import AtollVocabulary
import TestKit
import Testing

/// A disk is put back as it had been, under a file that cannot tell: its author writes two histories.
@Suite struct BranchScenarios {
  @Test(arguments: Topology.allCases)
  func `scenario 44 of a disk that was put back both histories live on, everywhere alike`(
    _ topology: Topology
  ) throws {
    var random = SeededRandom.announced("two histories")
    for order in 0..<3 {
      let folder = try Folder()
      let fleet = try Fleet(in: folder)
      try fleet.fork(random: &random)
      let peers = fleet.peers.shuffled(using: &random)
      var linked = try LinkedPeers(peers, topology, random)
      try linked.run()
      try expectEqual(peers, "\(topology), order \(order), seed \(random.seed)")
      for peer in peers { try fleet.expectAll(on: peer) }
      for (peer, reports) in zip(peers, linked.reports) {
        let branched = reports.contains { if case .branched = $0 { true } else { false } }
        #expect(branched, "\(peer.name) did not say so; seed \(random.seed)")
      }
      #expect(fleet.writer.store.author.trunk != fleet.former)
      try fleet.writer.write(at: 1000) { try $0.document.set("m", 77) }
      try linked.announce()
      try linked.run()
      try expectEqual(peers, "\(topology), order \(order), after, seed \(random.seed)")
    }
  }

  @Test func `scenario 44 three histories, and a fork of a fork, come out alike`() throws {
    var random = SeededRandom.announced("forks of forks")
    for topology in Topology.allCases {
      for _ in 0..<2 {
        let folder = try Folder()
        let fleet = try Fleet(in: folder)
        try fleet.fork(random: &random, histories: 2 + random.below(3))
        let peers = fleet.peers.shuffled(using: &random)
        var linked = try LinkedPeers(peers, topology, random)
        try linked.run()
        try expectEqual(peers, "\(topology), seed \(random.seed)")
        for peer in peers { try fleet.expectAll(on: peer) }
      }
    }
  }

  @Test func `scenario 44 a fresh replica that hears of both histories gets the same`() throws {
    var random = SeededRandom.announced("a fresh replica")
    let folder = try Folder()
    let fleet = try Fleet(in: folder)
    try fleet.fork(random: &random)
    var linked = try LinkedPeers(fleet.peers, .line, random)
    try linked.run()
    let fresh = try Peer("Z", in: folder, schema: Fleet.schema)
    var late = try LinkedPeers([fleet.peers[1], fresh], .line, random)
    try late.run()
    try expectEqual([fleet.peers[0], fresh], "seed \(random.seed)")
    #expect(try fresh.store.heads() == fleet.peers[0].store.heads())
  }
}

/// A writer whose disk is put back, and those who have heard of one of its histories each.
private final class Fleet {
  static let schema =
    Model.schema + [
      ClassSchema(name: "Note", properties: [PropertySchema(name: "text", type: .string)])
    ]
  private let folder: Folder
  private(set) var writer: Peer
  private(set) var others: [Peer]
  /// What the writer was called.
  let former: Author
  private var images: [DiskImage] = []
  private var drawn: UInt64 = 0
  private var items: [Int] = []

  var peers: [Peer] { [writer] + others }

  init(in folder: Folder) throws {
    self.folder = folder
    writer = try Peer("M", in: folder, schema: Self.schema)
    try writer.write(at: 0, Model.fill)
    others = try ["B", "P", "X"].map { try Peer($0, in: folder, schema: Self.schema) }
    for peer in others { try peer.receive(from: writer) }
    former = writer.store.author
  }

  /// Each history is heard of by one other peer, which writes on top of it, before the disk is put
  /// back: what nobody has heard of then is gone.
  func fork(random: inout SeededRandom, histories: Int = 2) throws {
    try keepImage()
    for history in 0..<histories {
      for step in 0..<(1 + random.below(3)) {
        try write(history * 10 + step, by: writer, random: &random)
        if histories > 2, random.chance(1, of: 2) { try keepImage() }
      }
      try write(history * 10 + 9, by: writer, random: &random)
      guard history < histories - 1 || random.chance(1, of: 2) else { return }
      let hearer = others[history % others.count]
      _ = try hearer.store.apply(try writer.changesets().map(\.incoming))
      try write(500 + history * 10, by: hearer, random: &random)
      guard history < histories - 1 else { return }
      let image = random.below(images.count)
      try reopen { try images[image].putBack() }
      images.removeSubrange((image + 1)...)
    }
  }

  private func write(_ number: Int, by peer: Peer, random: inout SeededRandom) throws {
    let count = try Transaction(store: peer.store).document.list("items").count
    let place = random.below(count)
    try peer.write(at: Int64(100 + number)) { transaction in
      let document = try transaction.document
      try document.list("items").append(.int(number))
      try document.list("items").move(place, to: 0)
      try document.list("es").append(["v": .int(number)])
      try document.list("es").element(random.below(3)).set("v", .int(number))
      try document.set("one", ["v": .int(number), "w": 1])
      try document.embedded("one").set("w", .int(number))
      try document.set("n", .int(number))
      try document.add(1, to: "n")
      try document.map("dict").set("k\(number)", .int(number))
      let type = try #require(try transaction.store.storedClass(named: "Note"))
      let text = try #require(type.property(named: "text"))
      _ = try transaction.store.create(
        type.id, key: nil, fields: [NewField(text, .scalar(.string("\(number)")))])
    }
    items.append(number)
  }

  private func keepImage() throws {
    try reopen { images.append(try DiskImage(of: folder.path("M"))) }
  }

  private func reopen(_ work: () throws -> Void) throws {
    writer.store.close()
    try work()
    drawn += 100
    writer = try Peer("M", in: folder, schema: Self.schema, drawn: drawn)
  }

  /// Nothing of any history is lost.
  func expectAll(on peer: Peer) throws {
    let shown = try peer.shows("items")
    for number in items {
      let count = shown.split(whereSeparator: { !$0.isNumber }).filter { $0 == "\(number)" }.count
      #expect(count >= 1, "\(number) is not among \(shown)")
      #expect(try peer.shows("dict").contains("k\(number): \(number)"))
    }
    let counts = try peer.store.counts()
    #expect(counts.first { $0.class.name == "Note" }?.objects == items.count)
  }
}
