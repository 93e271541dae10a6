import AtollVocabulary
import Foundation

/// Scalars as text, one type at a time.
enum ScalarText {
  /// The words that `export` puts before values that JSON has no word for.
  static let types: [String: PersistedType] = [
    "data": .data, "date": .date, "uuid": .uuid, "objectId": .objectId, "decimal": .decimal,
    "number": .double,
  ]

  static func word(of type: PersistedType) -> String? {
    switch type {
    case .float, .double: "number"
    case .data: "data"
    case .date: "date"
    case .uuid: "uuid"
    case .objectId: "objectId"
    case .decimal: "decimal"
    case .bool, .int, .string, .identity, .link, .embedded, .any: nil
    }
  }

  /// Reads a text as a type; nil if it is none of it.
  static func value(_ text: String, _ type: PersistedType) -> PersistedValue? {
    switch type {
    case .bool: Bool(text).map { .bool($0) }
    case .int: Int64(text).map { .int($0) }
    case .float: Float(text).map { .float($0) }
    case .double: Double(text).map { .double($0) }
    case .string: .string(text)
    case .data: Hexadecimal.bytes(text).map { .data($0) }
    case .date: date(text).map { .date($0) }
    case .uuid: UniqueBytes(text).map { .uuid($0) }
    case .objectId: ObjectId(text).map { .objectId($0) }
    case .decimal: Decimal128(text).map { .decimal($0) }
    case .identity, .link, .embedded, .any: nil
    }
  }

  /// Seconds since 2001 as `export` writes them, or a date of ISO 8601.
  private static func date(_ text: String) -> Double? {
    if let seconds = Double(text) { return seconds }
    let date =
      (try? Date(text, strategy: .iso8601))
      ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    return date?.timeIntervalSinceReferenceDate
  }
}
