// Collections read and write their elements by the elements' own conformance, lists and sets as
// arrays, maps as objects. What they read is unmanaged.

extension List: Decodable where Element: Decodable {
  public convenience init(from decoder: any Decoder) throws {
    self.init(try [Element](from: decoder))
  }
}

extension List: Encodable where Element: Encodable {
  public func encode(to encoder: any Encoder) throws { try Array(self).encode(to: encoder) }
}

extension MutableSet: Decodable where Element: Decodable {
  public convenience init(from decoder: any Decoder) throws {
    self.init(try [Element](from: decoder))
  }
}

extension MutableSet: Encodable where Element: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for element in self { try container.encode(element) }
  }
}

// As a dictionary, whose keys coders leave as they are: an entry's key is data, which a strategy for
// the names of properties must not change.
extension Map: Decodable where Key: Decodable, Value: Decodable {
  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let entries = try container.decode([String: Value].self)
    self.init()
    for (key, value) in entries {
      if let refusal = MapKeys.refusal(of: key) {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: refusal)
      }
      self[Key(_mapKey: key)] = value
    }
  }
}

extension Map: Encodable where Key: Encodable, Value: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(
      Dictionary(map { ($0.key._mapKey, $0.value) }, uniquingKeysWith: { first, _ in first }))
  }
}
