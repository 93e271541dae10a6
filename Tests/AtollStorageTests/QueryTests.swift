import AtollChanges
import AtollQuery
import AtollSQLite
import AtollStorage
import AtollVocabulary
import Testing

@Suite struct `queries` {
  private let store: TestStore
  private let document: StoredClass

  /// Five documents: what each holds is in the table below.
  ///
  /// | id | name | n | x | f | b | link | one.v |
  /// |---|---|---|---|---|---|---|---|
  /// | 1 | a | 1 | −0.0 | 0.1 | yes | T1 | 1 |
  /// | 2 | ab | 2 | NaN | 0.2 | no | T2 | nil slot |
  /// | 3 | b\0c | nil | 1.5 | nil | nil | nil | 3 |
  /// | 4 | nil | 4 | ∞ | 0.4 | yes | T3, deleted | 4 |
  /// | 5 | é | −5 | nil | −0.0 | no | T1 | nil |
  init() throws {
    store = try TestStore("query")
    document = store["Document"]
    let titles = ["T1": "one", "T2": "two", "T3": "three"]
    try store.write { store in
      for (key, title) in titles.sorted(by: { $0.key < $1.key }) {
        _ = try store.file.create(
          store["Target"].id, key: .string(key),
          fields: [NewField(store.property("Target", "title")[0], .scalar(.string(title)))])
      }
    }
    let rows: [[(String, PersistedValue)]] = [
      [
        ("name", .string("a")), ("n", .int(1)), ("x", .double(-0.0)), ("f", .float(0.1)),
        ("b", .bool(true)), ("one.v", .int(1)),
      ],
      [
        ("name", .string("ab")), ("n", .int(2)), ("x", .double(.nan)), ("f", .float(0.2)),
        ("b", .bool(false)),
      ],
      [
        ("name", .string("b\0c")), ("n", .null), ("x", .double(1.5)), ("f", .null), ("b", .null),
        ("one.v", .int(3)),
      ],
      [
        ("name", .null), ("n", .int(4)), ("x", .double(.infinity)), ("f", .float(0.4)),
        ("b", .bool(true)), ("one.v", .int(4)),
      ],
      [
        ("name", .string("é")), ("n", .int(-5)), ("x", .null), ("f", .float(-0.0)),
        ("b", .bool(false)),
      ],
    ]
    let links: [RowID?] = [RowID(1), RowID(2), nil, RowID(3), RowID(1)]
    let one = store.property("Document", "one", "v")
    try store.write { store in
      for (index, row) in rows.enumerated() {
        var fields: [NewField] = []
        for (name, value) in row where name != "one.v" {
          fields.append(NewField(store.property("Document", name)[0], .scalar(value)))
        }
        if let v = row.first(where: { $0.0 == "one.v" })?.1 {
          fields.append(NewField(one[0], .embedded([NewField(one[1], .scalar(v))])))
        }
        if let link = links[index] {
          fields.append(
            NewField(
              store.property("Document", "link")[0], .link(store["Target"].id, link)))
        }
        _ = try store.file.create(
          store["Document"].id, key: .int(Int64(index + 1)), fields: fields)
      }
      try store.file.delete(store["Target"].id, id: RowID(3))
    }
  }

  private func path(_ names: String...) -> PropertyPath {
    var owner = document
    return PropertyPath(
      names.compactMap { name in
        let property = owner.property(named: name)
        if let target = property?.target,
          let next = store.classes.values.first(where: { $0.id == target })
        {
          owner = next
        }
        return property
      })
  }

  private func keys(_ predicate: Predicate, order: [StoreQuery.Order] = []) throws -> [Int] {
    let query = StoreQuery(document.id, where: predicate, order: order)
    let ids = try store.file.ids(query)
    #expect(try store.file.count(query) == ids.count)
    return try ids.map { id in
      guard case .int(let key)? = try store.file.row(of: document.id, id: id)?.key else {
        throw TestFailure("row \(id) is gone")
      }
      return Int(key)
    }
  }

  /// The keys a predicate finds; its negation must find exactly the others.
  private func expect(_ predicate: Predicate, _ found: [Int]) throws {
    #expect(try keys(predicate) == found)
    #expect(try keys(.not(predicate)) == [1, 2, 3, 4, 5].filter { !found.contains($0) })
  }

  @Test func `integers compare, and nil is equal to nil only`() throws {
    let n = path("n")
    try expect(.comparison(n, .equal, .value(.int(2))), [2])
    try expect(.comparison(n, .notEqual, .value(.int(2))), [1, 3, 4, 5])
    try expect(.comparison(n, .less, .value(.int(2))), [1, 5])
    try expect(.comparison(n, .lessOrEqual, .value(.int(2))), [1, 2, 5])
    try expect(.comparison(n, .greater, .value(.int(1))), [2, 4])
    try expect(.comparison(n, .greaterOrEqual, .value(.int(1))), [1, 2, 4])
    try expect(.comparison(n, .equal, .value(.null)), [3])
    try expect(.comparison(n, .notEqual, .value(.null)), [1, 2, 4, 5])
    try expect(.comparison(n, .less, .value(.null)), [])
  }

  @Test func `not a number equals nothing and has no order; minus zero is zero`() throws {
    let x = path("x")
    try expect(.comparison(x, .equal, .value(.double(0))), [1])
    try expect(.comparison(x, .greaterOrEqual, .value(.double(0))), [1, 3, 4])
    try expect(.comparison(x, .greater, .value(.double(1.5))), [4])
    try expect(.comparison(x, .less, .value(.double(.infinity))), [1, 3])
    try expect(.comparison(x, .equal, .value(.double(.nan))), [])
    try expect(.comparison(x, .notEqual, .value(.double(.nan))), [1, 2, 3, 4, 5])
    try expect(.comparison(x, .equal, .path(x)), [1, 3, 4, 5])
  }

  @Test func `a float compares as a float`() throws {
    let f = path("f")
    try expect(.comparison(f, .equal, .value(.float(0.1))), [1])
    try expect(.comparison(f, .equal, .value(.double(0.1))), [1])
    try expect(.comparison(f, .less, .value(.float(0.2))), [1, 5])
  }

  @Test func `text is compared by its bytes, NUL included`() throws {
    let name = path("name")
    try expect(.comparison(name, .equal, .value(.string("b\0c"))), [3])
    try expect(.comparison(name, .less, .value(.string("b"))), [1, 2])
    try expect(.text(name, .prefix, "a"), [1, 2])
    try expect(.text(name, .suffix, "c"), [3])
    try expect(.text(name, .infix, "\0"), [3])
    try expect(.text(name, .infix, "é"), [5])
    try expect(.text(name, .infix, ""), [])
  }

  @Test func `a list of values may hold nil`() throws {
    try expect(.contained(path("n"), [.int(1), .int(4), .null]), [1, 3, 4])
    try expect(.contained(path("n"), [.int(1), .int(9)]), [1])
    try expect(.contained(path("n"), []), [])
    try expect(.contained(path("x"), [.double(.nan), .double(1.5)]), [3])
  }

  @Test func `a path through a link reads nil where the target is gone`() throws {
    let title = path("link", "title")
    try expect(.comparison(title, .equal, .value(.string("one"))), [1, 5])
    try expect(.comparison(title, .equal, .value(.null)), [3, 4])
    try expect(.comparison(path("link", "id"), .greater, .value(.string("T1"))), [2])
    try expect(.comparison(path("link"), .equal, .value(.null)), [3, 4])
    try expect(.comparison(path("link"), .equal, .object(RowID(1))), [1, 5])
    try expect(.comparison(path("link"), .notEqual, .object(RowID(1))), [2, 3, 4])
    try expect(.comparison(path("link"), .equal, .object(RowID(3))), [])
  }

  @Test func `a path into an embedded object reads nil where there is none`() throws {
    try expect(.comparison(path("one", "v"), .greaterOrEqual, .value(.int(3))), [3, 4])
    try expect(.comparison(path("one"), .equal, .value(.null)), [2, 5])
  }

  @Test func `conditions combine`() throws {
    let n = path("n")
    let small = Predicate.comparison(n, .less, .value(.int(3)))
    let yes = Predicate.comparison(path("b"), .equal, .value(.bool(true)))
    try expect(.all([small, yes]), [1])
    try expect(.any([small, yes]), [1, 2, 4, 5])
    try expect(.not(.all([small, .not(yes)])), [1, 3, 4])
    try expect(.all([]), [1, 2, 3, 4, 5])
    try expect(.any([]), [])
    try expect(.always, [1, 2, 3, 4, 5])
    try expect(.never, [])
  }

  @Test func `nil sorts first, and not a number last`() throws {
    #expect(try keys(.always, order: [.init(path("x"))]) == [5, 1, 3, 4, 2])
    #expect(
      try keys(.always, order: [.init(path("x"), isAscending: false)]) == [2, 4, 3, 1, 5])
    #expect(
      try keys(.always, order: [.init(path("link", "title")), .init(path("n"))])
        == [3, 4, 5, 1, 2])
    #expect(try keys(.always, order: [.init(path("id"), isAscending: false)]) == [5, 4, 3, 2, 1])
  }

  @Test func `a limit and an offset cut the ordered objects`() throws {
    var query = StoreQuery(
      document.id, order: [.init(path("id"), isAscending: false)], offset: 1, limit: 2)
    #expect(try store.file.ids(query) == [RowID(4), RowID(3)])
    #expect(try store.file.count(query) == 2)
    query.limit = nil
    query.offset = 4
    #expect(try store.file.ids(query) == [RowID(1)])
    #expect(try store.file.count(query) == 1)
  }

  @Test func `a query is one statement, and an indexed property uses its index`() throws {
    let query = StoreQuery(
      document.id, where: .comparison(path("name"), .equal, .value(.string("a"))))
    let sql = try store.file.sql(of: query)
    #expect(sql.hasSuffix(#"FROM "Document" t WHERE t."name" IS ?1 ORDER BY t._id"#))
    let connection = try Connection(path: store.path, access: .readOnly)
    let plan = try connection.prepare("EXPLAIN QUERY PLAN " + sql)
    #expect(try plan.step())
    #expect(plan.string(at: 3).contains("USING INDEX index Document.name"))
  }

  @Test func `a property of another class is refused by name`() {
    let stranger = PropertyPath(store.property("Target", "title")[0])
    #expect(throws: StorageError.noSuchProperty(class: "Document", property: "title")) {
      try store.file.ids(
        StoreQuery(document.id, where: .comparison(stranger, .equal, .value(.null))))
    }
  }

  @Test func `random predicates find what the same rule finds in Swift`() throws {
    for seed in 1...200 {
      var random = SeededGenerator(seed: UInt64(seed))
      let bound = Int64.random(in: -6...6, using: &random)
      let values: [Int64?] = [1, 2, nil, 4, -5]
      let cases: [(Predicate.Comparator, (Int64?) -> Bool)] = [
        (.equal, { $0 == bound }), (.notEqual, { $0 != bound }),
        (.less, { $0.map { $0 < bound } ?? false }),
        (.lessOrEqual, { $0.map { $0 <= bound } ?? false }),
        (.greater, { $0.map { $0 > bound } ?? false }),
        (.greaterOrEqual, { $0.map { $0 >= bound } ?? false }),
      ]
      let (first, second) = (cases[seed % 6], cases[(seed / 6) % 6])
      let left = Predicate.comparison(path("n"), first.0, .value(.int(bound)))
      let right = Predicate.comparison(path("n"), second.0, .value(.int(bound)))
      let found = values.indices.filter { first.1(values[$0]) && !second.1(values[$0]) }
      #expect(
        try keys(.not(.any([.not(left), right]))) == found.map { $0 + 1 }, "seed \(seed)")
    }
  }
}
