import AtollChanges
import AtollQuery
import AtollStorage
import AtollVocabulary
import Testing

@Suite struct `local writes` {
  private let store: TestStore
  private let document: ClassID

  init() throws {
    store = try TestStore("writing")
    document = store["Document"].id
  }

  private func property(_ name: String) -> StoredProperty { store.property("Document", name)[0] }

  private func items(_ list: FieldPath? = nil) throws -> [StoredElement.Value] {
    try store.file.elements(
      of: document, id: RowID(1), list: list ?? FieldPath(property("items"))
    ).map(\.value)
  }

  private func make(_ fields: [NewField] = []) throws {
    try store.write { _ = try $0.file.create(document, key: .int(1), fields: fields) }
  }

  @Test func `a transaction that does nothing makes no changeset and no commit`() throws {
    let before = try store.file.commitNumber()
    #expect(try store.write { _ in } == nil)
    #expect(try store.file.commitNumber() == before)
    #expect(try store.file.heads() == [])
  }

  @Test func `a transaction that is rolled back leaves nothing`() throws {
    try make()
    let before = (try store.exported(), try store.file.heads())
    try store.file.beginWrite()
    _ = try store.file.create(document, key: .int(2), fields: [])
    try store.file.delete(document, id: RowID(1))
    #expect(try store.file.count(StoreQuery(document)) == 1)
    store.file.rollback()
    #expect(try store.exported() == before.0)
    #expect(try store.file.heads() == before.1)
    try store.write { _ = try $0.file.create(document, key: .int(3), fields: []) }
    #expect(try store.file.verify() == [])
  }

  @Test func `a write outside a transaction is refused`() {
    #expect(throws: StorageError.notInTransaction(doing: "creating an object")) {
      try store.file.create(document, key: .int(1), fields: [])
    }
  }

  @Test func `a second transaction on one connection is refused`() throws {
    try store.file.beginWrite()
    #expect(
      throws: StorageError.alreadyInTransaction(doing: "beginning a write transaction")
    ) { try store.file.beginWrite() }
    store.file.rollback()
  }

  @Test func `a duplicate key is refused and the object there stays as it is`() throws {
    try make([NewField(property("n"), .scalar(.int(1)))])
    let before = try store.exported()
    try store.write { store in
      #expect(throws: StorageError.duplicateKey(class: "Document", key: .int(1))) {
        try store.file.create(
          document, key: .int(1), fields: [NewField(property("n"), .scalar(.int(2)))])
      }
    }
    #expect(try store.exported() == before)
  }

  @Test func `nil is a key like any other`() throws {
    try store.write { store in
      let id = try store.file.create(document, key: .null, fields: [])
      #expect(try store.file.find(document, key: .null) == id)
      #expect(throws: StorageError.duplicateKey(class: "Document", key: .null)) {
        try store.file.create(document, key: .null, fields: [])
      }
    }
    #expect(try store.exported() == #"{"class":"Document","key":null}"# + "\n")
  }

  @Test func `objects without a declared key are always new ones`() throws {
    try store.write { store in
      _ = try store.file.create(store["Note"].id, key: nil, fields: [])
      _ = try store.file.create(store["Note"].id, key: nil, fields: [])
    }
    #expect(try store.file.count(StoreQuery(store["Note"].id)) == 2)
  }

  @Test func `a re-created object has fresh fields and another row`() throws {
    try make([NewField(property("n"), .scalar(.int(1)))])
    try store.write { store in
      try store.file.delete(document, id: RowID(1))
      let id = try store.file.create(document, key: .int(1), fields: [])
      #expect(id != RowID(1))
      #expect(try store.file.row(of: document, id: id)?.generation == Generation(3))
    }
    #expect(try store.exported() == #"{"class":"Document","key":1}"# + "\n")
    #expect(try store.file.row(of: document, id: RowID(1)) == nil)
  }

  @Test func `an object can link to itself while it is made`() throws {
    let schema = ClassSchema(
      name: "Person", primaryKey: "id",
      properties: [
        PropertySchema(name: "id", type: .int),
        PropertySchema(name: "friend", type: .link, target: "Person"),
      ])
    let person = try store.file.adopt([schema])[0]
    let friend = try #require(person.property(named: "friend"))
    try store.write { store in
      let id = try store.file.create(person.id, key: .int(1), fields: [])
      try store.file.assign(person.id, id: id, FieldPath(friend), .link(person.id, id))
      #expect(try store.file.row(of: person.id, id: id)?.columns == [.int(id.rawValue)])
    }
  }

  @Test func `increments add up, and one on nil is refused`() throws {
    try make([
      NewField(property("n"), .scalar(.int(5))), NewField(property("nn"), .scalar(.null)),
    ])
    try store.write { store in
      try store.file.increment(document, id: RowID(1), FieldPath(property("n")), by: 3)
      try store.file.increment(document, id: RowID(1), FieldPath(property("m")), by: 2)
      #expect(throws: StorageError.incrementOfNil(property: "nn")) {
        try store.file.increment(document, id: RowID(1), FieldPath(property("nn")), by: 1)
      }
    }
    #expect(try store.exported() == #"{"class":"Document","key":1,"m":2,"n":8,"nn":null}"# + "\n")
  }

  @Test func `an increment wraps at the width of the store`() throws {
    try make([NewField(property("n"), .scalar(.int(.max)))])
    try store.write { store in
      try store.file.increment(document, id: RowID(1), FieldPath(property("n")), by: 1)
    }
    #expect(try store.exported().contains("\(Int64.min)"))
  }

  @Test func `a value of another type is refused by name`() throws {
    try make()
    try store.write { store in
      #expect(
        throws: StorageError.typeMismatch(property: "n", expected: .int, found: "String")
      ) {
        try store.file.assign(
          document, id: RowID(1), FieldPath(property("n")), .scalar(.string("x")))
      }
    }
  }

  @Test func `an object that is gone cannot be changed`() throws {
    try store.write { store in
      #expect(throws: StorageError.noSuchObject(class: "Document", id: RowID(9))) {
        try store.file.delete(document, id: RowID(9))
      }
    }
  }

  @Test func `every kind of value is exported in one way`() throws {
    try make([
      NewField(property("name"), .scalar(.string("q\"\\\n\u{1}é"))),
      NewField(property("x"), .scalar(.double(.nan))),
      NewField(property("f"), .scalar(.float(0.1))),
      NewField(property("b"), .scalar(.bool(true))),
      NewField(property("d"), .scalar(.data([0, 255]))),
      NewField(property("t"), .scalar(.date(1.5))),
      NewField(property("u"), .scalar(.uuid(UniqueBytes(high: 1, low: 2)))),
      NewField(property("o"), .scalar(.objectId(ObjectId(high: 1, low: 2)))),
    ])
    #expect(
      try store.exported()
        == #"{"class":"Document","key":1,"b":true,"d":{"data":"00ff"},"f":0.1,"#
        + #""name":"q\"\\\n\u0001é","o":{"objectId":"000000000000000100000002"},"#
        + #""t":{"date":"2001-01-01T00:00:01.5Z"},"u":{"uuid":"00000000-0000-0001-0000-000000000002"},"#
        + #""x":{"number":"nan"}}"# + "\n")
  }

  // MARK: Lists

  @Test func `a list takes inserts, assignments, moves and removals by index`() throws {
    try make([NewField(property("items"), .list((0..<4).map { .scalar(.int($0)) }))])
    let list = FieldPath(property("items"))
    try store.write { store in
      _ = try store.file.listInsert(
        document, id: RowID(1), list: list, at: 1, .scalar(.int(9)))
      try store.file.listMove(document, id: RowID(1), list: list, from: 0, to: 4)
      try store.file.listAssign(document, id: RowID(1), list: list, at: 1, .scalar(.int(8)))
      try store.file.listRemove(document, id: RowID(1), list: list, at: 2)
      _ = try store.file.listInsert(
        document, id: RowID(1), list: list, at: nil, .scalar(.int(7)))
    }
    #expect(try items() == [9, 8, 3, 0, 7].map { .scalar(.int($0)) })
    try store.write { try $0.file.listClear(document, id: RowID(1), list: list) }
    #expect(try items() == [])
  }

  @Test func `an index outside the list is refused with its count`() throws {
    try make([NewField(property("items"), .list([.scalar(.int(1))]))])
    let list = FieldPath(property("items"))
    try store.write { store in
      #expect(throws: StorageError.noSuchElement(list: "items", index: 1, count: 1)) {
        try store.file.listRemove(document, id: RowID(1), list: list, at: 1)
      }
      #expect(throws: StorageError.noSuchElement(list: "items", index: 2, count: 1)) {
        _ = try store.file.listInsert(
          document, id: RowID(1), list: list, at: 2, .scalar(.int(1)))
      }
    }
  }

  @Test func `a list inside an embedded object goes with its instance`() throws {
    let one = store.property("Document", "one", "tags")
    let tags = FieldPath(steps: [.slot(one[0])], property: one[1])
    let filled = NewValue.embedded([NewField(one[1], .list([.scalar(.string("t"))]))])
    try make([NewField(one[0], filled)])
    #expect(try items(tags) == [.scalar(.string("t"))])
    try store.write { store in
      try store.file.assign(document, id: RowID(1), FieldPath(one[0]), .embedded([]))
    }
    #expect(try items(tags) == [])
    #expect(try store.file.verify() == [])
  }

  @Test func `a list of embedded objects is edited in place`() throws {
    let es = FieldPath(property("es"))
    let v = store.property("One", "v")[0]
    let tags = store.property("One", "tags")[0]
    try make([
      NewField(
        es.property,
        .list([
          .embedded([NewField(v, .scalar(.int(0)))]),
          .embedded([NewField(tags, .list([.scalar(.string("x"))]))]),
        ]))
    ])
    let elements = try store.file.elements(of: document, id: RowID(1), list: es)
    try store.write { store in
      let inside = FieldPath.Step.element(es.property, elements[0].id)
      try store.file.assign(
        document, id: RowID(1), FieldPath(steps: [inside], property: v), .scalar(.int(5)))
    }
    #expect(
      try store.exported()
        == #"{"class":"Document","key":1,"es":[{"v":5},{"tags":["x"]}]}"# + "\n")
    #expect(try items(es).first == .embedded([.int(5), .null, .null]))
  }

  @Test func `a list hides links to objects that are gone and shows them again when they return`()
    throws
  {
    let links = FieldPath(property("links"))
    let target = store["Target"].id
    try store.write { store in
      let first = try store.file.create(target, key: .string("T1"), fields: [])
      let second = try store.file.create(target, key: .string("T2"), fields: [])
      _ = try store.file.create(
        document, key: .int(1),
        fields: [NewField(links.property, .list([.link(target, first), .link(target, second)]))])
      try store.file.delete(target, id: first)
    }
    #expect(try items(links) == [.link(target, RowID(2))])
  }
}

@Suite struct `schemas` {
  @Test func `a class inside itself is stored as deep as values go`() throws {
    let tree = [
      ClassSchema(
        name: "Tree", primaryKey: "id",
        properties: [
          PropertySchema(name: "id", type: .int),
          PropertySchema(name: "root", type: .embedded, target: "Node"),
        ]),
      ClassSchema(
        name: "Node", isEmbedded: true,
        properties: [
          PropertySchema(name: "value", type: .int),
          PropertySchema(name: "next", type: .embedded, target: "Node"),
        ]),
    ]
    let a = try TestStore("tree-a", model: tree)
    let b = try TestStore("tree-b", model: tree)
    let value = a.property("Node", "value")[0]
    let next = a.property("Node", "next")[0]
    var node = NewValue.embedded([NewField(value, .scalar(.int(0)))])
    for depth in 1..<6 {
      node = .embedded([NewField(value, .scalar(.int(Int64(depth)))), NewField(next, node)])
    }
    try a.write { a in
      _ = try a.file.create(
        a["Tree"].id, key: .int(1), fields: [NewField(a.property("Tree", "root")[0], node)])
    }
    try a.send(to: b)
    #expect(try b.exported().contains(#""next":{"value":0}"#))
    for _ in 6..<9 {
      node = .embedded([NewField(value, .scalar(.int(9))), NewField(next, node)])
      try a.write { a in
        let root = a.property("Tree", "root")[0]
        try a.file.assign(a["Tree"].id, id: RowID(1), FieldPath(root), node)
      }
    }
    let way = Array(repeating: FieldPath.Step.slot(next), count: 8)
    try a.write { a in
      let root = FieldPath.Step.slot(a.property("Tree", "root")[0])
      let deepest = FieldPath(steps: [root] + way, property: next)
      try a.file.assign(
        a["Tree"].id, id: RowID(1), deepest,
        .embedded([NewField(next, .embedded([NewField(value, .scalar(.int(10)))]))]))
    }
    try a.send(to: b)
    #expect(try a.exported() == b.exported())
    #expect(try b.exported().contains(#"{"next":{"next":{"value":10}},"value":0}"#))
    #expect(try b.file.verify() == [])
  }

  @Test func `more properties than a mask has bits keep their stamps`() throws {
    let wide = ClassSchema(
      name: "Wide", primaryKey: "id",
      properties: [PropertySchema(name: "id", type: .int)]
        + (0..<100).map { PropertySchema(name: "p\($0)", type: .int) })
    let a = try TestStore("wide-a", model: [wide])
    let b = try TestStore("wide-b", model: [wide])
    func set(_ store: TestStore, _ time: Int64, _ value: Int64, isAssigned: Bool) throws {
      try store.write(at: time) { store in
        _ = try store.file.create(
          store["Wide"].id, key: .int(1),
          fields: (0..<100).map {
            NewField(
              store.property("Wide", "p\($0)")[0], .scalar(.int(value)), isAssigned: isAssigned)
          })
      }
    }
    try set(a, 2_000_000, 1, isAssigned: false)
    try set(b, 1_000_000, 2, isAssigned: true)
    b.clock.now = WallTime(milliseconds: 2_000_000)
    try a.send(to: b)
    try b.send(to: a)
    #expect(try a.exported() == b.exported())
    #expect(try a.exported().contains(#""p99":2"#))
    #expect(try a.file.digest() == b.file.digest())
  }

  @Test func `scenario 40 one name with two types is two properties on both replicas`() throws {
    func model(_ type: PersistedType) -> [ClassSchema] {
      [
        ClassSchema(
          name: "Thing", primaryKey: "id",
          properties: [
            PropertySchema(name: "id", type: .int), PropertySchema(name: "p", type: type),
          ])
      ]
    }
    let a = try TestStore("clash-a", model: model(.int))
    let b = try TestStore("clash-b", model: model(.string))
    try a.write { a in
      _ = try a.file.create(
        a["Thing"].id, key: .int(1),
        fields: [NewField(a.property("Thing", "p")[0], .scalar(.int(1)))])
    }
    try b.write { b in
      _ = try b.file.create(
        b["Thing"].id, key: .int(1),
        fields: [NewField(b.property("Thing", "p")[0], .scalar(.string("x")))])
    }
    try a.send(to: b)
    try b.send(to: a)
    #expect(
      try a.exported() == #"{"class":"Thing","key":1,"p:Int":1,"p:String":"x"}"# + "\n")
    #expect(try a.exported() == b.exported())
    #expect(try a.file.digest() == b.file.digest())
  }

  @Test func `scenario 41 a file that knows no class stores, forwards and shows it later`() throws {
    let a = try TestStore("model")
    let b = try TestStore("none", model: [])
    let c = try TestStore("model")
    try a.write { a in
      let one = a.property("Document", "one", "v")
      _ = try a.file.create(
        a["Document"].id, key: .int(1),
        fields: [NewField(one[0], .embedded([NewField(one[1], .scalar(.int(1)))]))])
    }
    try a.send(to: b)
    try b.send(to: c)
    #expect(try a.exported() == b.exported())
    #expect(try c.exported() == a.exported())
    #expect(try b.file.digest() == a.file.digest())
    let adopted = try b.file.adopt(TestModel.all)
    let document = try #require(adopted.first { $0.name == "Document" })
    #expect(document.key?.name == "id")
    let one = try #require(document.property(named: "one"))
    #expect(
      try b.file.count(
        StoreQuery(document.id, where: .comparison(PropertyPath(one), .notEqual, .value(.null))))
        == 1)
  }

  @Test func `a property that leads nowhere is refused`() throws {
    let file = try StoreFile.open(TestFolder.path("nowhere"))
    let schema = ClassSchema(
      name: "A", properties: [PropertySchema(name: "b", type: .link, target: "B")])
    #expect(
      throws: StorageError.schemaClash(
        class: "A", detail: "b leads to B, which is not among the classes")
    ) { try file.adopt([schema]) }
  }

  @Test func `names that SQL or another class has taken are stored all the same`() throws {
    let odd = [
      ClassSchema(
        name: "sqlite_x", primaryKey: "_id",
        properties: [
          PropertySchema(name: "_id", type: .int), PropertySchema(name: "_life", type: .int),
          PropertySchema(name: "a\"b", type: .int), PropertySchema(name: "A", type: .int),
          PropertySchema(name: "a", type: .int), PropertySchema(name: "nul\0", type: .int),
        ]),
      ClassSchema(name: "Order", properties: [PropertySchema(name: "select", type: .int)]),
      ClassSchema(name: "order", properties: [PropertySchema(name: "x.y", type: .int)]),
    ]
    let a = try TestStore("odd-a", model: odd)
    let b = try TestStore("odd-b", model: [])
    try a.write { a in
      _ = try a.file.create(
        a["sqlite_x"].id, key: .int(1),
        fields: a["sqlite_x"].properties.map { NewField($0, .scalar(.int(2))) })
      for name in ["Order", "order"] {
        _ = try a.file.create(
          a[name].id, key: nil, fields: a[name].properties.map { NewField($0, .scalar(.int(1))) })
      }
    }
    try a.send(to: b)
    #expect(try a.exported() == b.exported())
    #expect(try b.file.verify() == [])
  }
}
