import AtollVocabulary
import Foundation

// An any-typed value in JSON: what JSON has is written plainly (null, truth, integers, doubles,
// texts, lists, maps); the other types are an object of one key, as MongoDB's extended JSON writes
// them. No map of a store has such a key, since keys may not start with `$`. Links do not encode.
//
// Dates and data follow the coder's strategies. The object of one key is written and read as a
// dictionary, whose key a strategy for the names of properties leaves as it is.

extension AnyValue: Codable {
  /// The types that JSON lacks, by the key under which they are written.
  private enum Tag: String {
    case float = "$numberFloat"
    /// A double that is infinite or NaN.
    case double = "$numberDouble"
    case data = "$binary"
    case date = "$date"
    case objectId = "$oid"
    case decimal = "$numberDecimal"
    case uuid = "$uuid"
  }

  /// Levels of a text around a value; a store takes fewer.
  private static var codingDepth: Int { 64 }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard decoder.codingPath.count < Self.codingDepth else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "Lists and maps lie in one another more than \(Self.codingDepth) deep.")
    }
    if container.decodeNil() {
      self = .none
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .int(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try Self.tagged(decoder) {
      self = value
    } else if let values = try? container.decode([AnyValue].self) {
      self = .fromArray(values)
    } else {
      let entries = try container.decode([String: AnyValue].self)
      if let refusal = entries.keys.lazy.compactMap(MapKeys.refusal).first {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: refusal)
      }
      self = .fromDictionary(entries)
    }
  }

  /// Any value, of which nothing but that it is there is read.
  private struct Unread: Decodable {
    init(from decoder: any Decoder) throws {}
  }

  private static func tagged(_ decoder: any Decoder) throws -> AnyValue? {
    let container = try decoder.singleValueContainer()
    guard let keys = try? container.decode([String: Unread].self).keys, keys.count == 1,
      let tag = keys.first.flatMap(Tag.init)
    else { return nil }
    func read<Value: Decodable>(_: Value.Type) throws -> Value {
      guard let value = try container.decode([String: Value].self)[tag.rawValue] else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "The value of '\(tag.rawValue)' is missing.")
      }
      return value
    }
    switch tag {
    case .data: return .data(try read(Data.self))
    case .date: return .date(try read(Date.self))
    case .objectId: return .objectId(try read(ObjectId.self))
    case .decimal: return .decimal128(try read(Decimal128.self))
    case .uuid: return .uuid(try read(UUID.self))
    case .float, .double:
      let text = try read(String.self)
      guard let value = Double(text) else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "'\(text)' is not a number.")
      }
      return tag == .double ? .double(value) : Float(text).map { .float($0) }
    }
  }

  /// - Throws: `EncodingError` for a link: objects are not part of a value.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .none, .bool, .int, .string, .list, .dictionary: try encodePlainly(to: encoder)
    case .double(let value) where value.isFinite: try encodePlainly(to: encoder)
    case .double(let value): try encode(value.description, .double, to: encoder)
    case .float(let value): try encode(value.description, .float, to: encoder)
    case .data(let value): try encode(value, .data, to: encoder)
    case .date(let value): try encode(value, .date, to: encoder)
    case .objectId(let value): try encode(value, .objectId, to: encoder)
    case .decimal128(let value): try encode(value, .decimal, to: encoder)
    case .uuid(let value): try encode(value, .uuid, to: encoder)
    case .object(let object):
      throw EncodingError.invalidValue(
        object,
        EncodingError.Context(
          codingPath: encoder.codingPath,
          debugDescription: "An AnyValue that links to \(object.shortDescription) does not encode.")
      )
    }
  }

  private func encodePlainly(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .list(let value): try container.encode(Array(value))
    case .dictionary(let value):
      try container.encode(Dictionary(value.map { ($0.key, $0.value) }) { first, _ in first })
    case .none, .float, .data, .date, .object, .objectId, .decimal128, .uuid:
      try container.encodeNil()
    }
  }

  private func encode(
    _ value: some Encodable, _ tag: Tag, to encoder: any Encoder
  ) throws {
    var container = encoder.singleValueContainer()
    try container.encode([tag.rawValue: value])
  }
}
