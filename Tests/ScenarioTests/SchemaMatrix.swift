import AtollStorage
import AtollVocabulary
import TestKit
import Testing

/// Four versions of one model side by side, each node upgraded when the order says so.
///
/// The programs do the same in two worlds. In one, each file has the model of its program's version and
/// grows with it; in the other all files have the newest from the start. Both must end equal.
@Suite struct SchemaMatrix {
  private static let versions = 1...4
  /// Of the 60 orders in which four nodes of versions 1, 2, 3 and 4 can be upgraded to 4.
  private static let orders = 12 * Scenario.places

  @Test func `four versions upgraded in any order end as if all had been the newest`() throws {
    var random = SeededRandom.announced("orders of upgrades")
    let all = Self.upgradeOrders(of: Array(Self.versions))
    #expect(all.count == 60)
    for order in all.shuffled(using: &random).prefix(Self.orders) {
      let seed = random.next()
      var (grown, newest) = (
        try World(seed: seed, isNewest: false), try World(seed: seed, isNewest: true)
      )
      let results = (try grown.run(upgrades: order), try newest.run(upgrades: order))
      let comment: Comment = "seed \(random.seed), upgrades \(order)"
      #expect(results.0.export == results.1.export, comment)
      #expect(results.0.digest == results.1.digest, comment)
    }
  }

  /// Every order in which nodes of these versions reach the newest, one version at a time.
  private static func upgradeOrders(of versions: [Int]) -> [[Int]] {
    let behind = versions.indices.filter { versions[$0] < Self.versions.upperBound }
    guard !behind.isEmpty else { return [[]] }
    return behind.flatMap { node in
      var next = versions
      next[node] += 1
      return upgradeOrders(of: next).map { [node] + $0 }
    }
  }

  /// 2 adds a property and a map; 3 a class, a set of links to it and a field inside an embedded
  /// class; 4 a class that links back and a list of embedded objects, and takes a property away.
  fileprivate static func model(_ version: Int) -> [ClassSchema] {
    var document = [
      PropertySchema(name: "id", type: .int), PropertySchema(name: "n", type: .int),
      PropertySchema(name: "items", type: .int, collection: .list),
      PropertySchema(name: "one", type: .embedded, isOptional: true, target: "Pair"),
    ]
    var pair = [PropertySchema(name: "v", type: .int)]
    var others: [ClassSchema] = []
    if version < 4 { document.append(PropertySchema(name: "name", type: .string)) }
    if version >= 2 {
      document.append(PropertySchema(name: "extra", type: .string))
      document.append(PropertySchema(name: "dict", type: .int, collection: .map))
    }
    if version >= 3 {
      pair.append(PropertySchema(name: "w", type: .int))
      document.append(
        PropertySchema(name: "friends", type: .link, collection: .set, target: "Tag"))
      others.append(keyed("Tag", [PropertySchema(name: "text", type: .string)]))
    }
    if version >= 4 {
      document.append(
        PropertySchema(name: "pairs", type: .embedded, collection: .list, target: "Pair"))
      others.append(
        keyed(
          "Shelf",
          [PropertySchema(name: "top", type: .link, isOptional: true, target: "Document")]))
    }
    return [
      ClassSchema(name: "Document", primaryKey: "id", properties: document),
      ClassSchema(name: "Pair", isEmbedded: true, properties: pair),
    ] + others
  }

  private static func keyed(_ name: String, _ properties: [PropertySchema]) -> ClassSchema {
    ClassSchema(
      name: name, primaryKey: "id",
      properties: [PropertySchema(name: "id", type: .int)] + properties)
  }
}

/// Four nodes in a ring, which write in turn and exchange at random.
private struct World {
  private let peers: [Peer]
  private let isNewest: Bool
  private var versions = [1, 2, 3, 4]
  private var random: SeededRandom

  init(seed: UInt64, isNewest: Bool) throws {
    self.isNewest = isNewest
    random = SeededRandom(seed: seed)
    peers = try zip(["A", "B", "C", "D"], versions).map { name, version in
      let peer = try Peer(name, in: nil, schema: SchemaMatrix.model(isNewest ? 1 : version))
      // Properties that the newest model has removed stay in files that had them.
      if isNewest { _ = try peer.store.adopt(SchemaMatrix.model(4)) }
      return peer
    }
  }

  /// The store of any node in the end; all are equal.
  mutating func run(upgrades: [Int]) throws -> (export: String, digest: String) {
    for (round, node) in upgrades.enumerated() {
      for (place, peer) in peers.enumerated() {
        let version = versions[place]
        for _ in 0...random.below(3) {
          try peer.write(at: Int64(10 * round + random.below(20))) {
            try random.edit($0, version: version)
          }
        }
        if random.chance(1, of: 2) { try peer.receive(from: peers[random.below(peers.count)]) }
      }
      versions[node] += 1
      if !isNewest { _ = try peers[node].store.adopt(SchemaMatrix.model(versions[node])) }
    }
    try exchange(peers, .ring)
    try expectEqual(peers, "after the upgrades \(upgrades)")
    return (try peers[0].export(), "\(try peers[0].store.digest())")
  }
}

extension SeededRandom {
  /// One operation that a program of this version can do.
  fileprivate mutating func edit(_ transaction: Transaction, version: Int) throws {
    let key = 1 + below(3)
    guard let document = try transaction.find("Document", key) else {
      try transaction.create(
        "Document", key, ["n": .int(below(100)), "one": ["v": .int(below(100))]])
      return
    }
    switch below([0, 7, 9, 12, 14][version]) {
    case 0: try document.set("n", .int(below(100)))
    case 1: try document.add(Int64(below(100)), to: "n")
    case 2, 3: try edit(try document.list("items"))
    case 4: try? document.embedded("one").set("v", .int(below(100)))
    case 5: try document.set("one", ["v": .int(below(100))])
    case 6:
      if version < 4 {
        try document.set("name", .text("\(below(100))"))
      } else {
        try transaction.delete("Document", key)
      }
    case 7: try document.set("extra", .text("\(below(100))"))
    case 8: try document.map("dict").set("\(below(3))", .int(below(100)))
    case 9: try document.members("friends").insert(try tag(transaction))
    case 10: try? document.embedded("one").set("w", .int(below(100)))
    case 11: try tagObject(transaction).set("text", .text("\(below(100))"))
    case 12: try document.list("pairs").append(["v": .int(below(9)), "w": .int(below(9))])
    default:
      let shelf = try transaction.find("Shelf", 1) ?? transaction.create("Shelf", 1)
      try shelf.set("top", chance(1, of: 3) ? nil : .target(key))
    }
  }

  private mutating func tagObject(_ transaction: Transaction) throws -> Editing {
    let key = 1 + below(2)
    return try transaction.find("Tag", key) ?? transaction.create("Tag", key)
  }

  private mutating func tag(_ transaction: Transaction) throws -> Given {
    let key = 1 + below(2)
    if try transaction.find("Tag", key) == nil { try transaction.create("Tag", key) }
    return .target(key)
  }
}
