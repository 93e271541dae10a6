import AtollChanges
import AtollQuery
import AtollStorage
import AtollVocabulary
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
}
