import AtollQuery
import AtollStorage
import AtollVocabulary
public import Foundation

/// The options of a search in text, for differences that it ignores.
public struct StringOptions: OptionSet, Sendable {
  public let rawValue: Int8
  public init(rawValue: Int8) { self.rawValue = rawValue }

  /// Upper and lower case are one, by Unicode.
  public static let caseInsensitive = StringOptions(rawValue: 1)
  /// Letters with and without accents are one, by Unicode.
  public static let diacriticInsensitive = StringOptions(rawValue: 2)

  var predicateOptions: Predicate.TextOptions {
    Predicate.TextOptions(rawValue: UInt8(truncatingIfNeeded: rawValue) & 3)
  }
}

/// Marks persisted types that are searched as text.
public protocol _TextSearchable {}

/// Marks persisted types that are searched byte by byte.
public protocol _ByteSearchable {}

extension String: _TextSearchable {}
extension Data: _ByteSearchable {}
extension Optional: _TextSearchable where Wrapped: _TextSearchable {}
extension Optional: _ByteSearchable where Wrapped: _ByteSearchable {}

extension Query where T: _PropertyValue, T.PersistedType: _TextSearchable {
  /// True if the text is stored and has no character; nil is not empty.
  public var isEmpty: Query<Bool> { compare(.equal, _Stored(.string(""))) }

  /// Tells whether the text has `value` in it; nil and the empty text are in none.
  public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
    search(.infix, value.queryOperand, options)
  }

  /// Tells whether the text begins with `value`; none begins with nil or the empty text.
  public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
    search(.prefix, value.queryOperand, options)
  }

  /// Tells whether the text ends with `value`; none ends with nil or the empty text.
  public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
    search(.suffix, value.queryOperand, options)
  }

  /// Tells whether the text is `value`, apart from what the options leave out.
  public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> {
    search(.equal, value.queryOperand, options)
  }

  /// Tells whether the text is anything but `value`, apart from what the options leave out.
  public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
    searchOther(value.queryOperand, options)
  }

  /// Tells whether the text looks like a pattern: `*` is any text, `?` one character.
  public func like(_ pattern: T, caseInsensitive: Bool = false) -> Query<Bool> {
    search(.pattern, pattern.queryOperand, caseInsensitive ? .caseInsensitive : [])
  }

  /// Tells whether the text has the words of a search: `zurich -airport "lake side" kan*`.
  ///
  /// All terms must be there, those after `-` must not; a term in quotation marks is words that follow
  /// one another, and `*` after a term lets its last word go on. Words are compared without case and
  /// diacritics. Whatever a person types is a search; one without a term that must be there finds
  /// nothing. The property needs `@Persisted(indexed: .fullText)`.
  public func search(_ terms: String) -> Query<Bool> {
    let way = path("Searching in a condition").crossing
    guard let property = way.path.property, way.aggregate == nil,
      way.store?.isSearchable(property) == true
    else {
      Trap.stop(
        "Searching '\(way.text)' by words: it has no full-text index. Declare it "
          + "@Persisted(indexed: .fullText).")
    }
    return Query<Bool>(
      way.some { .text($0.expression, .search, [], .value(.string(terms))) }, store)
  }

  /// Tells whether the text has that of another property in it.
  public func contains<Other: _PropertyValue>(
    _ other: Query<Other>, options: StringOptions = []
  ) -> Query<Bool> where Other.PersistedType: _TextSearchable {
    search(.infix, other, options)
  }

  /// Tells whether the text begins with that of another property.
  public func starts<Other: _PropertyValue>(
    with other: Query<Other>, options: StringOptions = []
  ) -> Query<Bool> where Other.PersistedType: _TextSearchable {
    search(.prefix, other, options)
  }

  /// Tells whether the text ends with that of another property.
  public func ends<Other: _PropertyValue>(
    with other: Query<Other>, options: StringOptions = []
  ) -> Query<Bool> where Other.PersistedType: _TextSearchable {
    search(.suffix, other, options)
  }

  /// Tells whether the text is anything but that of another property.
  public func notEquals<Other: _PropertyValue>(
    _ other: Query<Other>, options: StringOptions = []
  ) -> Query<Bool> where Other.PersistedType: _TextSearchable {
    !search(.equal, other, options)
  }

  /// Tells whether the text is that of another property, apart from what the options leave out.
  public func equals<Other: _PropertyValue>(
    _ other: Query<Other>, options: StringOptions = []
  ) -> Query<Bool> where Other.PersistedType: _TextSearchable {
    search(.equal, other, options)
  }
}

extension Query where T: _PropertyValue, T.PersistedType: _ByteSearchable {
  /// Tells whether the data has `value` in it; nil and no bytes are in none.
  public func contains(_ value: T) -> Query<Bool> { search(.infix, value.queryOperand, []) }

  /// Tells whether the data begins with `value`.
  public func starts(with value: T) -> Query<Bool> { search(.prefix, value.queryOperand, []) }

  /// Tells whether the data ends with `value`.
  public func ends(with value: T) -> Query<Bool> { search(.suffix, value.queryOperand, []) }

  /// Tells whether the data is `value`.
  public func equals(_ value: T) -> Query<Bool> { search(.equal, value.queryOperand, []) }

  /// Tells whether the data is anything but `value`.
  public func notEquals(_ value: T) -> Query<Bool> { !search(.equal, value.queryOperand, []) }
}

extension Query
where
  T: _QueryCollection, T._Member: _PropertyValue & _ListElement,
  T._Member.PersistedType: _ByteSearchable
{
  /// Tells whether some element begins with `value`.
  public func starts(with value: T._Member) -> Query<Bool> {
    search(.prefix, value._encodeElement(), [])
  }

  /// Tells whether some element ends with `value`.
  public func ends(with value: T._Member) -> Query<Bool> {
    search(.suffix, value._encodeElement(), [])
  }
}

extension Query
where
  T: _QueryCollection, T._Member: _PropertyValue & _ListElement,
  T._Member.PersistedType: _TextSearchable
{
  /// Tells whether some element has `value` in it.
  public func contains(_ value: T._Member, options: StringOptions) -> Query<Bool> {
    search(.infix, value._encodeElement(), options)
  }

  /// Tells whether some element begins with `value`.
  public func starts(with value: T._Member, options: StringOptions = []) -> Query<Bool> {
    search(.prefix, value._encodeElement(), options)
  }

  /// Tells whether some element ends with `value`.
  public func ends(with value: T._Member, options: StringOptions = []) -> Query<Bool> {
    search(.suffix, value._encodeElement(), options)
  }

  /// Tells whether some element is `value`, apart from what the options leave out.
  public func equals(_ value: T._Member, options: StringOptions) -> Query<Bool> {
    search(.equal, value._encodeElement(), options)
  }

  /// Tells whether some element is another than `value`, apart from what the options leave out.
  public func notEquals(_ value: T._Member, options: StringOptions) -> Query<Bool> {
    searchOther(value._encodeElement(), options)
  }

  /// Tells whether some element looks like a pattern: `*` is any text, `?` one character.
  public func like(_ pattern: T._Member, caseInsensitive: Bool = false) -> Query<Bool> {
    search(.pattern, pattern._encodeElement(), caseInsensitive ? .caseInsensitive : [])
  }
}

extension Store {
  fileprivate func isSearchable(_ property: StoredProperty) -> Bool {
    tables.contains { $0.classID == property.owner && $0.stored.fullText.contains(property.id) }
  }
}

extension Query {
  func search(
    _ match: Predicate.TextMatch, _ value: _Stored, _ options: StringOptions
  ) -> Query<Bool> {
    let way = path("Searching in a condition")
    return Query<Bool>(
      way.some { way in
        guard let needle = way.constant(value) else { return .never }
        if case .value(.null) = needle {
          return match == .equal ? .comparison(way.expression, .equal, needle) : .never
        }
        return .text(way.expression, match, options.predicateOptions, needle)
      }, store)
  }

  /// That some element is not equal.
  func searchOther(_ value: _Stored, _ options: StringOptions) -> Query<Bool> {
    let way = path("Searching in a condition")
    return Query<Bool>(
      way.some { way in
        guard let needle = way.constant(value) else { return .always }
        if case .value(.null) = needle { return .comparison(way.expression, .notEqual, needle) }
        return .not(.text(way.expression, .equal, options.predicateOptions, needle))
      }, store)
  }

  fileprivate func search<Other>(
    _ match: Predicate.TextMatch, _ other: Query<Other>, _ options: StringOptions
  ) -> Query<Bool> {
    let (way, needle) = (path("Searching in a condition"), other.path("Searching a condition"))
    guard needle.crossing.collections.isEmpty else {
      Trap.stop("Searching for '\(needle.text)': what is sought must be one value.")
    }
    return Query<Bool>(
      way.some { .text($0.expression, match, options.predicateOptions, needle.expression) }, store)
  }
}
