/// A part of the Earth's surface that points are looked for in; the Earth is a sphere here.
///
/// Coordinates are degrees: longitude from −180 to 180 eastward, latitude from −90 to 90 northward.
package enum GeoShape: Hashable, Sendable {
  /// Between two meridians and two parallels; where `west` is east of `east`, across the 180th.
  case box(southWest: Point, northEast: Point)
  /// Everything at most this far from the centre, as an angle seen from the Earth's centre.
  case circle(center: Point, radians: Double)
  /// Inside the first ring and in none of the others; edges are great circles.
  ///
  /// Each ring is smaller than a hemisphere. Its last point leads back to the first.
  case polygon([[Point]])

  package struct Point: Hashable, Sendable {
    package var longitude: Double
    package var latitude: Double

    package init(longitude: Double, latitude: Double) {
      self.longitude = longitude
      self.latitude = latitude
    }
  }
}

// MARK: - As bytes

extension GeoShape {
  /// The shape as a function of SQL takes it: a kind, and numbers.
  package var bytes: [UInt8] {
    switch self {
    case .box(let a, let b): Self.bytes(1, Self.numbers(of: [a, b]))
    case .circle(let center, let radians): Self.bytes(2, Self.numbers(of: [center]) + [radians])
    case .polygon(let rings):
      Self.bytes(3, rings.flatMap { [Double($0.count)] + Self.numbers(of: $0) })
    }
  }

  package init?(bytes: [UInt8]) {
    guard let kind = bytes.first, bytes.count % 8 == 1 else { return nil }
    let numbers = stride(from: 1, to: bytes.count, by: 8).map { start in
      Double(bitPattern: bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) })
    }
    switch (kind, numbers.count) {
    case (1, 4):
      let points = Self.points(of: numbers[...])
      self = .box(southWest: points[0], northEast: points[1])
    case (2, 3):
      self = .circle(center: Self.points(of: numbers[..<2])[0], radians: numbers[2])
    case (3, _):
      var rings: [[Point]] = []
      var rest = numbers[...]
      while let first = rest.popFirst() {
        guard let count = Int(exactly: first), count >= 0, 2 * count <= rest.count else {
          return nil
        }
        rings.append(Self.points(of: rest.prefix(2 * count)))
        rest = rest.dropFirst(2 * count)
      }
      self = .polygon(rings)
    case (_, _): return nil
    }
  }

  private static func numbers(of points: [Point]) -> [Double] {
    points.flatMap { [$0.longitude, $0.latitude] }
  }

  private static func points(of numbers: ArraySlice<Double>) -> [Point] {
    stride(from: numbers.startIndex, to: numbers.endIndex - 1, by: 2).map {
      Point(longitude: numbers[$0], latitude: numbers[$0 + 1])
    }
  }

  private static func bytes(_ kind: UInt8, _ numbers: [Double]) -> [UInt8] {
    [kind]
      + numbers.flatMap { number in
        stride(from: 56, through: 0, by: -8).map {
          UInt8(truncatingIfNeeded: number.bitPattern >> UInt64($0))
        }
      }
  }
}
