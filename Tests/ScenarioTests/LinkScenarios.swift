import AtollVocabulary
import Testing

@Suite struct LinkScenarios {
  @Test func `scenario 29 a link to a concurrently deleted object reads nil`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.delete("Target", 3) }
      try peers[1].write(at: 20) {
        try $0.document.set("link", .target(3))
        try $0.document.list("links").append(.target(3))
      }
    } expect: { peer in
      try #expect(!peer.exists("Target", 3))
      try #expect(peer.shows("link") == "nil")
      try #expect(peer.shows("links") == "[T1, T2]")
    }
  }

  @Test func `scenario 30 a link to an object created at the same time resolves`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.create("Target", 9) }
      try peers[1].write(at: 10) { try $0.create("Target", 9) }
      try peers[1].write(at: 20) { try $0.document.set("link", .target(9)) }
      try peers[0].write(at: 20) { try $0.document.list("links").append(.target(9)) }
    } expect: { peer in
      try #expect(peer.shows("link") == "T9")
      try #expect(peer.shows("links") == "[T1, T2, T9]")
    }
  }

  @Test func `scenario 31 old links to an object created again stay nil, new ones work`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) {
        try $0.delete("Target", 1)
        try $0.create("Target", 1)
      }
      try peers[1].write(at: 20) { try $0.document.list("links").append(.target(1)) }
      try peers[0].write(at: 30) {
        try $0.create("Document", 7, ["link": .target(1)])
      }
    } expect: { peer in
      try #expect(peer.exists("Target", 1))
      try #expect(peer.shows("link") == "nil")
      try #expect(peer.shows("links") == "[T2]")
      try #expect(peer.shows("link", of: "Document", 7) == "T1")
    }
  }

  @Test func `scenario 32 all links to a deleted object read nil`() throws {
    try Scenario { peers in
      try peers[1].write(at: 10) {
        for key in 100..<200 { try $0.create("Document", key, ["link": .target(3)]) }
      }
      try peers[0].write(at: 20) { try $0.delete("Target", 3) }
    } expect: { peer in
      for key in 100..<200 {
        try #expect(peer.shows("link", of: "Document", key) == "nil")
      }
    }
  }

  @Test func `hidden links keep their place among the others`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.delete("Target", 2) }
      try peers[1].write(at: 20) {
        let links = try $0.document.list("links")
        try links.append(.target(3))
        try links.insert(.target(3), at: 1)
      }
    } expect: { peer in
      try #expect(peer.shows("links") == "[T1, T3, T3]")
    }
  }
}
