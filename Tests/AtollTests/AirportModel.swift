public import Atoll
public import Foundation

// The model the project exists for: a coordinate embedded, a time zone that may not be known, a
// measurement in metres, a link, and a web address. Outside this package the extensions of
// Foundation's types are `@retroactive`.

struct Coordinate: Hashable {
  var latitude: Double
  var longitude: Double
}

final class Location: EmbeddedObject {
  @Persisted(.either) var latitude: Double
  @Persisted(.either) var longitude: Double
}

extension Coordinate: CustomPersistable {
  typealias PersistedType = Location

  init(persistedValue: Location) {
    self.init(latitude: persistedValue.latitude, longitude: persistedValue.longitude)
  }

  var persistableValue: Location {
    let location = Location()
    location.latitude = latitude
    location.longitude = longitude
    return location
  }
}

extension TimeZone: FailableCustomPersistable {
  public typealias PersistedType = String
  public init?(persistedValue: String) { self.init(identifier: persistedValue) }
  public var persistableValue: String { identifier }
}

extension Measurement: CustomPersistable where UnitType == UnitLength {
  public typealias PersistedType = Double
  public init(persistedValue: Double) { self.init(value: persistedValue, unit: .meters) }
  public var persistableValue: Double { converted(to: .meters).value }
}

extension URL: FailableCustomPersistable {
  public typealias PersistedType = String
  public init?(persistedValue: String) { self.init(string: persistedValue) }
  public var persistableValue: String { absoluteString }
}

final class Country: Object {
  @Persisted(primaryKey: .either) var code: String
  @Persisted(.either) var name: String?
}

final class Airport: Object {
  @Persisted(primaryKey: .either) var icao: String
  @Persisted(indexed: .either) var name: String
  @Persisted(.either) var iata: String?
  @Persisted(.either) var coordinate: Coordinate
  @Persisted(.either) var timeZone: TimeZone?
  @Persisted(.either) var elevation: Measurement<UnitLength>
  @Persisted(.either) var country: Country?
  @Persisted(.either) var website: URL?
}

extension Airport {
  static let types: [ObjectBase.Type] = [Airport.self, Country.self, Location.self]

  convenience init(
    _ icao: String, _ name: String, meters: Double = 0, country: Country? = nil
  ) {
    self.init()
    self.icao = icao
    self.name = name
    elevation = Measurement(value: meters, unit: .meters)
    self.country = country
  }
}
