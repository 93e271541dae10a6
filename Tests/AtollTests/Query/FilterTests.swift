import Atoll
import Foundation
import Testing

/// Predicates in text, on the rows of ``QueryFixture``.
@Suite struct FilterTests {
  let rows: QueryFixture

  init() throws { rows = try QueryFixture() }

  private func wares(_ text: String, _ arguments: Any?...) throws -> [Int] {
    try rows.wares.filter(parsing: text, all: arguments).map(\.id)
  }

  private func shelves(_ text: String, _ arguments: Any?...) throws -> [Int] {
    try rows.shelves.filter(parsing: text, all: arguments).map(\.id)
  }

  @Test func `comparisons, with the value on either side`() throws {
    #expect(try wares("amount > 15 AND amount =< 30") == [2, 3])
    #expect(try wares("%d < amount", 25) == [3, 4])
    #expect(try wares("rating == nil OR rating = 5") == [1, 2])
    #expect(try wares("isNew == YES") == [1, 3])
    #expect(try wares("NOT (isNew == TRUE)") == [2, 4])
    #expect(try wares("id < amount") == [1, 2, 3, 4])
    #expect(try wares("shelf.title != %@", "top") == [3, 4])
    #expect(try wares("TRUEPREDICATE") == [1, 2, 3, 4])
    #expect(try wares("FALSEPREDICATE") == [])
  }

  @Test func `ranges and lists`() throws {
    #expect(try wares("amount BETWEEN {20, 30}") == [2, 3])
    #expect(try wares("amount BETWEEN %@", [10, 20]) == [1, 2])
    #expect(try wares("name IN {'zoo', 'apfel'}") == [2, 4])
    #expect(try wares("rating IN %@", [5, nil] as [Int?]) == [1, 2])
    #expect(try wares("id IN %@", Set([1, 4])) == [1, 4])
    #expect(try shelves("%@ IN numbers", 9) == [1])
    #expect(try shelves("'three' IN words") == [2])
    #expect(try shelves("id IN wares.id") == [1])
  }

  @Test func `operators of text`() throws {
    #expect(try wares("name BEGINSWITH[cd] 'a'") == [1, 2])
    #expect(try wares("name CONTAINS[c] 'STRASSE'") == [3])
    #expect(try wares("name ENDSWITH 'o'") == [4])
    #expect(try wares("name LIKE[c] 'Z?O'") == [4])
    #expect(try wares("name ==[cd] 'APFEL'") == [1, 2])
    #expect(try wares("name !=[c] 'APFEL'") == [1, 3, 4])
    #expect(try wares("note CONTAINS ''") == [])
    #expect(try wares("code BEGINSWITH %@", Data([2])) == [3])
  }

  @Test func `collections need ANY, NONE or ALL`() throws {
    #expect(try shelves("ANY wares.amount > 15") == [1, 2])
    #expect(try shelves("SOME numbers == 5") == [1, 2])
    #expect(try shelves("NONE wares.amount == 10") == [2, 3])
    #expect(try shelves("ALL numbers > 1") == [2, 3])
    #expect(try shelves("ANY wares.name IN {'zoo', 'apfel'}") == [1])
    #expect(try shelves("ANY wares.amount BETWEEN {15, 25}") == [1])
    #expect(try shelves("ANY wares.shelf.wares.id == 3") == [2])
    #expect(try shelves("ANY gaps == nil") == [1, 2])
    #expect(try shelves("ANY wares == %@", rows.ware(1)) == [1])
    #expect(try shelves("best IN %@", [rows.ware(2), rows.ware(4)]) == [1, 3])
  }

  @Test func `aggregates`() throws {
    #expect(try shelves("wares.@count == 2") == [1])
    #expect(try shelves("numbers.@max > 5") == [1])
    #expect(try shelves("wares.@min.amount == 30") == [2])
    #expect(try shelves("wares.@sum.amount == 0") == [3])
    #expect(try shelves("numbers.@avg == 5") == [1, 2])
    #expect(try shelves("numbers.@min == nil") == [3])
    #expect(try wares("shelf.wares.@count == 2") == [1, 2])
  }

  @Test func `subqueries`() throws {
    #expect(
      try shelves("SUBQUERY(wares, $w, $w.amount > 5 AND $w.isNew == YES).@count == 1") == [1, 2])
    #expect(try shelves("SUBQUERY(numbers, $n, $n > 4).@count >= 2") == [1])
    #expect(
      try shelves(
        "SUBQUERY(wares, $w, SUBQUERY($w.shelf.wares, $v, $v.id == 2).@count > 0).@count > 0")
        == [1])
    #expect(try shelves("SUBQUERY(wares, $w, $w.id == id).@count > 0") == [1])
  }

  @Test func `rule 47: arguments are mapped or persisted, for mapped and plain properties`() throws
  {
    #expect(try wares("label == %@", Label("red")) == [1])
    #expect(try wares("label == %@", "red") == [1])
    #expect(try wares("name == %@", Label("zoo")) == [4])
    #expect(try wares("price == %@", Price(250)) == [2, 3])
    #expect(try wares("price == %@", 3) == [4])
    #expect(try wares("amount == %@", Price(20)) == [2])
    #expect(try wares("label IN %@", [Label("red"), Label("blue")]) == [1, 3])
    #expect(try wares("nickname == %@", nil) == [1, 2, 4])
    #expect(try wares("spot == %@", Spot(row: 1, place: 2)) == [2])
    #expect(try wares("spot != %@", Spot(row: 1, place: 2)) == [1, 3, 4])
    #expect(try wares("spot IN %@", [Spot(row: 1, place: 2), Spot(row: 2, place: 2)]) == [2, 4])
    #expect(try wares("spot == %@", StoredSpot(value: [1, 2])) == [])
    #expect(try wares("spot.row == 1 AND spot.place == 2") == [2])
    #expect(try shelves("ANY wares.spot != %@", Spot(row: 1, place: 2)) == [2])
  }

  @Test func `%K, $0 and SELF`() throws {
    #expect(try wares("%K == %@", "shelf.title", "low") == [3])
    #expect(try wares("name == $0 OR note == $0", "sweet") == [1])
    #expect(try wares("SELF == %@", rows.ware(2)) == [2])
    #expect(try wares("SELF IN %@", [rows.ware(2), rows.ware(3)]) == [2, 3])
    #expect(try wares("SELF.#amount == 20") == [2])
  }

  @Test func `links are followed backwards`() throws {
    #expect(try wares("ANY @links.Shelf.best.title == 'empty'") == [4])
    #expect(try wares("ANY @links.Shelf.wares.title == 'low'") == [3])
    #expect(try wares("@links.Shelf.wares.@count == 0") == [4])
  }

  @Test func `clauses sort, tell apart and cut`() throws {
    #expect(try wares("TRUEPREDICATE SORT(shelf.title DESC, amount DESC)") == [2, 1, 3, 4])
    #expect(try wares("amount > 10 SORT(amount DESC) LIMIT(2)") == [4, 3])
    #expect(try wares("SORT(amount DESC) DISTINCT(shelf.title)") == [3, 2])
    #expect(try wares("LIMIT(1)") == [1])
  }

  @Test(arguments: [
    ("amuont > 3", 0, "amuont", "amount"), ("shelf.titel == 'x'", 6, "titel", "title"),
    ("amount > ", 9, "", nil), ("amount > 'x'", 9, "'x'", nil), ("wares.x == 1", 0, "wares", nil),
    ("name == %@", 8, "%@", nil),
  ])
  func `an error says where, what was found, and the nearest name`(
    text: String, position: Int, found: String, nearest: String?
  ) {
    let error = #expect(throws: PredicateParsingError.self) { try rows.wares.filter(parsing: text) }
    #expect(error?.position == position)
    #expect(error?.found == found)
    #expect(error?.nearestName == nearest)
    #expect(error?.expected.isEmpty == false)
  }

  @Test func `more or fewer arguments than places are refused`() {
    #expect(throws: PredicateParsingError.self) { try rows.wares.filter(parsing: "id == 1", 3) }
    #expect(throws: PredicateParsingError.self) { try rows.wares.filter(parsing: "id == %@", 3, 4) }
    #expect(throws: PredicateParsingError.self) {
      try rows.wares.filter(parsing: "id == %@ OR id == %@", 3)
    }
    #expect(throws: PredicateParsingError.self) { try rows.wares.filter(parsing: "id == $1", 3) }
  }

  @Test func `the plain form stops with the same words`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try QueryFixture().wares.filter("amuont > 3")
    }
    #expect(said(result, "cannot read the predicate at character 1: found \"amuont\""))
    #expect(said(result, "perhaps \"amount\""))
  }

  @Test func `text and query make one predicate`() throws {
    let pairs: [(String, [Any?], (Query<Shelf>) -> Query<Bool>)] = [
      ("ANY wares.amount > 15", [], { $0.wares.amount > 15 }),
      ("title BEGINSWITH[c] %@", ["T"], { $0.title.starts(with: "T", options: .caseInsensitive) }),
      ("wares.@count == 2", [], { $0.wares.count == 2 }),
      (
        "SUBQUERY(wares, $w, $w.amount > 5 AND $w.isNew == YES).@count == 1", [],
        { ($0.wares.amount > 5 && $0.wares.isNew).count == 1 }
      ),
      ("best.spot == %@", [Spot(row: 1, place: 2)], { $0.best.spot == Spot(row: 1, place: 2) }),
      ("wares.@max.amount >= 30", [], { $0.wares.amount.max >= 30 }),
      ("best == %@", [rows.ware(2)], { $0.best == rows.ware(2) }),
    ]
    for (text, arguments, query) in pairs {
      #expect(
        try rows.shelves.filter(parsing: text, all: arguments).query
          == rows.shelves.where(query).query,
        "\(text)")
    }
  }

  @Test func `the text of a query reads as the same query`() throws {
    let queries: [(Query<Shelf>) -> Query<Bool>] = [
      { $0.wares.amount > 15 }, { !($0.title == "top") && $0.id != 3 },
      { $0.title.starts(with: "T", options: .caseInsensitive) || $0.best == nil },
      { ($0.wares.amount > 5 && $0.wares.isNew).count == 1 },
      { $0.wares.spot != Spot(row: 1, place: 2) }, { $0.numbers.contains(1...9) },
      { $0.wares.shelf.wares.id == 2 }, { $0.numbers.containsAny(in: [9, 5]) },
      { $0.wares.amount.avg == 15.0 }, { $0.best == rows.ware(2) },
    ]
    for query in queries {
      var made = ("", [Any]())
      let found = rows.shelves.where {
        let condition = query($0)
        made = condition._constructPredicate()
        return condition
      }
      let read = try rows.shelves.filter(parsing: made.0, all: made.1)
      #expect(read.map(\.id) == found.map(\.id), "\(made.0)")
    }
  }
}
