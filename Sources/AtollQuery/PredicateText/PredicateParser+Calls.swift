import AtollVocabulary

// Constants that look like calls: an object by its key, and areas of the Earth's surface.
extension PredicateParser {
  private typealias Call = (inout PredicateParser) throws(PredicateTextError) -> PredicateArgument

  /// Reads `obj(…)`, `geoBox(…)`, `geoCircle(…)` or `geoPolygon(…)`; nil where none of them stands.
  mutating func constantCall() throws(PredicateTextError) -> PredicateOperand? {
    guard case .name(let name) = tokens.current.kind, tokens.next.kind == .open else { return nil }
    let calls: [String: Call] = [
      "obj": { parser throws(PredicateTextError) in try parser.object() },
      "geobox": { parser throws(PredicateTextError) in .shape(try parser.box()) },
      "geocircle": { parser throws(PredicateTextError) in .shape(try parser.circle()) },
      "geopolygon": { parser throws(PredicateTextError) in .shape(try parser.polygon()) },
    ]
    guard let call = calls[name.lowercased()] else { return nil }
    let token = tokens.current
    tokens.advance()
    tokens.advance()
    let argument = try call(&self)
    guard tokens.take(.close) else { throw tokens.error(expected: "\")\" after \(name)(") }
    return PredicateOperand(token, .argument(argument))
  }

  private mutating func comma(before what: String) throws(PredicateTextError) {
    guard tokens.take(.comma) else { throw tokens.error(expected: "\",\" and \(what)") }
  }

  // MARK: Objects

  /// `obj("Country", "CH")`: the object that has the key when the query is asked.
  private mutating func object() throws(PredicateTextError) -> PredicateArgument {
    let token = tokens.current
    let className: String
    switch token.kind {
    case .string(let name), .name(let name): className = name
    default: throw tokens.error(expected: "the name of a class in quotes")
    }
    guard let target = scope.classNamed(className) else {
      throw PredicateTextError(
        token, expected: "a class; there are \(scope.classNames.joined(separator: ", "))",
        nearest: scope.nearest(toClass: className))
    }
    guard target.key != nil else {
      throw PredicateTextError(
        token, expected: "a class with a primary key; \(className) has none")
    }
    tokens.advance()
    try comma(before: "a key")
    guard let key = key(of: target.keyType) else {
      throw tokens.error(
        expected:
          "\(PredicateScope.form(of: target.keyType)), because that is the key of \(className)")
    }
    tokens.advance()
    return .keyed(target.id, key)
  }

  private func key(of type: PersistedType) -> PersistedValue? {
    switch tokens.current.kind {
    case .null: return .null
    case .argument(let index):
      guard case .value(let value) = arguments[index] else { return nil }
      return value.isNull ? value : PredicateScope.converted(value, to: type)
    default: return PredicateScope.value(of: tokens.current, as: type)
    }
  }

  // MARK: Areas

  /// `geoBox([west, south], [east, north])`.
  private mutating func box() throws(PredicateTextError) -> GeoShape {
    let southWest = try point()
    try comma(before: "the north-eastern corner")
    return .box(southWest: southWest, northEast: try point())
  }

  /// `geoCircle([longitude, latitude], radians)`.
  private mutating func circle() throws(PredicateTextError) -> GeoShape {
    let center = try point()
    try comma(before: "the radius in radians")
    let token = tokens.current
    let radians = try coordinate("the radius in radians")
    guard radians >= 0 else {
      throw PredicateTextError(token, expected: "a radius in radians that is not below zero")
    }
    return .circle(center: center, radians: radians)
  }

  /// `geoPolygon({[0, 0], [1, 0], [1, 1], [0, 0]}, {hole})`.
  private mutating func polygon() throws(PredicateTextError) -> GeoShape {
    var rings: [[GeoShape.Point]] = []
    repeat {
      let token = tokens.current
      guard tokens.take(.openBrace) else { throw tokens.error(expected: "a ring in braces") }
      var ring: [GeoShape.Point] = []
      repeat { ring.append(try point()) } while tokens.take(.comma)
      guard tokens.take(.closeBrace) else { throw tokens.error(expected: "\",\" or \"}\"") }
      guard ring.count >= 4, ring.first == ring.last, Set(ring).count >= 3 else {
        throw PredicateTextError(
          token, expected: "a ring of three different points at least, that ends where it began")
      }
      rings.append(ring)
    } while tokens.take(.comma)
    return .polygon(rings)
  }

  /// `[longitude, latitude]`.
  private mutating func point() throws(PredicateTextError) -> GeoShape.Point {
    let token = tokens.current
    guard tokens.take(.openBracket) else {
      throw tokens.error(expected: "a point: [longitude, latitude]")
    }
    let longitude = try coordinate("a longitude")
    try comma(before: "a latitude")
    let latitude = try coordinate("a latitude")
    guard tokens.take(.closeBracket) else { throw tokens.error(expected: "\"]\"") }
    guard (-180...180).contains(longitude), (-90...90).contains(latitude) else {
      throw PredicateTextError(
        token, expected: "a longitude from -180 to 180 and a latitude from -90 to 90")
    }
    return GeoShape.Point(longitude: longitude, latitude: latitude)
  }

  private mutating func coordinate(_ what: String) throws(PredicateTextError) -> Double {
    let number: Double? =
      switch tokens.current.kind {
      case .integer(let number): Double(number)
      case .decimal(let number): number
      case .argument(let index): Self.number(arguments[index])
      default: nil
      }
    guard let number, number.isFinite else { throw tokens.error(expected: "\(what), a number") }
    tokens.advance()
    return number
  }

  private static func number(_ argument: PredicateArgument) -> Double? {
    guard case .value(let value) = argument,
      case .double(let number)? = PredicateScope.converted(value, to: .double)
    else { return nil }
    return number
  }
}
