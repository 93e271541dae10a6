/// Values by string keys that belongs to a property.
///
/// ```swift
/// @Persisted var capitals: Map<String, City?>
/// ```
///
/// Keys may not start with `$` nor contain a `.`. Objects as values are optional, because the object
/// may be deleted. Iteration runs over the entries there were when it began.
public final class Map<Key: _MapKey, Value: _ListElement>: MapBase {
  /// An empty map that no store manages.
  public override init() { super.init() }

  /// A map that no store manages, of the entries of `dictionary`.
  public convenience init(_ dictionary: [Key: Value]) {
    self.init()
    for (key, value) in dictionary { self[key] = value }
  }

  /// The keys, ascending by their bytes.
  public var keys: [Key] { snapshot.map { Key(_mapKey: $0.key) } }

  /// The values, in the order of ``keys``.
  public var values: [Value] { snapshot.map { decode($0.value) } }

  /// The value of a key, nil if there is none; nil as a new value removes the entry.
  ///
  /// Optional values make `.some(nil)` an entry without a value.
  public subscript(key: Key) -> Value? {
    get { stored(for: key._mapKey).map(decode) }
    set {
      guard let newValue else { return remove(key._mapKey) }
      assign(newValue._encodeElement(), for: key._mapKey)
    }
  }

  /// The value of a key, or `defaultValue` if there is none.
  public subscript(key: Key, default defaultValue: @autoclosure () -> Value) -> Value {
    get { self[key] ?? defaultValue() }
    set { self[key] = newValue }
  }

  /// The value of a key, nil if there is none.
  ///
  /// - Throws: ``Store/Error/Code/invalidValue`` if the stored value does not convert.
  public func value(checking key: Key) throws(Store.Error) -> Value? {
    guard let stored = stored(for: key._mapKey) else { return nil }
    if let value = Value._decodeElement(stored) { return value }
    throw unconvertible(stored, Value.self, "the key '\(key._mapKey)'")
  }

  /// Gives a key a value.
  public func updateValue(_ value: Value, forKey key: Key) { self[key] = value }

  /// Gives a key a value.
  ///
  /// - Throws: ``Store/Error/Code/invalidValue`` if maps do not take the key.
  public func updateValue(_ value: Value, checking key: Key) throws(Store.Error) {
    if let sentence = MapKeys.refusal(of: key._mapKey) {
      throw Store.Error(.invalidValue, keyPlace + sentence)
    }
    self[key] = value
  }

  /// Removes the entry of a key, if there is one.
  public func removeObject(for key: Key) { remove(key._mapKey) }

  /// Removes the entry of a key, and returns the value it had.
  @discardableResult
  public func removeValue(forKey key: Key) -> Value? {
    defer { remove(key._mapKey) }
    return self[key]
  }

  /// Removes the entries that satisfy a condition.
  public func removeAll(
    where shouldBeRemoved: (Element) throws -> Bool
  ) rethrows {
    for entry in self where try shouldBeRemoved(entry) { remove(entry.key._mapKey) }
  }

  /// Tells whether an entry satisfies a condition.
  public func contains(where predicate: (Key, Value) throws -> Bool) rethrows -> Bool {
    try contains { (entry: Element) in try predicate(entry.key, entry.value) }
  }

  func decode(_ stored: _Stored) -> Value {
    if let value = Value._decodeElement(stored) { return value }
    stopUnconvertible(stored, Value.self)
  }
}

// MARK: - Merging

extension Map {
  /// Takes in entries, and asks `combine` for the value where a key is there already.
  public func merge<S: Sequence>(
    _ other: S, uniquingKeysWith combine: (_ current: Value, _ new: Value) throws -> Value
  ) rethrows where S.Element == (key: Key, value: Value) {
    for (key, value) in other { try take(key, value, combine) }
  }

  /// Takes in entries, and asks `combine` for the value where a key is there already.
  @_disfavoredOverload
  public func merge<S: Sequence>(
    _ other: S, uniquingKeysWith combine: (_ current: Value, _ new: Value) throws -> Value
  ) rethrows where S.Element == (Key, Value) {
    for (key, value) in other { try take(key, value, combine) }
  }

  /// Takes in the entries of another map, and asks `combine` where a key is there already.
  public func merge(
    _ other: Map, uniquingKeysWith combine: (_ current: Value, _ new: Value) throws -> Value
  ) rethrows {
    for entry in other { try take(entry.key, entry.value, combine) }
  }

  private func take(
    _ key: Key, _ value: Value, _ combine: (Value, Value) throws -> Value
  ) rethrows {
    if let current = self[key] {
      self[key] = try combine(current, value)
    } else {
      self[key] = value
    }
  }
}

// MARK: - Iterating

/// One entry of a ``Map``.
public struct SingleMapEntry<Key: _MapKey, Value: _ListElement> {
  /// The key.
  public var key: Key
  /// The value of the key.
  public var value: Value

  /// An entry of a key and its value.
  public init(key: Key, value: Value) {
    self.key = key
    self.value = value
  }
}

extension SingleMapEntry: Equatable where Value: Equatable {}
extension SingleMapEntry: Hashable where Value: Hashable {}

extension Map: Sequence {
  public typealias Element = SingleMapEntry<Key, Value>

  public var underestimatedCount: Int { count }

  /// Iterates over the entries there are now, whatever happens to the map meanwhile.
  public func makeIterator() -> ElementIterator<SingleMapEntry<Key, Value>> {
    var rest = snapshot[...]
    return ElementIterator {
      rest.popFirst().map { entry in
        SingleMapEntry(key: Key(_mapKey: entry.key), value: self.decode(entry.value))
      }
    }
  }

  /// The entries as pairs, for `for (key, value) in map.asKeyValueSequence()`.
  public func asKeyValueSequence() -> AnySequence<(key: Key, value: Value)> {
    AnySequence(lazy.map { (key: $0.key, value: $0.value) })
  }
}
