import Atoll
import AtollStorage
import Foundation
import StoreTestKit
import Testing

/// The queries of the file for each use of an application: one statement, however many rows, links
/// and elements there are.
@Suite struct StatementTests {
  private static let airports = 600
  /// Rows that random access reads at a time.
  private static let page = 128

  private let place: TemporaryStore
  private let store: Store

  init() throws {
    place = TemporaryStore(Airport.types)
    store = try place.open()
    try store.write {
      let countries = (0..<7).map {
        store.create(Country.self, value: ["code": "C\($0)", "name": "Country \($0)"])
      }
      for number in 0..<Self.airports {
        let runways = (0..<number % 4).map { ["length": 1000 * $0, "surface": "grass"] }
        store.create(
          Airport.self,
          value: [
            "icao": "A\(number)", "name": "Name \(number % 50)", "elevation": number,
            "country": countries[number % 7], "runways": runways, "delays": [1, 2, number],
            "fees": ["landing": Double(number)], "spot": Spot(row: number, note: nil),
            "setting": number,
          ])
      }
    }
  }

  private var all: Results<Airport> { store.objects(Airport.self) }

  /// Statements and rows of what is asked, the second time.
  private func cost(_ ask: () -> Void) -> (statements: Int, rows: Int) {
    ask()
    let trace = store.traced(ask)
    return (trace.statements.count, trace.rows)
  }

  @Test(arguments: [
    "country.code == 'C3'", "ANY runways.length > 1000", "runways.@count > 2", "delays.@sum > 300",
    "SUBQUERY(runways, $r, $r.length > 0 AND $r.surface == 'grass').@count > 1",
    "fees['landing'] > 100", "ANY fees.@allValues > 100", "setting > 100", "elevation * 2 > 700",
    "country.code IN {'C1', 'C2'} SORT(country.name DESC, name ASC) LIMIT(300)",
    "SORT(name ASC) DISTINCT(name)", "ANY @links.Airport.country.elevation >= 0",
  ])
  func `a query through links and collections is one statement`(text: String) throws {
    guard !text.contains("@links") else {
      let cost = cost {
        for country in store.objects(Country.self).filter(text) { _ = country.name }
      }
      #expect(cost.statements == 1)
      #expect(cost.rows == 7)
      return
    }
    let results = all.filter(text)
    let count = results.count
    #expect(count > 0 && count < Self.airports)
    let cost = cost { for airport in results { _ = airport.elevation } }
    #expect(cost.statements == 1)
    #expect(cost.rows == count)
  }

  @Test func `a count, the first and an aggregate are one statement and one row`() throws {
    // Of one object, so that its row is not read for each.
    let one = try #require(all.first)
    let asks: [(String, () -> Void)] = [
      ("count", { _ = all.where { $0.elevation > 10 }.count }),
      ("first", { _ = all.sorted(by: \.elevation, ascending: false).first?.name }),
      ("is empty", { _ = all.where { $0.country.code == "C1" }.isEmpty }),
      ("sum", { _ = all.sum(of: \.elevation) }), ("greatest", { _ = all.max(of: \.elevation) }),
      ("average", { _ = all.average(ofProperty: "elevation") as Double? }),
      ("any-typed", { _ = all.max(of: \.setting) }),
      ("of a list", { _ = one.delays.sum() }),
      ("of a list's objects", { _ = one.runways.where { $0.length > 0 }.count }),
    ]
    for (name, ask) in asks {
      let cost = cost(ask)
      #expect(cost.statements == 1, "\(name)")
      #expect(cost.rows == 1, "\(name)")
    }
  }

  @Test func `index access reads by pages, forwards and backwards`() throws {
    let pages = (Self.airports + Self.page - 1) / Self.page
    let cost = cost {
      let results = all
      for index in 0..<Self.airports { _ = results[index].elevation }
    }
    #expect(cost.statements == 1, "the rest of a page's statement is the next page")
    #expect(cost.rows == Self.airports)
    let back = self.cost {
      let results = all
      for index in (0..<Self.airports).reversed() { _ = results[index].elevation }
    }
    #expect(back.statements == pages)
    #expect(back.rows <= pages * Self.page)
  }

  @Test func `sections are found with one statement, and their objects read by pages`() throws {
    let keys = cost { _ = all.sectioned(by: \.name).allKeys }
    #expect(keys.statements == 1)
    #expect(keys.rows == Self.airports)
    var sum = 0
    let cost = cost {
      let sections = all.sectioned(by: \.name)
      sum = sections.reduce(0) { sum, section in
        sum + section.reduce(0) { $0 + $1.elevation }
      }
    }
    #expect(sum == (0..<Self.airports).reduce(0, +))
    #expect(cost.statements <= 2)
    #expect(cost.rows == 2 * Self.airports)
  }

  @Test func `projections are read with the statement of their objects`() throws {
    let cost = cost { for airport in store.objects(AirportName.self) { _ = airport.title } }
    #expect(cost.statements == 1)
    #expect(cost.rows == Self.airports)
  }
}

/// An airport as a line of a menu.
final class AirportName: Projection<Airport> {
  @Projected(\Airport.name) var title
}
