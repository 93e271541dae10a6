import AtollSQLite
import AtollStorage
import AtollVocabulary
import Testing

/// The traces of deleted objects in a file.
@Suite struct `deleted objects` {
  private let store: TestStore

  init() throws { store = try TestStore("a", model: Self.model) }

  /// Links in every place that has an index by where they lead.
  private static let model = [
    ClassSchema(
      name: "Target", primaryKey: "id", properties: [PropertySchema(name: "id", type: .string)]),
    ClassSchema(
      name: "Holder", primaryKey: "id",
      properties: [
        PropertySchema(name: "id", type: .int),
        PropertySchema(name: "link", type: .link, isOptional: true, target: "Target"),
        PropertySchema(name: "list", type: .link, collection: .list, target: "Target"),
        PropertySchema(name: "set", type: .link, collection: .set, target: "Target"),
        PropertySchema(
          name: "map", type: .link, collection: .map, isOptional: true, target: "Target"),
      ]),
  ]

  @Test func `nobody links to leave their number only`() throws {
    let id = try makeTarget()
    try delete(id)
    #expect(try count("atoll_dead") == 1)
    #expect(try count("atoll_ghost") == 0)
  }

  @Test(arguments: ["link", "list", "set", "map"])
  func `stay known to links, which lead nowhere for good`(place: String) throws {
    let id = try makeTarget()
    try store.write { store in
      let link = NewValue.link(store["Target"].id, id)
      let value: NewValue =
        switch place {
        case "list": .list([link])
        case "set": .set([link])
        case "map": .map([NewEntry(key: "k", value: link)])
        case _: link
        }
      _ = try store.file.create(
        store["Holder"].id, key: .int(1),
        fields: [NewField(store.property("Holder", place)[0], value)])
    }
    try delete(id)
    #expect(try count("atoll_ghost") == 1)
    let text = try store.exported()
    #expect(try makeTarget() != id)
    #expect(try withoutTarget(store.exported()) == withoutTarget(text))
    let other = try TestStore("b", model: Self.model)
    try store.send(to: other)
    #expect(try other.exported() == store.exported())
    #expect(try other.file.stateDigest() == store.file.stateDigest())
    #expect(try store.file.verify() == [] && other.file.verify() == [])
  }

  @Test func `stay known where values of any type may link to them`() throws {
    let store = try TestStore("any", model: CollectionModel.all)
    try store.write { store in
      let id = try store.file.create(store["Target"].id, key: .string("T"), fields: [])
      try store.file.delete(store["Target"].id, id: id)
    }
    #expect(
      try Connection(path: store.path, access: .readOnly)
        .integer("SELECT count(*) FROM atoll_ghost") == 1)
  }

  @Test(arguments: [false, true])
  func `do not give their row numbers to others`(inOneTransaction: Bool) throws {
    let first = try makeTarget()
    var last = first
    try store.write { store in
      try store.file.delete(store["Target"].id, id: first)
      if inOneTransaction { last = try make(in: store.file) }
    }
    if inOneTransaction { try delete(last) }
    store.file.close()
    let file = try StoreFile.open(store.path, options: StoreOptions())
    try file.beginWrite()
    #expect(try make(in: file) > last)
    try file.commitWrite()
    #expect(inOneTransaction == (last != first))
    file.close()
  }

  /// The table has no NULL: something else stands for a key that is nil, and is no key itself.
  @Test(arguments: [PersistedType.string, .data, .int])
  func `with the key nil are told from those with an empty one`(type: PersistedType) throws {
    let model = [
      ClassSchema(
        name: "Keyed", primaryKey: "key", properties: [PropertySchema(name: "key", type: type)])
    ]
    let empty: PersistedValue =
      switch type {
      case .string: .string("")
      case .data: .data([])
      case _: .int(0)
      }
    let (a, b) = (try TestStore("keyed", model: model), try TestStore("taker", model: model))
    let keyed = a["Keyed"].id
    for key in [PersistedValue.null, empty] {
      try a.write { a in
        try a.file.delete(keyed, id: try a.file.create(keyed, key: key, fields: []))
      }
    }
    try a.file.makeSnapshot()
    try b.takeSnapshot(of: a)
    #expect(try b.file.stateDigest() == a.file.stateDigest())
    for store in [a, b] {
      // The next generation is created, and the tombstones of the first are deleted.
      for key in [PersistedValue.null, empty] {
        try store.write { _ = try $0.file.create($0["Keyed"].id, key: key, fields: []) }
        let row = try #require(try store.file.row(of: store["Keyed"].id, key: key))
        #expect(row.key == key)
      }
      let dead = try Connection(path: store.path, access: .readOnly)
        .integer("SELECT count(*) FROM atoll_dead")
      #expect(dead == 0)
    }
    try a.send(to: b)
    try b.send(to: a)
    #expect(try b.exported() == a.exported())
    #expect(try b.file.stateDigest() == a.file.stateDigest())
    #expect(try a.file.verify() == [])
  }

  @Test func `issue 28.3: a tombstone takes 17 bytes beside an integer, 25 beside 12 bytes`() throws
  {
    let count = 10_000
    var random = SeededGenerator(seed: 28)
    for (type, limit) in [(PersistedType.int, 17), (.objectId, 25)] {
      let model = [
        ClassSchema(
          name: "Keyed", primaryKey: "id", properties: [PropertySchema(name: "id", type: type)])
      ]
      let keyed = try TestStore("keyed", model: model)
      try keyed.write { keyed in
        for _ in 0..<count {
          let key: PersistedValue =
            type == .int
            ? .int(Int64.random(in: 0..<1 << 40, using: &random))
            : .objectId(
              ObjectId(
                high: UInt64.random(in: 0 ... .max, using: &random),
                low: UInt32.random(in: 0 ... .max, using: &random)))
          try keyed.file.delete(
            keyed["Keyed"].id, id: try keyed.file.create(keyed["Keyed"].id, key: key, fields: []))
        }
      }
      let connection = try Connection(path: keyed.path, access: .readOnly)
      let bytes = try connection.integer("SELECT sum(pgsize) FROM dbstat WHERE name = 'atoll_dead'")
      #expect(Int(bytes ?? .max) <= limit * count)
    }
  }

  private func makeTarget() throws -> RowID {
    var id: RowID?
    try store.write { store in id = try make(in: store.file) }
    return try #require(id)
  }

  private func make(in file: StoreFile) throws -> RowID {
    try file.create(store["Target"].id, key: .string("T"), fields: [])
  }

  private func delete(_ id: RowID) throws {
    try store.write { store in try store.file.delete(store["Target"].id, id: id) }
  }

  private func count(_ table: String) throws -> Int64? {
    try Connection(path: store.path, access: .readOnly).integer("SELECT count(*) FROM \(table)")
  }

  /// The lines of an export but for those of targets.
  private func withoutTarget(_ text: String) -> [Substring] {
    text.split(separator: "\n").filter { !$0.contains("\"class\":\"Target\"") }
  }
}
