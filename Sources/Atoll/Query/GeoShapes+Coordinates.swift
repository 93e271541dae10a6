// Shapes made of pairs of numbers: degrees of latitude, then of longitude.

extension GeoBox {
  /// A box between two corners, each latitude and longitude; nil if one is out of its range.
  public init?(bottomLeft: (Double, Double), topRight: (Double, Double)) {
    guard let first = GeoPoint(bottomLeft.0, bottomLeft.1),
      let second = GeoPoint(topRight.0, topRight.1)
    else { return nil }
    self.init(bottomLeft: first, topRight: second)
  }
}

extension GeoPolygon {
  /// A polygon of latitudes and longitudes.
  ///
  /// Nil if one is out of its range, if a ring has fewer than three different points, or if it does
  /// not end where it began.
  public init?(outerRing: [(Double, Double)], holes: [[(Double, Double)]]? = nil) {
    guard let ring = Self.points(outerRing) else { return nil }
    let inner = (holes ?? []).compactMap(Self.points)
    guard inner.count == (holes ?? []).count else { return nil }
    self.init(outerRing: ring, holes: inner)
  }

  /// A polygon of latitudes and longitudes, with its holes one after the other.
  public init?(outerRing: [(Double, Double)], holes: [(Double, Double)]...) {
    self.init(outerRing: outerRing, holes: holes as [[(Double, Double)]]?)
  }

  private static func points(_ ring: [(Double, Double)]) -> [GeoPoint]? {
    let points = ring.compactMap { GeoPoint($0.0, $0.1) }
    return points.count == ring.count ? points : nil
  }
}

extension GeoCircle {
  /// A circle around a latitude and longitude; nil if they are out of range or the radius below zero.
  public init?(center: (Double, Double), radiusInRadians: Double) {
    guard let center = GeoPoint(center.0, center.1) else { return nil }
    self.init(center: center, radiusInRadians: radiusInRadians)
  }

  /// A circle around a latitude and longitude; nil if they are out of range.
  public init?(center: (Double, Double), radius: Distance) {
    guard let center = GeoPoint(center.0, center.1) else { return nil }
    self.init(center: center, radius: radius)
  }
}
