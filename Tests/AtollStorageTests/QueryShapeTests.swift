import AtollQuery
import AtollSQLite
import AtollStorage
import AtollVocabulary
import Testing

/// Conditions, the SQL they become, and how SQLite runs it.
@Suite struct QueryShapeTests {
  private let store: TestStore
  private let document: StoredClass

  init() throws {
    store = try TestStore("shape")
    document = store["Document"]
    try store.write { store in
      for (key, title) in [("T1", "one"), ("T2", "two")] {
        _ = try store.file.create(
          store["Target"].id, key: .string(key),
          fields: [NewField(store.property("Target", "title")[0], .scalar(.string(title)))])
      }
      for id in 1...3 {
        let items = (0..<id).map { NewValue.scalar(.int(Int64($0))) }
        let links = (1...2).prefix(id - 1).map {
          NewValue.link(store["Target"].id, RowID(Int64($0)))
        }
        _ = try store.file.create(
          store["Document"].id, key: .int(Int64(id)),
          fields: [
            NewField(store.property("Document", "name")[0], .scalar(.string("name \(id)"))),
            NewField(store.property("Document", "n")[0], .scalar(.int(Int64(id)))),
            NewField(store.property("Document", "items")[0], .list(items)),
            NewField(store.property("Document", "links")[0], .list(Array(links))),
          ])
      }
    }
  }

  private func query(_ text: String, _ arguments: [PredicateArgument] = []) throws -> StoreQuery {
    try PredicateParser.query(
      text, arguments: arguments, from: StoreQuery(document.id),
      in: PredicateScope(subject: document, classes: Array(store.classes.values)))
  }

  /// Returns the SQL after `FROM "Document" t`, without the columns and the last order.
  private func sql(_ text: String) throws -> String {
    let sql = try store.file.sql(of: try query(text))
    let body = sql.split(separator: "FROM \"Document\" t", maxSplits: 1).last ?? ""
    return String(body).replacing(" ORDER BY t._id", with: "").trimmed
  }

  private func ids(_ text: String) throws -> [Int64] {
    try store.file.ids(try query(text)).map(\.rawValue)
  }

  @Test(arguments: [
    ("n == 2", "WHERE t.\"n\" IS ?1", [2]),
    ("n != 2", "WHERE t.\"n\" IS NOT ?1", [1, 3]),
    ("NOT (n > 1)", "WHERE ((t.\"n\" > ?1) IS NOT TRUE)", [1]),
    ("n BETWEEN {2, 3}", "WHERE (t.\"n\" >= ?1 AND t.\"n\" <= ?2)", [2, 3]),
    ("n IN {1, 3}", "WHERE t.\"n\" IN (?1,?2)", [1, 3]),
    ("name BEGINSWITH 'name'", "WHERE (t.\"name\" >= ?1 AND t.\"name\" < ?2)", [1, 2, 3]),
    ("name CONTAINS '2'", "WHERE instr(CAST(t.\"name\" AS BLOB), ?1) > 0", [2]),
    ("name ==[c] 'NAME 2'", "WHERE atoll_fold(t.\"name\", 1) = ?1", [2]),
    (
      "ANY items == 2",
      """
      WHERE EXISTS (SELECT 1 FROM "Document.items" t1 \
      WHERE t1._owner = t._id AND t1._removed = 0 AND t1."value" IS ?1)
      """, [3]
    ),
    (
      "items.@count >= 2",
      """
      WHERE (SELECT count(*) FROM "Document.items" t1 \
      WHERE t1._owner = t._id AND t1._removed = 0) >= ?1
      """, [2, 3]
    ),
    (
      "link.title == 'one'",
      "LEFT JOIN \"Target\" t1 ON t1._id = t.\"link\" WHERE t1.\"title\" IS ?1", []
    ),
  ])
  func `a condition is one statement`(text: String, expected: String, found: [Int64]) throws {
    #expect(try sql(text) == expected)
    #expect(try ids(text) == found)
  }

  @Test func `elements that are links are joined inside their own level`() throws {
    #expect(try ids("ANY links.title == 'two'") == [3])
    #expect(try ids("ANY links.title == 'one'") == [2, 3])
    #expect(try ids("NONE links.title == 'one'") == [1])
    #expect(try ids("links.@count == 0") == [1])
    #expect(
      try ids("SUBQUERY(links, $l, $l.title == 'one' AND $l.id == 'T1').@count == 1") == [2, 3])
  }

  @Test(arguments: [
    "name == 'name 2'", "name IN {'name 1', 'name 3'}", "name BEGINSWITH 'name 1'",
    "name > 'name 1' AND name <= 'name 3'", "name == 'name 2' OR name == 'name 3'",
    "name > 'name 1'", "name <= 'name 3' AND n > 1", "'name 2' >= name", "SORT(name ASC)",
    "name >= 'name 2' SORT(name DESC)", "SORT(name ASC) LIMIT(2)", "name == 'x' AND link != nil",
  ])
  func `an indexed property is found by its index`(text: String) throws {
    let plan = try store.file.plan(of: try query(text)).joined(separator: "\n")
    #expect(plan.contains("index Document.name"), "\(plan)")
    let isSort = text.hasPrefix("SORT")
    #expect(plan.contains("SCAN t USING") == isSort, "\(plan)")
    #expect(!plan.contains("SCAN t\n") && !plan.hasSuffix("SCAN t"), "\(plan)")
    #expect(!isSort || !plan.contains("TEMP B-TREE"), "\(plan)")
  }

  @Test(arguments: [
    ("n > 1", 2), ("ANY links.title == 'two'", 1), ("items.@count >= 1 SORT(n DESC)", 3),
    ("SORT(name ASC) DISTINCT(link.title) LIMIT(5)", 0), ("SORT(name ASC) DISTINCT(n)", 3),
    ("SUBQUERY(links, $l, $l.title == 'one').@count == 1", 2), ("NONE links.title IN {'two'}", 2),
  ])
  func `a query is one statement, and a row is one step`(text: String, rows: Int) throws {
    let query = try query(text)
    for isAgain in [false, true] {
      let trace = try store.file.traced { _ = try store.file.ids(query) }
      #expect(trace.statements.count == 1, "\(trace.statements)")
      #expect(trace.rows == rows)
      #expect(trace.compiled == (isAgain ? 0 : 1))
    }
  }

  @Test func `queries that differ in their constants are compiled once`() throws {
    func found(_ text: String, _ value: PersistedValue) throws -> [Int64] {
      try store.file.ids(try query(text, [.value(value)])).map(\.rawValue)
    }
    #expect(try found("n == %@", .int(1)) == [1])
    var again: [[Int64]] = []
    let trace = try store.file.traced {
      again = [try found("n == %@", .int(2)), try found("n == %@", .double(3))]
    }
    #expect(again == [[2], [3]])
    #expect(trace.compiled == 0)
    // Nil and NaN are other statements.
    #expect(try found("n == %@", .null) == [])
    #expect(try found("x == %@", .double(.nan)) == [])
    #expect(try found("x == %@", .double(0)) == [])
    #expect(try found("name BEGINSWITH %@", .string("name 1")) == [1])
    #expect(try found("name BEGINSWITH %@", .string("name")) == [1, 2, 3])
    #expect(try found("name BEGINSWITH %@", .string("")) == [])
    #expect(try found("n IN {1, %@}", .int(3)) == [1, 3])
    #expect(try found("n IN {1, %@}", .null) == [1])
    #expect(try found("n > %@ SORT(n DESC) LIMIT(1)", .int(1)) == [3])
    #expect(try found("n > %@ SORT(n DESC) LIMIT(2)", .int(1)) == [3, 2])
  }

  @Test func `so are aggregates, distinct ones, and those that choose from a query`() throws {
    let n = PropertyPath(store.property("Document", "n")[0])
    func asked(_ value: PersistedValue, _ limit: Int) throws -> [PersistedValue] {
      let query = try query("n >= %@ SORT(name DESC)", [.value(value)])
      let cut = query.limited(to: limit)
      let distinct = query.distinct(by: [n])
      let within = cut.adding(.comparison(n, .less, .value(value))).limited(to: 7)
      let deeper = within.adding(.always).limited(to: 1)
      return [
        try store.file.aggregate(query, .sum, of: n),
        try store.file.aggregate(query, .maximum, of: n),
        try store.file.aggregate(cut, .sum, of: n),
        .int(Int64(try store.file.count(distinct))), .int(Int64(try store.file.count(within))),
        .int(Int64(try store.file.ids(deeper).count)),
      ] + (try store.file.values(cut, at: n).map(\.value))
    }
    #expect(try asked(.int(1), 2) == [6, 3, 5, 3, 0, 0, 3, 2].map { .int($0) })
    var again: [[PersistedValue]] = []
    let trace = try store.file.traced {
      again = [try asked(.int(2), 1), try asked(.int(3), 9)]
    }
    #expect(again[0] == [5, 3, 3, 2, 0, 0, 3].map { .int($0) })
    #expect(again[1] == [3, 3, 3, 1, 0, 0, 3].map { .int($0) })
    #expect(trace.compiled == 0, "\(trace.statements)")
    // A query that has some, so that limits of each level are seen to be its own.
    let some = try query("n >= 1 SORT(n DESC)").limited(to: 2)
      .adding(.comparison(n, .greater, .value(.int(0)))).limited(to: 3)
    #expect(try store.file.ids(some).map(\.rawValue) == [3, 2])
    #expect(try store.file.ids(some.adding(.always).limited(to: 1)).map(\.rawValue) == [3])
  }

  @Test func `so are what links to some rows, and what people are shown`() throws {
    let links = [store.property("Document", "link"), store.property("Document", "links")].map {
      PropertyPath($0[0])
    }
    func asked(_ ids: [Int64]) throws -> [Int64] {
      let rows = ids.map { RowID($0) }
      let linking: [Predicate] = [
        .linked(links[0], rows), .exists(links[1], .linked(PropertyPath(scope: 1), rows)),
      ]
      return try linking.flatMap {
        try store.file.ids(StoreQuery(document.id, where: $0)).map(\.rawValue)
      }
    }
    func shown(_ value: Int64) throws -> Int {
      var count = 0
      let query = try query("n >= %@", [.value(.int(value))])
      try store.file.forEachShown(of: query) { _ in count += 1 }
      return count
    }
    let all = Array(Int64(1)...9)
    let (before, three) = (try asked(all), try shown(1))
    #expect(!before.isEmpty && three == 3)
    var again: [[Int64]] = []
    let trace = try store.file.traced {
      let nobody = try asked(Array(repeating: 1_000_000, count: 9))
      again = [try asked(all.reversed()), nobody, [Int64(try shown(3))]]
    }
    #expect(again == [before, [], [1]])
    #expect(trace.compiled == 0, "\(trace.statements)")
    // Each row is one of its own.
    let single = try all.flatMap { try asked([$0]) }
    #expect(Set(single) == Set(before))
  }

  @Test func `so are queries of one object's collection, whichever object's it is`() throws {
    let items = FieldPath(store.property("Document", "items")[0])
    func asked(_ id: Int64, _ value: Int64) throws -> [StoredElement.Value] {
      let query = StoreQuery(
        document.id, in: .init(owner: document.id, id: RowID(id), path: items),
        where: .comparison(PropertyPath(scope: 0), .greaterOrEqual, .value(.int(value))))
      #expect(
        try store.file.aggregate(query, .sum, of: PropertyPath(scope: 0))
          == .int((value..<max(id % 9, value)).reduce(0, +)))
      return try store.file.elements(query).map(\.value)
    }
    #expect(try asked(3, 1) == [.scalar(.int(1)), .scalar(.int(2))])
    var again: [[StoredElement.Value]] = []
    let trace = try store.file.traced { again = [try asked(2, 1), try asked(1, 0)] }
    #expect(again == [[.scalar(.int(1))], [.scalar(.int(0))]])
    #expect(trace.compiled == 0, "\(trace.statements)")
    #expect(try asked(9, 0).isEmpty)
  }

  @Test func `elements are found by their owner, and links by row`() throws {
    let plan = try store.file.plan(of: try query("ANY links.title == 'one'"))
      .joined(separator: "\n")
    #expect(plan.contains("_owner=?"), "\(plan)")
    #expect(plan.contains("INTEGER PRIMARY KEY (rowid=?)"), "\(plan)")
  }

  @Test func `order, distinct and limit are part of the statement`() throws {
    #expect(try ids("SORT(name DESC)") == [3, 2, 1])
    #expect(try ids("SORT(name DESC) LIMIT(2)") == [3, 2])
    #expect(try ids("LIMIT(2) SORT(name DESC)") == [2, 1])
    #expect(try ids("n > 1 SORT(n DESC) DISTINCT(n)") == [3, 2])
    // No document has a link, so that none has a title to be told apart by.
    #expect(try ids("n > 1 SORT(n DESC) DISTINCT(link.title)") == [])
    let query = try query("n > 1 SORT(n DESC) LIMIT(1)")
    #expect(try store.file.count(query) == 1)
    let n = PropertyPath(store.property("Document", "n")[0])
    #expect(try store.file.aggregate(query, .sum, of: n) == .int(3))
    #expect(try store.file.aggregate(try self.query("n > 1"), .average, of: n) == .double(2.5))
    #expect(try store.file.aggregate(try self.query("n > 9"), .minimum, of: n) == .null)
  }

  @Test func `thousands of alternatives do not make the expression deep`() throws {
    let parts = (0..<3000).map { "(n == \($0) AND name != 'x')" }
    #expect(try ids(parts.joined(separator: " OR ")) == [1, 2, 3])
    let values = PredicateArgument.list((0..<20_000).map { .value(.int($0)) })
    #expect(
      try store.file.ids(try query("n IN %@", [values])).map(\.rawValue) == [1, 2, 3])
  }

  @Test func `sums of whole numbers wrap around, those with NaN are NaN`() throws {
    let x = PropertyPath(store.property("Document", "x")[0])
    let n = PropertyPath(store.property("Document", "n")[0])
    try store.write { store in
      try store.file.assign(
        document.id, id: RowID(1), FieldPath(store.property("Document", "n")[0]),
        .scalar(.int(.max)))
      try store.file.assign(
        document.id, id: RowID(1), FieldPath(store.property("Document", "x")[0]),
        .scalar(.double(.nan)))
    }
    let all = StoreQuery(document.id)
    #expect(try store.file.aggregate(all, .sum, of: n) == .int(.max &+ 5))
    #expect(try store.file.aggregate(all, .sum, of: x) == .double(.nan))
    #expect(try store.file.aggregate(all, .maximum, of: x) == .null)
  }
}

extension String {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
