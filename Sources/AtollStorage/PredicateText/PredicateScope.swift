import AtollVocabulary

/// What the names in a predicate mean, and what its literals are.
struct PredicateScope {
  let subject: StoredClass
  private let classes: [ClassID: StoredClass]

  init(subject: StoredClass, classes: [StoredClass]) {
    self.subject = subject
    self.classes = Dictionary(classes.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The class that a link or an embedded object leads to; nil for scalars.
  func target(of property: StoredProperty) -> StoredClass? {
    property.target.flatMap { classes[$0] }
  }

  /// The names that a message offers.
  func names(of holder: StoredClass) -> String {
    let names = (holder.key.map { [$0.name] } ?? []) + holder.properties.map(\.name)
    return names.isEmpty ? "none" : names.joined(separator: ", ")
  }

  /// What the other side of a comparison with `path` stands for.
  func operand(
    _ operand: PredicateOperand, comparedWith path: PropertyPath
  ) throws(PredicateTextError) -> Predicate.Operand {
    guard let property = path.steps.last else {
      throw operand.error(expected: "a property to compare with")
    }
    switch operand.kind {
    case .path(let other):
      guard other.steps.last?.type == property.type else {
        throw operand.error(expected: "a property of the type of \"\(property.name)\"")
      }
      return .path(other)
    case .literal:
      return .value(try value(of: operand, for: property))
    }
  }

  private func value(
    of operand: PredicateOperand, for property: StoredProperty
  ) throws(PredicateTextError) -> PersistedValue {
    let type = property.type
    if case .null = operand.token.kind { return .null }
    if let value = PredicateScope.value(of: operand.token.kind, as: type) { return value }
    throw operand.error(
      expected: "\(PredicateScope.form(of: type)), because \"\(property.name)\" is of type \(type)")
  }

  /// A literal as a value of `type`; nil where it is none.
  private static func value(of kind: PredicateToken.Kind, as type: PersistedType) -> PersistedValue?
  {
    switch (type, kind) {
    case (.bool, .bool(let flag)): .bool(flag)
    case (.int, .integer(let number)): .int(number)
    case (.float, .integer(let number)): .float(Float(number))
    case (.float, .decimal(let number)): .float(Float(number))
    case (.double, .integer(let number)): .double(Double(number))
    case (.double, .decimal(let number)): .double(number)
    case (.date, .integer(let number)): .date(Double(number))
    case (.date, .decimal(let number)): .date(number)
    case (.string, .string(let text)): .string(text)
    case (.data, .string(let text)): Hexadecimal.bytes(text).map { .data($0) }
    case (.uuid, .string(let text)): UniqueBytes(text).map { .uuid($0) }
    case (.objectId, .string(let text)): ObjectId(text).map { .objectId($0) }
    case (.bool, _), (.int, _), (.float, _), (.double, _), (.date, _), (.string, _), (.data, _),
      (.uuid, _), (.objectId, _), (.identity, _), (.link, _), (.embedded, _), (.decimal, _),
      (.any, _):
      nil
    }
  }

  /// How a literal of `type` is written.
  private static func form(of type: PersistedType) -> String {
    switch type {
    case .bool: "TRUE or FALSE"
    case .int: "a whole number"
    case .float, .double: "a number"
    case .date: "a number of seconds since 2001-01-01 00:00 UTC"
    case .string: "a string in quotes"
    case .data: "hexadecimal digits in quotes"
    case .uuid: "a UUID in quotes"
    case .objectId: "24 hexadecimal digits in quotes"
    case .decimal: "a decimal number in quotes"
    case .any: "a literal"
    case .identity, .link, .embedded: "nil, or a step further with a dot"
    }
  }
}
