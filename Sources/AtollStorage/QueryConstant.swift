import AtollVocabulary

/// A value in a predicate, and its place among those of the whole query.
struct QueryConstant {
  let value: PersistedValue
  let index: Int

  /// What becomes of a constant before it is bound; the statement is the same for all constants of
  /// one kind.
  enum Conversion {
    /// The value in the width of the column.
    case to(PersistedType)
    /// The bytes of ``ValueKey``.
    case key
    /// Where the bytes of equal decimals begin, and what is after them.
    case decimal, decimalEnd
    /// The text as it is searched for, and the first text that does not begin with it.
    case text(Predicate.TextOptions)
    case prefixEnd(Predicate.TextOptions)

    func callAsFunction(_ value: PersistedValue) -> PersistedValue {
      switch self {
      case .to(let type): QueryValue.converted(value, to: type)
      case .key: ValueKey.bytes(value).map { .data($0) } ?? .null
      case .decimal: Self.prefix(of: value).map { .data($0) } ?? .null
      case .decimalEnd: Self.prefix(of: value).map { .data($0 + [0xFF]) } ?? .null
      case .text(let options): Self.folded(value, options).map { .string($0) } ?? .null
      case .prefixEnd(let options):
        Self.folded(value, options).flatMap(\.followingPrefix).map { .string($0) } ?? .null
      }
    }

    private static func prefix(of value: PersistedValue) -> [UInt8]? {
      guard case .decimal(let number) = QueryValue.converted(value, to: .decimal) else {
        return nil
      }
      return number.orderedPrefix
    }

    private static func folded(
      _ value: PersistedValue, _ options: Predicate.TextOptions
    ) -> String? {
      guard case .string(let text) = value else { return nil }
      return options.isEmpty ? text : TextFolding.fold(text, options)
    }
  }
}
