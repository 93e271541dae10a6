import AtollVocabulary

// Numbers that are computed: `(length + 2 * width) / 3 > 100`.
extension PredicateParser {
  /// True if the parenthesis that is next has a number in it, and no condition.
  var isAtNumber: Bool {
    switch tokens.afterGroup {
    case .comparator, .isIn, .between, .text, .plus, .minus, .star, .slash: true
    default: false
    }
  }

  mutating func operand() throws(PredicateTextError) -> PredicateOperand {
    var left = try product()
    while true {
      if tokens.take(.plus) {
        left = try computed(left, .add, try product())
      } else if tokens.take(.minus) {
        left = try computed(left, .subtract, try product())
      } else {
        return left
      }
    }
  }

  private mutating func product() throws(PredicateTextError) -> PredicateOperand {
    var left = try value()
    while true {
      if tokens.take(.star) {
        left = try computed(left, .multiply, try value())
      } else if tokens.take(.slash) {
        left = try computed(left, .divide, try value())
      } else {
        return left
      }
    }
  }

  /// The number as a way of its own, through the collection that one side may lead through.
  private func computed(
    _ left: PredicateOperand, _ operation: Predicate.Operation, _ right: PredicateOperand
  ) throws(PredicateTextError) -> PredicateOperand {
    let a = try number(left, beside: right, operation)
    let b = try number(right, beside: left, operation)
    guard a.collections.isEmpty || b.collections.isEmpty else {
      throw right.error(
        expected: "one value, because \"\(a.name)\" is many already")
    }
    guard a.terms + b.terms <= Limits.computedTerms else {
      throw right.error(
        expected: "at most \(Limits.computedTerms) properties and numbers in one computation")
    }
    var way = a.collections.isEmpty ? b : a
    way.terms = a.terms + b.terms
    way.expression = .computed(
      a.expression.deepened(by: b.collections.count, from: level + 1), operation,
      b.expression.deepened(by: a.collections.count, from: level + 1))
    way.name = "\(a.name) \(operation.rawValue) \(b.name)"
    way.type = Predicate.Operation.type(of: a.type, b.type) ?? .double
    way.isSum = false
    return PredicateOperand(left.token, .way(way))
  }

  /// One side as a way; a constant is one that leads nowhere.
  private func number(
    _ operand: PredicateOperand, beside other: PredicateOperand, _ operation: Predicate.Operation
  ) throws(PredicateTextError) -> PredicateWay {
    if case .way(let way) = operand.kind {
      guard PredicateScope.isNumeric(way.type) || way.type == .any && way.isPath else {
        throw operand.error(
          expected:
            "a number beside \(operation.rawValue); \"\(way.name)\" is of type \(way.type)")
      }
      return way
    }
    let constant: PersistedValue?
    switch (operand.kind, operand.token.kind) {
    case (.argument(.value(let value)), _): constant = value
    case (.literal, .integer(let number)): constant = .int(number)
    case (.literal, .decimal(let number)): constant = .double(number)
    case (_, _): constant = nil
    }
    guard let constant, let type = constant.type, PredicateScope.isNumeric(type) else {
      throw operand.error(expected: "a number beside \(operation.rawValue)")
    }
    let value = Self.fitted(constant, operand, beside: other)
    return PredicateWay(
      expression: .value(value), name: String(operand.token.spelling), type: value.type ?? type)
  }

  /// A constant in the type of the property beside it, unless that is for whole numbers only.
  private static func fitted(
    _ constant: PersistedValue, _ operand: PredicateOperand, beside other: PredicateOperand
  ) -> PersistedValue {
    guard case .way(let way) = other.kind, PredicateScope.isNumeric(way.type), way.type != .int
    else { return constant }
    if way.type == .decimal, case .literal = operand.kind,
      let exact = Decimal128(String(operand.token.spelling))
    {
      return .decimal(exact)
    }
    return PredicateScope.converted(constant, to: way.type) ?? constant
  }
}
