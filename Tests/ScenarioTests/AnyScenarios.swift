import AtollVocabulary
import Testing

@Suite struct AnyScenarios {
  @Test(arguments: [(10, 20, "[2]"), (20, 10, "7")])
  func `scenario 38 of a scalar and a list in one slot the later holds`(
    a: Int64, b: Int64, result: String
  ) throws {
    try Scenario { peers in
      try peers[0].write(at: a) { try $0.document.set("any", 7) }
      try peers[1].write(at: b) { try $0.document.set("any", [2]) }
    } expect: { peer in
      try #expect(peer.shows("any") == result)
    }
  }

  @Test(arguments: [(10, 20, "[2, 2]"), (20, 10, "[1, 1]")])
  func `scenario 38 of two lists in one slot the later holds, whole`(
    a: Int64, b: Int64, result: String
  ) throws {
    try Scenario { peers in
      try peers[0].write(at: a) { try $0.document.set("any", [1, 1]) }
      try peers[1].write(at: b) { try $0.document.set("any", [2, 2]) }
    } expect: { peer in
      try #expect(peer.shows("any") == result)
    }
  }

  @Test(arguments: [(10, 20, "{k: 2}"), (20, 10, "[1]")])
  func `scenario 38 of a list and a map in one slot the later holds, whole`(
    a: Int64, b: Int64, result: String
  ) throws {
    try Scenario { peers in
      try peers[0].write(at: a) { try $0.document.set("any", [1]) }
      try peers[1].write(at: b) { try $0.document.set("any", ["k": 2]) }
    } expect: { peer in
      try #expect(peer.shows("any") == result)
    }
  }

  @Test func `scenario 38 an edit inside the list that lost does not reach the other`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.document.set("any", [1]) }
      try peers[0].write(at: 30) { try $0.document.listInside("any").append(9) }
      try peers[1].write(at: 20) { try $0.document.set("any", [2]) }
    } expect: { peer in
      try #expect(peer.shows("any") == "[2]")
    }
  }

  @Test func `scenario 38 edits of one list are both kept`() throws {
    try Scenario { peers in
      try peers[0].write(at: 5) { try $0.document.set("any", [1, 2, 3]) }
      try exchange(peers)
      try peers[0].write(at: 10) { try $0.document.listInside("any").set(1, "two") }
      try peers[1].write(at: 20) {
        let list = try $0.document.listInside("any")
        try list.move(0, to: 2)
        try list.insert(nil, at: 0)
      }
    } expect: { peer in
      try #expect(peer.shows("any") == "[nil, two, 3, 1]")
    }
  }

  @Test func `scenario 38 edits of one map are both kept`() throws {
    try Scenario { peers in
      try peers[0].write(at: 5) { try $0.document.set("any", ["a": 1, "b": 2]) }
      try exchange(peers)
      try peers[0].write(at: 10) { try $0.document.mapInside("any").set("c", 3) }
      try peers[1].write(at: 20) { try $0.document.mapInside("any").remove("a") }
    } expect: { peer in
      try #expect(peer.shows("any") == "{b: 2, c: 3}")
    }
  }

  @Test func `scenario 38 a slot set to nil drops edits inside`() throws {
    try Scenario { peers in
      try peers[0].write(at: 5) { try $0.document.set("any", [1]) }
      try exchange(peers)
      try peers[0].write(at: 10) { try $0.document.set("any", nil) }
      try peers[1].write(at: 20) { try $0.document.listInside("any").append(2) }
    } expect: { peer in
      try #expect(peer.shows("any") == "nil")
    }
  }

  @Test func `scenario 37 appends to a list in a list in a slot are both kept`() throws {
    try Scenario { peers in
      try peers[0].write(at: 5) { try $0.document.set("any", [[1], 2]) }
      try exchange(peers)
      try peers[0].write(at: 10) { try $0.document.listInside("any").listInside(0).append(7) }
      try peers[1].write(at: 10) {
        let list = try $0.document.listInside("any")
        try list.insert(0, at: 0)
        try list.listInside(1).append(8)
      }
    } expect: { peer in
      try #expect(["[0, [1, 7, 8], 2]", "[0, [1, 8, 7], 2]"].contains(peer.shows("any")))
    }
  }

  @Test func `scenario 37 an edit of a list inside a removed element is lost`() throws {
    try Scenario { peers in
      try peers[0].write(at: 5) { try $0.document.list("anys").append([1]) }
      try exchange(peers)
      try peers[0].write(at: 10) { try $0.document.list("anys").remove(0) }
      try peers[1].write(at: 20) { try $0.document.list("anys").listInside(0).append(2) }
    } expect: { peer in
      try #expect(peer.shows("anys") == "[]")
    }
  }

  @Test func `scenario 36 an element is moved while the map inside is edited`() throws {
    try Scenario { peers in
      try peers[0].write(at: 5) {
        for value: Given in [["k": 1], 2, 3] { try $0.document.list("anys").append(value) }
      }
      try exchange(peers)
      try peers[0].write(at: 10) { try $0.document.list("anys").move(0, to: 2) }
      try peers[1].write(at: 20) { try $0.document.list("anys").mapInside(0).set("k", 5) }
    } expect: { peer in
      try #expect(peer.shows("anys") == "[2, 3, {k: 5}]")
    }
  }

  @Test(arguments: [(10, 20, "{k: [2]}"), (20, 10, "{k: [1]}")])
  func `scenario 35 of two lists assigned to one entry one holds, whole`(
    a: Int64, b: Int64, result: String
  ) throws {
    try Scenario { peers in
      try peers[0].write(at: a) { try $0.document.map("anyDict").set("k", [1]) }
      try peers[1].write(at: b) { try $0.document.map("anyDict").set("k", [2]) }
    } expect: { peer in
      try #expect(peer.shows("anyDict") == result)
    }
  }

  @Test func `scenario 35 edits of a list inside an entry are both kept`() throws {
    try Scenario { peers in
      try peers[0].write(at: 5) { try $0.document.map("anyDict").set("k", [["x": 1]]) }
      try exchange(peers)
      try peers[0].write(at: 10) {
        try $0.document.map("anyDict").listInside("k").mapInside(0).set("y", 2)
      }
      try peers[1].write(at: 20) {
        try $0.document.map("anyDict").listInside("k").mapInside(0).remove("x")
      }
    } expect: { peer in
      try #expect(peer.shows("anyDict") == "{k: [{y: 2}]}")
    }
  }

  @Test func `scenario 31 a link in a slot of any type stays nil when its object comes again`()
    throws
  {
    try Scenario { peers in
      try peers[0].write(at: 10) {
        try $0.delete("Target", 3)
        try $0.create("Target", 3)
      }
      try peers[1].write(at: 20) {
        try $0.document.set("any", .target(3))
        try $0.document.list("anys").append(.target(3))
        try $0.document.list("anys").append(.target(2))
      }
    } expect: { peer in
      try #expect(peer.shows("any") == "nil")
      try #expect(peer.shows("anys") == "[nil, T2]")
    }
  }

  @Test func `scenario 11 of two lists that creates recorded as defaults the later holds`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.create("Document", 7, defaults: ["any": [1]]) }
      try peers[1].write(at: 20) { try $0.create("Document", 7, defaults: ["any": [2]]) }
    } expect: { peer in
      try #expect(peer.shows("any", of: "Document", 7) == "[2]")
    }
  }

  @Test func `scenario 10 sets and maps that two creates fill keep both contents`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) {
        try $0.create("Document", 7, ["tags": [1, 2], "dict": ["a": 1, "b": 1]])
      }
      try peers[1].write(at: 20) {
        try $0.create("Document", 7, ["tags": [2, 3], "dict": ["b": 2]])
      }
    } expect: { peer in
      try #expect(peer.shows("tags", of: "Document", 7) == "{1, 2, 3}")
      try #expect(peer.shows("dict", of: "Document", 7) == "{a: 1, b: 2}")
    }
  }

  @Test func `scenario 13 a new generation begins without members, entries and what a slot held`()
    throws
  {
    try Scenario { peers in
      try peers[0].write(at: 10) {
        try $0.delete("Document", 1)
        try $0.create("Document", 1, ["n": 11])
      }
      try peers[1].write(at: 20) {
        try $0.document.members("tags").insert(9)
        try $0.document.map("dict").set("z", 9)
        try $0.document.set("any", [9])
      }
    } expect: { peer in
      try #expect(peer.shows("tags") == "{}")
      try #expect(peer.shows("dict") == "{}")
      try #expect(peer.shows("any") == "nil")
    }
  }
}
