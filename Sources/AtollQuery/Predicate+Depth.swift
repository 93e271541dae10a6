import AtollVocabulary

// The size of a condition, which everything that walks it in recursion depends on.

extension Predicate {
  /// The levels that a collection around a condition counts for: compiling it takes as much of the
  /// stack.
  static let collectionLevels = Limits.predicateDepth / Limits.collectionDepth

  /// Levels of nesting as ``Limits/predicateDepth`` bounds them: 1 for a comparison of properties.
  package var depth: Int {
    switch self {
    case .always, .never, .linked: 1
    case .all(let parts), .any(let parts): 1 + (parts.lazy.map(\.depth).max() ?? 0)
    case .not(let part): 1 + part.depth
    case .exists(_, let part): Self.collectionLevels + part.depth
    case .comparison(let left, _, let right), .text(let left, _, _, let right):
      1 + max(left.depth, right.depth)
    case .contained(let left, _): 1 + left.depth
    }
  }
}

extension Predicate.Expression {
  /// Conditions inside one another in what is counted; computed numbers are bounded by ``terms``.
  fileprivate var depth: Int {
    switch self {
    case .value, .shape, .object, .keyed, .path, .kind, .aggregate: 0
    case .count(_, let part): Predicate.collectionLevels + part.depth
    case .computed(let left, _, let right): max(left.depth, right.depth)
    }
  }

  /// Properties and constants that the number is computed from.
  package var terms: Int {
    guard case .computed(let left, _, let right) = self else { return 1 }
    return left.terms + right.terms
  }
}
