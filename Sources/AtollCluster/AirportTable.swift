import Foundation

/// A line of `airports.csv`.
struct AirportRecord {
  let icao: String
  let iata: String
  let name: String
  /// ISO 3166 alpha-2.
  let country: String
  /// Feet above sea level.
  let elevation: Double
  let latitude: Double
  let longitude: Double
  /// An identifier of the tz database.
  let timeZone: String
}

/// The airports of a CSV file.
struct AirportTable {
  let records: [AirportRecord]

  private static let columns = ["icao", "iata", "name", "country", "elevation", "lat", "lon", "tz"]

  /// Reads the file; at most `limit` airports.
  ///
  /// - Throws: ``ClusterError/noAirports(path:reason:)`` naming the line that cannot be read.
  init(path: String, limit: Int = .max) throws {
    let failure = { ClusterError.noAirports(path: path, reason: $0) }
    guard let bytes = FileManager.default.contents(atPath: path) else {
      throw failure("the file cannot be read")
    }
    var rows = CommaSeparatedValues(bytes)
    guard let heading = rows.next() else { throw failure("the file is empty") }
    let places = try AirportTable.columns.map { name in
      guard let place = heading.firstIndex(of: name) else {
        throw failure("the first line names no column \"\(name)\"")
      }
      return place
    }
    var records: [AirportRecord] = []
    while records.count < limit, let row = rows.next() {
      guard row.count == heading.count, let record = AirportRecord(places.map { row[$0] }) else {
        throw failure("row \(records.count + 2) is not an airport: \(row.joined(separator: ","))")
      }
      records.append(record)
    }
    guard !records.isEmpty else { throw failure("it lists no airport") }
    self.records = records
  }
}

extension AirportRecord {
  /// Takes the fields in the order of ``AirportTable/columns``; nil if a number is none.
  fileprivate init?(_ fields: [String]) {
    guard let elevation = Double(fields[4]), let latitude = Double(fields[5]),
      let longitude = Double(fields[6])
    else { return nil }
    self.init(
      icao: fields[0], iata: fields[1], name: fields[2], country: fields[3], elevation: elevation,
      latitude: latitude, longitude: longitude, timeZone: fields[7])
  }
}
