import AtollVocabulary
import Foundation

// An any-typed value in JSON: what JSON has is written plainly (null, truth, integers, doubles,
// texts, lists, maps); the other types are an object of one key, as MongoDB's extended JSON writes
// them. No map of a store has such a key, since keys may not start with `$`. Links do not encode.

extension AnyValue: Codable {
  /// The types that JSON lacks, by the key under which they are written.
  private enum Tag: String, CodingKey, CaseIterable {
    case float = "$numberFloat"
    /// A double that is infinite or NaN.
    case double = "$numberDouble"
    case data = "$binary"
    case date = "$date"
    case objectId = "$oid"
    case decimal = "$numberDecimal"
    case uuid = "$uuid"
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
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

  private static func tagged(_ decoder: any Decoder) throws -> AnyValue? {
    guard let container = try? decoder.container(keyedBy: Tag.self),
      let tag = container.allKeys.first, container.allKeys.count == 1
    else { return nil }
    func read<Value: Decodable>(_: Value.Type) throws -> Value {
      try container.decode(Value.self, forKey: tag)
    }
    switch tag {
    case .data: return .data(try read(Data.self))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: try read(Double.self)))
    case .objectId: return .objectId(try read(ObjectId.self))
    case .decimal: return .decimal128(try read(Decimal128.self))
    case .uuid: return .uuid(try read(UUID.self))
    case .float, .double:
      let text = try read(String.self)
      guard let value = Double(text) else {
        throw DecodingError.dataCorruptedError(
          forKey: tag, in: container, debugDescription: "'\(text)' is not a number.")
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
    case .date(let value): try encode(value.timeIntervalSinceReferenceDate, .date, to: encoder)
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
    var container = encoder.container(keyedBy: Tag.self)
    try container.encode(value, forKey: tag)
  }
}
