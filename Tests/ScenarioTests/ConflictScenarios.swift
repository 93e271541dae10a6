import AtollStorage
import AtollVocabulary
import TestKit
import Testing

// Each peer's ledger after a scenario, in every topology and every causal order.
@Suite struct ConflictScenarios {
  // MARK: Registers

  @Test(arguments: [
    (10, 20, "n: 1 laterTime"), (20, 10, "n: 2 laterTime"), (10, 10, "n: 1 greaterAuthor"),
  ])
  func `of two values assigned at the same time the one that lost is kept`(
    a: Int64, b: Int64, lost: String
  ) throws {
    try expectLost([lost]) { peers in
      try peers[0].write(at: a) { try $0.document.set("n", 1) }
      try peers[1].write(at: b) { try $0.document.set("n", 2) }
    }
  }

  @Test func `a write that saw what it replaces is no conflict, whatever the clocks`() throws {
    try expectLost([]) { peers in
      try peers[0].write(at: 10) { try $0.document.set("n", 1) }
      try peers[1].receive(from: peers[0])
      try peers[1].write(at: -3000) { try $0.document.set("n", 2) }
      try peers[0].receive(from: peers[1])
      try peers[0].write(at: 20) { try $0.document.set("n", 3) }
    }
  }

  @Test func `a write that was seen through a third is no conflict`() throws {
    try expectLost([], ["A", "B", "C"]) { peers in
      try peers[0].write(at: 10) { try $0.document.set("n", 1) }
      try peers[1].receive(from: peers[0])
      try peers[1].write(at: 20) { try $0.document.set("m", 2) }
      try peers[2].receive(from: peers[1])
      try peers[2].write(at: 30) { try $0.document.set("n", 3) }
    }
  }

  @Test func `two fields, two steps, or one value twice are no conflict`() throws {
    try expectLost([]) { peers in
      try peers[0].write(at: 10) {
        try $0.document.set("n", 1)
        try $0.document.add(1, to: "m")
        try $0.document.set("name", "same")
        try $0.document.embedded("one").set("v", 1)
        try $0.document.members("tags").insert(7)
      }
      try peers[1].write(at: 20) {
        try $0.document.set("nn", 1)
        try $0.document.add(2, to: "m")
        try $0.document.set("name", "same")
        try $0.document.embedded("one").set("w", 2)
        try $0.document.members("tags").insert(7)
      }
    }
  }

  @Test func `of an author's successive values only the last is a lost one`() throws {
    try expectLost(["n: 2 laterTime"]) { peers in
      try peers[0].write(at: 10) { try $0.document.set("n", 1) }
      try peers[0].write(at: 20) { try $0.document.set("n", 2) }
      try peers[1].write(at: 30) { try $0.document.set("n", 3) }
    }
  }

  @Test func `of three values two are lost`() throws {
    try expectLost(["n: 1 laterTime", "n: 2 laterTime"], ["A", "B", "C"]) { peers in
      for (index, peer) in peers.enumerated() {
        try peer.write(at: Int64(index * 10)) { try $0.document.set("n", .int(index + 1)) }
      }
    }
  }

  @Test func `a default that gives way to an assigned value was nobody's write`() throws {
    try expectLost([]) { peers in
      try peers[0].write(at: 20) { try $0.create("Document", 7, defaults: ["name": ""]) }
      try peers[1].write(at: 10) { try $0.create("Document", 7, ["name": "x"]) }
    }
    try expectLost(["n: 1 laterTime"]) { peers in
      try peers[0].write(at: 10) { try $0.create("Document", 7, ["n": 1]) }
      try peers[1].write(at: 20) { try $0.create("Document", 7, ["n": 2]) }
    }
  }

  @Test func `a link that lost is kept by class and key`() throws {
    try expectLost(["link: Target 2 laterTime"]) { peers in
      try peers[0].write(at: 10) { try $0.document.set("link", .target(2)) }
      try peers[1].write(at: 20) { try $0.document.set("link", .target(3)) }
    }
  }

  // MARK: Counters

  @Test(arguments: [(10, 20), (20, 10)])
  func `a step on a value that was replaced is kept as a step`(a: Int64, b: Int64) throws {
    try expectLost(["n: +2 stepDropped", "n: -3 stepDropped"]) { peers in
      try peers[0].write(at: a) { try $0.document.add(2, to: "n") }
      try peers[0].write(at: a + 1) { try $0.document.add(-3, to: "n") }
      try peers[1].write(at: b) { try $0.document.set("n", 100) }
    }
  }

  @Test func `a step on a default that an assignment ended is kept`() throws {
    try expectLost(["n: +2 stepDropped"]) { peers in
      try peers[0].write(at: 0) { try $0.create("Document", 7, defaults: ["n": 0]) }
      try peers[1].receive(from: peers[0])
      try peers[0].write(at: 10) { try $0.object("Document", 7).add(2, to: "n") }
      try peers[1].write(at: 20) { try $0.object("Document", 7).set("n", 100) }
    }
  }

  // MARK: Objects

  @Test(arguments: [(10, 20), (20, 10)])
  func `edits that a delete ended are kept`(a: Int64, b: Int64) throws {
    try expectLost([
      "dict[\"b\"]: 2 deleted", "items[e]: 100 deleted", "n: 5 deleted", "one.v: 6 deleted",
      "tags[9]: 9 deleted",
    ]) { peers in
      try peers[0].write(at: a) { try $0.delete("Document", 1) }
      try peers[1].write(at: b) {
        try $0.document.set("n", 5)
        try $0.document.embedded("one").set("v", 6)
        try $0.document.list("items").append(100)
        try $0.document.members("tags").insert(9)
        try $0.document.map("dict").set("b", 2)
      }
    }
  }

  @Test func `edits of an object that was made again meanwhile are kept, two deletes are nothing`()
    throws
  {
    try expectLost(["n: 22 deleted"]) { peers in
      try peers[0].write(at: 10) { try $0.delete("Document", 1) }
      try peers[0].write(at: 11) { try $0.create("Document", 1, ["n": 11]) }
      try peers[1].write(at: 20) { try $0.document.set("n", 22) }
    }
    try expectLost([]) { peers in
      for peer in peers { try peer.write(at: 10) { try $0.delete("Document", 1) } }
    }
  }

  @Test func `what a create gave an object that another had made and deleted is kept`() throws {
    try expectLost(["n: 1 deleted"]) { peers in
      try peers[0].write(at: 10) { try $0.create("Document", 7, ["n": 1]) }
      try peers[1].write(at: 20) { try $0.create("Document", 7) }
      try peers[1].write(at: 30) { try $0.delete("Document", 7) }
    }
  }

  // MARK: Sets, maps and lists

  @Test(arguments: [(10, 20, "tags[1]: 1 laterTime"), (20, 10, "tags[1]: removed laterTime")])
  func `of an insertion and a removal of one member the one that lost is kept`(
    a: Int64, b: Int64, lost: String
  ) throws {
    try expectLost([lost]) { peers in
      try peers[0].write(at: a) { try $0.document.members("tags").insert(1) }
      try peers[1].write(at: b) { try $0.document.members("tags").remove(1) }
    }
  }

  @Test(arguments: [(10, 20, "dict[\"a\"]: 2 laterTime"), (20, 10, "dict[\"a\"]: 3 laterTime")])
  func `of two values of one entry the one that lost is kept`(
    a: Int64, b: Int64, lost: String
  ) throws {
    try expectLost([lost]) { peers in
      try peers[0].write(at: a) { try $0.document.map("dict").set("a", 2) }
      try peers[1].write(at: b) { try $0.document.map("dict").set("a", 3) }
    }
  }

  @Test func `a value of an entry that was removed is kept`() throws {
    try expectLost(["dict[\"a\"]: 2 laterTime"]) { peers in
      try peers[0].write(at: 10) { try $0.document.map("dict").set("a", 2) }
      try peers[1].write(at: 20) { try $0.document.map("dict").remove("a") }
    }
  }

  @Test func `a value of a list element that lost, or whose element was removed, is kept`() throws {
    try expectLost(["items[e]: 50 laterTime"]) { peers in
      try peers[0].write(at: 10) { try $0.document.list("items").set(1, 50) }
      try peers[1].write(at: 20) { try $0.document.list("items").set(1, 60) }
    }
    for (a, b) in [(10, 20), (20, 10)] {
      try expectLost(["items[e]: 50 elementRemoved"]) { peers in
        try peers[0].write(at: Int64(a)) { try $0.document.list("items").remove(1) }
        try peers[1].write(at: Int64(b)) { try $0.document.list("items").set(1, 50) }
      }
    }
  }

  // MARK: Embedded and any-typed

  @Test(arguments: [(10, 20), (20, 10)])
  func `an edit inside an object that was replaced is kept`(a: Int64, b: Int64) throws {
    try expectLost(["one.v: 5 instanceReplaced"]) { peers in
      try peers[0].write(at: a) { try $0.document.set("one", nil) }
      try peers[1].write(at: b) { try $0.document.embedded("one").set("v", 5) }
    }
  }

  @Test func `of two embedded objects the one that lost is kept whole, later edits in it included`()
    throws
  {
    try expectLost(["one: {v: 7, w: 5} laterTime"]) { peers in
      try peers[0].write(at: 10) { try $0.document.set("one", ["v": 5, "w": 5]) }
      try peers[0].write(at: 11) { try $0.document.embedded("one").set("v", 7) }
      try peers[1].write(at: 20) { try $0.document.set("one", ["v": 6, "w": 6]) }
    }
  }

  @Test(arguments: [(10, 20, "any: 7 laterTime"), (20, 10, "any: [2, 3] laterTime")])
  func `of a value and a list in an any-typed slot the one that lost is kept`(
    a: Int64, b: Int64, lost: String
  ) throws {
    try expectLost([lost]) { peers in
      try peers[0].write(at: a) { try $0.document.set("any", 7) }
      try peers[1].write(at: b) { try $0.document.set("any", [2, 3]) }
    }
  }

  // MARK: Restoring and dismissing

  @Test func `a restored value is an ordinary new write, on every peer`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) {
        try $0.document.set("n", 1)
        try $0.document.set("one", ["v": 5, "w": 5])
        try $0.document.map("dict").set("a", 2)
        try $0.document.members("tags").insert(1)
        try $0.document.list("items").set(1, 50)
        try $0.document.set("link", .target(2))
        try $0.document.add(4, to: "m")
      }
      try peers[1].write(at: 20) {
        try $0.document.set("n", 2)
        try $0.document.set("one", nil)
        try $0.document.map("dict").remove("a")
        try $0.document.members("tags").remove(1)
        try $0.document.list("items").set(1, 60)
        try $0.document.set("link", nil)
        try $0.document.set("m", 100)
      }
      try exchange(peers)
      try peers[1].restoreAllThatWasLost(at: 30)
    } expect: { peer in
      try #expect(peer.shows("n") == "1")
      try #expect(peer.shows("one") == "{5, 5}")
      try #expect(peer.shows("dict") == "{a: 2}")
      try #expect(peer.shows("tags") == "{1}")
      try #expect(peer.shows("items") == "[0, 50, 2, 3]")
      try #expect(peer.shows("link") == "T2")
      try #expect(peer.shows("m") == "104")
    }
  }

  @Test func `the ledger names both sides, and is each replica's own`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let (a, b) = (try Peer("A", in: folder), try Peer("B", in: folder))
    try a.write(at: 0, Model.fill)
    try exchange([a, b])
    try a.write(at: 10) { try $0.document.set("n", 1) }
    try b.write(at: 20) { try $0.document.set("n", 2) }
    try exchange([a, b])
    for peer in [a, b] {
      let conflict = try #require(try peer.store.conflicts().first)
      #expect(conflict.className == "Document")
      #expect(conflict.key == .int(1))
      #expect(conflict.losing.value == .scalar(.int(1)))
      #expect(conflict.losing.author == a.store.author)
      #expect(conflict.winning.value == .scalar(.int(2)))
      #expect(conflict.winning.author == b.store.author)
      let (before, after) = (
        try #require(conflict.losing.time), try #require(conflict.winning.time)
      )
      #expect(after.milliseconds - before.milliseconds == 10_000)
    }
    let number = try #require(try a.store.conflicts().first).number
    let before = try a.store.commitNumber()
    try a.write { try $0.store.dismissConflict(number) }
    #expect(try a.store.commitNumber() > before, "observers hear of it")
    #expect(try a.lost() == [])
    #expect(try b.lost() == ["n: 1 laterTime"])
    try expectEqual([a, b], "the ledger is not replicated")
  }

  @Test func `the ledger is bounded, and its oldest entries go first`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let (a, b) = (try Peer("A", in: folder), try Peer("B", in: folder))
    let count = Limits.conflicts + 10
    try a.write(at: 0) { for key in 1...count { try $0.create("Document", key, ["n": 0]) } }
    try exchange([a, b])
    for (peer, time) in [(a, Int64(10)), (b, Int64(20))] {
      try peer.write(at: time) {
        for key in 1...count { try $0.object("Document", key).set("n", .int(Int(time))) }
      }
    }
    try exchange([a, b])
    let kept = try b.store.conflicts()
    #expect(kept.count == Limits.conflicts)
    #expect(kept.first?.key == .int(11))
    #expect(kept.last?.key == .int(Int64(count)))
  }

  @Test func `a value larger than the bound is told of, and not kept`() throws {
    let text = String(repeating: "x", count: Limits.conflictValueBytes + 1)
    try expectLost(["name: (too large to be kept) laterTime"]) { peers in
      try peers[0].write(at: 10) { try $0.document.set("name", .text(text)) }
      try peers[1].write(at: 20) { try $0.document.set("name", "short") }
    }
  }
}
