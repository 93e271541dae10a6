import Atoll
import Foundation
import Testing

/// Nil on one side or both, over links that lead nowhere too.
@Suite struct NilRuleTests {
  let rows: QueryFixture

  init() throws { rows = try QueryFixture() }

  private func wares(_ text: String, _ arguments: Any?...) throws -> [Int] {
    try rows.wares.filter(parsing: text, all: arguments).map(\.id)
  }

  @Test func `nil is at least and at most nil, and neither less nor greater`() throws {
    #expect(rows.wares { $0.rating >= nil } == [2] && rows.wares { $0.rating <= nil } == [2])
    #expect(rows.wares { $0.rating > nil } == [] && rows.wares { $0.rating < nil } == [])
    #expect(rows.wares { !($0.rating >= nil) } == [1, 3, 4])
    #expect(rows.wares { !($0.rating > nil) } == [1, 2, 3, 4])
    #expect(try wares("rating >= nil") == [2] && wares("nil >= rating") == [2])
    #expect(try wares("rating <= %@", NSNull()) == [2] && wares("rating < NULL") == [])
    #expect(rows.wares { $0.nickname <= nil } == [1, 2, 4])
    #expect(rows.wares { $0.rating >= 4 } == [1, 4] && rows.wares { $0.rating <= 4 } == [3, 4])
    #expect(rows.wares { $0.rating + $0.rating >= nil } == [2])
  }

  @Test func `two properties that are nil are at least each other`() throws {
    #expect(try wares("rating >= rating") == [1, 2, 3, 4])
    #expect(try wares("rating > rating") == [])
    // The best ware of the first shelf has no rating, the second shelf has no best ware.
    #expect(rows.wares { $0.rating >= $0.shelf.best.rating } == [2])
    #expect(rows.wares { $0.rating <= $0.shelf.best.rating } == [2])
    #expect(rows.wares { $0.shelf.best.rating == nil } == [1, 2, 3, 4])
    #expect(rows.wares { $0.shelf.best.rating <= nil } == [1, 2, 3, 4])
    #expect(try wares("shelf.best.rating > 0") == [])
    #expect(try rows.shelves.filter(parsing: "ANY gaps >= nil").map(\.id) == [1, 2])
  }

  @Test func `distinct leaves out what leads over a link to nowhere`() throws {
    #expect(rows.wares.distinct(by: ["shelf.title"]).map(\.id) == [1, 3])
    #expect(rows.wares.distinct(by: ["shelf.best.name"]).map(\.id) == [1])
    #expect(rows.wares.distinct(by: ["rating"]).map(\.id) == [1, 2, 3, 4])
    #expect(try rows.store.write { rows.ware(4)?.shelf = rows.shelf(3) } != nil)
    #expect(rows.wares.distinct(by: ["shelf.title"]).map(\.id) == [1, 3, 4])
  }

  @Test func `texts with and without nil are compared with each other`() throws {
    #expect(try wares("note == name") == [] && wares("name != note") == [1, 2, 3, 4])
    #expect(rows.wares { $0.name.contains($0.note) } == [])
    #expect(rows.wares { $0.note.equals($0.name, options: .caseInsensitive) } == [])
    try rows.store.write { rows.ware(1)?.note = "Äp" }
    #expect(rows.wares { $0.name.contains($0.note) } == [1])
    #expect(rows.wares { $0.name.starts(with: $0.note) } == [1])
    #expect(rows.wares { $0.note.ends(with: $0.name) } == [])
    #expect(rows.wares { $0.name.notEquals($0.note) } == [1, 2, 3, 4])
  }

  @Test func `an embedded object equals itself and no other`() throws {
    let spot = try #require(rows.ware(1)?.rawSpot)
    #expect(rows.wares { $0.rawSpot == spot } == [1])
    #expect(rows.wares { $0.rawSpot != spot } == [2, 3, 4])
    #expect(rows.wares { $0.rawSpot == StoredSpot(value: [1, 1]) } == [])
    #expect(rows.wares { $0.rawSpot != StoredSpot(value: [1, 1]) } == [1, 2, 3, 4])
    #expect(try wares("rawSpot == %@", spot) == [1] && wares("rawSpot != %@", spot) == [2, 3, 4])
    #expect(try wares("rawSpot IN %@", [spot]) == [1])
    #expect(rows.shelves { $0.wares.rawSpot == spot } == [1])
    #expect(rows.shelves { $0.best.rawSpot == spot } == [])
    try rows.store.write { rows.shelf(2)?.best = rows.ware(1) }
    #expect(rows.shelves { $0.best.rawSpot == spot } == [2])
    try rows.store.write { rows.ware(1)?.rawSpot = StoredSpot(value: [1, 1]) }
    #expect(rows.wares { $0.rawSpot == spot } == [])
  }

  @Test func `counts stand inside subqueries`() throws {
    func shelves(_ text: String) throws -> [Int] {
      try rows.shelves.filter(parsing: text).map(\.id)
    }
    #expect(try shelves("SUBQUERY(wares, $w, $w.shelf.wares.@count > 1).@count == 2") == [1])
    #expect(try shelves("SUBQUERY(wares, $w, $w.shelves.@count == 1).@count > 0") == [1, 2])
    #expect(try shelves("SUBQUERY(wares, $w, $w.shelf.numbers.@sum > 5).@count > 0") == [1])
    let inner = "SUBQUERY($w.shelf.wares, $v, $v.amount > 15).@count == 1"
    #expect(try shelves("SUBQUERY(wares, $w, \(inner)).@count >= 1") == [1, 2])
    #expect(rows.shelves { ($0.wares.shelf.wares.count > 1).count == 2 } == [1])
    #expect(
      rows.shelves { ($0.wares.shelves.count == 1 && $0.wares.amount > 15).count == 1 } == [1, 2])
  }
}
