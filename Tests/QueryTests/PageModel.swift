import Atoll
import Foundation

// The classes that the page "Queries" asks.

enum Surface: String, PersistableEnum {
  case asphalt, grass
}

final class Country: Object {
  @Persisted(primaryKey: true) var code: String
  @Persisted var name: String
}

final class Runway: Object {
  @Persisted var length: Int
  @Persisted var surface: Surface
}

final class Airport: Object {
  @Persisted(primaryKey: true) var icao: String
  @Persisted(indexed: true) var name: String
  @Persisted(indexed: .fullText) var remarks: String
  @Persisted(indexed: .spatial) var place: Place?
  @Persisted var iata: String?
  @Persisted(indexed: true) var elevation: Int
  @Persisted var opened: Date?
  @Persisted var isOpen: Bool
  @Persisted var spot: Spot
  @Persisted var country: Country?
  @Persisted var runways: List<Runway>
  @Persisted var tags: MutableSet<String>
  @Persisted var delays: List<Int>
  @Persisted var fees: Map<String, Double>
  @Persisted var setting: AnyValue

  static let types: [ObjectBase.Type] = [
    Airport.self, Country.self, Runway.self, StoredSpot.self, Place.self,
  ]
}
