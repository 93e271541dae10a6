import Atoll
import Foundation
import StoreTestKit
import Testing

@Suite struct ResultsTests {
  let folder: TemporaryStore
  let store: Store

  init() throws {
    folder = TemporaryStore()
    store = try folder.open()
  }

  private func add(_ numbers: Range<Int>) throws {
    try store.write {
      for number in numbers { store.add(Airport("A\(number)", "Airport \(number)")) }
    }
  }

  @Test func `results are live`() throws {
    let airports = store.objects(Airport.self)
    #expect(airports.isEmpty)
    #expect(airports.first == nil)
    #expect(airports.last == nil)
    try add(0..<3)
    #expect(airports.count == 3)
    #expect(airports.first?.icao == "A0")
    #expect(airports.last?.icao == "A2")
    try store.write {
      store.add(Airport("A3", "inside"))
      #expect(airports.count == 4)
    }
  }

  @Test func `indices reach every page`() throws {
    try add(0..<300)
    let airports = store.objects(Airport.self)
    #expect(airports[0].icao == "A0")
    #expect(airports[299].icao == "A299")
    #expect(airports[128].icao == "A128")
    #expect(airports.indices.map { airports[$0].icao } == (0..<300).map { "A\($0)" })
    #expect(airports.prefix(2).map(\.icao) == ["A0", "A1"])
    #expect(airports.prefix(1000).count == airports.count)
    #expect(airports.prefix(0).isEmpty)
    #expect(airports[298...].map(\.icao) == ["A298", "A299"])
  }

  @Test func `iteration runs over the objects there were, whatever the loop changes`() throws {
    try add(0..<300)
    var seen = 0
    try store.write {
      for airport in store.objects(Airport.self).where({ $0.iata == nil }) {
        airport.iata = "X"
        store.add(Airport("B\(seen)", "new"))
        seen += 1
      }
    }
    #expect(seen == 300)
  }

  @Test func `a loop may write in transactions of its own`() throws {
    try add(0..<5)
    var seen = 0
    for airport in store.objects(Airport.self) {
      try store.write { airport.iata = "X" }
      seen += 1
    }
    #expect(seen == 5)
    #expect(store.objects(Airport.self).where { $0.iata == "X" }.count == 5)
  }

  @Test func `an object kept from a loop keeps its row when the loop goes on, or ends early`()
    throws
  {
    try store.write {
      for number in 0..<300 {
        let airport = Airport("A\(number)", "Airport \(number)")
        airport.coordinate = Coordinate(latitude: Double(number), longitude: 0)
        store.add(airport)
      }
    }
    var kept: [Airport] = []
    for (number, airport) in store.objects(Airport.self).enumerated() {
      if number == 290 { break }
      if number.isMultiple(of: 7) { kept.append(airport) } else { _ = airport.name }
    }
    let numbers = stride(from: 0, to: 290, by: 7)
    #expect(kept.map(\.name) == numbers.map { "Airport \($0)" })
    #expect(kept.map(\.icao) == numbers.map { "A\($0)" })
    #expect(kept.map(\.coordinate.latitude) == numbers.map(Double.init))
    #expect(store.objects(Airport.self).map { $0 }.map(\.icao) == (0..<300).map { "A\($0)" })
  }

  @Test func `an object of a loop sees what is written while the loop stands there`() throws {
    try add(0..<3)
    let loop = store.objects(Airport.self).makeIterator()
    let first = try #require(loop.next())
    #expect(first.coordinate.latitude == 0 && first.iata == nil)
    try store.write { first.iata = "X" }
    #expect(first.iata == "X" && first.name == "Airport 0")
    let second = try #require(loop.next())
    try store.write { store.objects(Airport.self)[1].iata = "Y" }
    #expect(second.iata == "Y" && second.icao == "A1")
    #expect(loop.next()?.icao == "A2")
    #expect(loop.next() == nil && loop.next() == nil)
  }

  @Test func `objects deleted during a loop are left out`() throws {
    try add(0..<4)
    let airports = store.objects(Airport.self)
    var seen: [String] = []
    try store.write {
      for airport in airports {
        seen.append(airport.icao)
        if airport.icao == "A0", let next = airports.first(where: { $0.icao == "A1" }) {
          store.delete(next)
        }
      }
    }
    #expect(seen == ["A0", "A2", "A3"])
  }

  @Test func `an index outside the results is refused with the number of objects`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryStore()
      let store = try folder.open()
      try store.fill()
      _ = store.objects(Airport.self)[4]
    }
    #expect(said(result, "Index 4 is out of bounds of results of 4 objects."))
  }
}
