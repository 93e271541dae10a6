import Atoll
import Foundation
import StoreTestKit
import Testing

final class Place: EmbeddedObject {
  @Persisted var type: String
  @Persisted var coordinates: List<Double>
}

final class Town: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var place: Place?
  @Persisted var stations: List<Place>
}

/// Points in areas: type-safe, as text, and as the geometry says.
@Suite struct GeoTests {
  private let place: TemporaryStore
  private let store: Store

  init() throws {
    place = TemporaryStore([Town.self, Place.self])
    store = try place.open()
    let towns: [(String, Double, Double)] = [
      ("Zürich", 8.54, 47.38), ("Bern", 7.45, 46.95), ("Paris", 2.35, 48.86),
      ("Suva", 178.44, -18.14), ("Apia", -171.77, -13.83), ("Quito", -78.47, -0.18),
    ]
    try store.write {
      for (name, longitude, latitude) in towns {
        let place: [String: Any] = ["type": "Point", "coordinates": [longitude, latitude]]
        store.create(Town.self, value: ["name": name, "place": place, "stations": [place]])
      }
      store.create(Town.self, value: ["name": "Atlantis"])
      store.create(
        Town.self, value: ["name": "Line", "place": ["type": "Line", "coordinates": [8.5, 47.4]]])
      store.create(
        Town.self, value: ["name": "Half", "place": ["type": "Point", "coordinates": [8.5]]])
    }
  }

  private func point(_ longitude: Double, _ latitude: Double) throws -> GeoPoint {
    try #require(GeoPoint(latitude: latitude, longitude: longitude))
  }

  /// The towns in an area, if all forms agree.
  private func towns(in area: some GeoArea) throws -> [String] {
    let all = store.objects(Town.self)
    let found = all.where { $0.place.geoWithin(area) }.map(\.name)
    #expect(all.filter("place IN %@", area).map(\.name) == found)
    #expect(all.filter("ANY stations IN %@", area).map(\.name) == found)
    #expect(all.where { $0.stations.geoWithin(area) }.map(\.name) == found)
    #expect(
      all.where { !$0.place.geoWithin(area) }.map(\.name)
        == all.map(\.name).filter { !found.contains($0) })
    var printed = ("", [Any]())
    _ = all.where { query in
      let condition = query.place.geoWithin(area)
      printed = condition._constructPredicate()
      return condition
    }
    #expect(try all.filter(parsing: printed.0, all: printed.1).map(\.name) == found)
    return found
  }

  @Test func `a box lies between meridians and parallels`() throws {
    let alps = GeoBox(bottomLeft: try point(5, 45), topRight: try point(11, 48))
    #expect(try towns(in: alps) == ["Zürich", "Bern"])
    let pacific = GeoBox(bottomLeft: try point(170, -30), topRight: try point(-160, 0))
    #expect(try towns(in: pacific) == ["Suva", "Apia"])
  }

  @Test func `shapes are made of pairs of latitude and longitude`() throws {
    let alps = try #require(GeoBox(bottomLeft: (45, 5), topRight: (48, 11)))
    #expect(alps == GeoBox(bottomLeft: try point(5, 45), topRight: try point(11, 48)))
    #expect(try towns(in: alps) == ["Zürich", "Bern"])
    #expect(GeoBox(bottomLeft: (-91, 0), topRight: (0, 0)) == nil)
    let circle = try #require(GeoCircle(center: (47.38, 8.54), radiusInRadians: 0.001))
    #expect(try towns(in: circle) == ["Zürich"])
    let radius = try #require(Distance.kilometers(100))
    #expect(try towns(in: #require(GeoCircle(center: (47.38, 8.54), radius: radius))).count == 2)
    #expect(GeoCircle(center: (0, 181), radius: radius) == nil)
    #expect(GeoCircle(center: (0, 70), radiusInRadians: -500) == nil)
    #expect(GeoCircle(center: (0, 70), radiusInRadians: .nan) == nil)
    let ring = [(40.0, 0.0), (40, 15), (55, 15), (55, 0), (40, 0)]
    let hole = [(46.0, 7.0), (46, 8), (47.2, 8), (47.2, 7), (46, 7)]
    let europe = try #require(GeoPolygon(outerRing: ring))
    #expect(try towns(in: europe) == ["Zürich", "Bern", "Paris"])
    let holed = try #require(GeoPolygon(outerRing: ring, holes: [hole]))
    #expect(try towns(in: holed) == ["Zürich", "Paris"])
    #expect(GeoPolygon(outerRing: ring, holes: hole, hole)?.holes.count == 2)
    #expect(GeoPolygon(outerRing: [(91, 0), (0, 1), (1, 1), (91, 0)]) == nil)
    #expect(GeoPolygon(outerRing: ring, holes: [[(0, 0)]]) == nil)
    #expect(GeoPoint(47, 8) == GeoPoint(latitude: 47, longitude: 8))
    #expect(GeoPoint(0, .nan) == nil && GeoPoint(0, 0, -1) == nil)
  }

  @Test func `a distance is given and read in four units`() throws {
    let around = try #require(Distance.kilometers(40_075))
    #expect(abs(around.radians - 2 * .pi) < 0.001)
    #expect(abs(around.asKilometers() - 40_075) < 0.001 && abs(around.asMiles() - 24_901) < 1)
    #expect(try abs(#require(Distance.miles(24_901)).asDegrees() - 360) < 0.1)
    #expect(try #require(Distance.degrees(180)).radians == .pi)
    for distance in [Distance.radians(.nan), .miles(-1), .degrees(-0.1), .kilometers(.nan)] {
      #expect(distance == nil)
    }
  }

  @Test func `a circle is measured along the ground`() throws {
    // Zürich and Bern are 95 km apart.
    for (kilometers, expected) in [(90.0, ["Zürich"]), (100, ["Zürich", "Bern"])] {
      let radius = try #require(Distance.kilometers(kilometers))
      let circle = GeoCircle(center: try point(8.54, 47.38), radius: radius)
      #expect(try towns(in: circle) == expected)
    }
    let dateLine = try #require(GeoCircle(center: try point(180, -16), radiusInRadians: 0.2))
    #expect(try towns(in: dateLine) == ["Suva", "Apia"])
  }

  @Test func `a polygon has edges along great circles, and holes`() throws {
    func ring(_ points: [(Double, Double)]) throws -> [GeoPoint] {
      try (points + points.prefix(1)).map { try point($0.0, $0.1) }
    }
    let europe = try ring([(0, 40), (15, 40), (15, 55), (0, 55)])
    let around = try ring([(7, 46), (8, 46), (8, 47.2), (7, 47.2)])
    #expect(
      try towns(in: try #require(GeoPolygon(outerRing: europe))) == ["Zürich", "Bern", "Paris"])
    #expect(
      try towns(in: try #require(GeoPolygon(outerRing: europe.reversed(), holes: [around])))
        == ["Zürich", "Paris"])
    // The great circle between two points of 47° N runs north of that parallel.
    let bulge = try ring([(-40, 47), (55, 47), (7, 40)])
    #expect(try towns(in: try #require(GeoPolygon(outerRing: bulge))).contains("Paris"))
    let pacific = try ring([(170, -30), (-160, -30), (-160, -5), (170, -5)])
    #expect(try towns(in: try #require(GeoPolygon(outerRing: pacific))) == ["Suva", "Apia"])
    #expect(GeoPolygon(outerRing: Array(europe.dropLast())) == nil)
  }

  @Test func `an area belongs after IN, and before it a point`() throws {
    let box = GeoBox(bottomLeft: try point(0, 0), topRight: try point(1, 1))
    let all = store.objects(Town.self)
    #expect(throws: PredicateParsingError.self) { try all.filter(parsing: "place == %@", box) }
    #expect(throws: PredicateParsingError.self) { try all.filter(parsing: "name IN %@", box) }
  }
}
