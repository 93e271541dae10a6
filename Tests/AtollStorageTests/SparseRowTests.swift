import AtollStorage
import AtollVocabulary
import Testing

/// Rows are made by one statement, again and again: what one row had must not reach the next.
@Suite struct `rows that leave values out` {
  /// More columns than a row's masks have bits, and any-typed ones, at both ends.
  private static let wide = [
    ClassSchema(
      name: "Wide", primaryKey: "id",
      properties: [
        PropertySchema(name: "id", type: .int), PropertySchema(name: "any", type: .any),
        PropertySchema(name: "slot", type: .embedded, isOptional: true, target: "Inner"),
      ]
        + (0..<70).map { PropertySchema(name: "p\($0)", type: .int) }
        + [PropertySchema(name: "late", type: .any)]),
    ClassSchema(
      name: "Inner", isEmbedded: true, primaryKey: nil,
      properties: [PropertySchema(name: "v", type: .int)]),
  ]

  private let a: TestStore
  private let b: TestStore

  init() throws {
    a = try TestStore("a", model: Self.wide)
    b = try TestStore("b", model: Self.wide)
  }

  private func field(_ name: String, _ value: NewValue) -> NewField {
    NewField(a.property("Wide", name)[0], value)
  }

  private var all: [NewField] {
    let inner = NewField(a.property("Wide", "slot", "v")[1], .scalar(.int(9)))
    return [
      field("any", .scalar(.string("text"))), field("slot", .embedded([inner])),
      field("late", .scalar(.double(1.5))),
    ] + (0..<70).map { field("p\($0)", .scalar(.int($0))) }
  }

  @Test(arguments: [[], ["p3"], ["any", "p69"], ["slot"], ["late"]])
  func `a row has nothing of the one made before it`(given: [String]) throws {
    let fields = all.filter { given.contains($0.property.name) }
    try a.write { a in
      _ = try a.file.create(a["Wide"].id, key: .int(1), fields: all)
      _ = try a.file.create(a["Wide"].id, key: .int(2), fields: fields)
      _ = try a.file.create(a["Wide"].id, key: .int(3), fields: all)
    }
    try a.send(to: b)
    for store in [a, b] {
      let full = try #require(try store.file.row(of: store["Wide"].id, key: .int(3)))
      let sparse = try #require(try store.file.row(of: store["Wide"].id, key: .int(2)))
      for (index, column) in store["Wide"].columns.enumerated() {
        let expected =
          given.contains(column.properties[0].name) ? full.columns[index] : PersistedValue.null
        #expect(sparse.columns[index] == expected, "\(column.path)")
      }
      #expect(try store.file.verify() == [])
    }
    #expect(try a.file.digest() == b.file.digest())
  }
}
