import AtollChanges
import AtollStorage
import AtollVocabulary
import TestKit
import Testing

@Suite struct LifetimeScenarios {
  @Test func `scenario 9 two creates of one key are one object with both values`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.create("Document", 7, ["n": 1], defaults: ["m": 0]) }
      try peers[1].write(at: 20) { try $0.create("Document", 7, ["m": 2], defaults: ["n": 0]) }
    } expect: { peer in
      try #expect(peer.shows("n", of: "Document", 7) == "1")
      try #expect(peer.shows("m", of: "Document", 7) == "2")
    }
  }

  @Test func `scenario 10 of two creates of one key the later's values win`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.create("Document", 7, ["n": 1]) }
      try peers[1].write(at: 20) { try $0.create("Document", 7, ["n": 2]) }
    } expect: { peer in
      try #expect(peer.shows("n", of: "Document", 7) == "2")
    }
  }

  @Test func `scenario 11 an assigned value beats a later default, one of two defaults is taken`()
    throws
  {
    try Scenario { peers in
      try peers[0].write(at: 20) {
        try $0.create("Document", 7, defaults: ["name": "", "token": .uuid(1)])
      }
      try peers[1].write(at: 10) {
        try $0.create("Document", 7, ["name": "x"], defaults: ["token": .uuid(2)])
      }
    } expect: { peer in
      try #expect(peer.shows("name", of: "Document", 7) == "x")
      try #expect(
        peer.shows("token", of: "Document", 7) == "00000000-0000-0000-0000-000000000001")
    }
  }

  @Test func `scenario 11 an assigned nil beats a later default`() throws {
    try Scenario { peers in
      try peers[0].write(at: 20) { try $0.create("Document", 7, defaults: ["nn": 5]) }
      try peers[1].write(at: 10) { try $0.create("Document", 7, ["nn": nil]) }
    } expect: { peer in
      try #expect(peer.shows("nn", of: "Document", 7) == "nil")
    }
  }

  @Test func `scenario 12 a delete wins over a concurrent edit`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) { try $0.delete("Document", 1) }
      try peers[1].write(at: 20) { try $0.document.set("n", 1) }
    } expect: { peer in
      try #expect(!peer.exists())
    }
  }

  @Test func `scenario 12 two deletes are one`() throws {
    try Scenario { peers in
      for peer in peers { try peer.write(at: 10) { try $0.delete("Document", 1) } }
    } expect: { peer in
      try #expect(!peer.exists())
    }
  }

  @Test
  func `scenario 13 an object created again is fresh, edits of its former generation are lost`()
    throws
  {
    try Scenario { peers in
      try peers[0].write(at: 10) {
        try $0.delete("Document", 1)
        try $0.create("Document", 1, ["n": 11], defaults: ["m": 0, "name": ""])
      }
      try peers[1].write(at: 20) {
        try $0.document.set("n", 22)
        try $0.document.set("m", 33)
        try $0.document.list("items").append(44)
      }
    } expect: { peer in
      try #expect(peer.shows("n") == "11")
      try #expect(peer.shows("m") == "0")
      try #expect(peer.shows("items") == "[]")
      try #expect(peer.shows("one") == "nil")
    }
  }

  @Test func `scenario 14 delete and create beat a concurrent delete`() throws {
    try Scenario { peers in
      try peers[0].write(at: 10) {
        try $0.delete("Document", 1)
        try $0.create("Document", 1, ["n": 3])
      }
      try peers[1].write(at: 20) { try $0.delete("Document", 1) }
    } expect: { peer in
      try #expect(peer.shows("n") == "3")
    }
  }

  @Test func `scenario 14 delete, create and delete beat delete and create`() throws {
    try Scenario { peers in
      try peers[0].write(at: 20) {
        try $0.delete("Document", 1)
        try $0.create("Document", 1, ["n": 3])
      }
      try peers[1].write(at: 10) {
        try $0.delete("Document", 1)
        try $0.create("Document", 1, ["n": 4])
        try $0.delete("Document", 1)
      }
    } expect: { peer in
      try #expect(!peer.exists())
    }
  }

  @Test func `scenario 15 a delete of a concurrently created object holds`() throws {
    try Scenario { peers in
      try peers[0].write(at: 20) { try $0.create("Document", 7, ["n": 1]) }
      try peers[1].write(at: 10) { try $0.create("Document", 7, ["n": 2]) }
      try peers[1].write(at: 10) { try $0.delete("Document", 7) }
    } expect: { peer in
      try #expect(!peer.exists("Document", 7))
    }
  }

  @Test func `scenario 16 an edit waits for the create that it saw`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let (a, b, c) = (
      try Peer("A", in: folder), try Peer("B", in: folder), try Peer("C", in: folder)
    )
    try a.write(at: 0) { try $0.create("Document", 1, ["n": 1, "m": 1]) }
    try b.receive(from: a)
    try b.write(at: 10) { try $0.document.set("n", 2) }

    let mine = try b.changesets().filter { $0.id.author == b.store.author }
    let theirs = VersionVector([.init(author: a.store.author, sequence: .first)])
    try #expect(c.store.apply(mine.map(\.incoming)) == [.missing(theirs)])
    try #expect(!c.exists())
    try c.receive(from: a)
    try c.receive(from: b)
    try #expect(c.shows("n") == "2")
    try #expect(c.shows("m") == "1")
    try expectEqual([b, c], "the waiting peer and the writer")
  }
}
