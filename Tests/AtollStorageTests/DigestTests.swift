import AtollChanges
import AtollSQLite
import AtollStorage
import AtollVocabulary
import Testing

/// The digests of every write and exchange of every test in this target (`checkDigests`).
@Suite struct `the digest of what a file holds` {
  private func target(_ store: TestStore, _ key: String, _ title: String) throws -> RowID {
    try store.file.create(
      store["Target"].id, key: .string(key),
      fields: [NewField(store.property("Target", "title")[0], .scalar(.string(title)))])
  }

  @Test func `a new file has the digest of nothing`() throws {
    #expect(try TestStore().file.stateDigest() == .zero)
  }

  @Test func `equal values written apart differ, for their stamps do`() throws {
    let stores = try [TestStore("a"), TestStore("b")]
    for store in stores { try store.write { _ = try target($0, "T", "same") } }
    #expect(try stores[0].file.stateDigest() != stores[1].file.stateDigest())
    try stores[0].send(to: stores[1])
    try stores[1].send(to: stores[0])
    #expect(try stores[0].file.stateDigest() == stores[1].file.stateDigest())
  }

  @Test func `what was deleted is remembered`() throws {
    let a = try TestStore()
    try a.write { _ = try target($0, "T", "x") }
    try a.write { try $0.file.delete($0["Target"].id, id: try target($0, "U", "y")) }
    let kept = try a.file.stateDigest()
    try a.write { try $0.file.delete($0["Target"].id, id: try target($0, "V", "z")) }
    #expect(try a.file.stateDigest() != kept)
  }

  @Test func `an element that was removed counts no more`() throws {
    let a = try TestStore()
    let items = FieldPath(a.property("Document", "items")[0])
    try a.write { a in
      _ = try a.file.create(a["Document"].id, key: .int(1), fields: [])
    }
    let before = try a.file.stateDigest()
    try a.write { a in
      guard let id = try a.file.find(a["Document"].id, key: .int(1)) else { return }
      try a.file.listInsert(a["Document"].id, id: id, list: items, at: nil, .scalar(.int(1)))
      try a.file.listRemove(a["Document"].id, id: id, list: items, at: 0)
    }
    #expect(try a.file.stateDigest() == before)
  }

  /// A row that is looked up while writing is kept with its stamps, see `StoreFile.row(of:key:)`.
  @Test func `a row that is looked up and then written to, or made anew, is digested as it is`()
    throws
  {
    let a = try TestStore()
    let (id, title) = (a["Target"].id, FieldPath(a.property("Target", "title")[0]))
    try a.write { _ = try target($0, "T", "made") }
    try a.write { a in
      for text in ["first", "second"] {
        let row = try #require(try a.file.row(of: id, key: .string("T")))
        try a.file.assign(id, id: row.id, title, .scalar(.string(text)))
      }
    }
    try a.write { a in
      let row = try #require(try a.file.row(of: id, key: .string("T")))
      try a.file.delete(id, id: row.id)
      let new = try target(a, "T", "again")
      #expect(try a.file.row(of: id, id: new)?.columns.contains(.string("again")) == true)
      try a.file.assign(id, id: new, title, .scalar(.null))
      try a.file.assign(id, id: new, title, .scalar(.string("last")))
    }
    let b = try TestStore("b")
    try a.send(to: b)
    #expect(try a.file.stateDigest() == b.file.stateDigest())
  }

  @Test func `a transaction that was given up leaves the digest alone`() throws {
    let a = try TestStore()
    try a.write { _ = try target($0, "T", "x") }
    let digest = try a.file.stateDigest()
    try a.file.beginWrite()
    _ = try target(a, "U", "y")
    a.file.rollback()
    #expect(try a.file.stateDigest() == digest)
    try a.checkDigests()
    try a.write { _ = try target($0, "V", "z") }
    #expect(try a.file.stateDigest() != digest)
  }

  @Test func `a changeset that was refused in its middle leaves the digest alone`() throws {
    let (a, b) = (try TestStore("a"), try TestStore("b"))
    try a.write { _ = try target($0, "T", "x") }
    try a.send(to: b)
    let digest = try b.file.stateDigest()
    try a.write { a in for key in ["U", "V"] { _ = try target(a, key, "y") } }
    let batch = try a.file.entries(
      lackedBy: try b.file.appliedVector(), after: .start, limitBytes: 1 << 20)
    var incoming = try #require(batch.entries.map(IncomingChangeset.init).first)
    incoming.bytes.removeLast()
    incoming.expectedHash = nil
    guard case .refused = try b.file.apply([incoming])[0] else {
      Issue.record("a changeset without its end was not refused")
      return
    }
    #expect(try b.file.stateDigest() == digest)
    try a.send(to: b)
    #expect(try a.file.stateDigest() == b.file.stateDigest())
  }

  @Test func `properties and classes that a model gained change nothing until they are used`()
    throws
  {
    let old = TestModel.all
    let (a, b) = (try TestStore("a", model: old), try TestStore("b", model: []))
    try a.write { _ = try target($0, "T", "x") }
    try a.send(to: b)
    let digest = try a.file.stateDigest()
    var newer = ClassSchema(
      name: "Target", primaryKey: "id", properties: [PropertySchema(name: "id", type: .string)])
    newer.properties.append(PropertySchema(name: "added", type: .int))
    let stored = try a.file.adopt([newer])[0]
    #expect(try a.file.stateDigest() == digest)
    let added = try #require(stored.property(named: "added"))
    let id = try #require(try a.file.find(stored.id, key: .string("T")))
    try a.write { a in try a.file.assign(stored.id, id: id, FieldPath(added), .scalar(.int(1))) }
    try a.send(to: b)
    #expect(try a.file.stateDigest() == b.file.stateDigest())
    #expect(try a.file.stateDigest() != digest)
  }

  @Test func `a row that was modified externally is seen by looking at all rows`() throws {
    let a = try TestStore()
    try a.write { a in for key in ["T", "U"] { _ = try target(a, key, "x") } }
    let kept = try a.file.stateDigest()
    try Connection(path: a.path, access: .readWrite).execute(
      "UPDATE Target SET title = 'y' WHERE id = 'T'")
    #expect(try a.file.stateDigest() == kept)
    let found = try a.file.checkDigests()
    #expect(found.map(\.class.name) == ["Target"])
    #expect(found.first?.kept == kept)
  }
}

@Suite struct `the search for differences` {
  /// Two files that have applied the same `count` creates.
  private func twins(_ count: Int) throws -> (TestStore, TestStore) {
    let (a, b) = (try TestStore("a"), try TestStore("b"))
    try a.write { a in
      for index in 0..<count {
        _ = try a.file.create(a["Target"].id, key: .string("T\(index)"), fields: [])
      }
    }
    try a.send(to: b)
    return (a, b)
  }

  private func search(_ a: TestStore, _ b: TestStore) throws -> DigestSearch.Outcome {
    var search = DigestSearch(a.file) { try b.file.answer($0) }
    return try search.run()
  }

  @Test func `equal replicas are told apart by one exchange`() throws {
    let (a, b) = try twins(100)
    let outcome = try search(a, b)
    #expect(outcome.differences.isEmpty && outcome.exchanges == 1 && outcome.isSameFrontier)
  }

  @Test(arguments: [1, 10, 100, 1_000, 5_000])
  func `an external modification is found in exchanges logarithmic in the objects`(count: Int)
    throws
  {
    let (a, b) = try twins(count)
    let key = "T\(count / 2)"
    try Connection(path: b.path, access: .readWrite).execute(
      "UPDATE Target SET title = 'modified', _recorded = 1, _assigned = 1 WHERE id = '\(key)'")
    let outcome = try search(a, b)
    #expect(outcome.differences.map(\.className) == ["Target"])
    #expect(outcome.differences.map(\.key) == ["\(PersistedValue.string(key))"])
    #expect(outcome.isSameFrontier && !outcome.isCut)
    var bound = 2
    while 1 << (4 * (bound - 2)) < count { bound += 1 }
    #expect(outcome.exchanges <= bound, "\(outcome.exchanges) exchanges for \(count) objects")
  }

  @Test func `what only one side has, or has deleted, is named with its side`() throws {
    let (a, b) = try twins(50)
    let foreign = try Connection(path: b.path, access: .readWrite)
    try foreign.execute("DELETE FROM Target WHERE id = 'T7'")
    try a.write { a in
      guard let id = try a.file.find(a["Target"].id, key: .string("T9")) else { return }
      try a.file.delete(a["Target"].id, id: id)
    }
    let outcome = try search(a, b)
    #expect(!outcome.isSameFrontier)
    #expect(outcome.differences.count == 2)
    #expect(outcome.differences.first?.there == nil)
    #expect(outcome.differences.last?.here?.generation == Generation(2))
    #expect(outcome.differences.last?.there?.generation == Generation(1))
  }

  @Test func `a question out of bounds, or about another store, is not looked into`() throws {
    let a = try TestStore()
    func ask(_ store: UInt64, _ level: Int, _ prefixes: [UInt64]) throws -> Bool {
      let question = DigestQuestion(
        storeID: StoreID(high: store, low: store), level: level, prefixes: prefixes,
        wantsObjects: false)
      if case .nothing = try a.file.answer(question).found { return true }
      return false
    }
    #expect(try !ask(1, 0, [0]))
    #expect(try ask(2, 0, [0]))
    #expect(try ask(1, 0, [1]))
    #expect(try ask(1, 1, [3, 3]))
    #expect(try ask(1, Limits.digestLevels + 1, [0]))
    #expect(try ask(1, -1, [0]))
    #expect(try ask(1, 4, Array(0...UInt64(Limits.digestPrefixes))))
  }
}
