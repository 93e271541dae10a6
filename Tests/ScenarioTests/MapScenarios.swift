import AtollVocabulary
import Testing

@Suite struct MapScenarios {
  @Test(arguments: [(10, 20, "{a: 3}"), (20, 10, "{a: 2}")])
  func `scenario 28 the later of two assignments of an entry wins`(
    a: Int64, b: Int64, result: String
  ) throws {
    try Scenario { peers in
      try peers[0].write(at: a) { try $0.document.map("dict").set("a", 2) }
      try peers[1].write(at: b) { try $0.document.map("dict").set("a", 3) }
    } expect: { peer in
      try #expect(peer.shows("dict") == result)
    }
  }

  @Test(arguments: [(10, 20, "{}"), (20, 10, "{a: 2}")])
  func `scenario 28 the later of an assignment and a removal wins`(
    a: Int64, b: Int64, result: String
  ) throws {
    try Scenario { peers in
      try peers[0].write(at: a) { try $0.document.map("dict").set("a", 2) }
      try peers[1].write(at: b) { try $0.document.map("dict").remove("a") }
    } expect: { peer in
      try #expect(peer.shows("dict") == result)
    }
  }

  @Test func `scenario 28 entries of different keys are both kept`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.document.map("dict").set("b", 2) }
      try peers[1].write(at: 20) { try $0.document.map("dict").set("é", 3) }
      try peers[0].write(at: 30) { try $0.document.map("dict").set("e\u{301}", 4) }
    } expect: { peer in
      try #expect(
        peer.shows("dict").utf8.elementsEqual("{a: 1, b: 2, e\u{301}: 4, é: 3}".utf8))
    }
  }

  @Test func `scenario 28 a clear spares an entry that was not seen`() throws {
    try Scenario { peers in
      try peers[0].write(at: 20) { try $0.document.map("dict").clear() }
      try peers[1].write(at: 10) { try $0.document.map("dict").set("b", 2) }
    } expect: { peer in
      try #expect(peer.shows("dict") == "{b: 2}")
    }
  }

  @Test func `scenario 28 a nil that was assigned is an entry`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.document.map("dict").set("a", 2) }
      try peers[1].write(at: 20) { try $0.document.map("dict").set("a", nil) }
    } expect: { peer in
      try #expect(peer.shows("dict") == "{a: nil}")
    }
  }

  @Test(arguments: [(10, 20, "{a: {6, 6}}"), (20, 10, "{a: {5, 5}}")])
  func `scenario 35 of two objects assigned to one entry one holds, whole`(
    a: Int64, b: Int64, result: String
  ) throws {
    try Scenario { peers in
      try peers[0].write(at: a) { try $0.document.map("em").set("a", ["v": 5, "w": 5]) }
      try peers[1].write(at: b) { try $0.document.map("em").set("a", ["v": 6, "w": 6]) }
    } expect: { peer in
      try #expect(peer.shows("em") == result)
    }
  }

  @Test func `scenario 35 an edit inside an entry that was assigned again is lost`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.document.map("em").set("a", ["v": 5, "w": 5]) }
      try peers[1].write(at: 20) { try $0.document.map("em").entry("a").set("v", 7) }
    } expect: { peer in
      try #expect(peer.shows("em") == "{a: {5, 5}}")
    }
  }

  @Test func `scenario 34 edits of two fields of one entry are both kept`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.document.map("em").entry("a").set("v", 1) }
      try peers[1].write(at: 20) { try $0.document.map("em").entry("a").set("w", 2) }
    } expect: { peer in
      try #expect(peer.shows("em") == "{a: {1, 2}}")
    }
  }

  @Test func `scenario 33 an edit inside an entry that was removed is lost`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.document.map("em").remove("a") }
      try peers[1].write(at: 20) { try $0.document.map("em").entry("a").set("v", 5) }
    } expect: { peer in
      try #expect(peer.shows("em") == "{}")
    }
  }

  @Test func `scenario 29 a map's entry whose object was deleted reads nil and stays`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.delete("Target", 3) }
      try peers[1].write(at: 20) {
        try $0.document.map("lm").set("x", .target(3))
        try $0.document.map("lm").set("y", .target(1))
      }
    } expect: { peer in
      try #expect(peer.shows("lm") == "{x: nil, y: T1}")
    }
  }
}
