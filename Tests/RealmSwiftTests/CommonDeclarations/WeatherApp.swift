// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

class WeatherCity: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var coord: WeatherCoordinate?
  @Persisted var days: List<WeatherDay>
  @Persisted var alerts: List<String>
  @Persisted var population: Int?
  @Persisted var isCapital: Bool
  @Persisted var updated: Date?
}

class WeatherCoordinate: EmbeddedObject {
  @Persisted var lat: Double
  @Persisted var lon: Double
}

class WeatherDay: Object {
  @Persisted var low: Double
  @Persisted var high: Double
  @Persisted var rain: Float?
}

private let weatherResponse = """
  {"list": [
    {"id": 1, "name": "Bern", "coord": {"lat": 46.95, "lon": 7}, "isCapital": true,
     "days": [{"low": -1, "high": 4.5, "rain": null}, {"low": 2, "high": 9, "rain": 1}],
     "alerts": ["ice"], "population": 134000, "comment": "not stored"},
    {"id": 2, "name": "Thun", "coord": null, "isCapital": false, "days": [], "alerts": [],
     "population": null}]}
  """

/// Takes what `JSONSerialization` gives, without types in between.
struct WeatherImport {
  func run() throws -> Int {
    let json = try JSONSerialization.jsonObject(with: Data(weatherResponse.utf8), options: [])
    guard let root = json as? [String: Any], let list = root["list"] as? [[String: Any]] else {
      return 0
    }
    let realm = try Realm()
    return try realm.write { () -> Int in
      for city in list {
        realm.create(WeatherCity.self, value: city, update: .modified)
      }
      return list.count
    }
  }
}

extension CommonDeclarations {
  @Test func `weather as a server's dictionaries have it`() throws {
    try withDefaultRealm(of: WeatherCity.self, WeatherCoordinate.self, WeatherDay.self) {
      let realm = try Realm()
      #expect(try WeatherImport().run() == 2)
      let bern = try #require(realm.object(ofType: WeatherCity.self, forPrimaryKey: 1))
      #expect(bern.coord?.lon == 7 && bern.days.count == 2 && bern.days[0].rain == nil)
      #expect(bern.days[1].rain == 1 && bern.alerts.first == "ice" && bern.isCapital)
      let thun = realm.object(ofType: WeatherCity.self, forPrimaryKey: 2)
      #expect(thun?.coord == nil && thun?.population == nil && thun?.isCapital == false)
      try realm.write { bern.updated = Date(timeIntervalSince1970: 5) }
      #expect(try WeatherImport().run() == 2)
      #expect(bern.updated == Date(timeIntervalSince1970: 5) && bern.days.count == 2)
      let hottest = realm.objects(WeatherDay.self).max(ofProperty: "high") as Double?
      #expect(hottest == 9)
      let cold = realm.objects(WeatherCity.self).filter("ANY days.low < 0")
      #expect(cold.count == 1 && cold.first?.name == "Bern")
      #expect(
        realm.objects(WeatherCity.self).filter("days.@max.high > 5 AND alerts.@count == 1").count
          == 1)
      #expect(realm.objects(WeatherCity.self).filter("population == nil").first?.name == "Thun")
      #expect(realm.objects(WeatherCity.self).filter("name IN {'Bern', 'Biel'}").count == 1)
    }
  }
}
