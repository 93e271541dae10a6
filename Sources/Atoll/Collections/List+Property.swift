extension List: _PropertyValue {
  /// Itself: its elements are stored each for itself.
  public typealias PersistedType = List

  public static var _propertyType: _PropertyType {
    var type = Element._elementType
    type.collection = .list
    return type
  }

  @inlinable public static var _isHandle: Bool { true }

  public static func _makeDefault() -> List? { List() }

  public static func _read(_ cell: _Cell) -> List {
    let list = List()
    cell.attach(list)
    return list
  }

  public static func _readIfConvertible(_ cell: _Cell) -> List? { _read(cell) }

  public static func _readPersisted(_ cell: _Cell) -> List? { _read(cell) }

  /// Copies the elements into the list that is there (rule 38).
  public func _write(_ cell: _Cell) { _ = _replacing(Self._read(cell)) }

  public func _replacing(_ old: List?) -> List {
    guard let old else { return self }
    if old != self { old.replace(with: input.content) }
    return old
  }

  public func _encodeProperty() -> _PropertyInput { input }

  /// Null fits no element of a list of embedded objects (rule 29).
  public static func _coerceProperty(_ any: Any) -> _PropertyInput? {
    if let list = any as? List { return list.input }
    if isNull(any) { return _PropertyInput(list: []) }
    guard let values = elementsOf(any) else { return nil }
    var elements: [_Stored] = []
    for value in values {
      guard let element = Element._coerceElement(value) else { return nil }
      elements.append(element)
    }
    return _PropertyInput(list: elements)
  }
}
