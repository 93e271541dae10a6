import AtollStorage
import AtollVocabulary
import TestKit
import Testing

@Suite struct SchemaScenarios {
  private func document(_ properties: [PropertySchema]) -> [ClassSchema] {
    [
      ClassSchema(
        name: "Document", primaryKey: "id",
        properties: [PropertySchema(name: "id", type: .int)] + properties)
    ]
  }

  private func value(
    _ peer: Peer, _ property: String, _ type: PersistedType, _ key: Int
  ) throws -> PersistedValue {
    let stored = try #require(try peer.store.storedClass(named: "Document"))
    let row = try #require(try peer.store.row(of: stored.id, key: .int(Int64(key))))
    let property = try #require(
      stored.property(named: property, type: type, collection: .none))
    return row.columns[try #require(stored.column([property]))]
  }

  @Test(arguments: Topology.allCases)
  func `scenario 39 a class and a property added by two peers are one`(
    topology: Topology
  ) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let peers = try ["A", "B", "C"].map { name in
      let p = PropertySchema(name: "p", type: .int)
      return try Peer(name, in: folder, schema: name == "C" ? [] : document([p]))
    }
    try peers[0].write(at: 10) { try $0.create("Document", 1, ["p": 1]) }
    try peers[1].write(at: 20) { try $0.create("Document", 2, ["p": 2]) }
    try exchange(peers, topology)
    try expectEqual(peers, "\(topology)")
    for peer in peers {
      #expect(try peer.store.classes.map(\.name) == ["Document"])
      #expect(try peer.shows("p", of: "Document", 1) == "1")
      #expect(try peer.shows("p", of: "Document", 2) == "2")
    }
  }

  @Test(arguments: Topology.allCases)
  func `scenario 40 a property added with two types is two, and both are kept`(
    topology: Topology
  ) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let a = try Peer(
      "A", in: folder, schema: document([PropertySchema(name: "p", type: .int)]))
    let b = try Peer(
      "B", in: folder, schema: document([PropertySchema(name: "p", type: .string)]))
    let c = try Peer("C", in: folder, schema: [])
    try a.write(at: 10) { try $0.create("Document", 1, ["p": 7]) }
    try b.write(at: 20) { try $0.create("Document", 1, ["p": "seven"]) }
    try exchange([a, c, b], topology)
    try expectEqual([a, b, c], "\(topology)")
    for peer in [a, b, c] {
      #expect(try value(peer, "p", .int, 1) == .int(7))
      #expect(try value(peer, "p", .string, 1) == .string("seven"))
    }
    #expect(try a.shows("p", of: "Document", 1) == "7")
    #expect(try b.shows("p", of: "Document", 1) == "seven")
    let clash = SchemaClash(
      className: "Document", property: "p",
      variants: [
        SchemaClash.Variant(type: "Int", authors: [a.store.author]),
        SchemaClash.Variant(type: "String", authors: [b.store.author]),
      ])
    for peer in [a, b, c] { #expect(try peer.store.schemaClashes() == [clash]) }
  }

  @Test func `scenario 40 classes of one name that differ by their key are named, others are not`()
    throws
  {
    let folder = TemporaryFolder(isInMemory: true)
    func model(_ keyType: PersistedType) -> [ClassSchema] {
      [
        ClassSchema(
          name: "Document", primaryKey: "id",
          properties: [
            PropertySchema(name: "id", type: keyType), PropertySchema(name: "n", type: .int),
          ])
      ]
    }
    let a = try Peer("A", in: folder, schema: model(.int))
    let b = try Peer("B", in: folder, schema: model(.string))
    #expect(try a.store.schemaClashes().isEmpty)
    try a.write(at: 10) { try $0.create("Document", 1, ["n": 7]) }
    let type = try #require(try b.store.storedClass(named: "Document"))
    try b.store.beginWrite()
    _ = try b.store.create(type.id, key: .string("1"), fields: [])
    _ = try b.store.commitWrite()
    try exchange([a, b], .line)
    for peer in [a, b] {
      let clash = try #require(try peer.store.schemaClashes().first)
      #expect(clash.className == "Document" && clash.property == nil)
      #expect(clash.variants.map(\.type) == ["with Int keys", "with String keys"])
      #expect(clash.variants.map(\.authors) == [[a.store.author], [b.store.author]])
      #expect(try peer.store.schemaClashes().count == 1)
    }
  }

  @Test(
    arguments: Topology.allCases,
    [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
  func `scenario 41 a build that knows neither property nor class relays and keeps them`(
    topology: Topology, places: [Int]
  ) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let n = PropertySchema(name: "n", type: .int)
    let old = document([n])
    let new =
      document([
        n, PropertySchema(name: "extra", type: .string),
        PropertySchema(name: "tag", type: .link, isOptional: true, target: "Tag"),
      ]) + [
        ClassSchema(
          name: "Tag", primaryKey: "id", properties: [PropertySchema(name: "id", type: .int)])
      ]
    let peers = [
      try Peer("A", in: folder, schema: new), try Peer("B", in: folder, schema: old),
      try Peer("C", in: folder, schema: new),
    ]
    let (a, b, c) = (peers[0], peers[1], peers[2])
    let line = places.map { peers[$0] }
    try a.write(at: 10) {
      try $0.create("Tag", 5)
      try $0.create("Document", 1, ["n": 1, "extra": "kept", "tag": .target(5)])
    }
    try exchange(line, topology)
    try expectEqual(peers, "old and new builds")
    for peer in peers {
      let counts = try peer.store.counts().map { "\($0.objects) \($0.class.name)" }
      #expect(counts == ["1 Document", "1 Tag"])
    }
    _ = try b.store.adopt(new)
    for peer in peers {
      #expect(try peer.shows("extra") == "kept")
      #expect(try peer.shows("tag") == "T5")
    }
    try b.write(at: 20) { try $0.document.set("extra", "edited") }
    try exchange(line, topology)
    try expectEqual(peers, "after the upgrade")
    #expect(try c.shows("extra") == "edited")
  }
}
