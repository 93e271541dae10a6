import Atoll
import Foundation
import Testing

@Suite struct ResultsTests {
  let folder: TemporaryStore
  let store: Store

  init() throws {
    folder = try TemporaryStore()
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
      let folder = try TemporaryStore()
      let store = try folder.open()
      try store.fill()
      _ = store.objects(Airport.self)[4]
    }
    #expect(said(result, "Index 4 is out of bounds of results of 4 objects."))
  }
}
