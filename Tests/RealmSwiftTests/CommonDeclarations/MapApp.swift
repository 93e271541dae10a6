// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

/// A point as GeoJSON has it.
class MapPoint: EmbeddedObject {
  @Persisted private var coordinates: List<Double>
  @Persisted private var type: String = "Point"

  public var latitude: Double { coordinates[1] }
  public var longitude: Double { coordinates[0] }

  convenience init(_ latitude: Double, _ longitude: Double) {
    self.init()
    // Longitude is first.
    coordinates.append(objectsIn: [longitude, latitude])
  }
}

class MapPlace: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var name: String
  @Persisted var location: MapPoint?
  @Persisted var category: Category
  @Persisted var visits: RealmSwift.List<Date>

  enum Category: String, PersistableEnum, CaseIterable {
    case café, bridge, museum
    static var `default`: Category { .museum }
  }
}

struct MapSearch {
  var text = ""
  var categories = Set(MapPlace.Category.allCases)
  var nearby: (center: GeoPoint, kilometers: Double)?

  /// Builds the query step by step, as screens with filters do.
  func results(in realm: Realm) -> Results<MapPlace> {
    var results = realm.objects(MapPlace.self)
    if !text.isEmpty {
      results = results.where {
        $0.name.contains(text, options: [.caseInsensitive, .diacriticInsensitive])
      }
    }
    if categories.count < MapPlace.Category.allCases.count {
      results = results.where { $0.category.in(Array(categories)) }
    }
    if let nearby = nearby {
      let circle = GeoCircle(center: nearby.center, radius: .kilometers(nearby.kilometers)!)
      results = results.where { $0.location.geoWithin(circle) }
    }
    return results.sorted(by: \.name, ascending: true)
  }
}

extension CommonDeclarations {
  @Test func `places on a map, searched by distance`() throws {
    try withDefaultRealm(of: MapPlace.self, MapPoint.self) {
      let realm = try Realm()
      try realm.write {
        let places: [(String, MapPlace.Category, Double, Double)] = [
          ("Wettsteinbrücke", .bridge, 47.5565, 7.5995),
          ("Mittlere Brücke", .bridge, 47.56, 7.5896),
          ("Café Frühling", .café, 47.5634, 7.5926), ("Louvre", .museum, 48.8606, 2.3376),
        ]
        for (name, category, latitude, longitude) in places {
          let place = MapPlace()
          place.name = name
          place.category = category
          place.location = MapPoint(latitude, longitude)
          realm.add(place)
        }
        realm.create(MapPlace.self, value: ["name": "Nowhere"])
      }
      var search = MapSearch(text: "brucke")
      #expect(search.results(in: realm).map(\.name) == ["Mittlere Brücke", "Wettsteinbrücke"])
      search.nearby = (GeoPoint(latitude: 47.5605, longitude: 7.5901)!, 0.3)
      #expect(search.results(in: realm).first?.location?.latitude == 47.56)
      search = MapSearch(categories: [.café, .museum], nearby: (GeoPoint(47.56, 7.59)!, 500))
      #expect(search.results(in: realm).count == 2)
      let box = GeoBox(bottomLeft: (47.5, 7.5), topRight: (47.6, 7.6))!
      let inBox = realm.objects(MapPlace.self).filter("location IN %@", box)
      #expect(inBox.count == 3)
      let fallback = realm.objects(MapPlace.self).where { $0.location == nil }.first
      #expect(fallback?.category == .café && fallback?.visits.isEmpty == true)
      try realm.write {
        inBox.setValue([Date(timeIntervalSince1970: 0)], forKey: "visits")
        fallback?.visits.append(Date())
      }
      #expect(realm.objects(MapPlace.self).filter("visits.@count > 0").count == 4)
      #expect(realm.objects(MapPlace.self).where { $0.visits.count == 0 }.first?.name == "Louvre")
    }
  }
}
