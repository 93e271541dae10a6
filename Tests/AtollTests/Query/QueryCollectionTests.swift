import Atoll
import Foundation
import Testing

/// Collections in type-safe queries, on the rows of ``QueryFixture``.
@Suite struct QueryCollectionTests {
  let rows: QueryFixture

  init() throws { rows = try QueryFixture() }

  @Test func `what is asked of elements is asked for some element`() {
    #expect(rows.shelves { $0.wares.amount > 15 } == [1, 2])
    #expect(rows.shelves { $0.wares.amount != 10 } == [1, 2])
    #expect(rows.shelves { !($0.wares.amount == 10) } == [2, 3])
    #expect(rows.shelves { $0.wares.rating == nil } == [1])
    #expect(rows.shelves { $0.numbers == 5 } == [1, 2])
    #expect(rows.shelves { $0.numbers > 5 } == [1])
    #expect(rows.shelves { $0.wares.shelf.title == "low" } == [2])
    #expect(rows.wares { $0.shelf.wares.id == 2 } == [1, 2])
    #expect(rows.shelves { $0.wares.name.contains("pfel") } == [1])
    #expect(rows.shelves { $0.words.equals("TWO", options: .caseInsensitive) } == [1])
    #expect(rows.shelves { $0.words.contains("tw", options: .caseInsensitive) } == [1])
    #expect(rows.shelves { $0.wares.isNew } == [1, 2])
    #expect(rows.shelves { $0.wares.shelf.wares.id == 2 } == [1])
  }

  @Test func `membership is asked from either side`() {
    #expect(rows.shelves { $0.numbers.contains(9) } == [1])
    #expect(rows.shelves { $0.numbers.containsAny(in: [9, 5]) } == [1, 2])
    #expect(rows.shelves { $0.numbers.containsAny(in: []) } == [])
    #expect(rows.shelves { $0.gaps.contains(nil) } == [1, 2])
    #expect(rows.shelves { $0.wares.id.in([2, 3]) } == [1, 2])
    let some = [rows.ware(1), rows.ware(3)].compactMap { $0 }
    #expect(rows.shelves { $0.wares.containsAny(in: some) } == [1, 2])
  }

  @Test func `a range on a collection means all elements, and not none`() {
    #expect(rows.shelves { $0.numbers.contains(1..<9) } == [2])
    #expect(rows.shelves { $0.numbers.contains(1...9) } == [1, 2])
    #expect(rows.shelves { $0.numbers.contains(1..<10) } == [1, 2])
    #expect(rows.shelves { $0.gaps.contains(0...1) } == [1])
    #expect(rows.shelves { $0.wares.amount.contains(20...20) } == [1])
  }

  @Test func `collections are counted and aggregated`() {
    #expect(rows.shelves { $0.wares.count == 2 } == [1])
    #expect(rows.shelves { $0.numbers.count < 2 } == [2, 3])
    #expect(rows.shelves { $0.numbers.min == 1 } == [1])
    #expect(rows.shelves { $0.numbers.max > 4 } == [1, 2])
    #expect(rows.shelves { $0.numbers.max == nil } == [3])
    #expect(rows.shelves { $0.numbers.sum == 15 } == [1])
    #expect(rows.shelves { $0.numbers.sum == 0 } == [3])
    #expect(rows.shelves { $0.numbers.avg == 5.0 } == [1, 2])
    #expect(rows.shelves { $0.numbers.avg == nil } == [3])
    #expect(rows.shelves { $0.wares.amount.max >= 30 } == [2])
    #expect(rows.shelves { $0.wares.amount.avg == 15.0 } == [1])
    #expect(rows.shelves { $0.wares.weight.sum == 1.5 } == [1])
    #expect(rows.shelves { $0.wares.rating.sum == 5 } == [1])
    #expect(rows.shelves { $0.wares.price.max == Price(250) } == [1, 2])
    #expect(rows.shelves { $0.wares.shelf.numbers.count == 3 } == [1])
  }

  @Test func `a subquery asks several things of one element`() {
    #expect(rows.shelves { ($0.wares.amount == 10 && $0.wares.name == "apfel").count > 0 } == [])
    #expect(rows.shelves { ($0.wares.amount == 10 && $0.wares.name == "Äpfel").count > 0 } == [1])
    #expect(rows.shelves { ($0.wares.amount > 5 || $0.wares.isNew).count == 2 } == [1])
    #expect(rows.shelves { (!($0.wares.amount == 10)).count == 1 } == [1, 2])
    #expect(rows.shelves { ($0.wares.amount == 10).count == 0 } == [2, 3])
    #expect(rows.shelves { ($0.numbers > 4 && $0.numbers < 9).count == 1 } == [1, 2])
  }

  @Test func `objects that link to one are found through links and lists`() throws {
    #expect(rows.wares { $0.shelves.title == "low" } == [3])
    #expect(rows.wares { $0.bestOf.title == "empty" } == [4])
    #expect(rows.wares { $0.shelves.count == 0 } == [4])
    #expect(rows.wares { $0.shelves.numbers == 9 } == [1, 2])
    #expect(rows.shelves { $0.wares.bestOf.id == 1 } == [1])
    #expect(rows.wares.filter("ANY shelves.title == 'low'").map(\.id) == [3])
    #expect(rows.wares.filter("bestOf.@count == 1").map(\.id) == [2, 4])
    #expect(try #require(rows.ware(1)).shelves.map(\.id) == [1])
    #expect(try #require(rows.ware(2)).bestOf.map(\.id) == [1])
  }

  @Test func `a subquery over two collections is refused`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let rows = try QueryFixture()
      _ = rows.shelves { ($0.wares.amount == 10 && $0.numbers == 1).count > 0 }
    }
    #expect(said(result, "Subquery predicates will only work on one collection at a time."))
    let other = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let rows = try QueryFixture()
      _ = rows.shelves { ($0.title == "top").count > 0 }
    }
    #expect(said(other, "Subqueries must contain a keypath starting with a collection."))
  }
}
