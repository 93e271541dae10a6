import AtollChanges
import AtollVocabulary
import Testing

@Suite struct SetScenarios {
  @Test func `scenario 26 one value inserted twice is one member`() throws {
    try Scenario { peers in
      for peer in peers { try peer.write(at: 10) { try $0.document.members("tags").insert(5) } }
    } expect: { peer in
      try #expect(peer.shows("tags") == "{1, 5}")
    }
  }

  @Test(arguments: [(10, 20, "{1}"), (20, 10, "{1, 5}")])
  func `scenario 26 the later of an insertion again and a removal decides`(
    a: Int64, b: Int64, result: String
  ) throws {
    try Scenario { peers in
      try peers[0].write(at: 5) { try $0.document.members("tags").insert(5) }
      try exchange(peers)
      try peers[0].write(at: a) { try $0.document.members("tags").insert(5) }
      try peers[1].write(at: b) { try $0.document.members("tags").remove(5) }
    } expect: { peer in
      try #expect(peer.shows("tags") == result)
    }
  }

  @Test func `scenario 26 a removal is remembered for who inserts without having seen it`() throws {
    try Scenario(["A", "B", "C"]) { peers in
      try peers[0].write(at: 5) { try $0.document.members("tags").insert(5) }
      try peers[2].receive(from: peers[0])
      try peers[2].write(at: 30) { try $0.document.members("tags").remove(5) }
      try peers[1].write(at: 20) { try $0.document.members("tags").insert(5) }
    } expect: { peer in
      try #expect(peer.shows("tags") == "{1}")
    }
  }

  @Test func `scenario 26 decimals of one number are one member, the later insertion shows`() throws
  {
    let (short, long) = (try #require(Decimal128("1.5")), try #require(Decimal128("1.50")))
    try Scenario { peers in
      try peers[0].write(at: 20) { try $0.document.members("prices").insert(.decimal(long)) }
      try peers[1].write(at: 10) { try $0.document.members("prices").insert(.decimal(short)) }
    } expect: { peer in
      try #expect(peer.shows("prices") == "{1.50}")
    }
  }

  @Test func `scenario 26 values of two types are two members of a set of any type`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.document.members("anySet").insert(1) }
      try peers[1].write(at: 20) { try $0.document.members("anySet").insert("1") }
    } expect: { peer in
      try #expect(peer.shows("anySet") == "{1, 1}")
    }
    // In the order of members this number is the bytes of the text.
    let number = 0x6161_6161_6161_6161 &+ Int.min
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.document.members("anySet").insert(.int(number)) }
      try peers[1].write(at: 20) { try $0.document.members("anySet").insert("aaaaaaaa") }
    } expect: { peer in
      try #expect(peer.shows("anySet") == "{\(number), aaaaaaaa}")
    }
  }

  @Test func `scenario 27 a clear takes out what was seen and spares what was not`() throws {
    try Scenario { peers in
      try peers[0].write(at: 20) { try $0.document.members("tags").clear() }
      try peers[1].write(at: 10) { try $0.document.members("tags").insert(5) }
    } expect: { peer in
      try #expect(peer.shows("tags") == "{5}")
    }
  }

  @Test(arguments: [(10, 20, "{1}"), (20, 10, "{}")])
  func `scenario 27 a member that was seen and is inserted again goes by its register`(
    a: Int64, b: Int64, result: String
  ) throws {
    try Scenario { peers in
      try peers[0].write(at: a) { try $0.document.members("tags").clear() }
      try peers[1].write(at: b) { try $0.document.members("tags").insert(1) }
    } expect: { peer in
      try #expect(peer.shows("tags") == result)
    }
  }

  @Test func `scenario 27 a clear takes out members that are hidden`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) {
        try $0.document.members("friends").insert(.target(3))
        try $0.delete("Target", 3)
        try $0.document.members("friends").clear()
      }
      let written = try #require(peers[0].changesets().last)
      let operations = try Changeset(decoding: written.bytes, author: written.id.author).operations
      #expect(operations.contains { if case .data(.removeMember) = $0 { true } else { false } })
      try peers[1].write(at: 20) { try $0.document.members("friends").insert(.target(2)) }
    } expect: { peer in
      try #expect(peer.shows("friends") == "{T2}")
    }
  }

  @Test func `scenario 29 a deleted object is hidden in a set, and hidden it stays`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.delete("Target", 3) }
      try peers[1].write(at: 20) {
        try $0.document.members("friends").insert(.target(3))
        try $0.document.members("friends").insert(.target(1))
      }
      try peers[0].write(at: 30) { try $0.create("Target", 3) }
    } expect: { peer in
      try #expect(peer.exists("Target", 3))
      try #expect(peer.shows("friends") == "{T1}")
    }
  }
}
