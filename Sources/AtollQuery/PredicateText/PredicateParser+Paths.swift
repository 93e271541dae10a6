import AtollVocabulary

/// One side of a relation before the other is known.
struct PredicateOperand {
  enum Kind {
    case way(PredicateWay)
    /// The token says which.
    case literal
    case argument(PredicateArgument)
    case list([PredicateOperand])
  }

  let token: PredicateToken
  let kind: Kind

  init(_ token: PredicateToken, _ kind: Kind) {
    self.token = token
    self.kind = kind
  }

  func error(expected: String) -> PredicateTextError {
    PredicateTextError(token, expected: expected)
  }
}

/// A path as it was read: the collections it crosses, and what it comes to in the innermost.
struct PredicateWay {
  var collections: [PropertyPath] = []
  var expression: Predicate.Expression
  /// The name in messages.
  var name: String
  var type: PersistedType
  /// The class that links and embedded objects lead to.
  var target: StoredClass?
  var isSum = false
  /// Properties and constants that it is computed from.
  var terms = 1

  /// True if it ends at a property, and at no count or aggregate of some.
  var isPath: Bool { if case .path = expression { true } else { false } }

  /// True if it ends at a scalar.
  var isValue: Bool { target == nil }
}

extension PredicateParser {
  /// The way while it is read.
  private struct Reading {
    var collections: [PropertyPath] = []
    var path: PropertyPath
    /// The class whose properties may follow.
    var holder: StoredClass?
    /// The property that the path has reached; nil at the queried object.
    var property: StoredProperty?
    var type: PersistedType

    var name: String { property?.name ?? "SELF" }

    func way(_ expression: Predicate.Expression? = nil, _ type: PersistedType? = nil)
      -> PredicateWay
    {
      PredicateWay(
        collections: collections, expression: expression ?? .path(path), name: name,
        type: type ?? self.type, target: type == nil ? holder : nil)
    }
  }

  private func error(expected: String, nearest: String? = nil) -> PredicateTextError {
    PredicateTextError(tokens.current, expected: expected, nearest: nearest)
  }

  /// Levels that are open where the parser stands.
  var level: Int { variables.count }

  // MARK: Paths

  mutating func way() throws(PredicateTextError) -> PredicateWay {
    if tokens.take(.subquery) { return try subquery() }
    var (reading, isComplete) = try start()
    // An operand that begins with a name still has it to read.
    if !isComplete, let way = try readStep(&reading) { return way }
    while true {
      if tokens.take(.openBracket) {
        try readSubscript(&reading)
      } else if tokens.take(.dot) {
        if let way = try readStep(&reading) { return way }
      } else {
        return reading.way()
      }
    }
  }

  private mutating func start() throws(PredicateTextError) -> (Reading, isComplete: Bool) {
    let root = Reading(
      path: PropertyPath(scope: 0), holder: scope.subject, property: scope.element,
      type: scope.element?.type ?? .link)
    if tokens.take(.itself) { return (root, true) }
    if case .variable(let name) = tokens.current.kind {
      guard let index = variables.lastIndex(where: { $0.name == name }) else {
        throw error(expected: "a variable that a SUBQUERY around has named")
      }
      tokens.advance()
      let variable = variables[index]
      let reading = Reading(
        path: PropertyPath(scope: index + 1), holder: variable.holder,
        property: variable.property, type: variable.property.type)
      return (reading, true)
    }
    return (root, false)
  }

  /// Reads one step; an aggregate ends the way.
  private mutating func readStep(
    _ reading: inout Reading
  ) throws(PredicateTextError) -> PredicateWay? {
    if case .function(let name) = tokens.current.kind {
      if name.lowercased() == "links" { return try readOrigins(&reading) }
      if name.lowercased() == "type", reading.type == .any, reading.property != nil {
        tokens.advance()
        return reading.way(.kind(reading.path), .string)
      }
      throw error(expected: "a property; \"@\(name)\" belongs after a list, set or map")
    }
    guard case .name(let name) = tokens.current.kind else {
      throw error(expected: "the name of a property")
    }
    guard let holder = reading.holder else {
      throw error(expected: "no further step: \"\(reading.name)\" holds no object")
    }
    if let origin = scope.origin(named: name, of: holder) {
      tokens.advance()
      reading.path.steps.append(.origins(origin))
      return try readCollection(&reading, origin, target: scope.owner(of: origin), type: .link)
    }
    guard let property = scope.property(named: name, of: holder) else {
      throw error(
        expected: "a property of \(holder.name), which has \(scope.names(of: holder))",
        nearest: scope.nearest(to: name, of: holder))
    }
    tokens.advance()
    reading.path.steps.append(.property(property))
    if property.collection != .none {
      return try readCollection(
        &reading, property, target: scope.target(of: property), type: property.type)
    }
    reading.property = property
    reading.type = property.type
    reading.holder = scope.target(of: property)
    return nil
  }

  /// Reads `@links.Class.property`.
  private mutating func readOrigins(
    _ reading: inout Reading
  ) throws(PredicateTextError) -> PredicateWay? {
    tokens.advance()
    guard tokens.take(.dot), case .name(let className) = tokens.current.kind else {
      throw error(expected: "a class after @links")
    }
    guard let origin = scope.classNamed(className) else {
      throw error(
        expected: "a class after @links", nearest: scope.nearest(toClass: className))
    }
    tokens.advance()
    guard tokens.take(.dot), case .name(let name) = tokens.current.kind,
      let property = scope.property(named: name, of: origin), property.type == .link
    else {
      let found = String(tokens.current.spelling)
      throw error(
        expected: "a property of \(origin.name) that holds links",
        nearest: scope.nearest(to: found, of: origin))
    }
    tokens.advance()
    reading.path.steps.append(.origins(property))
    return try readCollection(&reading, property, target: origin, type: .link)
  }

  // MARK: Collections

  /// Reads the part after a collection: an aggregate, a key, or a step into its elements.
  private mutating func readCollection(
    _ reading: inout Reading, _ property: StoredProperty, target: StoredClass?,
    type: PersistedType
  ) throws(PredicateTextError) -> PredicateWay? {
    reading.property = property
    reading.type = type
    reading.holder = target
    if property.collection != .set, tokens.current.kind == .openBracket { return nil }
    let collection = reading.path
    reading.collections.append(collection)
    reading.path = PropertyPath(scope: level + reading.collections.count)
    guard tokens.current.kind == .dot, case .function(let name) = tokens.next.kind else {
      return nil
    }
    tokens.advance()
    switch name.lowercased() {
    case "count", "size":
      tokens.advance()
      reading.collections.removeLast()
      return reading.way(.count(collection, .always), .int)
    case "min": return try aggregate(.minimum, &reading)
    case "max": return try aggregate(.maximum, &reading)
    case "sum": return try aggregate(.sum, &reading)
    case "avg": return try aggregate(.average, &reading)
    case "allkeys", "keys":
      guard property.collection == .map else {
        throw error(expected: "a map before @\(name)")
      }
      tokens.advance()
      reading.path.isEntryKey = true
      reading.type = .string
      reading.holder = nil
      return nil
    case "allvalues", "values":
      tokens.advance()
      return nil
    case "links": return nil
    case "type":
      guard type == .any else { throw error(expected: "any-typed values before @type") }
      tokens.advance()
      return reading.way(.kind(reading.path), .string)
    default:
      throw error(expected: "@count, @min, @max, @avg, @sum, @allKeys or @allValues")
    }
  }

  /// `@max.price`, or `@max` of the elements themselves.
  private mutating func aggregate(
    _ aggregate: Predicate.Aggregate, _ reading: inout Reading
  ) throws(PredicateTextError) -> PredicateWay {
    let token = tokens.current
    tokens.advance()
    guard let collection = reading.collections.popLast() else { return reading.way() }
    var inner = reading
    inner.collections = []
    while tokens.take(.dot) {
      if try readStep(&inner) != nil || !inner.collections.isEmpty {
        throw PredicateTextError(token, expected: "one collection in a path, and one aggregate")
      }
    }
    guard
      PredicateScope.isNumeric(inner.type) || inner.type == .any
        || inner.type == .date && (aggregate == .minimum || aggregate == .maximum)
    else {
      throw PredicateTextError(
        token,
        expected: "numbers to aggregate; \"\(inner.name)\" is of type \(inner.type)")
    }
    let type: PersistedType =
      switch (aggregate, inner.type) {
      case (.sum, .any), (.average, .any), (.average, .decimal): .decimal
      case (.average, _): .double
      case (_, _): inner.type
      }
    var way = reading.way(.aggregate(aggregate, inner.path, of: collection), type)
    way.name = inner.name
    way.isSum = aggregate == .sum
    return way
  }

  /// `['key']`, `[0]`, `[FIRST]`, `[*]` or `[%@]`.
  private mutating func readSubscript(_ reading: inout Reading) throws(PredicateTextError) {
    let isWhole = reading.path.property != nil && reading.path.property == reading.property
    let isMap = isWhole && reading.property?.collection == .map
    let isList = isWhole && reading.property?.collection == .list
    guard isMap || isList || reading.type == .any else {
      throw error(expected: "no key: \"\(reading.name)\" is no list or map, nor any-typed")
    }
    switch key() {
    case .value(.string(let key)) where !isList:
      if key.lowercased() == "#any", !isMap {
        reading.collections.append(reading.path.appending(.wildcard))
        reading.path = PropertyPath(scope: level + reading.collections.count)
      } else {
        reading.path.steps.append(.entry(key))
      }
    case .value(.int(let index)) where !isMap:
      reading.path.steps.append(.index(Int(index)))
    default:
      let forms = isMap ? "a key in quotes" : isList ? "an index" : "a key in quotes or an index"
      throw error(expected: forms)
    }
    tokens.advance()
    guard tokens.take(.closeBracket) else { throw error(expected: "\"]\"") }
  }

  private func key() -> PredicateArgument? {
    switch tokens.current.kind {
    case .string(let key): .value(.string(key))
    case .integer(let index): .value(.int(index))
    case .argument(let index): arguments[index]
    case .any, .star: .value(.string("#any"))
    case .name(let name) where name.lowercased() == "any": .value(.string("#any"))
    case .name(let name) where name.uppercased() == "FIRST": .value(.int(0))
    case .name(let name) where name.uppercased() == "LAST": .value(.int(-1))
    default: nil
    }
  }

  // MARK: Subqueries

  /// Reads `SUBQUERY(list, $x, $x.a > 1 AND $x.b == 2).@count`.
  private mutating func subquery() throws(PredicateTextError) -> PredicateWay {
    guard tokens.take(.open) else { throw error(expected: "\"(\"") }
    let token = tokens.current
    let way = try way()
    guard let collection = way.collections.last, way.collections.count == 1,
      case .path(let element) = way.expression, element.steps.isEmpty
    else { throw PredicateTextError(token, expected: "a list, set or map") }
    guard tokens.take(.comma), case .variable(let name) = tokens.current.kind else {
      throw error(expected: "a variable such as $x after the list")
    }
    tokens.advance()
    guard tokens.take(.comma), let property = collection.property ?? collection.origin else {
      throw error(expected: "\",\" and a predicate")
    }
    variables.append((name, way.target, property))
    let predicate = try nested(levels: Self.subqueryLevels) {
      parser throws(PredicateTextError) in try parser.either()
    }
    variables.removeLast()
    guard tokens.take(.close) else { throw error(expected: "AND, OR or \")\"") }
    guard tokens.take(.dot), tokens.take(.function("count")) else {
      throw error(expected: ".@count")
    }
    return PredicateWay(
      expression: .count(collection, predicate), name: "SUBQUERY", type: .int)
  }
}

extension PropertyPath {
  /// The property whose links lead back, if the way ends with them.
  var origin: StoredProperty? {
    if case .origins(let property)? = steps.last { property } else { nil }
  }
}
