#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension GeoShape {
  /// Tells whether a point is inside or, in a box or a circle, on the edge.
  package func contains(_ point: Point) -> Bool {
    switch self {
    case .box(let a, let b):
      guard point.latitude >= a.latitude, point.latitude <= b.latitude else { return false }
      return a.longitude <= b.longitude
        ? point.longitude >= a.longitude && point.longitude <= b.longitude
        : point.longitude >= a.longitude || point.longitude <= b.longitude
    case .circle(let center, let radians):
      return center.direction.angle(to: point.direction) <= radians
    case .polygon(let rings):
      guard let outer = rings.first, Self.isInside(point, outer) else { return false }
      return !rings.dropFirst().contains { Self.isInside(point, $0) }
    }
  }

  /// Tells whether a ring winds around the point, seen from above it.
  private static func isInside(_ point: Point, _ ring: [Point]) -> Bool {
    let up = point.direction
    let corners = ring.map(\.direction)
    guard let last = corners.last else { return false }
    // The ring winds around the antipode as well.
    let middle = corners.reduce(Direction(x: 0, y: 0, z: 0), +)
    guard up.dot(middle) > 0 else { return false }
    let (east, north) = up.tangents
    func azimuth(_ corner: Direction) -> Double {
      atan2(corner.dot(east), corner.dot(north))
    }
    var turned = 0.0
    var before = azimuth(last)
    for corner in corners {
      let now = azimuth(corner)
      var turn = now - before
      if turn > .pi { turn -= 2 * .pi }
      if turn <= -.pi { turn += 2 * .pi }
      turned += turn
      before = now
    }
    return abs(turned) > .pi
  }
}

/// A vector from the Earth's centre.
struct Direction {
  var x, y, z: Double

  static func + (a: Direction, b: Direction) -> Direction {
    Direction(x: a.x + b.x, y: a.y + b.y, z: a.z + b.z)
  }

  func dot(_ other: Direction) -> Double { x * other.x + y * other.y + z * other.z }

  func cross(_ other: Direction) -> Direction {
    Direction(
      x: y * other.z - z * other.y, y: z * other.x - x * other.z, z: x * other.y - y * other.x)
  }

  /// Exact for small angles, where the arc cosine is not.
  func angle(to other: Direction) -> Double {
    let side = cross(other)
    return atan2(side.dot(side).squareRoot(), dot(other))
  }

  /// Two directions along the ground, at right angles; which ones does not matter.
  var tangents: (Direction, Direction) {
    let helper = abs(z) < 0.9 ? Direction(x: 0, y: 0, z: 1) : Direction(x: 1, y: 0, z: 0)
    let first = helper.cross(self)
    return (first, cross(first))
  }
}

extension GeoShape.Point {
  var direction: Direction {
    let (a, b) = (longitude * .pi / 180, latitude * .pi / 180)
    return Direction(x: cos(b) * cos(a), y: cos(b) * sin(a), z: sin(b))
  }
}
