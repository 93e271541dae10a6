import ArgumentParser
import Atoll
import Foundation

/// Creates the airports of a CSV file, and the countries they are in.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "import")

  @OptionGroup var target: ApplicationStore
  @Option var airports: String
  @Option(help: "At most this many airports.") var limit: Int = .max
  @Option(help: "Airports in one transaction.") var batch = 1_000

  func run() throws {
    let records = try AirportTable(path: airports, limit: limit).records
    let store = try target.open()
    for start in stride(from: 0, to: records.count, by: batch) {
      let end = min(start + batch, records.count)
      try store.write {
        for record in records[start..<end] { ImportCommand.create(record, in: store) }
      }
      report("imported \(end)")
    }
  }

  private static func create(_ record: AirportRecord, in store: Store) {
    let airport = Airport()
    airport.icao = record.icao
    airport.name = record.name
    airport.iata = record.iata.isEmpty ? nil : record.iata
    airport.coordinate = Coordinate(latitude: record.latitude, longitude: record.longitude)
    airport.timeZone = TimeZone(identifier: record.timeZone)
    airport.elevation = Measurement(value: record.elevation, unit: .feet)
    airport.country = country(record.country, in: store)
    store.add(airport)
  }

  private static func country(_ code: String, in store: Store) -> Country? {
    guard !code.isEmpty else { return nil }
    if let known = store.object(ofType: Country.self, forPrimaryKey: code) { return known }
    let country = Country()
    country.code = code
    store.add(country)
    return country
  }
}
