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

extension Map: Decodable where Key: Decodable, Value: Decodable {
  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: EntryKey.self)
    self.init()
    for key in container.allKeys {
      if let refusal = MapKeys.refusal(of: key.stringValue) {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container, debugDescription: refusal)
      }
      self[Key(_mapKey: key.stringValue)] = try container.decode(Value.self, forKey: key)
    }
  }
}

extension Map: Encodable where Key: Encodable, Value: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: EntryKey.self)
    for entry in self { try container.encode(entry.value, forKey: EntryKey(entry.key._mapKey)) }
  }
}

/// A map's key as a coder takes it.
private struct EntryKey: CodingKey {
  var stringValue: String
  var intValue: Int? { nil }

  init(_ key: String) { stringValue = key }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}
