import AtollVocabulary
import Testing

@Suite struct EmbeddedScenarios {
  @Test func `scenario 33 an edit inside a slot that was set to nil is lost`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.document.set("one", nil) }
      try peers[1].write(at: 20) { try $0.document.embedded("one").set("v", 5) }
    } expect: { peer in
      try #expect(peer.shows("one") == "nil")
    }
  }

  @Test func `scenario 34 edits of two fields of one instance are both kept`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.document.embedded("one").set("v", 1) }
      try peers[1].write(at: 20) { try $0.document.embedded("one").set("w", 2) }
    } expect: { peer in
      try #expect(peer.shows("one") == "{1, 2}")
    }
  }

  @Test(arguments: [(10, 20, "{6, 6}"), (20, 10, "{5, 5}")])
  func `scenario 35 of two objects assigned at the same time one holds, whole`(
    a: Int64, b: Int64, result: String
  ) throws {
    try Scenario { peers in
      try peers[0].write(at: a) { try $0.document.set("one", ["v": 5, "w": 5]) }
      try peers[1].write(at: b) { try $0.document.set("one", ["v": 6, "w": 6]) }
    } expect: { peer in
      try #expect(peer.shows("one") == result)
    }
  }

  @Test func `scenario 35 an edit inside the losing object does not reach the other`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.document.set("one", ["v": 5, "w": 5]) }
      try peers[0].write(at: 30) { try $0.document.embedded("one").set("v", 7) }
      try peers[1].write(at: 20) { try $0.document.set("one", ["v": 6, "w": 6]) }
    } expect: { peer in
      try #expect(peer.shows("one") == "{6, 6}")
    }
  }

  @Test func `scenario 35 of two creates with embedded defaults one default holds, whole`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) {
        try $0.create("Document", 7, defaults: ["one": ["v": 5, "w": 5]])
      }
      try peers[1].write(at: 20) {
        try $0.create("Document", 7, defaults: ["one": ["v": 6, "w": 6]])
      }
      try peers[0].write(at: 30) { try $0.object("Document", 7).embedded("one").set("v", 9) }
    } expect: { peer in
      try #expect(peer.shows("one", of: "Document", 7) == "{6, 6}")
    }
  }

  @Test func `scenario 35 of two objects assigned to one list element one holds, whole`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) {
        let list = try $0.document.list("es")
        try list.set(1, ["v": 5])
        try list.element(1).list("inner").append(50)
      }
      try peers[1].write(at: 20) { try $0.document.list("es").set(1, ["v": 6]) }
    } expect: { peer in
      try #expect(peer.shows("es") == "[{0, []}, {6, []}, {2, []}]")
    }
  }

  @Test func `scenario 36 an element is moved and edited inside`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.document.list("es").move(0, to: 2) }
      try peers[1].write(at: 20) { try $0.document.list("es").element(0).set("v", 5) }
    } expect: { peer in
      try #expect(peer.shows("es") == "[{1, []}, {2, []}, {5, []}]")
    }
  }

  @Test func `scenario 36 an edit inside a removed element is lost`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.document.list("es").remove(0) }
      try peers[1].write(at: 20) {
        let element = try $0.document.list("es").element(0)
        try element.set("v", 5)
        try element.list("inner").append(5)
      }
    } expect: { peer in
      try #expect(peer.shows("es") == "[{1, []}, {2, []}]")
    }
  }

  @Test func `scenario 37 an edit stays with its element when one comes before it`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.document.list("es").insert(["v": 7], at: 1) }
      try peers[1].write(at: 20) { try $0.document.list("es").element(1).set("v", 5) }
    } expect: { peer in
      try #expect(peer.shows("es") == "[{0, []}, {7, []}, {5, []}, {2, []}]")
    }
  }

  @Test func `scenario 37 appends to a list inside an element are both kept`() throws {
    try Scenario { peers in
      for (peer, value) in zip(peers, [1, 2]) {
        try peer.write(at: 10) {
          try $0.document.list("es").element(0).list("inner").append(.int(value))
        }
      }
    } expect: { peer in
      let results = ["[{0, [1, 2]}, {1, []}, {2, []}]", "[{0, [2, 1]}, {1, []}, {2, []}]"]
      try #expect(results.contains(peer.shows("es")))
    }
  }
}
