/// Turns an `Encodable` into dictionaries and arrays of the values that properties take.
enum EncodedValue {
  /// The dictionary, array or single value that `value` encodes to.
  ///
  /// - Throws: ``Store/Error/Code/invalidValue`` if the value's own encoding throws.
  static func encode(_ value: any Encodable, for name: String) throws(Store.Error) -> Any {
    do {
      return try box(value)
    } catch {
      throw Store.Error(
        .invalidValue,
        "Making a '\(name)' from a '\(type(of: value))', which does not encode: "
          + "\(error)")
    }
  }

  /// Values that a property takes stay as they are; the rest encodes itself.
  fileprivate static func box(_ value: some Encodable) throws -> Any {
    if value is any _PersistableValue { return value }
    let encoder = ValueEncoder()
    try value.encode(to: encoder)
    return encoder.slot.value
  }
}

/// The target of an encoder's output: a value, a dictionary or an array that is being filled.
private final class Slot {
  private var single: Any?
  private var keyed: [String: Slot] = [:]
  private var unkeyed: [Slot]?

  init() {}
  init(_ value: Any) { single = value }

  var value: Any {
    if let single { return single }
    if let unkeyed { return unkeyed.map(\.value) }
    return keyed.mapValues(\.value)
  }

  var count: Int { unkeyed?.count ?? 0 }

  func set(_ value: Any) { single = .some(value) }
  func set(_ slot: Slot, for key: String) { keyed[key] = slot }
  func append(_ slot: Slot) { unkeyed?.append(slot) }
  func beginUnkeyed() { unkeyed = unkeyed ?? [] }
}

private struct ValueEncoder: Encoder {
  var slot = Slot()
  var codingPath: [any CodingKey] = []
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedContainer<Key>(slot: slot, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    slot.beginUnkeyed()
    return UnkeyedContainer(slot: slot, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleContainer(slot: slot, codingPath: codingPath)
  }
}

private struct KeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let slot: Slot
  var codingPath: [any CodingKey]

  func encodeNil(forKey key: Key) { slot.set(Slot(Any?.none as Any), for: key.stringValue) }

  func encode(_ value: some Encodable, forKey key: Key) throws {
    slot.set(Slot(try EncodedValue.box(value)), for: key.stringValue)
  }

  private func nested(_ key: String) -> ValueEncoder {
    let encoder = ValueEncoder(codingPath: codingPath)
    slot.set(encoder.slot, for: key)
    return encoder
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { nested(key.stringValue).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    nested(key.stringValue).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { nested("super") }
  func superEncoder(forKey key: Key) -> any Encoder { nested(key.stringValue) }
}

private struct UnkeyedContainer: UnkeyedEncodingContainer {
  let slot: Slot
  var codingPath: [any CodingKey]
  var count: Int { slot.count }

  func encodeNil() { slot.append(Slot(Any?.none as Any)) }

  func encode(_ value: some Encodable) throws { slot.append(Slot(try EncodedValue.box(value))) }

  private func nested() -> ValueEncoder {
    let encoder = ValueEncoder(codingPath: codingPath)
    slot.append(encoder.slot)
    return encoder
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> { nested().container(keyedBy: type) }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }
  func superEncoder() -> any Encoder { nested() }
}

private struct SingleContainer: SingleValueEncodingContainer {
  let slot: Slot
  var codingPath: [any CodingKey]

  func encodeNil() { slot.set(Any?.none as Any) }
  func encode(_ value: some Encodable) throws { slot.set(try EncodedValue.box(value)) }
}
