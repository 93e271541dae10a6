import AtollChanges
import AtollQuery
import AtollSQLite
import AtollStorage
import AtollVocabulary
import Testing

@Suite struct `the name of a key` {
  private func model(_ key: String, _ others: String...) -> [ClassSchema] {
    [
      ClassSchema(
        name: "Thing", primaryKey: key,
        properties: ([key] + others).map { PropertySchema(name: $0, type: .int) })
    ]
  }

  private func keyName(_ store: TestStore) throws -> String? {
    try store.file.classes.first { $0.name == "Thing" }?.key?.name
  }

  private func write(_ key: Int64, in store: TestStore) throws {
    try store.write { _ = try $0.file.create($0["Thing"].id, key: .int(key), fields: []) }
  }

  private func count(_ text: String, in store: TestStore) throws -> Int {
    let classes = try store.file.classes
    let thing = try #require(classes.first { $0.name == "Thing" })
    return try store.file.count(
      StoreQuery(
        thing.id, where: try PredicateParser.predicate(text, about: thing, among: classes)))
  }

  @Test func `issue 28.7: a node without a model finds objects by their key, also after a restart`()
    throws
  {
    let (a, b) = (try TestStore("a", model: model("code", "n")), try TestStore("b", model: []))
    for key in 1...3 as ClosedRange<Int64> { try write(key, in: a) }
    try a.send(to: b)
    #expect(try keyName(b) == "code")
    #expect(try count("code == 2", in: b) == 1)
    #expect(try count("code > 1", in: b) == 2)
    #expect(try b.file.verify() == [])
    let late = try TestStore("late", model: [])
    try a.file.makeSnapshot()
    try late.takeSnapshot(of: a)
    #expect(try keyName(late) == "code")
    #expect(try count("code == 2", in: late) == 1)
    let path = b.path
    b.file.close()
    let again = try StoreFile.open(path)
    #expect(try again.classes.first?.key?.name == "code")
    again.close()
    let shell = try Connection(path: path, access: .readOnly)
    #expect(try shell.integer("SELECT count(*) FROM Thing WHERE code = 3") == 1)
    shell.close()
  }

  @Test func `issue 28.7: of several names all replicas show the one whose bytes come first`()
    throws
  {
    let names = ["code", "Id", "number"]
    let authors = try names.map { try TestStore($0, model: model($0, "n")) }
    for (key, store) in authors.enumerated() { try write(Int64(key), in: store) }
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
      let reader = try TestStore("reader", model: [])
      for author in order { try authors[author].send(to: reader) }
      #expect(try keyName(reader) == "Id")
      #expect(try count("Id >= 0", in: reader) == 3)
    }
    for store in authors {
      for other in authors where other !== store { try store.send(to: other) }
    }
    #expect(try authors.map { try keyName($0) } == ["Id", "Id", "Id"])
    #expect(Set(try authors.map { try $0.exported() }).count == 1)
    // A model whose name has lost is adopted again without a word, and changes nothing.
    let before = try authors[2].file.commitNumber()
    _ = try authors[2].file.adopt(model("number", "n"))
    #expect(try authors[2].file.commitNumber() == before)
    for store in authors { #expect(try store.file.verify() == []) }
  }

  @Test func `issue 28.7: a model that names its key anew does so for all or for none`() throws {
    let a = try TestStore("a", model: model("code"))
    try write(1, in: a)
    _ = try a.file.adopt(model("a"))
    #expect(try keyName(a) == "code")
    let b = try TestStore("b", model: model("code"))
    _ = try b.file.adopt(model("a"))
    #expect(try keyName(b) == "a")
    try write(2, in: b)
    try b.send(to: a)
    #expect(try keyName(a) == "a")
  }

  @Test func `issue 28.7: a hidden key has no name, and an empty name is refused`() throws {
    var table = DeclarationTable(
      author: Author(replica: ReplicaID(high: 1, low: 1), incarnation: Incarnation(1)))
    for (type, name) in [(PersistedType.identity, "id"), (.int, "")] {
      #expect(throws: ChangesetError.self) {
        try table.adopt([
          .class(ClassDeclaration(name: "C", isEmbedded: false, keyType: type, keyName: name))
        ])
      }
    }
    try table.adopt([
      .class(ClassDeclaration(name: "C", isEmbedded: false, keyType: .int, keyName: "id"))
    ])
    #expect(throws: ChangesetError.self) {
      try table.adopt([
        .class(ClassDeclaration(name: "C", isEmbedded: false, keyType: .int, keyName: "code"))
      ])
    }
  }
}
