// Conditions that come to stand inside further collections.

extension Predicate.Expression {
  /// The same, inside `levels` more collections.
  ///
  /// Scopes from `base` on are opened by the expression itself, by its counts and aggregates; those
  /// before are around it, and stay.
  package func deepened(by levels: Int, from base: Int) -> Predicate.Expression {
    guard levels > 0 else { return self }
    switch self {
    case .value, .shape, .object, .keyed: return self
    case .path(let path): return .path(path.deepened(by: levels, from: base))
    case .kind(let path): return .kind(path.deepened(by: levels, from: base))
    case .count(let collection, let inner):
      return .count(
        collection.deepened(by: levels, from: base), inner.deepened(by: levels, from: base))
    case .aggregate(let aggregate, let member, let collection):
      return .aggregate(
        aggregate, member.deepened(by: levels, from: base),
        of: collection.deepened(by: levels, from: base))
    case .computed(let left, let operation, let right):
      return .computed(
        left.deepened(by: levels, from: base), operation, right.deepened(by: levels, from: base))
    }
  }
}

extension Predicate {
  fileprivate func deepened(by levels: Int, from base: Int) -> Predicate {
    func deeper(_ part: Predicate) -> Predicate { part.deepened(by: levels, from: base) }
    func deeper(_ side: Expression) -> Expression { side.deepened(by: levels, from: base) }
    switch self {
    case .always, .never: return self
    case .all(let parts): return .all(parts.map(deeper))
    case .any(let parts): return .any(parts.map(deeper))
    case .not(let part): return .not(deeper(part))
    case .comparison(let left, let comparator, let right):
      return .comparison(deeper(left), comparator, deeper(right))
    case .contained(let left, let values): return .contained(deeper(left), values.map(deeper))
    case .linked(let path, let rows):
      return .linked(path.deepened(by: levels, from: base), rows)
    case .text(let left, let match, let options, let right):
      return .text(deeper(left), match, options, deeper(right))
    case .exists(let collection, let part):
      return .exists(collection.deepened(by: levels, from: base), deeper(part))
    }
  }
}

extension PropertyPath {
  fileprivate func deepened(by levels: Int, from base: Int) -> PropertyPath {
    var path = self
    if scope >= base { path.scope += levels }
    return path
  }
}
