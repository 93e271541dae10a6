package import AtollQuery
import AtollStorage

/// A place on the Earth.
public struct GeoPoint: Hashable, Sendable {
  /// Degrees northward, from −90 to 90.
  public let latitude: Double
  /// Degrees eastward, from −180 to 180.
  public let longitude: Double
  /// Metres; queries do not look at it.
  public let altitude: Double

  /// Nil if a coordinate is out of its range, or the altitude is below zero.
  public init?(latitude: Double, longitude: Double, altitude: Double = 0) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude), altitude >= 0 else {
      return nil
    }
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
  }

  /// Nil if a coordinate is out of its range, or the altitude is below zero.
  public init?(_ latitude: Double, _ longitude: Double, _ altitude: Double = 0) {
    self.init(latitude: latitude, longitude: longitude, altitude: altitude)
  }

  fileprivate var point: GeoShape.Point {
    GeoShape.Point(longitude: longitude, latitude: latitude)
  }
}

/// A part of the Earth's surface that `geoWithin(_:)` of a ``Query`` looks for points in.
public protocol GeoArea: Sendable {
  /// Of the library's own; only its three shapes conform.
  var _shape: _GeoShape { get }
}

/// A shape as queries take it.
public struct _GeoShape: Hashable, Sendable {
  package let shape: GeoShape
}

/// The area between two meridians and two parallels.
public struct GeoBox: GeoArea, Hashable {
  /// The south-western corner.
  public let bottomLeft: GeoPoint
  /// The north-eastern corner.
  public let topRight: GeoPoint

  /// A box whose left edge is east of the right one crosses the 180th meridian.
  public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
    self.bottomLeft = bottomLeft
    self.topRight = topRight
  }

  public var _shape: _GeoShape {
    _GeoShape(shape: .box(southWest: bottomLeft.point, northEast: topRight.point))
  }
}

/// The area within a ring of great circles, without its holes.
public struct GeoPolygon: GeoArea, Hashable {
  /// The ring around it, which ends where it began.
  public let outerRing: [GeoPoint]
  /// Rings around what is left out.
  public let holes: [[GeoPoint]]

  /// Nil if a ring has fewer than three different points, or does not end where it began.
  public init?(outerRing: [GeoPoint], holes: [[GeoPoint]]? = nil) {
    let holes = holes ?? []
    for ring in [outerRing] + holes {
      guard ring.count >= 4, ring.first == ring.last, Set(ring).count >= 3 else { return nil }
    }
    self.outerRing = outerRing
    self.holes = holes
  }

  public var _shape: _GeoShape {
    _GeoShape(shape: .polygon(([outerRing] + holes).map { $0.map(\.point) }))
  }
}

/// The area within some distance from a place.
public struct GeoCircle: GeoArea, Hashable {
  /// The place in its middle.
  public let center: GeoPoint
  /// The distance as an angle seen from the Earth's centre.
  public let radiusInRadians: Double

  /// Nil for a distance below zero.
  public init?(center: GeoPoint, radiusInRadians: Double) {
    guard radiusInRadians >= 0 else { return nil }
    self.center = center
    self.radiusInRadians = radiusInRadians
  }

  /// A circle of a distance along the surface.
  public init(center: GeoPoint, radius: Distance) {
    self.center = center
    radiusInRadians = radius.radians
  }

  public var _shape: _GeoShape {
    _GeoShape(shape: .circle(center: center.point, radians: radiusInRadians))
  }
}

/// A distance along the Earth's surface.
public struct Distance: Hashable, Sendable {
  /// As an angle seen from the Earth's centre.
  public let radians: Double

  private static let earthRadiusInMeters = 6_378_100.0
  private static let kilometersPerMile = 1.609_344

  private init(radians: Double) { self.radians = radians }

  /// Nil below zero, here and below.
  public static func kilometers(_ value: Double) -> Distance? {
    value >= 0 ? Distance(radians: value * 1000 / earthRadiusInMeters) : nil
  }

  /// A distance in international miles; nil below zero.
  public static func miles(_ value: Double) -> Distance? { kilometers(value * kilometersPerMile) }

  /// A distance as an angle of degrees seen from the Earth's centre; nil below zero.
  public static func degrees(_ value: Double) -> Distance? {
    value >= 0 ? Distance(radians: value * .pi / 180) : nil
  }

  /// A distance as an angle seen from the Earth's centre; nil below zero.
  public static func radians(_ value: Double) -> Distance? {
    value >= 0 ? Distance(radians: value) : nil
  }

  /// The distance in another unit, here and below.
  public func asKilometers() -> Double { radians * Self.earthRadiusInMeters / 1000 }

  /// The distance in international miles.
  public func asMiles() -> Double { asKilometers() / Self.kilometersPerMile }

  /// The distance as an angle in degrees.
  public func asDegrees() -> Double { radians * 180 / .pi }
}

// MARK: - In queries

extension Query {
  /// Tells whether the embedded point is in an area.
  ///
  /// Any embedded class will do that has `type: String`, which is `"Point"`, and `coordinates:
  /// List<Double>`, longitude first, as in GeoJSON.
  public func geoWithin<Place: EmbeddedObject>(_ area: some GeoArea) -> Query<Bool>
  where T == Place? { isWithin(area) }
}

extension Query where T: _Mapping, T.PersistedType: EmbeddedObject {
  /// Tells whether the point that the value is stored as is in an area.
  public func geoWithin(_ area: some GeoArea) -> Query<Bool> { isWithin(area) }
}

extension Query {
  /// Tells whether the point that the value is stored as is in an area; nil is in none.
  public func geoWithin<Mapped: _Mapping>(_ area: some GeoArea) -> Query<Bool>
  where T == Mapped?, Mapped.PersistedType: EmbeddedObject { isWithin(area) }
}

extension Query where T: _QueryCollection, T._Member: EmbeddedObject {
  /// Tells whether some element is a point in an area.
  public func geoWithin(_ area: some GeoArea) -> Query<Bool> { isWithin(area) }
}

extension Query {
  fileprivate func isWithin(_ area: some GeoArea) -> Query<Bool> {
    let way = path("Looking for a condition in an area")
    guard let table = way.table, table.stored.isGeoPoint else {
      Trap.stop(
        "Looking for '\(way.text)' in an area: class "
          + "'\(way.table?.model.name ?? "?")' needs 'type: String' and 'coordinates: List<Double>'."
      )
    }
    return Query<Bool>(
      way.some { .contained($0.expression, [.shape(area._shape.shape)]) }, store)
  }
}

extension GeoShape {
  /// The shape as an application names it.
  var area: Any {
    func place(_ point: Point) -> GeoPoint? {
      GeoPoint(latitude: point.latitude, longitude: point.longitude)
    }
    switch self {
    case .box(let a, let b):
      guard let a = place(a), let b = place(b) else { return self }
      return GeoBox(bottomLeft: a, topRight: b)
    case .circle(let center, let radians):
      return place(center).flatMap { GeoCircle(center: $0, radiusInRadians: radians) } ?? self
    case .polygon(let rings):
      let rings = rings.map { $0.compactMap(place) }
      return rings.first.flatMap {
        GeoPolygon(outerRing: $0, holes: Array(rings.dropFirst()))
      } ?? self
    }
  }
}
