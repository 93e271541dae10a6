import AtollChanges
import AtollQuery
import AtollSQLite
import AtollStorage
import AtollVocabulary
import TestKit
import Testing

@Suite struct `schemas at their limits` {
  private func wide(_ count: Int, name: String = "Wide", from first: Int = 0) -> ClassSchema {
    ClassSchema(
      name: name, primaryKey: "id",
      properties: [PropertySchema(name: "id", type: .int)]
        + (first..<first + count).map { PropertySchema(name: "p\($0)", type: .int) })
  }

  private func fields(_ store: TestStore, _ name: String = "Wide") -> [NewField] {
    store[name].properties.map {
      NewField($0, .scalar(.int(Int64($0.position))), isAssigned: true)
    }
  }

  @Test func `issue 28.10: a class of a thousand properties is written, read, queried and sent`()
    throws
  {
    let (a, b) = (try TestStore("a", model: [wide(1000)]), try TestStore("b", model: []))
    try a.write { a in
      for key in 1...3 as ClosedRange<Int64> {
        _ = try a.file.create(a["Wide"].id, key: .int(key), fields: fields(a))
      }
    }
    try a.send(to: b)
    #expect(try a.exported() == b.exported())
    let last = try #require(a["Wide"].property(named: "p999"))
    let query = StoreQuery(
      a["Wide"].id, where: .comparison(PropertyPath(last), .equal, .value(.int(999))))
    #expect(try a.file.count(query) == 3)
    for store in [a, b] { #expect(try store.file.verify() == []) }
  }

  @Test
  func `issue 28.10: a model beyond the limits is refused with a sentence, and nothing is made`()
    throws
  {
    let store = try TestStore("store", model: [])
    let tooWide = #expect(throws: StorageError.self) { try store.file.adopt([wide(1001)]) }
    #expect(tooWide?.description.contains("the columns of the class Wide: found 1001") == true)
    let tooMany = #expect(throws: StorageError.self) {
      try store.file.adopt((0...1024).map { wide(1, name: "c\($0)") })
    }
    #expect(tooMany?.description.contains("at most 1024") == true)
    #expect(try store.file.classes.isEmpty)
  }

  @Test
  func
    `issue 28.10: what two authors declare together fits, or is refused and nothing is half done`()
    throws
  {
    let (a, b) = (
      try TestStore("a", model: [wide(1000)]), try TestStore("b", model: [wide(900, from: 5000)])
    )
    let c = try TestStore("c", model: [wide(10, from: 9000)])
    for (store, key) in [(a, 1), (b, 2), (c, 3)] as [(TestStore, Int64)] {
      try store.write { _ = try $0.file.create($0["Wide"].id, key: .int(key), fields: fields($0)) }
    }
    try a.send(to: b)
    try b.send(to: a)
    #expect(try a.exported() == b.exported())
    let outcomes = try a.file.apply(
      try c.log().map {
        IncomingChangeset(
          author: $0.id.author, sequence: $0.id.sequence, bytes: $0.bytes, expectedHash: $0.id.hash)
      })
    guard case .refused(let reason)? = outcomes.first else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(reason.contains("1900 columns"), "\(reason)")
    #expect(try a.exported() == b.exported())
    #expect(try a.file.verify() == [])
  }

  @Test(.timeLimit(.minutes(2)))
  func `issue 28.10: a thousand classes in one changeset are applied in seconds`() throws {
    let model = (0..<1024).map { wide(3, name: "Class\($0)") }
    let clock = ContinuousClock()
    let a = try TestStore("a", model: model)
    let b = try TestStore("b", model: [])
    let writing = try clock.measure {
      try a.write { a in
        for schema in model {
          _ = try a.file.create(a[schema.name].id, key: .int(1), fields: fields(a, schema.name))
        }
      }
    }
    let applying = try clock.measure { try a.send(to: b) }
    print("1,024 classes of one changeset: written in \(writing), applied in \(applying)")
    #expect(try a.exported() == b.exported())
  }
  /// Classes that have a list and a link to the next one, thus two tables and two indexes each.
  private func linked(_ count: Int) -> [ClassSchema] {
    (0..<count).map { number in
      ClassSchema(
        name: "Class\(number)", primaryKey: "id",
        properties: [
          PropertySchema(name: "id", type: .int),
          PropertySchema(name: "tags", type: .string, collection: .list),
          PropertySchema(name: "next", type: .link, target: "Class\((number + 1) % count)"),
        ])
    }
  }

  /// The bound is of the model that is as large as one may be: 7 seconds when SQLite read the schema
  /// after each trigger, 1.3 since, of a debug build.
  @Test(.timeLimit(.minutes(2)))
  func `issue 28.10: as many classes as a model may have are made in seconds`() throws {
    let store = try TestStore("store", model: [])
    let time = try processorTime { _ = try store.file.adopt(linked(1024)) }
    print("1,024 classes with lists and links made in \(time)")
    #expect(time < .seconds(4))
    #expect(try store.file.verify() == [])
  }

  @Test func `many guards made at once are those that each table would get alone`() throws {
    let (alone, together) = (
      try TestStore("alone", model: []), try TestStore("together", model: [])
    )
    for schema in linked(40).map({ $0.without("next") }) { _ = try alone.file.adopt([schema]) }
    _ = try together.file.adopt(linked(40).map { $0.without("next") })
    func guards(_ store: TestStore) throws -> [String] {
      try Connection(path: store.file.path, access: .readOnly).texts(
        "SELECT name || tbl_name || sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")
    }
    #expect(try guards(alone) == guards(together))
    #expect(try guards(alone).count > 2 * 3 * 40)
    for store in [alone, together] {
      let other = try Connection(path: store.file.path, access: .readWrite, firesTriggers: true)
      #expect(throws: SQLiteError.self) { try other.execute("INSERT INTO Class17 DEFAULT VALUES") }
    }
  }
}

extension ClassSchema {
  fileprivate func without(_ name: String) -> ClassSchema {
    ClassSchema(
      name: self.name, primaryKey: primaryKey, properties: properties.filter { $0.name != name })
  }
}
