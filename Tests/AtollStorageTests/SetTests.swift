import AtollStorage
import AtollVocabulary
import Testing

@Suite struct `sets in the file` {
  private let exchange: Exchange
  private var a: TestStore { exchange.a }
  private var b: TestStore { exchange.b }

  init() throws { exchange = try Exchange() }

  private func start(tags: [NewValue] = []) throws {
    try exchange.start { a in [NewField(a.property("Page", "tags")[0], .set(tags))] }
  }

  @Test func `a set is filled while its object is made, and holds each value once`() throws {
    try start(tags: [3, 1, 3, -2])
    #expect(
      try b.members("tags") == [
        .scalar(.int(-2)), .scalar(.int(1)), .scalar(.int(3)),
      ])
    #expect(try exchange.meet() == #"{"tags":[-2,1,3]}"#)
  }

  @Test func `inserting says whether the value is new, removing whether it was there`() throws {
    try start(tags: [1])
    try a.write { (a) throws in
      #expect(try a.insert(1, into: "tags") == false)
      #expect(try a.insert(2, into: "tags"))
      #expect(try a.remove(1, from: "tags"))
      #expect(try a.remove(1, from: "tags") == false)
      #expect(try a.insert(1, into: "tags"))
      #expect(try a.remove(7, from: "tags") == false)
      #expect(
        try a.file.setContains(a["Page"].id, id: a.page, set: a.path("tags"), 2))
      #expect(
        try !a.file.setContains(a["Page"].id, id: a.page, set: a.path("tags"), 7))
    }
    #expect(try exchange.meet() == #"{"tags":[1,2]}"#)
  }

  @Test func `scenario 26 both insert a value, and a later insertion or removal decides`() throws {
    try start(tags: [1])
    try a.write(at: 1_000_010) { try $0.insert(5, into: "tags") }
    try b.write(at: 1_000_020) { try $0.insert(5, into: "tags") }
    #expect(try exchange.meet() == #"{"tags":[1,5]}"#)
    try a.write(at: 1_000_100) { try $0.insert(5, into: "tags") }
    try b.write(at: 1_000_200) { try $0.remove(5, from: "tags") }
    #expect(try exchange.meet() == #"{"tags":[1]}"#)
    try a.write(at: 1_000_400) { try $0.insert(1, into: "tags") }
    try b.write(at: 1_000_300) { try $0.remove(1, from: "tags") }
    #expect(try exchange.meet() == #"{"tags":[1]}"#)
  }

  @Test func `scenario 27 a cleared set keeps what another inserts meanwhile`() throws {
    try start(tags: [1, 2])
    try a.write(at: 1_000_010) {
      try $0.file.setClear($0["Page"].id, id: $0.page, set: $0.path("tags"))
    }
    try b.write(at: 1_000_020) { try $0.insert(5, into: "tags") }
    #expect(try exchange.meet() == #"{"tags":[5]}"#)
  }

  @Test func `a set that is assigned holds what was given, and its removals are remembered`() throws
  {
    try start(tags: [1, 2])
    try a.write(at: 1_000_020) { try $0.assign("tags", .set([2, 3])) }
    try b.write(at: 1_000_010) { try $0.insert(1, into: "tags") }
    #expect(try exchange.meet() == #"{"tags":[2,3]}"#)
  }

  @Test func `members are told apart by type and bytes, decimals by their number`() throws {
    try start()
    try a.write { a in
      for text in ["1.50", "1.5", "-0", "0"] {
        try a.insert(.scalar(.decimal(try #require(Decimal128(text)))), into: "prices")
      }
      for number in [0.0, -0.0, .nan, -.nan, .infinity] {
        try a.insert(.scalar(.double(number)), into: "numbers")
      }
      for word in ["\u{E9}", "e\u{301}", "", "a\0b"] {
        try a.insert(.scalar(.string(word)), into: "words")
      }
      try a.insert(nil, into: "words")
    }
    // 1.5 and 1.50 are one number; 0 and −0 are two, as protocol/changeset.md says.
    #expect(try a.members("prices").count == 3)
    #expect(
      try a.members("numbers") == [
        .scalar(.double(-0.0)), .scalar(.double(0.0)), .scalar(.double(.infinity)),
        .scalar(.double(.nan)),
      ])
    #expect(try a.members("words").count == 5)
    _ = try exchange.meet()
    #expect(try b.members("words") == a.members("words"))
    #expect(try b.members("prices") == a.members("prices"))
  }

  @Test func `a link whose target is gone is hidden, cannot come back, and is cleared too`() throws
  {
    try start()
    try a.write { a in
      try a.insert(try a.target("T1"), into: "friends")
      try a.insert(try a.target("T2"), into: "friends")
    }
    try a.send(to: b)
    try b.write { b in
      guard case .link(let target, let id) = try b.target("T1") else { return }
      try b.file.delete(target, id: id)
    }
    #expect(try exchange.meet() == #"{"friends":[{"class":"Target","key":"T2"}]}"#)
    #expect(try a.members("friends").count == 1)
    try a.write { a in
      try a.file.setClear(a["Page"].id, id: a.page, set: a.path("friends"))
    }
    #expect(try exchange.meet() == #"{"friends":[]}"#)
  }

  @Test func `a link to an object that was made again is another member`() throws {
    try start()
    try a.write { a in try a.insert(try a.target("T1"), into: "friends") }
    try a.write { a in
      guard case .link(let target, let id) = try a.target("T1") else { return }
      try a.file.delete(target, id: id)
      _ = try a.file.create(target, key: .string("T1"), fields: [])
    }
    #expect(try a.members("friends").isEmpty)
    try a.write { a in try a.insert(try a.target("T1"), into: "friends") }
    #expect(try a.members("friends").count == 1)
    #expect(try exchange.meet() == #"{"friends":[{"class":"Target","key":"T1"}]}"#)
  }

  @Test func `a set of another type, or an embedded object in a set, is refused`() throws {
    try start()
    try a.write { a in
      #expect(throws: StorageError.self) { try a.insert("x", into: "tags") }
      #expect(throws: StorageError.self) { try a.insert(.list([]), into: "anySet") }
      #expect(throws: StorageError.self) { try a.put("k", 1, into: "tags") }
      #expect(throws: StorageError.self) { try a.assign("tags", 1) }
    }
  }

  @Test func `a deleted object's sets are gone, and a new generation starts without them`() throws {
    try start(tags: [1])
    try a.write { a in
      try a.file.delete(a["Page"].id, id: a.page)
      _ = try a.file.create(a["Page"].id, key: .int(1), fields: [])
      try a.insert(9, into: "tags")
    }
    #expect(try exchange.meet() == #"{"tags":[9]}"#)
  }

  @Test func `a commit names the column of the collection, however deep the write`() throws {
    try exchange.start { a in
      [
        NewField(a.property("Page", "any")[0], .list([.list([])])),
        NewField(
          a.property("Page", "spots")[0],
          .map([NewEntry(key: "k", value: a.spot(["flags": .set([])]))])),
      ]
    }
    try expect("tags") { try $0.insert(4, into: "tags") }
    try expect("dict") { try $0.put("k", 4, into: "dict") }
    try expect("any") { a in
      let inner = try #require(try a.elements(a.path("any", nested: [])).first)
      try a.append(1, to: a.path("any", nested: [inner.id]))
    }
    try expect("spots") { a in
      let entry = try #require(try a.entries("spots").first)
      try a.file.setInsert(
        a["Page"].id, id: a.page, set: a.path(in: "spots", entry.element.id, "flags"), 1)
    }
  }

  private func expect(_ name: String, _ body: (TestStore) throws -> Void) throws {
    let commit = try a.write(body)
    let column = try #require(a["Page"].column([a.property("Page", name)[0]]))
    let change = try #require(commit?.changes.first { $0.classID == a["Page"].id })
    let page = try a.page
    #expect(change.modified.map(\.id) == [page])
    var expected = ColumnSet()
    expected.insert(column)
    #expect(change.modified.first?.columns == expected)
  }
}
