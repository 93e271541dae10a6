import AtollQuery
import AtollStorage
import AtollVocabulary
import Testing

@Suite struct `values that are large, odd, or spoiled elsewhere` {
  private static let binary = [
    ClassSchema(
      name: "Blob", primaryKey: "id",
      properties: [
        PropertySchema(name: "id", type: .int), PropertySchema(name: "data", type: .data),
        PropertySchema(name: "text", type: .string),
        PropertySchema(name: "price", type: .decimal, isIndexed: true),
        PropertySchema(name: "x", type: .double),
      ])
  ]

  private let a: TestStore
  private let b: TestStore

  init() throws {
    a = try TestStore("a", model: Self.binary)
    b = try TestStore("b", model: Self.binary)
  }

  private func field(_ name: String, _ value: PersistedValue) -> NewField {
    NewField(a.property("Blob", name)[0], .scalar(value))
  }

  private func column(_ name: String, of store: TestStore, key: Int64 = 1) throws -> PersistedValue
  {
    let row = try #require(try store.file.row(of: store["Blob"].id, key: .int(key)))
    return row.columns[try #require(store["Blob"].column([store.property("Blob", name)[0]]))]
  }

  @Test func `a hundred megabytes of data are written, logged, applied and read`() throws {
    var data = [UInt8](repeating: 0xA5, count: 100 << 20)
    data[99] = 0
    data[(100 << 20) - 1] = 7
    try a.write { a in
      _ = try a.file.create(a["Blob"].id, key: .int(1), fields: [field("data", .data(data))])
    }
    #expect(try column("data", of: a) == .data(data))
    try a.send(to: b)
    #expect(try column("data", of: b) == .data(data))
    #expect(try a.file.digest() == b.file.digest())
  }

  @Test func `a value over the limit is refused with its size and the limit`() throws {
    let data = [UInt8](repeating: 1, count: Limits.valueBytes + 1)
    try a.write { a in
      do {
        _ = try a.file.create(
          a["Blob"].id, key: .int(1), fields: [field("data", .data(data))])
        Issue.record("it was taken")
      } catch StorageError.tooLarge(let what, let size, let limit) {
        #expect(what == "a value of data")
        #expect(size == Limits.valueBytes + 1)
        #expect(limit == Limits.valueBytes)
      }
    }
    #expect(try a.file.heads() == [])
  }

  @Test(arguments: ["", "\0", "a\0b\0", "e\u{301}", "\u{E9}", "👩‍👩‍👧", "\u{FEFF}x", "\u{10FFFF}"])
  func `a string comes back scalar by scalar`(text: String) throws {
    try a.write { a in
      _ = try a.file.create(
        a["Blob"].id, key: .int(1), fields: [field("text", .string(text))])
    }
    try a.send(to: b)
    for store in [a, b] {
      guard case .string(let read) = try column("text", of: store) else {
        Issue.record("it is no string")
        return
      }
      #expect(Array(read.unicodeScalars) == Array(text.unicodeScalars))
    }
    #expect(try a.exported() == b.exported())
  }

  @Test func `NaN and minus zero come back as they were`() throws {
    for (key, value) in [Double.nan, -.nan, -0.0, 0.0, -.infinity].enumerated() {
      try a.write { a in
        _ = try a.file.create(
          a["Blob"].id, key: .int(Int64(key)), fields: [field("x", .double(value))])
      }
      try a.send(to: b)
      #expect(try column("x", of: b, key: Int64(key)) == .double(value))
    }
  }

  @Test func `decimals keep their zeros, and a query sorts them as numbers`() throws {
    let texts = ["-Infinity", "-10", "-9.5", "-0", "0.00", "1.5", "1.50", "9", "1E+40", "Infinity"]
    for (key, text) in texts.enumerated().reversed() {
      try a.write { a in
        _ = try a.file.create(
          a["Blob"].id, key: .int(Int64(key)),
          fields: [field("price", .decimal(try #require(Decimal128(text))))])
      }
    }
    try a.send(to: b)
    for (key, text) in texts.enumerated() {
      let expected = PersistedValue.decimal(try #require(Decimal128(text)))
      #expect(try column("price", of: b, key: Int64(key)) == expected)
    }
    let query = StoreQuery(
      b["Blob"].id, order: [.init(PropertyPath(b.property("Blob", "price")))])
    let cursor = try b.file.rows(query)
    var keys: [PersistedValue] = []
    while let row = try cursor.next() { keys.append(row.key) }
    // Equal numbers come as they were made: the last first.
    #expect(keys == [0, 1, 2, 4, 3, 6, 5, 7, 8, 9].map { .int($0) })
    #expect(try b.file.verify() == [])
  }
}
