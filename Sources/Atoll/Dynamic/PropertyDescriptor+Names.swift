import AtollVocabulary

extension _PropertyValue {
  /// The stored value of a property whose cell may be a row's or an unmanaged object's (rule 60).
  static func dynamicValue(_ cell: _Cell) -> Any? {
    // Stops for what is required and does not convert, and is nil for what is optional and does not.
    guard unwrapped(_read(cell)) != nil else { return nil }
    return _readPersisted(cell).flatMap { payload($0) }
  }

  /// Stores a value that is in mapped or in persisted form; false if it is neither.
  static func setDynamicValue(_ any: Any, _ cell: _Cell) -> Bool {
    guard let input = _coerceProperty(any) else { return false }
    if case .single(let stored) = input.content {
      cell.assign(stored)
    } else if let value = any as? Self {
      value._write(cell)
    } else {
      _read(_Cell(object: InputReader(input), slot: 0))._write(cell)
    }
    return true
  }

  /// A stored value as the dynamic interface shows it, without any object (rule 64).
  static func dynamicValue(of stored: _Stored) -> Any? {
    let cell = _Cell(object: InputReader(_PropertyInput(stored)), slot: 0)
    return _readPersisted(cell).flatMap { payload($0) }
  }
}

/// Returns the form of a value in access by name: the value inside, where it is any-typed.
private func payload(_ any: Any) -> Any? {
  guard let value = unwrapped(any) else { return nil }
  return (value as? AnyValue).map(\.payload) ?? value
}

extension AnyValue {
  /// The value in its own type; nil for none.
  fileprivate var payload: Any? {
    switch self {
    case .none: nil
    case .int(let value): value
    case .bool(let value): value
    case .float(let value): value
    case .double(let value): value
    case .string(let value): value
    case .data(let value): value
    case .date(let value): value
    case .object(let value): value
    case .objectId(let value): value
    case .decimal128(let value): value
    case .uuid(let value): value
    case .list(let value): value
    case .dictionary(let value): value
    }
  }
}
