package import AtollVocabulary

/// The meaning of the names in a predicate, and of its literals.
package struct PredicateScope {
  /// The class of the queried objects; nil where values are queried.
  let subject: StoredClass?
  /// The collection whose values are queried.
  let element: StoredProperty?
  let classes: [ClassID: StoredClass]
  /// Names of properties as a model has them, for those that are stored under another.
  package var aliases: [ClassID: [String: String]] = [:]
  /// Properties of a model that are not stored: the objects that link to its own, by their property.
  package var origins: [ClassID: [String: StoredProperty]] = [:]

  package init(subject: StoredClass, classes: [StoredClass]) {
    self.init(subject: subject, element: nil, classes: classes)
  }

  /// A scope of the elements of a collection.
  package init(element: StoredProperty, classes: [StoredClass]) {
    let subject = classes.first { $0.id == element.target }
    self.init(subject: subject, element: element, classes: classes)
  }

  private init(subject: StoredClass?, element: StoredProperty?, classes: [StoredClass]) {
    self.subject = subject
    self.element = element
    self.classes = Dictionary(classes.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  // MARK: Names

  /// The class that a link or an embedded object leads to; nil for scalars.
  func target(of property: StoredProperty) -> StoredClass? {
    property.target.flatMap { classes[$0] }
  }

  func owner(of property: StoredProperty) -> StoredClass? { classes[property.owner] }

  func classNamed(_ name: String) -> StoredClass? {
    classes.values.filter { $0.name == name && !$0.isEmbedded }.min { $0.id < $1.id }
  }

  func property(named name: String, of holder: StoredClass) -> StoredProperty? {
    holder.property(named: aliases[holder.id]?[name] ?? name)
  }

  func origin(named name: String, of holder: StoredClass) -> StoredProperty? {
    origins[holder.id]?[name]
  }

  private func allNames(of holder: StoredClass) -> [String] {
    let stored = (holder.key.map { [$0.name] } ?? []) + holder.properties.map(\.name)
    let public_ = Dictionary(
      (aliases[holder.id] ?? [:]).map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    return stored.map { public_[$0] ?? $0 } + (origins[holder.id]?.keys.sorted() ?? [])
  }

  /// The names that a message offers.
  func names(of holder: StoredClass) -> String {
    let names = allNames(of: holder)
    return names.isEmpty ? "none" : names.joined(separator: ", ")
  }

  func nearest(to name: String, of holder: StoredClass) -> String? {
    NearestName.of(name, among: allNames(of: holder))
  }

  /// The names of the classes that have objects of their own.
  var classNames: [String] { classes.values.filter { !$0.isEmbedded }.map(\.name).sorted() }

  func nearest(toClass name: String) -> String? {
    NearestName.of(name, among: classNames)
  }

  /// The suggestion of a message where a property is missing.
  var offer: String { subject.map { "; \($0.name) has \(names(of: $0))" } ?? "" }

  // MARK: Values

  /// The values that stand in braces or in an array.
  func elements(of operand: PredicateOperand) -> [PredicateOperand]? {
    switch operand.kind {
    case .list(let elements): elements
    case .argument(.list(let elements)):
      elements.map { PredicateOperand(operand.token, .argument($0)) }
    case .argument, .literal, .way: nil
    }
  }

  /// Returns the expression of the other side of a comparison with `way`; nil for one that nothing
  /// equals.
  func expression(
    _ operand: PredicateOperand, comparedWith way: PredicateWay
  ) throws(PredicateTextError) -> Predicate.Expression? {
    switch operand.kind {
    case .way(let other):
      guard other.collections.isEmpty, Self.areComparable(way, other) else {
        throw operand.error(expected: "a property of the type of \"\(way.name)\"")
      }
      return other.expression
    case .literal:
      return .value(try literal(operand, for: way))
    case .argument(let argument): return try expression(argument, operand, way)
    case .list: throw operand.error(expected: "one value for \"\(way.name)\"")
    }
  }

  private static func areComparable(_ a: PredicateWay, _ b: PredicateWay) -> Bool {
    if a.type == .any || b.type == .any { return true }
    if isNumeric(a.type), isNumeric(b.type) { return true }
    return a.type == b.type && a.target?.id == b.target?.id
  }

  static func isNumeric(_ type: PersistedType) -> Bool {
    switch type {
    case .int, .float, .double, .decimal: true
    case .bool, .string, .data, .date, .uuid, .objectId, .identity, .link, .embedded, .any: false
    }
  }

  private func expression(
    _ argument: PredicateArgument, _ operand: PredicateOperand, _ way: PredicateWay
  ) throws(PredicateTextError) -> Predicate.Expression? {
    switch argument {
    case .value(.null): return .value(try null(operand, way))
    case .value(let value):
      if let value = Self.converted(value, to: way.type) { return .value(value) }
      throw operand.error(
        expected: "\(Self.form(of: way.type)) as the argument, "
          + "because \"\(way.name)\" is of type \(way.type)")
    case .object(let id, let target):
      return .object(id, of: try target.linked(from: way, operand))
    case .keyed(let target, let key):
      return .keyed(try target.linked(from: way, operand), key)
    case .stranger: return nil
    case .embedded: throw operand.error(expected: "== or != with an embedded object")
    case .list: throw operand.error(expected: "one value for \"\(way.name)\", not several")
    case .shape: throw operand.error(expected: "IN before an area")
    case .members(let members):
      throw operand.error(expected: "== or != with a value stored as \(members.className)")
    case .unfit(let found):
      throw operand.error(expected: "an argument that can be stored; \(found) cannot")
    }
  }

  private func null(
    _ operand: PredicateOperand, _ way: PredicateWay
  ) throws(PredicateTextError) -> PersistedValue {
    if way.isSum { throw operand.error(expected: "a number: a sum is never nil") }
    return .null
  }

  private func literal(
    _ operand: PredicateOperand, for way: PredicateWay
  ) throws(PredicateTextError) -> PersistedValue {
    if case .null = operand.token.kind { return try null(operand, way) }
    if let value = Self.value(of: operand.token, as: way.type) { return value }
    throw operand.error(
      expected: "\(Self.form(of: way.type)), because \"\(way.name)\" is of type \(way.type)")
  }

  /// A literal as a value of `type`; nil where it is none.
  static func value(of token: PredicateToken, as type: PersistedType) -> PersistedValue? {
    switch token.kind {
    case .bool(let flag): converted(.bool(flag), to: type)
    case .integer(let number): converted(.int(number), to: type)
    case .decimal(let number):
      type == .decimal ? decimal(String(token.spelling)) : converted(.double(number), to: type)
    case .string(let text): converted(.string(text), to: type)
    case .constant(let value): converted(value, to: type)
    default: nil
    }
  }

  /// A value as one of `type`, if it is the same in both; numbers, and texts that name a value.
  static func converted(_ value: PersistedValue, to type: PersistedType) -> PersistedValue? {
    if value.type == type || type == .any { return value }
    switch (type, value) {
    case (.bool, .int(let number)): return number == 0 || number == 1 ? .bool(number == 1) : nil
    case (.int, .float(let number)): return Int64(exactly: number).map { .int($0) }
    case (.int, .double(let number)): return Int64(exactly: number).map { .int($0) }
    case (.float, .int(let number)): return .float(Float(number))
    case (.float, .double(let number)): return .float(Float(number))
    case (.double, .int(let number)): return .double(Double(number))
    case (.double, .float(let number)): return .double(Double(number))
    case (.date, .int(let number)): return .date(Double(number))
    case (.date, .double(let number)): return .date(number)
    case (.decimal, .int(let number)): return .decimal(Decimal128(number))
    case (.decimal, .double(let number)): return .decimal(Decimal128(number))
    case (.decimal, .float(let number)): return .decimal(Decimal128(number))
    case (.int, .decimal(let number)): return Int64(exactly: number).map { .int($0) }
    case (.float, .decimal(let number)): return .float(Float(number))
    case (.double, .decimal(let number)): return .double(Double(number))
    case (.decimal, .string(let text)): return decimal(text)
    case (.data, .string(let text)): return Hexadecimal.bytes(text).map { .data($0) }
    case (.uuid, .string(let text)): return UniqueBytes(text).map { .uuid($0) }
    case (.objectId, .string(let text)): return ObjectId(text).map { .objectId($0) }
    default: return nil
    }
  }

  private static func decimal(_ text: String) -> PersistedValue? {
    Decimal128(text).map { .decimal($0) }
  }

  /// Returns the form of a literal of `type`.
  static func form(of type: PersistedType) -> String {
    switch type {
    case .bool: "TRUE or FALSE"
    case .int: "a whole number"
    case .float, .double: "a number"
    case .date: "a date such as 2024-05-31@12:00:00, or a number of seconds since 2001"
    case .string: "a string in quotes"
    case .data: "hexadecimal digits in quotes"
    case .uuid: "a UUID in quotes or uuid()"
    case .objectId: "24 hexadecimal digits in quotes or oid()"
    case .decimal: "a decimal number"
    case .any: "a literal"
    case .identity, .link, .embedded: "nil, or a step further with a dot"
    }
  }
}

extension ClassID {
  /// The class of an object that the way may lead to.
  fileprivate func linked(
    from way: PredicateWay, _ operand: PredicateOperand
  ) throws(PredicateTextError) -> ClassID {
    guard way.type == .any || way.type == .link && way.target?.id == self else {
      throw operand.error(expected: "an object of the class that \"\(way.name)\" links to")
    }
    return self
  }
}
