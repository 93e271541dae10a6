import AtollQuery
import AtollVocabulary

/// A value in a predicate, and its place among those of the whole query.
struct QueryConstant {
  let value: PersistedValue
  let index: Int

  /// The conversion of a constant before it is bound; the statement is the same for all constants
  /// of one kind.
  enum Conversion {
    /// The value in the width of the column.
    case to(PersistedType)
    /// The bytes of ``ValueKey``.
    case key
    /// The first bytes of equal decimals, and the bound after them.
    case decimal, decimalEnd
    /// The text as it is searched for, and the first text that does not begin with it.
    case text(Predicate.TextOptions)
    case prefixEnd(Predicate.TextOptions)
    /// The bytes of the text, or of the data, that is looked for within others.
    case bytes(Predicate.TextOptions)
    /// The text with signs for any characters.
    case pattern(Predicate.TextOptions)
    /// The search in the language of the full-text index.
    case search

    func callAsFunction(_ value: PersistedValue) -> PersistedValue {
      switch self {
      case .to(let type): QueryValue.converted(value, to: type)
      case .key: ValueKey.bytes(value).map { .data($0) } ?? .null
      case .decimal: Self.prefix(of: value).map { .data($0) } ?? .null
      case .decimalEnd: Self.prefix(of: value).map { .data($0 + [0xFF]) } ?? .null
      case .text(let options): Self.folded(value, options).map { .string($0) } ?? .null
      case .prefixEnd(let options):
        Self.folded(value, options).flatMap(\.followingPrefix).map { .string($0) } ?? .null
      case .bytes(let options): Self.bytes(value, options).map { .data($0) } ?? .null
      case .pattern(let options): Self.folded(value, options).map { .string($0) } ?? .null
      case .search: Self.folded(value, []).map { .string(TextSearch($0).expression) } ?? .null
      }
    }

    private static func prefix(of value: PersistedValue) -> [UInt8]? {
      guard case .decimal(let number) = QueryValue.converted(value, to: .decimal) else {
        return nil
      }
      return number.orderedPrefix
    }

    private static func bytes(
      _ value: PersistedValue, _ options: Predicate.TextOptions
    ) -> [UInt8]? {
      if case .data(let bytes) = value { return bytes }
      return folded(value, options).map { Array($0.utf8) }
    }

    private static func folded(
      _ value: PersistedValue, _ options: Predicate.TextOptions
    ) -> String? {
      guard case .string(let text) = value else { return nil }
      return options.isEmpty ? text : TextFolding.fold(text, options)
    }
  }
}
