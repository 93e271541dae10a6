import AtollVocabulary

/// The omissions of an import, and the values that a person should check.
///
/// Counted by class, property and reason; the count of lines and of the examples in each is bounded.
package struct ImportReport: Hashable, Sendable {
  package enum Reason: String, CaseIterable, Sendable {
    // Not taken:
    case unknownClass
    case unknownProperty
    case severalProperties
    case repeatedName
    case noKey
    case mismatch
    case noBytes
    case unknownReference
    case tooLarge
    // Taken:
    case embeddedAlone
    case madeAnew
    case onlyLinked
    case beyond53Bits
    case looksTyped
    case takenAsMap

    package var isTaken: Bool {
      switch self {
      case .unknownClass, .unknownProperty, .severalProperties, .repeatedName, .noKey, .mismatch,
        .noBytes, .unknownReference, .tooLarge:
        false
      case .embeddedAlone, .madeAnew, .onlyLinked, .beyond53Bits, .looksTyped, .takenAsMap: true
      }
    }

    package var text: String {
      switch self {
      case .unknownClass: "the store has no such class"
      case .unknownProperty: "the class has no such property, or computes it as linking objects"
      case .severalProperties: "the class has several properties of this name"
      case .repeatedName: "an object has the name twice"
      case .noKey: "an object without its primary key, or with one that does not fit"
      case .mismatch: "the value does not fit the property"
      case .noBytes: "the file has no bytes: JSON.stringify writes data as {}"
      case .unknownReference: "a reference to an object that is not around it"
      case .tooLarge: "more, longer or deeper than a store takes"
      case .embeddedAlone: "embedded objects, which come with the objects that hold them"
      case .madeAnew:
        "linked objects without a primary key: the file does not say which are the same, so each is new"
      case .onlyLinked: "links lead to it and the files lack it: made with nothing but its key"
      case .beyond53Bits: "beyond 2^53: JavaScript, if it wrote the file, rounded the number"
      case .looksTyped:
        "a text of an any-typed value, kept as text, that looks like a date or an id"
      case .takenAsMap: "an object of an any-typed value, taken as a map"
      }
    }
  }

  package struct Line: Hashable, Sendable {
    package let className: String
    /// Nil if it is about whole objects.
    package let property: String?
    package let reason: Reason
    package fileprivate(set) var count: Int
    /// The first of them, with their places.
    package fileprivate(set) var examples: [String]
  }

  /// In the order in which they were met.
  package private(set) var lines: [Line] = []
  /// The number of further omissions, of classes, properties or reasons without a line.
  package private(set) var others = 0
  private var places: [Place: Int] = [:]

  private struct Place: Hashable {
    let className: String
    let property: String?
    let reason: Reason
  }

  package init() {}

  /// Counts one case.
  mutating func add(
    _ reason: Reason, _ className: String, _ property: String? = nil,
    example: () -> String
  ) {
    let (className, property) = (Self.short(className), property.map(Self.short))
    let place = Place(className: className, property: property, reason: reason)
    guard let index = places[place] else {
      guard lines.count < Limits.importReportLines else {
        others += 1
        return
      }
      places[place] = lines.count
      lines.append(
        Line(
          className: className, property: property, reason: reason, count: 1,
          examples: [Self.short(example())]))
      return
    }
    lines[index].count += 1
    if lines[index].examples.count < Limits.importExamples {
      lines[index].examples.append(Self.short(example()))
    }
  }

  private static func short(_ text: String) -> String {
    text.utf8.count <= Limits.nameBytes ? text : "\(text.prefix(60))…"
  }
}

extension ImportReport.Line: Encodable {
  private enum CodingKeys: String, CodingKey {
    case className = "class"
    case property, reason, isTaken, count, examples
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(className, forKey: .className)
    try container.encodeIfPresent(property, forKey: .property)
    try container.encode(reason.rawValue, forKey: .reason)
    try container.encode(reason.isTaken, forKey: .isTaken)
    try container.encode(count, forKey: .count)
    try container.encode(examples, forKey: .examples)
  }
}

extension ImportReport: Encodable {
  private enum CodingKeys: String, CodingKey { case lines, others }
}
