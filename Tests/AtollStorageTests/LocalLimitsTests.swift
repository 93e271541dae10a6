import AtollStorage
import AtollVocabulary
import Testing

/// Writes that peers would refuse are refused on the writer, and the store goes on.
@Suite struct `local limits` {
  private let store: TestStore
  private let tree: StoredClass
  private let node: StoredClass

  init() throws {
    store = try TestStore(
      "limits",
      model: [
        ClassSchema(
          name: "Tree", primaryKey: "name",
          properties: [
            PropertySchema(name: "name", type: .string),
            PropertySchema(name: "picture", type: .data),
            PropertySchema(name: "root", type: .embedded, target: "Node"),
          ]),
        ClassSchema(
          name: "Node", isEmbedded: true,
          properties: [PropertySchema(name: "child", type: .embedded, target: "Node")]),
      ])
    tree = store["Tree"]
    node = store["Node"]
  }

  private func make(_ key: String, _ property: String? = nil, _ value: NewValue? = nil) throws {
    var fields: [NewField] = []
    if let property, let value {
      fields = [NewField(store.property("Tree", property)[0], value)]
    }
    try store.write { _ = try $0.file.create(tree.id, key: .string(key), fields: fields) }
  }

  private func nested(_ depth: Int) -> NewValue {
    let child = store.property("Node", "child")[0]
    return (1..<depth).reduce(NewValue.embedded([])) { value, _ in
      .embedded([NewField(child, value)])
    }
  }

  @Test func `a key over 64 KiB is refused, one of 64 KiB reaches the peer`() throws {
    let longest = String(repeating: "k", count: Limits.keyBytes)
    #expect(
      throws: StorageError.tooLarge(
        what: "a key of Tree", size: Limits.keyBytes + 1, limit: Limits.keyBytes)
    ) { try make(longest + "k") }
    try make(longest)
    let peer = try TestStore("limits-peer", model: [])
    try store.send(to: peer)
    #expect(try peer.exported() == store.exported())
  }

  @Test func `data over 256 MiB is refused`() throws {
    let size = Limits.valueBytes + 1
    #expect(
      throws: StorageError.tooLarge(
        what: "a value of picture", size: size, limit: Limits.valueBytes)
    ) {
      try make("a", "picture", .scalar(.data([UInt8](repeating: 0, count: size))))
    }
    #expect(try store.file.heads() == [])
  }

  @Test func `seventeen embedded objects inside one another are refused, sixteen reach the peer`()
    throws
  {
    #expect(
      throws: StorageError.tooLarge(
        what: "embedded objects inside one another in child", size: 17, limit: 16)
    ) { try make("a", "root", nested(17)) }
    try make("a", "root", nested(16))
    let peer = try TestStore("limits-peer", model: [])
    try store.send(to: peer)
    #expect(try peer.exported() == store.exported())
  }
}
