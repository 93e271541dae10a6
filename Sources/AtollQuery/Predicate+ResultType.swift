package import AtollVocabulary

extension Predicate.Operation {
  /// The type of the result; nil if a side is no number.
  package static func type(of a: PersistedType, _ b: PersistedType) -> PersistedType? {
    guard let a = rank(a), let b = rank(b) else { return nil }
    return widening[max(a, b)]
  }

  private static let widening: [PersistedType] = [.int, .float, .double, .decimal]

  /// Numbers among any-typed values count as decimals, because they are of several types.
  private static func rank(_ type: PersistedType) -> Int? {
    widening.firstIndex(of: type == .any ? .decimal : type)
  }
}
