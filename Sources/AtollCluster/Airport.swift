public import Atoll
public import Foundation

// Outside this package the extensions of Foundation's types are `@retroactive`.

/// A place on the globe; a type of the application, which the store has never heard of.
struct Coordinate: Hashable {
  var latitude: Double
  var longitude: Double
}

/// The stored form of a ``Coordinate``.
final class Location: EmbeddedObject {
  @Persisted var latitude: Double
  @Persisted var longitude: Double
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

/// Stored as its identifier; one that this machine does not know reads as nil.
extension TimeZone: FailableCustomPersistable {
  public typealias PersistedType = String
  public init?(persistedValue: String) { self.init(identifier: persistedValue) }
  public var persistableValue: String { identifier }
}

/// Stored as its text.
extension URL: FailableCustomPersistable {
  public typealias PersistedType = String
  public init?(persistedValue: String) { self.init(string: persistedValue) }
  public var persistableValue: String { absoluteString }
}

/// Stored in metres, whatever unit it was given in.
extension Measurement: CustomPersistable where UnitType == UnitLength {
  public typealias PersistedType = Double
  public init(persistedValue: Double) { self.init(value: persistedValue, unit: .meters) }
  public var persistableValue: Double { converted(to: .meters).value }
}

/// A country, by its ISO 3166 code.
final class Country: Object {
  @Persisted(primaryKey: true) var code: String
}

/// An airport of the table.
final class Airport: Object {
  @Persisted(primaryKey: true) var icao: String
  @Persisted(indexed: true) var name: String
  @Persisted var iata: String?
  @Persisted var coordinate: Coordinate
  @Persisted var timeZone: TimeZone?
  @Persisted var elevation: Measurement<UnitLength>
  @Persisted var country: Country?
  @Persisted var website: URL?
}
