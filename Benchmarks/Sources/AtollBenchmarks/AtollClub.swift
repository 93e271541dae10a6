import Atoll
import Foundation

struct ClubCoordinate: Hashable {
  var latitude: Double
  var longitude: Double
}

final class ClubLocation: EmbeddedObject {
  @Persisted var latitude: Double
  @Persisted var longitude: Double
}

extension ClubCoordinate: CustomPersistable {
  typealias PersistedType = ClubLocation

  init(persistedValue: ClubLocation) {
    self.init(latitude: persistedValue.latitude, longitude: persistedValue.longitude)
  }

  var persistableValue: ClubLocation {
    let location = ClubLocation()
    location.latitude = latitude
    location.longitude = longitude
    return location
  }
}

extension URL: @retroactive FailableCustomPersistable {
  public typealias PersistedType = String

  public init?(persistedValue: String) { self.init(string: persistedValue) }

  public var persistableValue: String { absoluteString }
}

/// The workload's class with projected properties.
final class Club: Object {
  @Persisted(primaryKey: true) var pk: Int
  @Persisted(indexed: true) var name: String
  @Persisted var url: URL?
  @Persisted var location: ClubCoordinate
  @Persisted var count: Int
}

/// The same in plain columns, the like-for-like form.
final class FlatClub: Object {
  @Persisted(primaryKey: true) var pk: Int
  @Persisted(indexed: true) var name: String
  @Persisted var url: String
  @Persisted var latitude: Double
  @Persisted var longitude: Double
  @Persisted var count: Int
}

extension FlatClub {
  convenience init(_ values: ClubValues) {
    self.init()
    pk = values.pk
    name = values.name
    url = values.url
    latitude = values.latitude
    longitude = values.longitude
    count = values.count
  }
}

extension Club {
  convenience init(_ values: ClubValues) {
    self.init()
    pk = values.pk
    name = values.name
    url = URL(string: values.url)
    location = ClubCoordinate(latitude: values.latitude, longitude: values.longitude)
    count = values.count
  }
}

/// The SQL of a query.
func sql(of results: Results<FlatClub>) -> String {
  results.explain().components(separatedBy: "\n")[1]
}

/// A store in a folder of its own with one of the two classes.
func openStore(_ url: URL) throws -> Store {
  try Store(
    configuration: Store.Configuration(
      fileURL: url, objectTypes: [Club.self, FlatClub.self, ClubLocation.self]))
}

extension Store {
  /// Adds flat clubs, so many a transaction.
  func insertFlat(_ clubs: [ClubValues], perTransaction: Int) throws {
    for start in stride(from: 0, to: clubs.count, by: perTransaction) {
      try write {
        for club in clubs[start..<min(start + perTransaction, clubs.count)] { add(FlatClub(club)) }
      }
    }
  }
}
