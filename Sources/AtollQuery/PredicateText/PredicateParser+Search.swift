import AtollVocabulary

extension PredicateParser {
  /// `name TEXT 'zurich -airport'`.
  func searching(
    _ way: PredicateWay, _ other: PredicateOperand
  ) throws(PredicateTextError) -> Predicate {
    guard way.type == .string, case .path(let path) = way.expression, let property = path.property,
      scope.owner(of: property)?.fullText.contains(property.id) == true
    else {
      throw other.error(
        expected: "a property with a full-text index before TEXT; declare \"\(way.name)\" "
          + "@Persisted(indexed: .fullText)")
    }
    guard case .value(let words)? = try scope.expression(other, comparedWith: way) else {
      throw other.error(expected: "the words to search for, in quotes or as an argument")
    }
    return .text(way.expression, .search, [], .value(words))
  }
}
