import AtollStorage
import AtollVocabulary
import TestKit
import Testing

@Suite struct RegisterScenarios {
  @Test(arguments: [(10, 20, "2"), (20, 10, "1")])
  func `scenario 1 the later of two assignments wins`(
    a: Int64, b: Int64, result: String
  ) throws {
    try Scenario { peers in
      try peers[0].write(at: a) { try $0.document.set("n", 1) }
      try peers[1].write(at: b) { try $0.document.set("n", 2) }
    } expect: { peer in
      try #expect(peer.shows("n") == result)
    }
  }

  @Test func `scenario 2 of two assignments at one time the greater author's wins`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.document.set("n", 1) }
      try peers[1].write(at: 10) { try $0.document.set("n", 2) }
    } expect: { peer in
      try #expect(peer.shows("n") == "2")
    }
  }

  @Test func `scenario 3 assignments to two properties are both kept`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.document.set("n", 1) }
      try peers[1].write(at: 20) { try $0.document.set("m", 2) }
    } expect: { peer in
      try #expect(peer.shows("n") == "1")
      try #expect(peer.shows("m") == "2")
    }
  }

  @Test func `scenario 4 two steps on one value both count`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.document.add(5, to: "n") }
      try peers[1].write(at: 20) { try $0.document.add(4, to: "n") }
    } expect: { peer in
      try #expect(peer.shows("n") == "9")
    }
  }

  @Test func `scenario 4 two steps on a default both count, whichever default it becomes`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.create("Document", 7, defaults: ["n": 10]) }
      try peers[1].write(at: 20) { try $0.create("Document", 7, defaults: ["n": 20]) }
      try peers[0].write { try $0.object("Document", 7).add(5, to: "n") }
      try peers[1].write { try $0.object("Document", 7).add(4, to: "n") }
    } expect: { peer in
      try #expect(peer.shows("n", of: "Document", 7) == "29")
    }
  }

  @Test func `scenario 4 steps on a property that no create recorded count from zero`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.create("Document", 7) }
      try peers[1].receive(from: peers[0])
      try peers[0].write(at: 20) { try $0.object("Document", 7).add(5, to: "n") }
      try peers[1].write(at: 20) { try $0.object("Document", 7).add(4, to: "n") }
    } expect: { peer in
      try #expect(peer.shows("n", of: "Document", 7) == "9")
    }
  }

  @Test(arguments: [true, false])
  func `scenario 5 a step on a replaced value is dropped, whoever is later`(
    isStepFirst: Bool
  ) throws {
    try Scenario { peers in
      let (stepping, setting) = isStepFirst ? (peers[0], peers[1]) : (peers[1], peers[0])
      try stepping.write(at: isStepFirst ? 10 : 20) { try $0.document.add(2, to: "n") }
      try setting.write(at: isStepFirst ? 20 : 10) { try $0.document.set("n", 100) }
    } expect: { peer in
      try #expect(peer.shows("n") == "100")
    }
  }

  @Test func `scenario 6 a step on a value that was received counts`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.document.set("n", 100) }
      try peers[1].receive(from: peers[0])
      try peers[1].write(at: 20) { try $0.document.add(3, to: "n") }
    } expect: { peer in
      try #expect(peer.shows("n") == "103")
    }
  }

  @Test func `scenario 7 a step on nil is refused on the writer and nothing is recorded`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let a = try Peer("A", in: folder)
    try a.write(at: 0) { try $0.create("Document", 1, ["nn": nil, "n": 0]) }
    let before = try a.store.appliedVector()
    #expect(throws: StorageError.incrementOfNil(property: "nn")) {
      try a.write(at: 10) { try $0.document.add(1, to: "nn") }
    }
    try #expect(a.store.appliedVector() == before)
    try #expect(a.shows("nn") == "nil")
  }

  @Test func `scenario 8 a write that saw another wins though its clock is behind`() throws {
    try Scenario { peers in
      try peers[1].write(at: 50) { try $0.document.set("n", 2) }
      try peers[0].receive(from: peers[1])
      try peers[0].write(at: -3600) { try $0.document.set("n", 1) }
    } expect: { peer in
      try #expect(peer.shows("n") == "1")
    }
  }
}
