import AtollStorage
import AtollVocabulary
import Testing

/// The names of replicas: replicated like objects, and harmless when printed.
@Suite struct `names of replicas` {
  @Test func `a name is told by every replica that has the changeset, and can be changed`() throws {
    let stores = [try TestStore("a"), try TestStore("b")]
    try stores[0].file.setReplicaName("kitchen")
    try stores[1].file.setReplicaName("phone")
    try stores[0].send(to: stores[1])
    try stores[1].send(to: stores[0])
    let authors = stores.map(\.file.author)
    for store in stores {
      let names = try store.file.replicaNames()
      #expect(names.replicas == authors.map(\.replica).sorted())
      #expect(names[authors[0].replica] == "kitchen")
      #expect(names.text(authors[1]) == "phone (\(authors[1]))")
      #expect(names.shortText(authors[1]) == "phone (\(authors[1].shortDescription))")
    }
    try stores[0].file.setReplicaName("hall")
    #expect(try stores[0].file.replicaNames()[authors[0].replica] == "hall")
    #expect(try stores[0].file.verify() == [])
  }

  @Test func `without a name there is the id, and a name that is too long is refused`() throws {
    let store = try TestStore("a")
    let author = store.file.author
    #expect(try store.file.replicaNames()[author.replica] == nil)
    #expect(try store.file.replicaNames().text(author) == "\(author)")
    let long = String(repeating: "é", count: Limits.replicaNameBytes / 2 + 1)
    #expect(throws: StorageError.self) { try store.file.setReplicaName(long) }
    #expect(try store.file.replicaNames()[author.replica] == nil)
  }

  @Test(
    arguments: [
      ("a\u{1B}[2Jb", "a\u{FFFD}[2Jb"), ("a\u{9B}31mb", "a\u{FFFD}31mb"),
      ("a\nb\u{2028}c", "a\u{FFFD}b\u{FFFD}c"), ("\u{202E}abc", "\u{FFFD}abc"),
      ("a\u{0}b", "a\u{FFFD}b"), ("  a   b ", "a b"), (" ", nil), ("", nil),
      ("Küche 厨房 🍳", "Küche 厨房 🍳"),
    ] as [(String, String?)])
  func `a hostile name does nothing to a terminal`(name: String, shown: String?) {
    let replica = ReplicaID(high: 1, low: 2)
    #expect(ReplicaNames([replica: name])[replica] == shown)
  }

  @Test func `a name of a peer is cut at a character`() {
    let replica = ReplicaID(high: 1, low: 2)
    let name = "a" + String(repeating: "é", count: 1 << 16)
    let shown = ReplicaNames([replica: name])[replica]
    #expect(shown == "a" + String(repeating: "é", count: (Limits.replicaNameBytes - 1) / 2))
  }
}
