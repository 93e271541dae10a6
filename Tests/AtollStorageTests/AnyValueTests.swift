import AtollSQLite
import AtollStorage
import AtollVocabulary
import Testing

@Suite struct `any-typed values in the file` {
  private let exchange: Exchange
  private var a: TestStore { exchange.a }
  private var b: TestStore { exchange.b }

  init() throws { exchange = try Exchange() }

  private static let scalars: [PersistedValue] = [
    .null, .bool(true), .bool(false), .int(.min), .float(1.5), .float(.nan), .double(-0.0),
    .double(.nan), .double(.infinity), .string(""), .string("a\0b"), .string("e\u{301}"),
    .data([]), .data([0, 255]), .date(-0.0), .date(1e-9), .uuid(UniqueBytes(high: 1, low: 2)),
    .decimal(Decimal128("1.50") ?? .nan), .string("1"), .data([49]), .int(1), .double(1),
  ]

  private func row(_ store: TestStore) throws -> ObjectRow {
    try #require(try store.file.row(of: store["Page"].id, id: store.page))
  }

  private func column(_ name: String) throws -> Int {
    try #require(a["Page"].column([a.property("Page", name)[0]]))
  }

  @Test func `every scalar comes back as it was, with its type`() throws {
    try exchange.start()
    let any = try column("any")
    for value in Self.scalars {
      try a.write { try $0.assign("any", .scalar(value)) }
      #expect(try row(a).columns[any] == value)
      try a.send(to: b)
      #expect(try row(b).columns[any] == value)
    }
    try a.write { a in
      try a.assign("anys", .list(Self.scalars.map { .scalar($0) }))
      try a.assign("anySet", .set(Self.scalars.map { .scalar($0) }))
      try a.assign(
        "anyMap",
        .map(Self.scalars.enumerated().map { NewEntry(key: "\($0)", value: .scalar($1)) }))
    }
    _ = try exchange.meet()
    #expect(try b.elements(b.path("anys")).map(\.value) == Self.scalars.map { .scalar($0) })
    #expect(try Set(b.members("anySet")) == Set(Self.scalars.map { .scalar($0) }))
    #expect(try b.entries("anyMap").count == Self.scalars.count)
  }

  @Test func `a link to any class reads as a link, nil or hidden when its target is gone`() throws {
    try exchange.start()
    try a.write { a in
      let link = try a.target("T1")
      try a.assign("any", link)
      try a.assign("anys", .list([link, 1]))
      try a.assign("anySet", .set([link, 1]))
      try a.put("k", link, into: "anyMap")
    }
    guard case .link(let target, let id) = try a.target("T1") else { return }
    #expect(try row(a).others == [column("any"): .link(target, id)])
    #expect(try row(a).columns[column("any")] == .null)
    #expect(try a.elements(a.path("anys")).first?.value == .link(target, id))
    try a.send(to: b)
    try a.write { try $0.file.delete(target, id: id) }
    #expect(try row(a).others.isEmpty)
    #expect(
      try exchange.meet()
        == #"{"any":null,"anyMap":{"k":null},"anySet":[1],"anys":[null,1]}"#)
    #expect(try b.elements(b.path("anys")).map(\.value) == [.scalar(.null), .scalar(.int(1))])
    #expect(try b.members("anySet") == [.scalar(.int(1))])
    #expect(try b.entries("anyMap").map(\.element.value) == [.scalar(.null)])
  }

  @Test func `lists and maps nest in a property, a list and a map`() throws {
    let tree: NewValue = .map([
      NewEntry(key: "list", value: .list([1, "x", .list([2.5]), .map([])])),
      NewEntry(key: "n", value: nil),
    ])
    try exchange.start { a in
      [
        NewField(a.property("Page", "any")[0], tree),
        NewField(a.property("Page", "anys")[0], .list([tree, 7])),
        NewField(a.property("Page", "anyMap")[0], .map([NewEntry(key: "t", value: tree)])),
      ]
    }
    let text = #"{"list":[1,"x",[2.5],{}],"n":null}"#
    #expect(
      try exchange.meet()
        == #"{"any":\#(text),"anyMap":{"t":\#(text)},"anys":[\#(text),7]}"#)
    let root = b.path("any", nested: [])
    #expect(try row(b).others == [column("any"): .collection(.map)])
    let entries = try b.file.entries(of: b["Page"].id, id: b.page, map: root)
    #expect(entries.map(\.key) == ["list", "n"])
    #expect(entries[0].element.value == .collection(.list))
    let list = b.path("any", nested: [entries[0].element.id])
    #expect(
      try b.elements(list).map(\.value) == [
        .scalar(.int(1)), .scalar(.string("x")), .collection(.list), .collection(.map),
      ])
    #expect(try b.file.elementCount(of: b["Page"].id, id: b.page, list: list) == 4)
    // Of the wrong kind, or of something that is no collection, there is nothing to read.
    #expect(try b.elements(root).isEmpty)
    #expect(try b.elements(b.path("any", nested: [entries[1].element.id])).isEmpty)
  }

  @Test func `edits of both sides inside one nested list count`() throws {
    try exchange.start { a in
      [NewField(a.property("Page", "anys")[0], .list([.list([1, .list([2])])]))]
    }
    func inner(_ store: TestStore) throws -> FieldPath {
      let outer = try #require(try store.elements(store.path("anys")).first)
      let middle = try store.elements(store.path("anys", nested: [outer.id]))
      return store.path("anys", nested: [outer.id, try #require(middle.last).id])
    }
    try a.write(at: 1_000_010) { try $0.append(3, to: inner($0)) }
    try b.write(at: 1_000_020) { b in
      try b.file.listAssign(b["Page"].id, id: b.page, list: inner(b), at: 0, "two")
      try b.file.listInsert(
        b["Page"].id, id: b.page, list: inner(b), at: 0, .map([NewEntry(key: "k", value: 0)]))
    }
    #expect(try exchange.meet() == #"{"anys":[[1,[{"k":0},"two",3]]]}"#)
    try a.write { a in
      try a.file.listMove(a["Page"].id, id: a.page, list: inner(a), from: 0, to: 2)
      try a.file.listRemove(a["Page"].id, id: a.page, list: inner(a), at: 0)
    }
    #expect(try exchange.meet() == #"{"anys":[[1,[3,{"k":0}]]]}"#)
  }

  @Test func `scenario 38 a scalar against a list, and of two lists the later one whole`() throws {
    for (times, expected) in [((10, 20), "[2]"), ((20, 10), "7")] as [((Int64, Int64), String)] {
      let exchange = try Exchange()
      try exchange.start()
      try exchange.a.write(at: 1_000_000 + times.0) { try $0.assign("any", 7) }
      try exchange.b.write(at: 1_000_000 + times.1) { try $0.assign("any", .list([2])) }
      #expect(try exchange.meet() == #"{"any":\#(expected)}"#)
    }
    try exchange.start()
    try a.write(at: 1_000_010) { try $0.assign("any", .list([1, .list([1])])) }
    try b.write(at: 1_000_020) { try $0.assign("any", .list([2, .list([2])])) }
    #expect(try exchange.meet() == #"{"any":[2,[2]]}"#)
  }

  @Test func `what is written into a list that was replaced meanwhile does not count`() throws {
    try exchange.start { a in
      [NewField(a.property("Page", "any")[0], .list([1, .list([2])]))]
    }
    try a.write(at: 1_000_010) { try $0.assign("any", .map([NewEntry(key: "k", value: 1)])) }
    try b.write(at: 1_000_020) { b in
      let list = b.path("any", nested: [])
      let inner = try #require(try b.elements(list).last)
      try b.append(9, to: list)
      try b.append(9, to: b.path("any", nested: [inner.id]))
      try b.file.listRemove(b["Page"].id, id: b.page, list: list, at: 0)
    }
    #expect(try exchange.meet() == #"{"any":{"k":1}}"#)
  }

  @Test func `an entry of a nested map is a register, its removal remembered`() throws {
    try exchange.start { a in
      [
        NewField(
          a.property("Page", "any")[0], .map([NewEntry(key: "a", value: 1)]))
      ]
    }
    try a.write(at: 1_000_020) { a in
      #expect(
        try a.file.mapRemove(
          a["Page"].id, id: a.page, map: a.path("any", nested: []), key: "a"))
      try a.file.mapAssign(
        a["Page"].id, id: a.page, map: a.path("any", nested: []), key: "b", .list([1]))
    }
    try b.write(at: 1_000_010) { b in
      try b.file.mapAssign(
        b["Page"].id, id: b.page, map: b.path("any", nested: []), key: "a", 2)
    }
    #expect(try exchange.meet() == #"{"any":{"b":[1]}}"#)
  }

  @Test func `two creates of one page hold the later default or the assigned list`() throws {
    let property = a.property("Page", "any")[0]
    try a.write(at: 1_000_020) { a in
      _ = try a.file.create(
        a["Page"].id, key: .int(1),
        fields: [NewField(property, .list([1]), isAssigned: false)])
    }
    try b.write(at: 1_000_010) { b in
      _ = try b.file.create(
        b["Page"].id, key: .int(1), fields: [NewField(property, .list([2, 3]))])
    }
    #expect(try exchange.meet() == #"{"any":[2,3]}"#)
  }

  @Test func `any-typed values inside embedded objects lie in their own table`() throws {
    try exchange.start { a in
      [
        NewField(a.property("Page", "one")[0], a.spot(["any": .list([1])])),
        NewField(a.property("Page", "list")[0], .list([a.spot(["any": .list([2])])])),
        NewField(
          a.property("Page", "spots")[0],
          .map([NewEntry(key: "k", value: a.spot(["any": try a.target("T1")]))])),
      ]
    }
    let element = try #require(try b.elements(b.path("list")).first)
    #expect(element.others.map(\.value) == [.collection(.list)])
    let entry = try #require(try b.entries("spots").first)
    #expect(entry.element.others.count == 1)
    try a.write { a in
      let element = try #require(try a.elements(a.path("list")).first)
      var path = a.path(in: "list", element.id, "any")
      path.nested = []
      try a.append(.list([3]), to: path)
    }
    #expect(
      try exchange.meet()
        == #"{"list":[{"any":[2,[3]]}],"one":{"any":[1]},"#
        + #""spots":{"k":{"any":{"class":"Target","key":"T1"}}}}"#)
  }

  @Test func `deleting an object takes away all that was nested in it`() throws {
    try exchange.start { a in
      [
        NewField(a.property("Page", "any")[0], .list([.list([1, .map([])])])),
        NewField(a.property("Page", "anys")[0], .list([.list([1])])),
      ]
    }
    try a.write { try $0.file.delete($0["Page"].id, id: $0.page) }
    #expect(try exchange.meet() == "")
    for store in [a, b] {
      let connection = try Connection(path: store.path, access: .readOnly)
      for table in ["Page.any", "Page.anys", "Page.anys.value"] {
        #expect(try connection.integer("SELECT count(*) FROM \"\(table)\"") == 0)
      }
    }
  }

  @Test func `a person reads values, types and elements with the shell`() throws {
    try exchange.start { a in
      [
        NewField(a.property("Page", "any")[0], "text"),
        NewField(a.property("Page", "anySet")[0], .set([1, "one"])),
        NewField(a.property("Page", "dict")[0], .map([NewEntry(key: "k", value: 5)])),
      ]
    }
    let connection = try Connection(path: a.path, access: .readOnly)
    #expect(
      try connection.texts(#"SELECT any || ' ' || "any:type" FROM Page"#) == ["text 5"])
    #expect(
      try connection.texts(#"SELECT value || ' ' || "value:type" FROM "Page.anySet""#)
        == ["1 2", "one 5"])
    #expect(
      try connection.texts(#"SELECT _key || '=' || value FROM "Page.dict""#) == ["k=5"])
  }

  @Test func `nesting deeper than peers take is refused before anything is written`() throws {
    func nest(_ depth: Int) -> NewValue {
      (1..<depth).reduce(.list([])) { inner, _ in .list([inner]) }
    }
    try exchange.start()
    try a.write { a in
      #expect(throws: StorageError.self) { try a.assign("any", nest(Limits.nestingDepth + 1)) }
      try a.assign("any", nest(Limits.nestingDepth))
      try a.append(nest(Limits.nestingDepth), to: a.path("anys"))
    }
    _ = try exchange.meet()
  }

  @Test func `an identity, an embedded object or a set is no any-typed value`() throws {
    try exchange.start()
    try a.write { a in
      #expect(throws: StorageError.self) { try a.assign("any", .set([1])) }
      #expect(throws: StorageError.self) { try a.assign("any", a.spot([:])) }
      #expect(throws: StorageError.self) { try a.assign("n", .list([])) }
    }
  }
}

extension NewValue: ExpressibleByFloatLiteral {
  public init(floatLiteral value: Double) { self = .scalar(.double(value)) }
}
