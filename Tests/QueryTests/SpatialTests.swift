import Atoll
import AtollStorage
import Foundation
import StoreTestKit
import TestKit
import Testing

/// A point of the application's own, stored as GeoJSON has it.
struct Coordinate: Hashable, CustomPersistable {
  typealias PersistedType = Place
  var longitude: Double
  var latitude: Double

  init(_ longitude: Double, _ latitude: Double) {
    (self.longitude, self.latitude) = (longitude, latitude)
  }

  init(persistedValue: Place) {
    let numbers = Array(persistedValue.coordinates)
    self.init(numbers.first ?? 0, numbers.dropFirst().first ?? 0)
  }

  var persistableValue: Place {
    Place(value: ["type": "Point", "coordinates": [longitude, latitude]])
  }
}

final class Buoy: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: .spatial) var place: Place?
  @Persisted(indexed: .spatial) var mapped: Coordinate?
  @Persisted var plain: Place?
  @Persisted var next: Buoy?
}

/// Points in areas, found by the spatial index and without it.
@Suite struct SpatialTests {
  private let place: TemporaryStore
  private let store: Store
  private var all: Results<Buoy> { store.objects(Buoy.self) }

  init() throws {
    place = TemporaryStore([Buoy.self, Place.self])
    store = try place.open()
  }

  private func place(_ buoys: [Coordinate]) throws {
    try store.write {
      store.deleteAll()
      for (id, buoy) in buoys.enumerated() {
        let value: [String: Any] = [
          "type": "Point", "coordinates": [buoy.longitude, buoy.latitude],
        ]
        store.create(
          Buoy.self, value: ["id": id, "place": value, "mapped": value, "plain": value])
      }
    }
  }

  private static var shapes: Int {
    ProcessInfo.processInfo.environment["ATOLL_QUERIES"].flatMap { Int($0) } ?? 2000
  }

  @Test func `thousands of random areas hold the same points with the index and without`() throws {
    var random = SeededRandom.announced("areas")
    var draws = SphereDraws()
    var (matches, shapes) = (0, 0)
    while shapes < Self.shapes {
      draws.drawPoints(120, &random)
      try place(draws.points)
      for _ in 0..<100 {
        guard let area = draws.area(&random) else { continue }
        shapes += 1
        let expected = all.where { $0.plain.geoWithin(area) }.map(\.id)
        let found = all.where { $0.place.geoWithin(area) }.map(\.id)
        let mapped = all.where { $0.mapped.geoWithin(area) }.map(\.id)
        matches += expected.count
        guard found != expected || mapped != expected else { continue }
        let points = Set(found).symmetricDifference(expected).map { draws.points[$0] }
        Issue.record("\(area): found \(found), expected \(expected), not agreed on \(points)")
        return
      }
    }
    #expect(matches > shapes, "the areas are of no use: they hold \(matches) points")
  }

  @Test func `the plan looks into the index, also across the 180th meridian`() throws {
    try place([Coordinate(179.9, 0), Coordinate(-179.9, 0), Coordinate(0, 0)])
    let center = try #require(GeoPoint(latitude: 0, longitude: 180))
    let circle = try #require(GeoCircle(center: center, radiusInRadians: 0.01))
    let results = all.where { $0.place.geoWithin(circle) }
    #expect(results.map(\.id) == [0, 1])
    let explained = results.explain()
    #expect(explained.contains("SEARCH t USING INTEGER PRIMARY KEY"), "\(explained)")
    #expect(explained.components(separatedBy: "VIRTUAL TABLE INDEX").count == 3, "\(explained)")
    let plain = all.where { $0.plain.geoWithin(circle) }.explain()
    #expect(!plain.contains("VIRTUAL TABLE"))
  }

  @Test func `areas with as many rectangles around them are compiled once`() throws {
    try place([Coordinate(8, 47), Coordinate(179, 0), Coordinate(-179, 0)])
    func found(_ west: Double, _ east: Double) throws -> [Int] {
      let corners = try [west, east].map { longitude in
        try #require(GeoPoint(latitude: longitude == west ? -1 : 48, longitude: longitude))
      }
      return all.where { $0.place.geoWithin(GeoBox(bottomLeft: corners[0], topRight: corners[1])) }
        .map(\.id)
    }
    #expect(try found(5, 11) == [0] && found(170, -170) == [1, 2])
    var again: [[Int]] = []
    let trace = try store.traced {
      again = [try found(9, 180), try found(-180, 7), try found(178, -179.5), try found(1, 9)]
    }
    #expect(again == [[1], [2], [1], [0]])
    #expect(trace.compiled == 0, "\(trace.statements)")
  }

  @Test func `a point is found where it is now, and nowhere without one`() throws {
    try place([Coordinate(8, 47), Coordinate(8.1, 47)])
    func point(_ longitude: Double, _ latitude: Double) throws -> GeoPoint {
      try #require(GeoPoint(latitude: latitude, longitude: longitude))
    }
    let alps = GeoBox(bottomLeft: try point(5, 45), topRight: try point(11, 48))
    let near = all.where { $0.place.geoWithin(alps) }
    let mapped = all.where { $0.mapped.geoWithin(alps) }
    #expect(near.map(\.id) == [0, 1])
    let first = try #require(store.object(ofType: Buoy.self, forPrimaryKey: 0))
    let second = try #require(store.object(ofType: Buoy.self, forPrimaryKey: 1))
    try store.write {
      first.place?.coordinates[0] = 100
      #expect(near.map(\.id) == [1])
      second.place = nil
      second.mapped = Coordinate(0, 0)
      second.next = first
    }
    #expect(near.isEmpty)
    #expect(mapped.map(\.id) == [0])
    try store.write { first.place?.coordinates[0] = 6 }
    #expect(near.map(\.id) == [0])
    #expect(all.where { $0.next.place.geoWithin(alps) }.map(\.id) == [1])
    #expect(all.where { !$0.next.place.geoWithin(alps) }.map(\.id) == [0])
    // Longitudes beyond the ordinary are other names of places to a circle, and none to a box.
    try store.write { first.place?.coordinates[0] = 367 }
    let circle = try #require(GeoCircle(center: try point(7, 47), radiusInRadians: 0.01))
    #expect(all.where { $0.place.geoWithin(circle) }.map(\.id) == [0])
    #expect(near.isEmpty)
    for broken in ["Line", "Point"] {
      try store.write {
        first.place?.type = broken
        first.place?.coordinates.removeAll()
        first.place?.coordinates.append(objectsIn: broken == "Line" ? [7, 47] : [7])
      }
      #expect(near.isEmpty)
    }
    try store.write { first.place?.coordinates.append(47) }
    #expect(near.map(\.id) == [0])
    try store.write { store.delete(first) }
    #expect(near.isEmpty)
  }
}

/// Points and areas where rounding, poles and the 180th meridian matter.
private struct SphereDraws {
  private(set) var points: [Coordinate] = []

  mutating func drawPoints(_ count: Int, _ random: inout SeededRandom) {
    var centers = (0..<4).map { _ in Self.anywhere(&random) }
    centers += [
      Coordinate(180, 0), Coordinate(-180, 45), Coordinate(10, 89.999), Coordinate(0, -90),
    ]
    points = (0..<count).map { _ in
      if random.chance(1, of: 4) { return Self.anywhere(&random) }
      return Self.near(centers[random.below(centers.count)], Self.size(&random), &random)
    }
    points += [
      Coordinate(0, 90), Coordinate(77, 90), Coordinate(180, 12), Coordinate(-180, 12),
      Coordinate(-180, -90), Coordinate(0, 0), Coordinate(0.1, 0.1),
    ]
  }

  /// Nil for a drawing that is no area.
  func area(_ random: inout SeededRandom) -> (any GeoArea)? {
    switch random.below(3) {
    case 0: box(&random)
    case 1: circle(&random)
    default: polygon(&random)
    }
  }

  private func some(_ random: inout SeededRandom) -> Coordinate {
    points[random.below(points.count)]
  }

  /// Edges often go right through points.
  private func box(_ random: inout SeededRandom) -> (any GeoArea)? {
    let a = some(&random)
    let b = random.chance(1, of: 2) ? some(&random) : Self.near(a, Self.size(&random), &random)
    let (south, north) = (min(a.latitude, b.latitude), max(a.latitude, b.latitude))
    guard let low = GeoPoint(latitude: south, longitude: a.longitude),
      let high = GeoPoint(latitude: north, longitude: b.longitude)
    else { return nil }
    return GeoBox(bottomLeft: low, topRight: high)
  }

  /// The edge often goes through a point, as far as it can be reckoned.
  private func circle(_ random: inout SeededRandom) -> (any GeoArea)? {
    let (center, other) = (some(&random), some(&random))
    var radius = Self.size(&random) * .pi / 180
    if random.chance(1, of: 2) {
      let (a, b) = (center.latitude * .pi / 180, other.latitude * .pi / 180)
      let c = (center.longitude - other.longitude) * .pi / 180
      radius = acos(min(1, max(-1, sin(a) * sin(b) + cos(a) * cos(b) * cos(c))))
    }
    return center.point.flatMap { GeoCircle(center: $0, radiusInRadians: radius) }
  }

  private func polygon(_ random: inout SeededRandom) -> (any GeoArea)? {
    let (center, size) = (some(&random), Self.size(&random))
    var corners = (0..<3 + random.below(5)).map { _ in
      random.chance(1, of: 5) ? some(&random) : Self.near(center, size, &random)
    }
    if random.chance(1, of: 2) {
      corners.sort {
        atan2($0.latitude - center.latitude, $0.longitude - center.longitude)
          < atan2($1.latitude - center.latitude, $1.longitude - center.longitude)
      }
    }
    let ring = (corners + corners.prefix(1)).compactMap(\.point)
    return GeoPolygon(outerRing: ring)
  }

  /// From less than what 32 bits tell apart to most of the Earth.
  private static func size(_ random: inout SeededRandom) -> Double {
    let sizes = [1e-9, 1e-7, 1e-5, 1e-3, 0.1, 1, 10, 40, 89, 120]
    return sizes[random.below(sizes.count)]
  }

  private static func anywhere(_ random: inout SeededRandom) -> Coordinate {
    let height = Double.random(in: -1...1, using: &random)
    return Coordinate(Double.random(in: -180...180, using: &random), asin(height) * 180 / .pi)
  }

  private static func near(
    _ center: Coordinate, _ size: Double, _ random: inout SeededRandom
  ) -> Coordinate {
    let longitude = center.longitude + Double.random(in: -size...size, using: &random)
    let latitude = center.latitude + Double.random(in: -size...size, using: &random)
    let turned = longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
    return Coordinate(turned, min(90, max(-90, latitude)))
  }
}

extension Coordinate {
  fileprivate var point: GeoPoint? { GeoPoint(latitude: latitude, longitude: longitude) }
}
