import AtollStorage
import AtollVocabulary
import Testing

// Writes that are lost with their surroundings, and writes without a stamp: moves, steps and
// removals inside elements, deletes; in every topology and every causal order.
@Suite struct LossScenarios {
  // MARK: Moves

  @Test(arguments: [
    (10, 20, "items[e]: moved laterTime"), (20, 10, "items[e]: moved laterTime"),
    (10, 10, "items[e]: moved greaterAuthor"),
  ])
  func `of two moves of one element the one that lost is kept`(
    a: Int64, b: Int64, lost: String
  ) throws {
    try expectLost([lost]) { peers in
      try peers[0].write(at: a) { try $0.document.list("items").move(0, to: 3) }
      try peers[1].write(at: b) { try $0.document.list("items").move(0, to: 1) }
    }
  }

  @Test func `two moves to one place, or a move that saw the other, are no conflict`() throws {
    try expectLost([]) { peers in
      try peers[0].write(at: 10) { try $0.document.list("items").move(0, to: 3) }
      try peers[1].write(at: 20) { try $0.document.list("items").move(0, to: 3) }
    }
    try expectLost([]) { peers in
      try peers[0].write(at: 10) { try $0.document.list("items").move(0, to: 3) }
      try peers[1].receive(from: peers[0])
      try peers[1].write(at: 20) { try $0.document.list("items").move(3, to: 1) }
    }
  }

  @Test(arguments: [(10, 20), (20, 10)])
  func `a move of an element that was removed, or whose object was deleted, is kept`(
    a: Int64, b: Int64
  ) throws {
    try expectLost(["es[e]: moved elementRemoved", "items[e]: moved elementRemoved"]) { peers in
      try peers[0].write(at: a) {
        try $0.document.list("items").move(0, to: 3)
        try $0.document.list("es").move(0, to: 2)
      }
      try peers[1].write(at: b) {
        try $0.document.list("items").remove(0)
        try $0.document.list("es").clear()
      }
    }
    try expectLost(["items[e]: moved deleted"]) { peers in
      try peers[0].write(at: a) { try $0.document.list("items").move(0, to: 3) }
      try peers[1].write(at: b) { try $0.delete("Document", 1) }
    }
  }

  @Test func `of an element that is lost its last value is kept, once, wherever it was moved to`()
    throws
  {
    try expectLost(["items[e]: 101 deleted", "n: 6 deleted"]) { peers in
      try peers[0].write(at: 10) {
        try $0.document.list("items").append(100)
        try $0.document.set("n", 5)
      }
      try peers[0].write(at: 11) { try $0.document.list("items").move(4, to: 0) }
      try peers[0].write(at: 12) {
        try $0.document.list("items").set(0, 101)
        try $0.document.set("n", 6)
      }
      try peers[1].write(at: 20) { try $0.delete("Document", 1) }
    }
    try expectLost([]) { peers in
      try peers[0].write(at: 10) {
        try $0.document.list("items").append(100)
        try $0.document.map("dict").set("b", 2)
      }
      try peers[0].write(at: 11) {
        try $0.document.list("items").remove(4)
        try $0.document.map("dict").remove("b")
      }
      try peers[1].write(at: 20) { try $0.delete("Document", 1) }
    }
  }

  // MARK: Inside elements and entries

  @Test(arguments: [(10, 20), (20, 10)])
  func `steps inside elements and entries that were replaced or removed are kept`(
    a: Int64, b: Int64
  ) throws {
    try expectLost([
      "em[\"a\"].v: +3 instanceReplaced", "es[e].v: +1 instanceReplaced",
      "es[e].v: +2 stepDropped", "es[e].v: +3 elementRemoved",
    ]) { peers in
      try peers[0].write(at: a) {
        for index in 0...2 {
          try $0.document.list("es").element(index).add(Int64(index + 1), to: "v")
        }
        try $0.document.map("em").entry("a").add(3, to: "v")
      }
      try peers[1].write(at: b) {
        try $0.document.list("es").set(0, ["v": 7])
        try $0.document.list("es").element(1).set("v", 7)
        try $0.document.list("es").remove(2)
        try $0.document.map("em").set("a", ["v": 7])
      }
    }
    try expectLost(["em[\"a\"].v: +3 deleted", "es[e].v: +1 deleted"]) { peers in
      try peers[0].write(at: a) {
        try $0.document.list("es").element(0).add(1, to: "v")
        try $0.document.map("em").entry("a").add(3, to: "v")
      }
      try peers[1].write(at: b) { try $0.delete("Document", 1) }
    }
  }

  @Test(arguments: [(10, 20), (20, 10)])
  func `what was written inside elements and entries that were replaced or removed is kept`(
    a: Int64, b: Int64
  ) throws {
    try expectLost([
      "em[\"a\"].v: 6 elementRemoved", "es[e].inner[e]: 1 instanceReplaced",
      "es[e].inner[e]: 2 instanceReplaced", "es[e].inner[e]: 3 elementRemoved",
      "es[e].v: 5 instanceReplaced",
    ]) { peers in
      try peers[0].write(at: a) {
        let element = try $0.document.list("es").element(0)
        try element.set("v", 5)
        try element.list("inner").append(1)
        try element.list("inner").append(2)
        try $0.document.list("es").element(1).list("inner").append(3)
        try $0.document.map("em").entry("a").set("v", 6)
      }
      try peers[1].write(at: b) {
        try $0.document.list("es").set(0, ["v": 7])
        try $0.document.list("es").remove(1)
        try $0.document.map("em").remove("a")
      }
    }
  }

  @Test func `an edit inside a default that gave way to a later default is kept`() throws {
    try expectLost(["one.v: 5 instanceReplaced"]) { peers in
      try peers[0].write(at: 10) {
        try $0.create("Document", 7, defaults: ["one": ["v": 0, "w": 0]])
      }
      try peers[0].write(at: 11) { try $0.object("Document", 7).embedded("one").set("v", 5) }
      try peers[1].write(at: 20) {
        try $0.create("Document", 7, defaults: ["one": ["v": 0, "w": 0]])
      }
    }
  }

  // MARK: Removals

  @Test(arguments: [(10, 20), (20, 10)])
  func `a removal from a map that was replaced whole is kept, if there is another map now`(
    a: Int64, b: Int64
  ) throws {
    func expect(_ lost: [String], _ value: Given) throws {
      try expectLost(lost) { peers in
        try peers[0].write(at: 1) { try $0.document.set("any", ["a": 1, "b": 2]) }
        try peers[1].receive(from: peers[0])
        try peers[0].write(at: a) { try $0.document.mapInside("any").remove("a") }
        try peers[1].write(at: b) { try $0.document.set("any", value) }
      }
    }
    try expect(["any[\"a\"]: removed instanceReplaced"], ["a": 3])
    try expect([], 7)
  }

  @Test(arguments: [(10, 20), (20, 10)])
  func `a removal from a list that was replaced whole is kept, if there is another list now`(
    a: Int64, b: Int64
  ) throws {
    func expect(_ lost: [String], _ value: Given?) throws {
      try expectLost(lost) { peers in
        try peers[0].write(at: 1) { try $0.document.set("any", [1, 2]) }
        try peers[1].receive(from: peers[0])
        try peers[0].write(at: a) { try $0.document.listInside("any").remove(0) }
        try peers[0].write(at: a + 1) { try $0.document.listInside("any").clear() }
        try peers[1].write(at: b) {
          guard let value else { return try $0.delete("Document", 1) }
          try $0.document.set("any", value)
        }
      }
    }
    let lost = "any[e]: removed instanceReplaced"
    try expect([lost, lost], [3])
    try expect([], 7)
    try expect([], nil)
  }

  @Test func `what was taken out of a lost map again is not in its entry`() throws {
    try expectLost(["any: {\"b\": 2} laterTime"]) { peers in
      try peers[0].write(at: 10) { try $0.document.set("any", ["a": 1, "b": 2]) }
      try peers[0].write(at: 11) { try $0.document.mapInside("any").remove("a") }
      try peers[1].write(at: 20) { try $0.document.set("any", 7) }
    }
  }

  // MARK: Objects

  @Test(arguments: [(10, 20), (20, 10)])
  func `a delete is kept that lost to an object made again, until its author deletes that too`(
    a: Int64, b: Int64
  ) throws {
    try expectLost([": removed recreated"]) { peers in
      try peers[0].write(at: a) { try $0.delete("Document", 1) }
      try peers[0].write(at: a + 1) { try $0.create("Document", 1, ["n": 11]) }
      try peers[1].write(at: b) { try $0.delete("Document", 1) }
    }
    try expectLost(["n: 11 deleted"]) { peers in
      try peers[0].write(at: a) { try $0.delete("Document", 1) }
      try peers[0].write(at: a + 1) { try $0.create("Document", 1, ["n": 11]) }
      try peers[1].write(at: b) { try $0.delete("Document", 1) }
      try peers[1].write(at: b + 1) { try $0.create("Document", 1) }
      try peers[1].write(at: b + 2) { try $0.delete("Document", 1) }
    }
  }

  @Test func `a delete that was seen by who made the object again is not lost`() throws {
    try expectLost([]) { peers in
      try peers[1].write(at: 10) { try $0.delete("Document", 1) }
      try peers[0].receive(from: peers[1])
      try peers[0].write(at: 20) { try $0.create("Document", 1, ["n": 11]) }
    }
  }

  @Test(arguments: [(10, 20), (30, 20)])
  func `a create without a value that lost to a delete is kept`(a: Int64, b: Int64) throws {
    try expectLost([": created deleted"]) { peers in
      try peers[0].write(at: a) { try $0.create("Document", 7, defaults: ["n": 1]) }
      try peers[1].write(at: b) { try $0.create("Document", 7) }
      try peers[1].write(at: b + 1) { try $0.delete("Document", 7) }
    }
  }

  // MARK: Restoring

  @Test func `moves, steps and removals are restored by what they were, on every peer`() throws {
    try Scenario { peers in
      try peers[0].write(at: 1) { try $0.document.set("any", ["a": 1, "b": 2]) }
      try peers[1].receive(from: peers[0])
      try peers[0].write(at: 10) {
        try $0.document.list("items").move(0, to: 3)
        try $0.document.list("items").set(1, 50)
        try $0.document.list("es").element(0).add(4, to: "v")
        try $0.document.list("es").element(1).set("v", 5)
        try $0.document.map("em").entry("a").add(3, to: "v")
      }
      try peers[1].write(at: 20) {
        try $0.document.list("items").move(0, to: 1)
        try $0.document.list("items").remove(2)
        try $0.document.list("es").element(0).set("v", 100)
        try $0.document.list("es").set(1, ["v": 200])
        try $0.document.map("em").entry("a").set("v", 300)
      }
      try exchange(peers)
      try peers[1].restoreAllThatWasLost(at: 30)
    } expect: { peer in
      try #expect(peer.shows("items") == "[1, 50, 3, 0]")
      try #expect(peer.shows("es") == "[{104, []}, {5, []}, {2, []}]")
      try #expect(peer.shows("em") == "{a: {303, 0}}")
    }
  }

  @Test func `a delete is restored as one, and what cannot be restored says so`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.delete("Document", 1) }
      try peers[0].write(at: 11) { try $0.create("Document", 1, ["n": 11]) }
      try peers[1].write(at: 20) { try $0.delete("Document", 1) }
      try exchange(peers)
      try peers[1].write(at: 30) { transaction in
        let store = transaction.store
        let number = try #require(try store.conflicts().first).number
        try store.restoreConflict(number)
        #expect(throws: StorageError.self) { try store.restoreConflict(number) }
      }
    } expect: { peer in
      try #expect(!peer.exists())
    }
  }
}
