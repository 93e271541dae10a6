import AtollVocabulary
import Foundation

extension AnyValue: _PersistableValue, _PropertyValue, _ListElement, _Indexable, _Ordered {
  public typealias PersistedType = AnyValue

  public static var _valueType: _PropertyType { _PropertyType(.any) }

  public static func _decode(_ stored: _Stored) -> AnyValue? { AnyValue(stored) }
  public static func _decodePersisted(_ stored: _Stored) -> AnyValue? { AnyValue(stored) }
  public static func _makeDefault() -> AnyValue? { .some(.none) }
  public static func _makeForNull() -> AnyValue? { .some(.none) }

  public func _encode() -> _Stored {
    switch self {
    case .none: .null
    case .int(let value): value._stored
    case .bool(let value): value._stored
    case .float(let value): value._stored
    case .double(let value): value._stored
    case .string(let value): value._stored
    case .data(let value): value._stored
    case .date(let value): value._stored
    case .object(let value): _Stored(value)
    case .objectId(let value): value._stored
    case .decimal128(let value): value._stored
    case .uuid(let value): value._stored
    case .list(let value): _Stored(value)
    case .dictionary(let value): _Stored(value)
    }
  }

  private init(_ stored: _Stored) {
    if let handle = stored.handle {
      self.init(handle)
      return
    }
    switch stored.content {
    case .scalar(let value): self.init(value)
    case .object(let object): self = (object as? Object).map { .object($0) } ?? .none
    case .list(let elements): self = .list(List(elements.map { AnyValue($0) }))
    case .map(let entries):
      let map = Map<String, AnyValue>()
      for entry in entries { map[entry.key] = AnyValue(entry.value) }
      self = .dictionary(map)
    }
  }

  private init(_ handle: CollectionBase) {
    if let list = handle as? List<AnyValue> {
      self = .list(list)
    } else if let map = handle as? Map<String, AnyValue> {
      self = .dictionary(map)
    } else {
      self = .none
    }
  }

  private init(_ value: PersistedValue) {
    switch value {
    case .null, .identity: self = .none
    case .bool(let value): self = .bool(value)
    // An `Int` of 64 bits holds every stored integer.
    case .int(let value): self = .int(Int(truncatingIfNeeded: value))
    case .float(let value): self = .float(value)
    case .double(let value): self = .double(value)
    case .string(let value): self = .string(value)
    case .data(let value): self = .data(Data(value))
    case .date(let value): self = .date(Date(timeIntervalSinceReferenceDate: value))
    case .uuid(let value): self = .uuid(UUID(value))
    case .objectId(let value): self = .objectId(value)
    case .decimal(let value): self = .decimal128(value)
    }
  }

  public static func _coerce(_ any: Any) -> _Stored? {
    if let value = any as? AnyValue { return value._encode() }
    if isNull(any) { return .null }
    if let scalar = Coercion.natural(any) { return _Stored(scalar) }
    if let object = any as? Object { return _Stored(object) }
    if let handle = any as? List<AnyValue> { return _Stored(handle) }
    if let handle = any as? Map<String, AnyValue> { return _Stored(handle) }
    if let dictionary = any as? [String: Any] { return coerce(entries: dictionary) }
    if let array = any as? [Any] { return coerce(elements: array) }
    guard let mapped = any as? any _PersistableValue else { return nil }
    let stored = mapped._encode()
    return stored.object is EmbeddedObject ? nil : stored
  }

  private static func coerce(elements: [Any]) -> _Stored? {
    let list = List<AnyValue>()
    for element in elements {
      guard let stored = _coerce(element) else { return nil }
      list.append(AnyValue(stored))
    }
    return _Stored(list)
  }

  private static func coerce(entries: [String: Any]) -> _Stored? {
    let map = Map<String, AnyValue>()
    for (key, value) in entries {
      guard MapKeys.refusal(of: key) == nil, let stored = _coerce(value) else { return nil }
      map.assign(stored, for: key)
    }
    return _Stored(map)
  }
}
