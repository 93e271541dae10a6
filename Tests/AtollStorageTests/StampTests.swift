import AtollStorage
import AtollVocabulary
import Testing

@Suite struct `when and by whom a property was assigned` {
  private let exchange: Exchange
  private var a: TestStore { exchange.a }
  private var b: TestStore { exchange.b }

  init() throws { exchange = try Exchange() }

  private func stamp(_ store: TestStore, _ path: FieldPath) throws -> [String] {
    guard let found = try store.file.stamp(of: store["Page"].id, id: store.page, path) else {
      return []
    }
    return ["\(found.time.milliseconds)", found.author == a.file.author ? "a" : "b"]
  }

  @Test func `a default has no stamp, an assignment has that of its transaction`() throws {
    try exchange.start { a in
      [NewField(a.property("Page", "n")[0], 1, isAssigned: false)]
    }
    #expect(try stamp(a, a.path("n")) == [])
    #expect(try stamp(a, a.path("any")) == [])
    try b.write(at: 1_010_000) { try $0.assign("n", 5) }
    try b.send(to: a)
    #expect(try stamp(a, a.path("n")) == ["1010000", "b"])
    try a.write(at: 1_020_000) { try $0.assign("n", nil) }
    #expect(try stamp(a, a.path("n")) == ["1020000", "a"])
    #expect(try stamp(b, b.path("n")) == ["1010000", "b"])
  }

  @Test func `fields of embedded objects have their own`() throws {
    try exchange.start()
    try a.write(at: 1_010_000) { a in
      try a.assign("one", a.spot(["v": 1]))
      try a.append(a.spot(["v": 1]), to: a.path("list"))
      try a.put("k", a.spot(["v": 1]), into: "spots")
    }
    try a.send(to: b)
    let slot = FieldPath(
      steps: [.slot(b.property("Page", "one")[0])], property: b.property("Spot", "v")[0])
    let element = try #require(try b.elements(b.path("list")).first)
    let entry = try #require(try b.entries("spots").first)
    let inList = b.path(in: "list", element.id, "v")
    let inMap = b.path(in: "spots", entry.element.id, "v")
    for path in [slot, inList, inMap] { #expect(try stamp(b, path) == ["1010000", "a"]) }
    #expect(try stamp(b, b.path(in: "list", element.id, "w")) == [])
    try b.write(at: 1_020_000) { b in
      for path in [slot, inList, inMap] {
        try b.file.assign(b["Page"].id, id: b.page, path, 2)
      }
    }
    for path in [slot, inList, inMap] { #expect(try stamp(b, path) == ["1020000", "b"]) }
    #expect(try stamp(b, b.path("one")) == ["1010000", "a"])
  }

  @Test func `a set or map has that of the last thing written in it`() throws {
    try exchange.start()
    #expect(try stamp(a, a.path("tags")) == [])
    try a.write(at: 1_010_000) { a in
      try a.insert(1, into: "tags")
      try a.put("k", 1, into: "dict")
    }
    try a.send(to: b)
    try b.write(at: 1_020_000) { try $0.remove(1, from: "tags") }
    #expect(try stamp(b, b.path("tags")) == ["1020000", "b"])
    #expect(try stamp(b, b.path("dict")) == ["1010000", "a"])
  }

  @Test func `an object that is not there has none`() throws {
    try exchange.start()
    #expect(try a.file.stamp(of: a["Page"].id, id: RowID(99), a.path("n")) == nil)
    #expect(try a.file.stamp(of: a["Page"].id, id: RowID(99), a.path("tags")) == nil)
  }
}
