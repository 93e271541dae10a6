import AtollVocabulary

/// Scalars as text, one type at a time.
enum ScalarText {
  /// The words that `export` puts before values that JSON has no word for.
  static let types: [String: PersistedType] = [
    "data": .data, "date": .date, "uuid": .uuid, "objectId": .objectId, "decimal": .decimal,
    "number": .double, "float": .float,
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

  /// Reads a text as a type.
  ///
  /// - Throws: `Importer.Problem` that says what was found, and in which form the type is written.
  static func value(
    _ text: String, _ type: PersistedType, named name: String, found kind: String
  ) throws -> PersistedValue {
    let found: PersistedValue? =
      switch type {
      case .bool: Bool(text).map { .bool($0) }
      case .int: Int64(text).map { .int($0) }
      case .float: Float(text).flatMap { isTooLarge($0, text) ? nil : .float($0) }
      case .double: Double(text).flatMap { isTooLarge($0, text) ? nil : .double($0) }
      case .string: .string(text)
      case .data: Hexadecimal.bytes(text).map { .data($0) }
      case .date: .date(try date(text, named: name, found: kind))
      case .uuid: UniqueBytes(text).map { .uuid($0) }
      case .objectId: ObjectId(text).map { .objectId($0) }
      case .decimal: Decimal128(text).map { .decimal($0) }
      case .identity, .link, .embedded, .any: nil
      }
    guard let found else {
      throw Importer.Problem(text: "\(name): found \(kind), expected \(expected(type))")
    }
    return found
  }

  /// A type and the form in which it is written, for messages.
  static func expected(_ type: PersistedType) -> String {
    let form: String? =
      switch type {
      case .bool: "true or false"
      case .int: "a whole number of 64 bits, such as -12"
      case .float, .double: "a number within its range, such as -1.5e3, or inf, -inf or nan"
      case .data: "two hexadecimal digits a byte, such as 00ff"
      case .date: "such as \(DateText.example) (ISO 8601 with time and offset)"
      case .uuid: "such as 6F9619FF-8B86-D011-B42D-00CF4FC964FF"
      case .objectId: "24 hexadecimal digits"
      case .decimal: "a decimal number of up to 34 digits, such as 12.50"
      case .string: "a text"
      case .identity, .link, .embedded, .any: nil
      }
    return form.map { "\(type): \($0)" } ?? "\(type)"
  }

  /// Tells whether a number became infinite that is not written so.
  private static func isTooLarge(_ number: some BinaryFloatingPoint, _ text: String) -> Bool {
    number.isInfinite && text.utf8.contains { (48...57).contains($0) }
  }

  /// A date of ISO 8601, or seconds since 2001, as Foundation's coders write them.
  private static func date(
    _ text: String, named name: String, found kind: String
  ) throws -> Double {
    if let seconds = Double(text), !isTooLarge(seconds, text) { return seconds }
    do throws(DateText.Problem) {
      return try DateText.seconds(text)
    } catch {
      let reason = if case .value(let words) = error { "; \(words)" } else { "" }
      throw Importer.Problem(
        text: "\(name): found \(kind), expected \(expected(.date))\(reason)")
    }
  }
}
