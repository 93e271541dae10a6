import AtollChanges
import AtollStorage
import AtollVocabulary
import Foundation
import TestKit
import Testing

/// Bugs that other systems had in merging; `.ci/museum` puts each back and runs its test.
@Suite struct MuseumMergingTests {
  @Test func `museum: cr-sqlite #413, what is a no-op at a relay reaches who is behind it`() throws
  {
    let folder = TemporaryFolder(isInMemory: true)
    let (a, b, c) = try start(in: folder)
    try a.write(at: 10) { try $0.document.set("n", 1) }
    try b.write(at: 20) { try $0.document.set("n", 2) }
    // Of no effect at B, which has a later value; C hears of it from B alone.
    try b.receive(from: a)
    try a.receive(from: b)
    try c.receive(from: b)
    try expectEqual([a, b, c], "the writers, and who heard of one from the other")
    #expect(try c.changesets().map(\.bytes).contains([]) == false)
  }

  @Test func `museum: cr-sqlite #30, #98, a tie is broken by who wrote, not by who passed it on`()
    throws
  {
    let folder = TemporaryFolder(isInMemory: true)
    let (a, b, c) = try start(in: folder)
    try a.write(at: 10) { try $0.document.set("n", 1) }
    try c.write(at: 10) { try $0.document.set("n", 3) }
    let relays = try ["X", "Y"].map { try Peer($0, in: folder) }
    for (relay, first, second) in [(relays[0], a, c), (relays[1], c, a)] {
      try relay.receive(from: b)
      try relay.receive(from: first)
      try relay.receive(from: second)
      #expect(try relay.shows("n") == "3", "the greater author's")
    }
    try expectEqual(relays, "two relays that heard of the writers in another order")
  }

  @Test func `museum: Corrosion #352, a delete by two reaches a third`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let (a, b, c) = try start(in: folder)
    try a.write(at: 10) { try $0.delete("Document", 1) }
    try b.write(at: 20) { try $0.delete("Document", 1) }
    try b.receive(from: a)
    try c.receive(from: b)
    #expect(try !c.exists())
    try a.receive(from: b)
    try expectEqual([a, b, c], "who deleted, and who was told")
  }

  @Test func `museum: SQLiteData #418, an object deleted and made again is there elsewhere`() throws
  {
    let folder = TemporaryFolder(isInMemory: true)
    let (a, b, _) = try start(in: folder)
    try a.write(at: 10) { try $0.delete("Document", 1) }
    try b.receive(from: a)
    try a.write(at: 20) { try $0.create("Document", 1, ["n": 7]) }
    try b.receive(from: a)
    #expect(try b.shows("n") == "7")
  }

  @Test func `museum: SQLiteData #547, a child whose parent was not taken stays`() throws {
    let b = try Peer("B", in: nil)
    let writer = Author(replica: ReplicaID(high: 7, low: 7), incarnation: Incarnation(7))
    let (document, target) = (ClassNumber(0), ClassNumber(1))
    let child = ObjectReference(class: document, key: .int(2), generation: .first)
    let parent = ObjectReference(class: target, key: .int(99), generation: .first)
    let link = CreatedField(property: PropertyNumber(0), value: .link(parent), isAssigned: true)
    let changesets = [
      Changeset(
        author: writer, sequence: .first, time: HybridTime(rawValue: 1),
        declarations: [
          .class(ClassDeclaration(name: "Document", isEmbedded: false, keyType: .int)),
          .class(ClassDeclaration(name: "Target", isEmbedded: false, keyType: .int)),
          .property(
            PropertyDeclaration(
              owner: document, name: "link", type: .link, collection: .none, target: target)),
        ], data: [.create(child, [link])]),
      Changeset(
        author: writer, sequence: SequenceNumber(2), time: HybridTime(rawValue: 2),
        data: [.create(parent, [])]),
    ]
    for (changeset, shown) in zip(changesets, ["nil", "T99"]) {
      let incoming = IncomingChangeset(
        author: writer, sequence: changeset.sequence, bytes: changeset.encoded())
      let outcome = try #require(try b.store.apply([incoming]).first)
      guard case .applied = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(try b.shows("link", of: "Document", 2) == shown)
    }
  }

  @Test func `museum: mps3 #37, a write from a fast clock does not hide what comes after it`()
    throws
  {
    let folder = TemporaryFolder(isInMemory: true)
    let (a, b, _) = try start(in: folder)
    try a.write(at: 40) { try $0.document.set("n", 1) }
    b.clock.set(secondsAfterStart: 5)
    try b.receive(from: a)
    try b.write(at: 5) { try $0.document.set("n", 2) }
    #expect(try b.shows("n") == "2")
    try a.receive(from: b)
    #expect(try a.shows("n") == "2")
  }

  @Test func `museum: nurl #169, a clock that restarts does not hide one's own later writes`()
    throws
  {
    let folder = TemporaryFolder(isInMemory: true)
    let (a, b, _) = try start(in: folder)
    try a.write(at: 3000) { try $0.document.set("n", 1) }
    a.store.close()
    let again = try Peer("A", in: folder)
    #expect(again.store.author == a.store.author)
    try again.write(at: 0) { try $0.document.set("n", 2) }
    #expect(try again.shows("n") == "2")
    b.clock.set(secondsAfterStart: 3600)
    try b.receive(from: again)
    #expect(try b.shows("n") == "2")
  }

  /// Three peers that hold the start.
  private func start(in folder: TemporaryFolder) throws -> (Peer, Peer, Peer) {
    let peers = try ["A", "B", "C"].map { try Peer($0, in: folder) }
    try peers[0].write(at: 0, Model.fill)
    for peer in peers.dropFirst() { try peer.receive(from: peers[0]) }
    return (peers[0], peers[1], peers[2])
  }
}
