extension Map: _PropertyValue {
  /// Itself: its values are stored each for itself.
  public typealias PersistedType = Map

  public static var _propertyType: _PropertyType {
    var type = Value._elementType
    type.collection = .map
    return type
  }

  @inlinable public static var _isHandle: Bool { true }

  public static func _makeDefault() -> Map? { Map() }

  public static func _read(_ cell: _Cell) -> Map {
    let map = Map()
    cell.attach(map)
    return map
  }

  public static func _readIfConvertible(_ cell: _Cell) -> Map? { _read(cell) }

  public static func _readPersisted(_ cell: _Cell) -> Map? { _read(cell) }

  /// Copies the entries into the map that is there (rule 38).
  public func _write(_ cell: _Cell) { _ = _replacing(Self._read(cell)) }

  public func _replacing(_ old: Map?) -> Map {
    guard let old else { return self }
    if old != self { old.replace(with: input.content) }
    return old
  }

  public func _encodeProperty() -> _PropertyInput { input }

  public static func _coerceProperty(_ any: Any) -> _PropertyInput? {
    if let map = any as? Map { return map.input }
    if isNull(any) { return _PropertyInput(map: []) }
    guard let dictionary = any as? [String: Any] else { return nil }
    var entries = StoredMap()
    for (key, value) in dictionary {
      guard MapKeys.refusal(of: key) == nil, let stored = coerceValue(value) else { return nil }
      entries[key] = stored
    }
    return _PropertyInput(map: entries.sorted)
  }

  /// An entry of an embedded mapping can be null (rule 29).
  private static func coerceValue(_ any: Any) -> _Stored? {
    if let stored = Value._coerceElement(any) { return stored }
    return Value._elementType.type == .embedded && isNull(any) ? .null : nil
  }
}
