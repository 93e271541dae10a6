import Atoll
import AtollStorage
import Foundation
import Testing

/// Order, sections and aggregates (rules 40 to 43), on the rows of ``QueryFixture``.
@Suite struct ResultsOrderTests {
  let rows: QueryFixture

  init() throws { rows = try QueryFixture() }

  @Test func `rule 40: mapped properties sort by what is stored, nil first`() {
    #expect(rows.wares.sorted(by: \.label).map(\.id) == [4, 3, 2, 1])
    #expect(rows.wares.sorted(by: \.price).map(\.id) == [4, 1, 2, 3])
    #expect(rows.wares.sorted(by: \.price, ascending: false).map(\.id) == [2, 3, 1, 4])
    #expect(rows.wares.sorted(by: \.nickname).map(\.id) == [1, 2, 4, 3])
    #expect(rows.wares.sorted(by: \.weight).map(\.id) == [2, 1, 4, 3])
    #expect(rows.wares.distinct(by: ["price"]).map(\.id) == [1, 2, 4])
    #expect(rows.wares.distinct(by: [\.price]).map(\.id) == [1, 2, 4])
    #expect(
      rows.wares.sorted(byKeyPath: "id", ascending: false).distinct(by: ["price"]).map(\.id) == [
        4, 3, 1,
      ])
  }

  @Test func `rule 40: lists of mapped values sort and tell apart by what is stored`() throws {
    let shelf = try #require(rows.shelf(1))
    #expect(shelf.labels.sorted().map(\.text) == ["green", "red"])
    #expect(Array(shelf.prices.sorted()) == [nil, Price(100)])
    #expect(Array(shelf.numbers.sorted(ascending: false)) == [9, 5, 1])
    try rows.store.write { shelf.numbers.append(contentsOf: [5, 1]) }
    #expect(Array(shelf.numbers.distinct()) == [1, 5, 9])
    #expect(Array(shelf.numbers.where { $0 > 1 }) == [5, 9, 5])
    #expect(Array(shelf.numbers.filter("SELF > %d AND SELF != 9", 1).sorted()) == [5, 5])
    #expect(Array(shelf.labels.where { $0 == Label("red") }) == [Label("red")])
  }

  @Test func `rule 41: aggregates come back as the mapped type`() {
    #expect(rows.wares.where { $0.id < 4 }.min(of: \.price) == Price(100))
    #expect(rows.wares.max(of: \.price) == Price(250))
    #expect(rows.wares.where { $0.id < 4 }.sum(of: \.price) == Price(600))
    #expect(rows.wares.average(of: \.price) == 150.75)
    #expect(rows.wares.max(ofProperty: "price") == 250)
    #expect(rows.wares.min(of: \.made) == Date(timeIntervalSinceReferenceDate: 0))
    #expect(rows.wares.min(of: \.rating) == 3)
    #expect(rows.wares.average(of: \.rating) == 4.0)
    #expect(rows.wares.max(of: \.weight) == 7)
    let none = rows.wares.where { $0.id > 100 }
    #expect(none.min(of: \.price) == nil)
    #expect(none.sum(of: \.price) == Price(0))
    #expect(none.average(of: \.price) as Double? == nil)
    #expect(rows.wares.sorted(by: \.id).prefix(2).sum(of: \.amount) == 30)
  }

  @Test func `rule 41: aggregates of lists come back as the element's type`() throws {
    let shelf = try #require(rows.shelf(1))
    #expect(shelf.prices.max() == Price(100))
    #expect(shelf.prices.sum() == Price(100))
    #expect(shelf.numbers.min() == 1)
    #expect(shelf.numbers.average() == 5.0)
    #expect(shelf.numbers.where { $0 > 1 }.sum() == 14)
    #expect(try #require(rows.shelf(3)).numbers.max() == nil)
    #expect(try #require(rows.shelf(3)).numbers.sum() == 0)
  }

  @Test func `rule 42: the keys of sections may be mapped, and travel as stored`() {
    let sections = rows.wares.where { $0.id < 4 }.sectioned(by: \.price)
    #expect(sections.allKeys == [Price(100), Price(250)])
    #expect(sections.map { $0.map(\.id) } == [[1], [2, 3]])
    #expect(sections[IndexPath(indexes: [1, 0])].id == 2)
    #expect(rows.wares.sectioned(by: \.nickname).allKeys == [nil, Label("b")])
    let descending = rows.wares.sectioned(by: \.isNew, ascending: false)
    #expect(descending.allKeys == [true, false])
    let initials = rows.wares.sectioned(
      by: { $0.name.prefix(1).lowercased() }, sortDescriptors: [.init(keyPath: "id")])
    #expect(initials.map(\.count) == [1, 1, 1, 1])
  }

  @Test func `sections are live`() throws {
    let sections = rows.wares.sectioned(by: \.amount)
    #expect(sections.count == 4)
    try rows.store.write { rows.ware(1)?.amount = 20 }
    #expect(sections.allKeys == [20, 30, 40])
    #expect(sections.first?.map(\.id) == [1, 2])
  }

  @Test func `sections need their property as the first sort`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try QueryFixture().wares.sectioned(by: \.amount, sortDescriptors: [.init(keyPath: "id")])
    }
    #expect(said(result, "the first of the sort descriptors must be that property. It is 'id'."))
  }

  @Test func `rule 43: a path into a mapped value is no column`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try QueryFixture().wares.sorted(by: \.spot.row)
    }
    #expect(said(result, "goes into the value of Property 'Ware.spot'"))
    let named = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try QueryFixture().wares.sorted(byKeyPath: "spot")
    }
    #expect(said(named, "Sorting by 'Ware.spot', which is not a value."))
    let list = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try QueryFixture().shelves.sorted(byKeyPath: "wares.amount")
    }
    #expect(said(list, "Sorting by 'Shelf.wares.amount', which leads through a collection."))
  }

  @Test func `several descriptors sort by the first, then the next, then the row`() {
    let order: [Atoll.SortDescriptor] = [
      .init(keyPath: "price", ascending: false), .init(keyPath: "amount", ascending: false),
    ]
    #expect(rows.wares.sorted(by: order).map(\.id) == [3, 2, 1, 4])
    #expect(rows.wares.sorted(byKeyPath: "shelf.title").map(\.id) == [4, 3, 1, 2])
    #expect(rows.wares.sorted(byKeyPath: "spot.row", ascending: false).map(\.id) == [3, 4, 1, 2])
  }

  @Test func `indices are found, and objects by indices`() throws {
    let sorted = rows.wares.sorted(by: \.amount, ascending: false)
    #expect(sorted.index(of: try #require(rows.ware(1))) == 3)
    #expect(sorted.index(of: Ware()) == nil)
    #expect(sorted.index(matching: { $0.isNew }) == 1)
    #expect(sorted.index(matching: "amount < %d", 25) == 2)
    #expect(sorted.index(matching: "amount > 1000") == nil)
    #expect(sorted.objects(at: [0, 2]).map(\.id) == [4, 2])
    #expect(sorted.first(where: { $0.amount < 25 })?.id == 2)
  }

  @Test func `a prefix stays live, and what comes after chooses from it`() throws {
    let two = rows.wares.sorted(by: \.amount).prefix(2)
    #expect(two.map(\.id) == [1, 2])
    try rows.store.write { rows.ware(4)?.amount = 5 }
    #expect(two.map(\.id) == [4, 1])
    #expect(two.count == 2)
    #expect(two.where { $0.isNew }.map(\.id) == [1])
    #expect(two.sorted(by: \.id).map(\.id) == [1, 4])
    #expect(two.last?.id == 1)
    #expect(rows.wares.distinct(by: ["price"]).where { $0.isNew }.map(\.id) == [1])
  }

  @Test func `lists of objects are queried, in their order`() throws {
    let shelf = try #require(rows.shelf(1))
    try rows.store.write {
      shelf.wares.removeAll()
      shelf.wares.append(contentsOf: [3, 1, 2, 1].compactMap { rows.ware($0) })
    }
    #expect(shelf.wares.where { $0.amount < 25 }.map(\.id) == [1, 2, 1])
    #expect(shelf.wares.filter("isNew == YES").map(\.id) == [3, 1, 1])
    #expect(shelf.wares.sorted(by: \.id).map(\.id) == [1, 1, 2, 3])
    #expect(shelf.wares.distinct(by: ["id"]).map(\.id) == [3, 1, 2])
    #expect(shelf.wares.where { $0.amount < 25 }.sum(of: \.amount) == 40)
    #expect(shelf.wares.where { $0.id == 4 }.isEmpty)
    let narrow = shelf.wares.where { $0.amount < 25 }
    try rows.store.write { shelf.wares.remove(at: 1) }
    #expect(narrow.map(\.id) == [2, 1])
    #expect(narrow[1].id == 1)
  }

  @Test func `an unmanaged list is not queried`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Shelf().wares.sorted(by: \.id)
    }
    #expect(said(result, "Sorting a collection that no store manages."))
  }
}
