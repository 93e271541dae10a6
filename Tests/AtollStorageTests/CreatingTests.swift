import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

/// Changesets that make so many objects that several go into one statement.
@Suite struct `many creates in one changeset` {
  private static let person = ClassSchema(
    name: "Person", primaryKey: "id",
    properties: [
      PropertySchema(name: "id", type: .int), PropertySchema(name: "name", type: .string),
      PropertySchema(name: "friend", type: .link, isOptional: true, target: "Person"),
      PropertySchema(name: "thing", type: .any),
    ])
  private static let model = TestModel.all + [person]

  @Test(arguments: (1...16).map { UInt64($0) })
  func `meet what is there as if they came one after the other`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let stores = try ["a", "b", "c"].map { try TestStore($0) }
    for store in stores.dropLast() {
      try store.write { store in
        for key in (0..<400).shuffled(using: &random).prefix(150) {
          try Self.document(Int64(key), in: store, &random)
        }
      }
    }
    // In half of the runs some are deleted before the others' come.
    if seed.isMultiple(of: 2) {
      try stores[1].write { store in
        for id in 1...20 as ClosedRange<Int64> {
          try store.file.delete(store["Document"].id, id: RowID(id))
        }
      }
    }
    try stores[0].send(to: stores[1])
    try stores[1].send(to: stores[0])
    try stores[seed.isMultiple(of: 3) ? 0 : 1].send(to: stores[2])
    for store in stores {
      #expect(try store.exported() == stores[0].exported(), "seed \(seed)")
      #expect(try store.file.verify() == [], "seed \(seed)")
    }
    #expect(try Set(stores.map { try $0.file.stateDigest() }).count == 1, "seed \(seed)")
  }

  @Test func `link to each other as they were made`() throws {
    let (a, b) = (try TestStore("a", model: Self.model), try TestStore("b", model: Self.model))
    try a.write { try Self.people(200, in: $0) }
    try a.send(to: b)
    #expect(try b.exported() == a.exported())
    #expect(try b.file.verify() == [])
    let late = try TestStore("late", model: Self.model)
    try a.file.makeSnapshot()
    try late.takeSnapshot(of: a)
    #expect(try late.exported() == a.exported())
    #expect(try late.file.stateDigest() == a.file.stateDigest())
    #expect(try late.file.verify() == [])
  }

  @Test func `with one key twice are one object, and a later changeset counts`() throws {
    let (a, b) = (try TestStore("a"), try TestStore("b"))
    try a.write { store in for key in 0..<100 { try store.makeDocument(Int64(key), "a") } }
    try b.write { store in for key in 50..<150 { try store.makeDocument(Int64(key), "b") } }
    try a.send(to: b)
    try b.send(to: a)
    #expect(try a.exported() == b.exported())
    #expect(try a.exported().split(separator: "\n").count { $0.contains("\"Document\"") } == 150)
  }

  /// With an embedded object, a link, or a long text, or not.
  private static func document(
    _ key: Int64, in store: TestStore, _ random: inout SeededGenerator
  ) throws {
    let long = String(
      repeating: "é",
      count: Int.random(in: 0..<40, using: &random) == 0
        ? 3000 : Int.random(in: 0..<9, using: &random))
    var fields = [
      NewField(store.property("Document", "name")[0], .scalar(.string(long))),
      NewField(
        store.property("Document", "n")[0],
        .scalar(.int(Int64(Int.random(in: 0..<100, using: &random))))),
    ]
    if Int.random(in: 0..<3, using: &random) == 0 {
      let w = store.property("Document", "one", "w")
      fields.append(NewField(w[0], .embedded([NewField(w[1], .scalar(.int(key)))])))
    }
    if Int.random(in: 0..<10, using: &random) == 0 {
      let target = store["Target"]
      let id =
        try store.file.find(target.id, key: .string("t"))
        ?? store.file.create(
          target.id, key: .string("t"), fields: [])
      fields.append(NewField(store.property("Document", "link")[0], .link(target.id, id)))
    }
    if Int.random(in: 0..<30, using: &random) == 0 {
      let items = (0..<Int64(Int.random(in: 0..<5, using: &random))).map {
        NewValue.scalar(.int($0))
      }
      fields.append(NewField(store.property("Document", "items")[0], .list(items)))
    }
    _ = try store.file.create(store["Document"].id, key: .int(key), fields: fields)
  }

  /// Each a friend of one before, some of themselves' thing too.
  private static func people(_ count: Int, in store: TestStore) throws {
    let person = store["Person"]
    var made: [RowID] = []
    for key in 0..<count {
      var fields: [NewField] = []
      if let friend = made.last, key % 7 != 0 {
        fields.append(NewField(store.property("Person", "friend")[0], .link(person.id, friend)))
      }
      if let thing = made.first, key % 5 == 0 {
        fields.append(NewField(store.property("Person", "thing")[0], .link(person.id, thing)))
      }
      made.append(try store.file.create(person.id, key: .int(Int64(key)), fields: fields))
    }
  }
}

extension TestStore {
  fileprivate func makeDocument(_ key: Int64, _ name: String) throws {
    let name = NewField(property("Document", "name")[0], .scalar(.string(name)))
    _ = try file.create(self["Document"].id, key: .int(key), fields: [name])
  }
}
