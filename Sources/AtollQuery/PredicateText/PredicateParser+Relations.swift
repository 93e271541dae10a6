import AtollVocabulary

extension PredicateParser {
  private enum Quantifier {
    case any, none, every
  }

  enum Relation: Equatable {
    case compare(Predicate.Comparator)
    case text(Predicate.TextMatch, Predicate.TextOptions, isNegated: Bool = false)
    case isIn
    case between
  }

  mutating func relation() throws(PredicateTextError) -> Predicate {
    let quantifier: Quantifier? =
      tokens.take(.any)
      ? .any : tokens.take(.none) ? .some(.none) : tokens.take(.every) ? .every : nil
    let left = try operand()
    let mark = tokens.current
    let relation = try relationSign()
    let right = try operand()
    if case .way(let way) = left.kind {
      if case .way(let other) = right.kind, way.expression.hasAggregate,
        other.expression.hasAggregate
      {
        throw right.error(
          expected: "a value or a property, because the other side is an aggregate already")
      }
      if relation == .isIn, case .way(let other) = right.kind {
        return try isIn(way, left.token, other, right)
      }
      if case .way(let other) = right.kind, way.collections.isEmpty, !other.collections.isEmpty,
        case .compare(let comparator) = relation
      {
        let mirrored = Relation.compare(comparator.mirrored)
        return try quantified(quantifier, other, right.token, mirrored, left)
      }
      return try quantified(quantifier, way, left.token, relation, right)
    }
    guard case .way(let way) = right.kind else {
      throw left.error(expected: "a property on one side at least\(scope.offer)")
    }
    switch relation {
    case .compare(let comparator):
      return try quantified(quantifier, way, right.token, .compare(comparator.mirrored), left)
    case .isIn where !way.collections.isEmpty:
      return try quantified(quantifier ?? .any, way, right.token, .compare(.equal), left)
    case .isIn, .between, .text:
      throw PredicateTextError(mark, expected: "a property on the left")
    }
  }

  private mutating func relationSign() throws(PredicateTextError) -> Relation {
    let token = tokens.current
    switch token.kind {
    case .comparator(let comparator):
      tokens.advance()
      guard case .options(let options) = tokens.current.kind else { return .compare(comparator) }
      guard comparator == .equal || comparator == .notEqual else {
        throw tokens.error(
          expected: "no options here: only ==, != and the operators of text have any")
      }
      tokens.advance()
      return .text(.equal, options, isNegated: comparator == .notEqual)
    case .text(let match):
      tokens.advance()
      guard case .options(let options) = tokens.current.kind else { return .text(match, []) }
      if match == .pattern, options.contains(.ignoresDiacritics) {
        throw tokens.error(expected: "[c] at most: LIKE tells diacritics apart")
      }
      tokens.advance()
      return .text(match, options)
    case .isIn:
      tokens.advance()
      return .isIn
    case .between:
      tokens.advance()
      return .between
    case .name where tokens.take(word: "TEXT"): return .text(.search, [])
    default:
      throw tokens.error(
        expected: "one of == != < <= > >= IN BETWEEN CONTAINS BEGINSWITH ENDSWITH LIKE TEXT")
    }
  }

  /// Reads one side of a relation, or a number that is computed with.
  mutating func value() throws(PredicateTextError) -> PredicateOperand {
    if let constant = try constantCall() { return constant }
    let token = tokens.current
    switch token.kind {
    case .open:
      tokens.advance()
      let inner = try nested(levels: Self.operandLevels) { parser throws(PredicateTextError) in
        try parser.operand()
      }
      guard tokens.take(.close) else { throw tokens.error(expected: "\")\"") }
      return inner
    case .name, .itself, .variable, .subquery, .function:
      return PredicateOperand(token, .way(try way()))
    case .string, .integer, .decimal, .null, .bool, .constant:
      tokens.advance()
      return PredicateOperand(token, .literal)
    case .argument(let index):
      tokens.advance()
      return PredicateOperand(token, .argument(arguments[index]))
    case .openBrace:
      tokens.advance()
      var elements: [PredicateOperand] = []
      while tokens.current.kind != .closeBrace {
        elements.append(
          try nested(levels: Self.operandLevels) { parser throws(PredicateTextError) in
            try parser.operand()
          })
        if !tokens.take(.comma) { break }
      }
      guard tokens.take(.closeBrace) else { throw tokens.error(expected: "\",\" or \"}\"") }
      return PredicateOperand(token, .list(elements))
    default:
      throw tokens.error(
        expected: "a property, a string in quotes, a number, nil, TRUE or FALSE")
    }
  }

  // MARK: From operands to predicates

  private func quantified(
    _ quantifier: Quantifier?, _ way: PredicateWay, _ token: PredicateToken, _ relation: Relation,
    _ other: PredicateOperand
  ) throws(PredicateTextError) -> Predicate {
    if quantifier == nil, case .list(let elements) = other.kind, relation == .compare(.equal),
      let whole = try whole(way, elements)
    {
      return whole
    }
    guard !way.collections.isEmpty else {
      guard quantifier == nil else {
        throw PredicateTextError(
          token, expected: "a list, set or map after ANY, NONE or ALL; \"\(way.name)\" is one value"
        )
      }
      return try plain(way, relation, other)
    }
    guard let quantifier else {
      throw PredicateTextError(
        token, expected: "ANY, NONE or ALL before \"\(way.name)\", which is many values")
    }
    // Rule 53: a mapped value differs from a collection if that has elements and none equals it.
    if relation == .compare(.notEqual), case .argument(.members) = other.kind {
      let isEqual = way.some(try plain(way, .compare(.equal), other))
      return .all([way.some(.always), .not(isEqual)])
    }
    let inner = try plain(way, relation, other)
    switch quantifier {
    case .any: return way.some(inner)
    case .none: return .not(way.some(inner))
    case .every: return .not(way.some(.not(inner)))
    }
  }

  /// Returns the condition of the relation on one value.
  private func plain(
    _ way: PredicateWay, _ relation: Relation, _ other: PredicateOperand
  ) throws(PredicateTextError) -> Predicate {
    if case .kind = way.expression { return try kind(way, relation, other) }
    switch relation {
    case .compare(.equal) where scope.elements(of: other) != nil: return try contained(way, other)
    case .compare(let comparator):
      if case .argument(.members(let members)) = other.kind {
        return try memberwise(way, comparator, members, other)
      }
      if let isSame = Self.isEmbedded(way, comparator, other) { return isSame }
      let value = try expression(other, inside: way)
      guard let value else { return comparator == .notEqual ? .always : .never }
      return .comparison(way.expression, comparator, value)
    case .text(let match, let options, true):
      return .not(try plain(way, .text(match, options), other))
    case .text(.search, _, false): return try searching(way, other)
    case .text(let match, let options, false):
      guard way.type == .string || way.type == .any || way.type == .data && options.isEmpty else {
        throw other.error(
          expected: "text on the left; \"\(way.name)\" is of type \(way.type)")
      }
      guard let value = try expression(other, inside: way) else { return .never }
      if case .value(.null) = value, match == .equal {
        return .comparison(way.expression, .equal, value)
      }
      return .text(way.expression, match, options, value)
    case .isIn: return try contained(way, other)
    case .between:
      guard PredicateScope.isNumeric(way.type) || way.type == .date || way.type == .any else {
        throw other.error(
          expected: "numbers or dates around BETWEEN; \"\(way.name)\" is of type \(way.type)")
      }
      guard let bounds = scope.elements(of: other), bounds.count == 2,
        let low = try expression(bounds[0], inside: way),
        let high = try expression(bounds[1], inside: way)
      else { throw other.error(expected: "two values: BETWEEN {1, 2}") }
      return .all([
        .comparison(way.expression, .greaterOrEqual, low),
        .comparison(way.expression, .lessOrEqual, high),
      ])
    }
  }

  /// Tells whether the way leads to the very object that is embedded somewhere; nil for other operands.
  private static func isEmbedded(
    _ way: PredicateWay, _ comparator: Predicate.Comparator, _ other: PredicateOperand
  ) -> Predicate? {
    guard case .argument(.embedded(let row, let target, let steps)) = other.kind,
      comparator == .equal || comparator == .notEqual, case .path(let path) = way.expression
    else { return nil }
    let isSame = path.isEmbedded(in: row, of: target, at: steps)
    return comparator == .equal ? isSame : .not(isSame)
  }

  /// Returns the expression of the other side, seen from inside the collections of `way`.
  private func expression(
    _ operand: PredicateOperand, inside way: PredicateWay
  ) throws(PredicateTextError) -> Predicate.Expression? {
    try scope.expression(operand, comparedWith: way)?
      .deepened(by: way.collections.count, from: level + 1)
  }

  private func contained(
    _ way: PredicateWay, _ other: PredicateOperand
  ) throws(PredicateTextError) -> Predicate {
    if case .argument(.shape(let shape)) = other.kind {
      guard case .path = way.expression, way.target?.isGeoPoint == true else {
        throw other.error(
          expected: "an area only after embedded objects with type and coordinates")
      }
      return .contained(way.expression, [.shape(shape)])
    }
    guard let elements = scope.elements(of: other) else {
      throw other.error(expected: "several values: IN {1, 2}, or %@ with an array")
    }
    var values: [Predicate.Expression] = []
    var parts: [Predicate] = []
    for element in elements {
      if case .argument(.members(let members)) = element.kind {
        parts.append(try memberwise(way, .equal, members, element))
      } else if let isSame = Self.isEmbedded(way, .equal, element) {
        parts.append(isSame)
      } else if let value = try scope.expression(element, comparedWith: way) {
        values.append(value)
      }
    }
    if parts.isEmpty { return .contained(way.expression, values) }
    return .any(values.isEmpty ? parts : parts + [.contained(way.expression, values)])
  }

  /// `name IN others.name`: whether a collection has the value.
  private func isIn(
    _ way: PredicateWay, _ token: PredicateToken, _ other: PredicateWay, _ operand: PredicateOperand
  ) throws(PredicateTextError) -> Predicate {
    guard way.collections.isEmpty, !other.collections.isEmpty else {
      throw operand.error(expected: "several values: IN {1, 2}, or a list")
    }
    guard let value = try expression(PredicateOperand(token, .way(way)), inside: other)
    else { return .never }
    return other.some(.comparison(other.expression, .equal, value))
  }

  private func memberwise(
    _ way: PredicateWay, _ comparator: Predicate.Comparator, _ members: PredicateMembers,
    _ operand: PredicateOperand
  ) throws(PredicateTextError) -> Predicate {
    guard case .path(let path) = way.expression, let target = way.target, target.isEmbedded,
      target.name == members.className
    else {
      throw operand.error(
        expected: "a value for \"\(way.name)\", not one stored as \(members.className)")
    }
    guard comparator == .equal || comparator == .notEqual else {
      throw operand.error(expected: "== or != with a value stored as \(members.className)")
    }
    do {
      let isEqual = try members.condition(at: path, of: target, among: scope.classes)
      return comparator == .equal ? isEqual : .not(isEqual)
    } catch {
      throw operand.error(expected: "a value that can be compared. \(error)")
    }
  }
}

extension PredicateWay {
  /// That some element satisfies the condition.
  func some(_ condition: Predicate) -> Predicate {
    collections.reversed().reduce(condition) { .exists($1, $0) }
  }
}
