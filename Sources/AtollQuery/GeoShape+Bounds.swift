#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A rectangle of degrees, edges included; it does not cross the 180th meridian.
package struct GeoBounds: Hashable {
  package var west, east, south, north: Double
}

extension GeoBounds {
  /// Meets every rectangle that is looked for, and then some.
  private static let everywhere = GeoBounds(west: -1000, east: 1000, south: -1000, north: 1000)

  /// Makes the bounds in which a point is found; nil if it is in no shape.
  ///
  /// A point out of the ordinary ranges has more than one place, or another one for each kind of
  /// shape, so it is found everywhere and left to the exact test.
  package init?(around point: GeoShape.Point) {
    let (longitude, latitude) = (point.longitude, point.latitude)
    if longitude.isNaN || latitude.isNaN { return nil }
    self =
      point.isOrdinary
      ? GeoBounds(west: longitude, east: longitude, south: latitude, north: latitude)
      : Self.everywhere
  }
}

extension GeoShape {
  /// Rectangles that hold every point of the shape, as ``contains(_:)`` says; nil if all of them must be
  /// looked at.
  package var bounds: [GeoBounds]? {
    switch self {
    case .box(let a, let b):
      guard a.isOrdinary, b.isOrdinary else { return nil }
      // Its edges are exact, so nothing is reckoned with them.
      func rectangle(_ west: Double, _ east: Double) -> GeoBounds {
        GeoBounds(west: west, east: east, south: a.latitude, north: b.latitude)
      }
      return a.longitude <= b.longitude
        ? [rectangle(a.longitude, b.longitude)]
        : [rectangle(a.longitude, 180), rectangle(-180, b.longitude)]
    case .circle(let center, let radians):
      return center.isOrdinary ? Self.cap(center, radians * 180 / .pi) : nil
    case .polygon(let rings):
      guard let ring = rings.first, !ring.isEmpty, ring.allSatisfy(\.isOrdinary) else {
        return nil
      }
      return Self.around(ring)
    }
  }

  /// Degrees around what was reckoned, for what floating point leaves out: a tenth of a metre.
  private static let margin = 1e-6
  /// Degrees from a pole within which every longitude is near.
  private static let polar = 1e-4

  /// The rectangles between two meridians, eastward, and two parallels.
  private static func rectangles(
    _ west: Double, _ east: Double, _ south: Double, _ north: Double
  ) -> [GeoBounds] {
    func rectangle(_ west: Double, _ east: Double) -> GeoBounds {
      GeoBounds(west: west, east: east, south: south, north: north)
    }
    if !(east - west < 360) { return [rectangle(-180, 180)] }
    // The 180th meridian has two names.
    if west <= -180 { return [rectangle(west + 360, 180), rectangle(-180, east)] }
    if east >= 180 { return [rectangle(west, 180), rectangle(-180, east - 360)] }
    return [rectangle(west, east)]
  }

  /// The bounds of everything at most `radius` degrees from a point.
  private static func cap(_ center: Point, _ radius: Double) -> [GeoBounds]? {
    // Also for what is no number.
    guard radius < 180 else { return nil }
    let (south, north) = (center.latitude - radius - margin, center.latitude + radius + margin)
    if south < -90 + polar || north > 90 - polar {
      return rectangles(-180, 180, south, north)
    }
    // The longitude at which a meridian touches the circle.
    let degree = Double.pi / 180
    let width = asin(sin(radius * degree) / cos(center.latitude * degree)) / degree + margin
    return rectangles(center.longitude - width, center.longitude + width, south, north)
  }

  /// The bounds of the inside of a ring, where it lies in the hemisphere around its middle.
  ///
  /// Only then is what it encloses within the convex hull of its corners: the ring winds around the
  /// antipodes of the hull as well, and these are told apart by the hemisphere.
  private static func around(_ ring: [Point]) -> [GeoBounds]? {
    let corners = ring.map(\.direction)
    let middle = corners.reduce(Direction(x: 0, y: 0, z: 0), +)
    let radius = corners.map { middle.angle(to: $0) * 180 / .pi }.max() ?? 180
    guard radius < 90 - polar else { return nil }
    return lune(ring) ?? cap(middle.point, radius + margin)
  }

  /// The rectangles around a ring that lies between two meridians less than 180° apart.
  ///
  /// That lune is convex, so what the ring encloses is in it. A great circle between two of its points
  /// runs poleward of both, by no more than one between the lune's edges does: there the tangent of the
  /// latitude in the middle is that of the ends, divided by the cosine of half the width.
  private static func lune(_ ring: [Point]) -> [GeoBounds]? {
    let longitudes = ring.map(\.longitude).sorted()
    // The widest gap between neighbours is outside; the first follows the last after 360°.
    var (west, gap) = (longitudes[0], longitudes[0] + 360 - longitudes[longitudes.count - 1])
    for (one, next) in zip(longitudes, longitudes.dropFirst()) where next - one > gap {
      (west, gap) = (next, next - one)
    }
    let width = 360 - gap
    guard width < 180 - polar else { return nil }
    let half = cos(width / 2 * .pi / 180)
    func bulged(_ latitude: Double) -> Double {
      atan(tan(latitude * .pi / 180) / half) * 180 / .pi
    }
    let latitudes = ring.map(\.latitude)
    guard let lowest = latitudes.min(), let highest = latitudes.max() else { return nil }
    let south = (lowest < 0 ? bulged(lowest) : lowest) - margin
    let north = (highest > 0 ? bulged(highest) : highest) + margin
    guard south > -90 + polar, north < 90 - polar else { return nil }
    return rectangles(west - margin, west + width + margin, south, north)
  }
}

extension GeoShape.Point {
  /// True if the coordinates are in the ranges that every place has one in.
  fileprivate var isOrdinary: Bool {
    (-180...180).contains(longitude) && (-90...90).contains(latitude)
  }
}

extension Direction {
  fileprivate var point: GeoShape.Point {
    GeoShape.Point(
      longitude: atan2(y, x) * 180 / .pi,
      latitude: atan2(z, (x * x + y * y).squareRoot()) * 180 / .pi)
  }
}
