import Atoll
public import Foundation

/// An inspection as a value, which can go anywhere.
public struct InspectionReport: Codable, Sendable, Hashable {
  public struct Item: Codable, Sendable, Hashable {
    public var text: String
    public var isDone: Bool
  }

  public var code: String
  public var title: String
  public var urgency: String
  public var latitude: Double?
  public var longitude: Double?
  public var manual: URL?
  public var checklist: [Item]
  public var defects: Int
  public var tags: [String]
  public var photos: [String]
  public var extra: [String: FieldValue]

  init(_ inspection: Inspection) {
    code = inspection.code
    title = inspection.title
    urgency = inspection.urgency.rawValue
    latitude = inspection.place?.latitude
    longitude = inspection.place?.longitude
    manual = inspection.manual
    checklist = inspection.checklist.map { Item(text: $0.text, isDone: $0.isDone) }
    defects = inspection.defects
    tags = inspection.tags.map { $0 }.sorted()
    photos = inspection.photos.map { "\($0.file?.lastPathComponent ?? "?"), \($0.bytes) bytes" }
    extra = [:]
    for entry in inspection.extra { extra[entry.key] = FieldValue(entry.value) }
  }
}

/// The input of an inspector in a field: a number, yes or no, or a text.
public enum FieldValue: Codable, Sendable, Hashable, CustomStringConvertible {
  case number(Double)
  case truth(Bool)
  case text(String)

  /// Makes the value that a typed text probably means.
  public init(typed text: String) {
    switch text.lowercased() {
    case "yes", "true": self = .truth(true)
    case "no", "false": self = .truth(false)
    default: self = Double(text).map { .number($0) } ?? .text(text)
    }
  }

  /// Nil for what inspectors do not write.
  init?(_ value: AnyValue) {
    switch value {
    case .double(let number): self = .number(number)
    case .int(let number): self = .number(Double(number))
    case .bool(let truth): self = .truth(truth)
    case .string(let text): self = .text(text)
    default: return nil
    }
  }

  var stored: AnyValue {
    switch self {
    case .number(let number): .double(number)
    case .truth(let truth): .bool(truth)
    case .text(let text): .string(text)
    }
  }

  public var description: String {
    switch self {
    case .number(let number): number.formatted()
    case .truth(let truth): truth ? "yes" : "no"
    case .text(let text): text
    }
  }
}

/// A write that was lost to a later one, for people.
public struct ConflictReport: Codable, Sendable, Hashable {
  public var id: Int64
  public var inspection: String
  public var property: String
  public var lost: String
  public var kept: String

  init(_ conflict: Conflict) {
    id = conflict.id
    inspection = conflict.primaryKey.stringValue ?? conflict.className
    property = conflict.propertyPath
    lost = conflict.losing.text
    kept = conflict.winning.text
  }
}
