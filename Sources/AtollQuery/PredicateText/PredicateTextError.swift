/// Why a predicate that a person wrote cannot be read.
package struct PredicateTextError: Error, Hashable, Sendable {
  /// The predicate as a whole.
  package let text: String
  /// Characters before the place that cannot be read.
  package let offset: Int
  /// The token at that place; empty at the end.
  package let found: String
  package let expected: String
  /// The name that was probably meant.
  package let nearest: String?

  init(_ token: PredicateToken, expected: String, nearest: String? = nil) {
    text = token.text
    offset = token.offset
    found = String(token.spelling)
    self.expected = expected
    self.nearest = nearest
  }
}

extension PredicateTextError: CustomStringConvertible {
  /// The place, what was found and expected, and the predicate with a mark below the place.
  package var description: String {
    let found = found.isEmpty ? "the end" : "\"\(found)\""
    let hint = nearest.map { "; perhaps \"\($0)\"" } ?? ""
    return """
      cannot read the predicate at character \(offset + 1): found \(found), \
      expected \(expected)\(hint)
        \(text)
        \(String(repeating: " ", count: offset))^
      """
  }
}
