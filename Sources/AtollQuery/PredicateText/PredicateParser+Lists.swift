import AtollVocabulary

// Literal lists on the right, and the names of kinds of values.
extension PredicateParser {
  /// `numbers == {1, 2}`: a list has these elements in this order, a set or a map has these values.
  ///
  /// Nil if the way does not end at one collection of values as a whole.
  func whole(
    _ way: PredicateWay, _ elements: [PredicateOperand]
  ) throws(PredicateTextError) -> Predicate? {
    guard way.collections.count == 1, let collection = way.collections.last,
      let property = collection.property, case .path(let element) = way.expression,
      element.steps.isEmpty, !element.isEntryKey
    else { return nil }
    let size = Predicate.Expression.value(.int(Int64(elements.count)))
    var parts: [Predicate] = [.comparison(.count(collection, .always), .equal, size)]
    for (index, operand) in elements.enumerated() {
      guard let value = try scope.expression(operand, comparedWith: way) else { return .never }
      if property.collection == .list {
        let place = collection.appending(.index(index))
        parts.append(.comparison(place, .equal, value))
      } else {
        parts.append(way.some(.comparison(way.expression, .equal, value)))
      }
    }
    return .all(parts)
  }

  /// `value.@type == 'int'`, `value.@type IN {'int', 'numeric'}`.
  func kind(
    _ way: PredicateWay, _ relation: Relation, _ other: PredicateOperand
  ) throws(PredicateTextError) -> Predicate {
    let isNegated = relation == .compare(.notEqual)
    guard isNegated || relation == .compare(.equal) || relation == .isIn else {
      throw other.error(expected: "==, != or IN after @type")
    }
    var names: [Predicate.Expression] = []
    for operand in scope.elements(of: other) ?? [other] {
      guard case .value(.string(let word))? = try scope.expression(operand, comparedWith: way)
      else { throw operand.error(expected: "the name of a type in quotes") }
      guard let found = Self.kinds[word.lowercased()] else {
        throw PredicateTextError(
          operand.token,
          expected: "the name of a type: \(Self.kinds.keys.sorted().joined(separator: ", "))",
          nearest: NearestName.of(word, among: Self.kinds.keys.sorted()))
      }
      names += found.map { .value(.string($0)) }
    }
    let isOne = Predicate.contained(way.expression, names)
    return isNegated ? .not(isOne) : isOne
  }

  /// The operands that `@type` may be compared with, and the kinds that they mean.
  private static let kinds: [String: [String]] = [
    "bool": ["bool"], "int": ["int"], "integer": ["int"], "long": ["int"], "float": ["float"],
    "double": ["double"], "decimal": ["decimal"], "decimal128": ["decimal"],
    "numeric": ["int", "float", "double", "decimal"], "string": ["string"], "data": ["data"],
    "binary": ["data"], "date": ["date"], "timestamp": ["date"], "objectid": ["objectid"],
    "uuid": ["uuid"], "link": ["object"], "object": ["object"], "list": ["list"],
    "array": ["list"], "dictionary": ["dictionary"], "map": ["dictionary"], "null": ["null"],
    "nil": ["null"],
  ]
}
