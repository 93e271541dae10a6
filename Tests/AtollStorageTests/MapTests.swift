import AtollStorage
import AtollVocabulary
import Testing

@Suite struct `maps in the file` {
  private let exchange: Exchange
  private var a: TestStore { exchange.a }
  private var b: TestStore { exchange.b }

  init() throws { exchange = try Exchange() }

  private func start(dict: [NewEntry] = []) throws {
    try exchange.start { a in [NewField(a.property("Page", "dict")[0], .map(dict))] }
  }

  @Test func `entries are read ascending by the bytes of their keys, nil values too`() throws {
    try start(dict: [
      NewEntry(key: "b", value: 2), NewEntry(key: "é", value: nil), NewEntry(key: "a", value: 1),
      NewEntry(key: "a", value: 7), NewEntry(key: "", value: 0),
    ])
    #expect(try b.entries("dict").map(\.key) == ["", "a", "b", "é"])
    #expect(try exchange.meet() == #"{"dict":{"":0,"a":7,"b":2,"é":null}}"#)
    let entry = try a.file.entry(of: a["Page"].id, id: a.page, map: a.path("dict"), key: "a")
    #expect(entry?.value == .scalar(.int(7)))
    #expect(
      try a.file.entry(of: a["Page"].id, id: a.page, map: a.path("dict"), key: "x") == nil)
  }

  @Test func `scenario 28 the later of two writes to an entry holds, be it a removal`() throws {
    func round(_ timeA: Int64, _ timeB: Int64) throws -> String {
      let exchange = try Exchange()
      try exchange.start { a in
        [NewField(a.property("Page", "dict")[0], .map([NewEntry(key: "a", value: 1)]))]
      }
      try exchange.a.write(at: 1_000_000 + timeA) { try $0.put("a", 2, into: "dict") }
      try exchange.b.write(at: 1_000_000 + timeB) { (b) throws in
        #expect(
          try b.file.mapRemove(b["Page"].id, id: b.page, map: b.path("dict"), key: "a"))
      }
      return try exchange.meet()
    }
    #expect(try round(10, 20) == #"{"dict":{}}"#)
    #expect(try round(20, 10) == #"{"dict":{"a":2}}"#)
    try start(dict: [NewEntry(key: "a", value: 1)])
    try a.write(at: 1_000_010) { try $0.put("a", 2, into: "dict") }
    try b.write(at: 1_000_020) {
      try $0.put("a", 3, into: "dict")
      try $0.put("c", 4, into: "dict")
    }
    #expect(try exchange.meet() == #"{"dict":{"a":3,"c":4}}"#)
    try a.write(at: 1_000_100) {
      try $0.file.mapClear($0["Page"].id, id: $0.page, map: $0.path("dict"))
    }
    try b.write(at: 1_000_110) { try $0.put("b", 2, into: "dict") }
    #expect(try exchange.meet() == #"{"dict":{"b":2}}"#)
  }

  @Test func `a map that is assigned holds what was given`() throws {
    try start(dict: [NewEntry(key: "a", value: 1), NewEntry(key: "b", value: 2)])
    try a.write { try $0.assign("dict", .map([NewEntry(key: "b", value: 3)])) }
    #expect(try exchange.meet() == #"{"dict":{"b":3}}"#)
  }

  @Test func `removing says whether the entry was there`() throws {
    try start(dict: [NewEntry(key: "a", value: 1)])
    try a.write { (a) throws in
      let path = a.path("dict")
      #expect(try a.file.mapRemove(a["Page"].id, id: a.page, map: path, key: "a"))
      #expect(try !a.file.mapRemove(a["Page"].id, id: a.page, map: path, key: "a"))
      #expect(try !a.file.mapRemove(a["Page"].id, id: a.page, map: path, key: "zz"))
    }
    #expect(try exchange.meet() == #"{"dict":{}}"#)
  }

  @Test func `a link whose target is gone reads nil and keeps its key`() throws {
    try start()
    try a.write { a in
      try a.put("x", try a.target("T1"), into: "people")
      try a.put("y", try a.target("T2"), into: "people")
    }
    try a.send(to: b)
    try b.write { b in
      guard case .link(let target, let id) = try b.target("T1") else { return }
      try b.file.delete(target, id: id)
    }
    #expect(
      try exchange.meet() == #"{"people":{"x":null,"y":{"class":"Target","key":"T2"}}}"#)
    #expect(try a.entries("people").map(\.element.value).first == .scalar(.null))
  }

  @Test func `edits inside one embedded value both count, two whole values never mix`() throws {
    try start()
    try a.write { a in
      try a.put("home", a.spot(["v": 1, "w": 2, "marks": .list(["m"])]), into: "spots")
    }
    try a.send(to: b)
    for (store, name, value) in [(a, "v", 5), (b, "w", 6)] as [(TestStore, String, NewValue)] {
      try store.write { store in
        let entry = try #require(try store.entries("spots").first)
        try store.file.assign(
          store["Page"].id, id: store.page, store.path(in: "spots", entry.element.id, name), value)
        try store.append(
          .scalar(.string(name)), to: store.path(in: "spots", entry.element.id, "marks"))
      }
    }
    let text = try exchange.meet()
    #expect(
      [#"["m","v","w"]"#, #"["m","w","v"]"#].map {
        #"{"spots":{"home":{"marks":\#($0),"v":5,"w":6}}}"#
      }.contains(text), "\(text)")
    try a.write(at: 1_000_500) { a in
      try a.put("home", a.spot(["v": 50, "w": 50]), into: "spots")
    }
    try b.write(at: 1_000_600) { b in
      let entry = try #require(try b.entries("spots").first)
      try b.file.assign(
        b["Page"].id, id: b.page, b.path(in: "spots", entry.element.id, "v"), 9)
      try b.append("late", to: b.path(in: "spots", entry.element.id, "marks"))
    }
    #expect(try exchange.meet() == #"{"spots":{"home":{"v":50,"w":50}}}"#)
  }

  @Test func `scenario 35 of two embedded values one is there whole, with its collections`() throws
  {
    try start()
    try a.write(at: 1_000_010) { a in
      try a.put("k", a.spot(["v": 5, "w": 5, "flags": .set([1])]), into: "spots")
    }
    try b.write(at: 1_000_020) { b in
      try b.put(
        "k", b.spot(["v": 6, "w": 6, "names": .map([NewEntry(key: "n", value: "x")])]),
        into: "spots")
    }
    #expect(
      try exchange.meet() == #"{"spots":{"k":{"names":{"n":"x"},"v":6,"w":6}}}"#)
    try a.write { try $0.put("k", nil, into: "spots") }
    #expect(try exchange.meet() == #"{"spots":{"k":null}}"#)
  }

  @Test func `collections inside an embedded value in a list, and links in it, are its own`() throws
  {
    try start()
    try a.write { a in
      let spot = try a.append(
        a.spot(["v": 1, "flags": .set([2, 1]), "link": try a.target("T1")]), to: a.path("list"))
      try a.file.setInsert(
        a["Page"].id, id: a.page, set: a.path(in: "list", spot, "flags"), 3)
      try a.file.mapAssign(
        a["Page"].id, id: a.page, map: a.path(in: "list", spot, "names"), key: "k", "v")
    }
    try a.send(to: b)
    let element = try #require(try b.elements(b.path("list")).first)
    #expect(
      try b.file.members(
        of: b["Page"].id, id: b.page, set: b.path(in: "list", element.id, "flags")
      ).count == 3)
    try a.write(at: 1_000_100) { a in
      let spot = try #require(try a.elements(a.path("list")).first)
      try a.file.assign(
        a["Page"].id, id: a.page, a.path(in: "list", spot.id, "link"), try a.target("T2"))
    }
    try b.write(at: 1_000_050) { b in
      try b.file.setRemove(
        b["Page"].id, id: b.page, set: b.path(in: "list", element.id, "flags"), 1)
    }
    #expect(
      try exchange.meet()
        == #"{"list":[{"flags":[2,3],"link":{"class":"Target","key":"T2"},"#
        + #""names":{"k":"v"},"v":1}]}"#)
  }

  @Test func `a key longer than peers take is refused`() throws {
    try start()
    let key = String(repeating: "k", count: Limits.keyBytes + 1)
    try a.write { a in
      #expect(throws: StorageError.self) { try a.put(key, 1, into: "dict") }
      try a.put(String(key.dropLast()), 1, into: "dict")
    }
    _ = try exchange.meet()
    #expect(try b.entries("dict").count == 1)
  }

  @Test func `a property of one name, a map here and a set there, is two properties`() throws {
    let old = [
      ClassSchema(
        name: "Page", primaryKey: "id",
        properties: [
          PropertySchema(name: "id", type: .int),
          PropertySchema(name: "dict", type: .int, collection: .set),
        ])
    ]
    try start(dict: [NewEntry(key: "a", value: 1)])
    let other = try TestStore("old", model: old)
    try a.send(to: other)
    try other.write { other in
      try other.file.setInsert(
        other["Page"].id, id: other.page, set: FieldPath(other.property("Page", "dict")[0]), 5)
    }
    try other.send(to: a)
    #expect(
      try exchange.meet() == #"{"dict:set of Int":[5],"dict:map of Int":{"a":1}}"#)
    #expect(try a.entries("dict").count == 1)
  }
}
