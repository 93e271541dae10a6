import Atoll
import Foundation
import StoreTestKit
import Testing

@Suite struct QueryTests {
  let folder: TemporaryStore
  let store: Store
  let airports: Results<Airport>

  init() throws {
    folder = TemporaryStore()
    store = try folder.open()
    try store.fill()
    airports = store.objects(Airport.self)
  }

  private func codes(_ condition: (Query<Airport>) -> Query<Bool>) -> [String] {
    airports.where(condition).map(\.icao).sorted()
  }

  @Test func `the query of the issue finds the high airports of a country`() {
    let found = codes {
      $0.country.code == "CH" && $0.elevation > Measurement(value: 1000, unit: .meters)
    }
    #expect(found == ["LSZS"])
  }

  @Test func `scalars compare with every operator`() {
    #expect(codes { $0.name == "Paris" } == ["LFPG"])
    #expect(codes { $0.name != "Paris" } == ["LSZH", "LSZS", "XXXX"])
    #expect(codes { $0.name < "Paris" } == ["XXXX"])
    #expect(codes { $0.name <= "Paris" } == ["LFPG", "XXXX"])
    #expect(codes { $0.name > "Samedan" } == ["LSZH"])
    #expect(codes { $0.name >= "Samedan" } == ["LSZH", "LSZS"])
  }

  @Test func `rule 44: the operand of a mapped property is the mapped type`() {
    #expect(codes { $0.elevation >= Measurement(value: 1, unit: .kilometers) } == ["LSZS"])
    #expect(codes { $0.elevation == Measurement(value: 432, unit: .meters) } == ["LSZH"])
  }

  @Test func `rule 45: persistableValue leads to the stored type`() {
    #expect(codes { $0.elevation.persistableValue > 1000.0 } == ["LSZS"])
    #expect(codes { $0.coordinate.persistableValue.latitude == 0 }.count == 4)
  }

  @Test func `rule 46: optional mapped properties compare with nil`() throws {
    try store.write { airports[0].website = URL(string: "https://a.example") }
    #expect(codes { $0.website != nil } == ["LSZH"])
    #expect(codes { $0.website == nil } == ["LFPG", "LSZS", "XXXX"])
  }

  @Test func `nil differs from every value and is less than none`() {
    #expect(codes { $0.country.code != "CH" } == ["LFPG", "XXXX"])
    #expect(codes { $0.country.code < "ZZ" } == ["LFPG", "LSZH", "LSZS"])
    #expect(codes { $0.country == nil } == ["XXXX"])
  }

  @Test func `conditions combine with and, or and not`() {
    #expect(codes { $0.name == "Paris" || $0.name == "Samedan" } == ["LFPG", "LSZS"])
    #expect(codes { !($0.country.code == "CH") } == ["LFPG", "XXXX"])
    #expect(codes { !($0.country.code == "CH") && $0.country != nil } == ["LFPG"])
  }

  @Test func `objects compare by identity`() throws {
    let switzerland = store.object(ofType: Country.self, forPrimaryKey: "CH")
    #expect(codes { $0.country == switzerland } == ["LSZH", "LSZS"])
    #expect(codes { $0.country == Country(value: ["CH"]) } == [])
  }

  @Test func `rule 50: a mapped embedded value compares member by member`() throws {
    try store.write { airports[1].coordinate = Coordinate(latitude: 1, longitude: 2) }
    #expect(codes { $0.coordinate == Coordinate(latitude: 1, longitude: 2) } == ["LSZS"])
    #expect(codes { $0.coordinate == Coordinate(latitude: 1, longitude: 3) } == [])
  }

  @Test func `rule 51: inequality negates the whole group`() throws {
    try store.write { airports[1].coordinate = Coordinate(latitude: 1, longitude: 2) }
    let found = codes { $0.coordinate != Coordinate(latitude: 1, longitude: 2) }
    #expect(found == ["LFPG", "LSZH", "XXXX"])
  }

  @Test func `rule 55: a persisted embedded object equals nothing`() {
    #expect(codes { $0.coordinate.persistableValue == Location() } == [])
    #expect(codes { $0.coordinate.persistableValue != Location() }.count == 4)
  }

  @Test func `conditions of several where calls all hold`() {
    let found = airports.where { $0.country.code == "CH" }.where { $0.name == "Samedan" }
    #expect(found.map(\.icao) == ["LSZS"])
  }

  @Test func `results are ordered by a property, through a link, and by several`() {
    #expect(airports.sorted(by: \.name).map(\.icao) == ["XXXX", "LFPG", "LSZS", "LSZH"])
    #expect(
      airports.sorted(by: \.elevation, ascending: false).first?.icao == "LSZS")
    #expect(
      airports.sorted(byKeyPath: "name").sorted(byKeyPath: "country.code").map(\.icao)
        == ["XXXX", "LSZS", "LSZH", "LFPG"])
    #expect(airports.sorted(by: \.country?.name).last?.country?.code == "CH")
  }

  @Test func `a lone Bool property is a condition`() throws {
    let folder = TemporaryStore([Defaults.self])
    let store = try folder.open()
    try store.write {
      store.create(Defaults.self, value: ["flag": true])
      store.create(Defaults.self)
    }
    #expect(store.objects(Defaults.self).where { $0.flag }.count == 1)
    #expect(store.objects(Defaults.self).where { !$0.flag }.count == 1)
  }

  @Test func `rule 43: a key path into a mapped value is refused with the path to use`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryStore()
      _ = try folder.open().objects(Airport.self).sorted(by: \.coordinate.latitude)
    }
    #expect(said(result, "goes into the value of Property 'Airport.coordinate'"))
  }

  @Test func `an unknown key path is refused with the names there are`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryStore()
      _ = try folder.open().objects(Airport.self).sorted(byKeyPath: "nmae")
    }
    #expect(said(result, "class 'Airport' has no property 'nmae'. It has: icao, name"))
  }
}
