// `Codable` as Swift synthesises it for a model class: every wrapper reads and writes its value by
// the value's own conformance, so that the persisted form of a mapped type never shows (rule 67).
// Only unmanaged objects encode: a wrapper alone does not know the object it belongs to.
//
// Values go through a container rather than to their own conformance: the strategies of a coder, for
// dates, data and the like, are its containers' business, and so is the form of a URL.

extension Persisted: Decodable where Value: Decodable {
  /// Reads the value.
  ///
  /// Null is nil where the property is optional, and the default where its type is a mapping that
  /// cannot fail; anywhere else it is the error of the value's own type (rule 68).
  public init(from decoder: any Decoder) throws {
    self.init(value: try Self.value(from: decoder), traits: .assigned)
  }

  private static func value(from decoder: any Decoder) throws -> Value {
    let container = try decoder.singleValueContainer()
    guard container.decodeNil() else { return try container.decode(Value.self) }
    if Value.self is any _CustomMapping.Type, let value = Value._makeDefault() { return value }
    return try Value(from: decoder)
  }
}

extension Persisted: Encodable where Value: Encodable {
  /// Writes the value of an unmanaged object's property, its default if it has none yet.
  ///
  /// A default that differs each time (a new identifier, the date of now) is kept only once the
  /// property was read; read it before encoding if it must be the one that is stored.
  ///
  /// - Throws: `EncodingError` for a managed object's: declare `encode(to:)` in the class and write
  ///   its properties there.
  public func encode(to encoder: any Encoder) throws {
    guard slot < 0 else {
      throw error("Only unmanaged objects encode themselves. \(remedy)", encoder)
    }
    guard let value = value ?? Value._makeDefault() else {
      throw error("The property has no value, and its type '\(Value.self)' no default.", encoder)
    }
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }

  private var remedy: String {
    "Declare encode(to:) in the model class and write its properties there, or encode a copy."
  }

  private func error(_ sentence: String, _ encoder: any Encoder) -> EncodingError {
    EncodingError.invalidValue(
      self, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: sentence))
  }
}

extension KeyedDecodingContainer {
  /// Reads a property; an optional one is nil where the key is missing.
  ///
  /// Synthesised code calls this.
  public func decode<Value: Decodable & _PropertyValue>(
    _ type: Persisted<Value>.Type, forKey key: Key
  ) throws -> Persisted<Value> {
    if !contains(key), Value.self is any _OptionalProperty.Type, let none = Value._makeDefault() {
      return Persisted(value: none, traits: .assigned)
    }
    return try decodeAny(type, forKey: key)
  }

  /// Calls the function of the standard library, which the one above would otherwise be.
  private func decodeAny<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decode(type, forKey: key)
  }
}
