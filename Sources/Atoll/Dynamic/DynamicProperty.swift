import AtollStorage
import AtollVocabulary

/// A property as the dynamic interface knows it: by what the file has, without a wrapper.
final class DynamicProperty: PropertyDescriptor, @unchecked Sendable {
  /// As the model declares it, if there is a model.
  private let declared: PropertyDescriptor?
  private let stored: StoredProperty
  private unowned let classes: DynamicClasses

  init(
    _ stored: StoredProperty, of className: String, slot: Int, declared: PropertyDescriptor?,
    in classes: DynamicClasses
  ) {
    self.declared = declared
    self.stored = stored
    self.classes = classes
    var type = _PropertyType(
      stored.type, target: stored.target == nil ? nil : DynamicObject.self)
    type.collection = stored.collection
    // The file does not say; where nothing is declared, null is nil.
    type.isOptional =
      (declared?.type.isOptional ?? (stored.target == nil))
      || (stored.target != nil && stored.collection == .map)
    super.init(
      Place(
        className: className, name: declared?.name ?? stored.name, columnName: stored.name,
        slot: slot, offset: 0),
      type: type, traits: stored.isKey ? .primaryKey : PersistedTraits(declared?.index),
      startsEmpty: false, slotOffset: 0, traitsOffset: 0)
  }

  override var valueType: Any.Type { declared?.valueType ?? element }

  override var schema: PropertySchema {
    PropertySchema(
      name: stored.name, type: stored.type, collection: stored.collection,
      isOptional: isOptional, index: index,
      target: stored.target.flatMap { classes.name(of: $0) })
  }

  override func bind(_ object: ObjectBase, keepsHandle: Bool) {}

  // MARK: Reading

  override func dynamicValue(of object: ObjectBase) -> Any? {
    let cell = _Cell(object: object, slot: Int32(slot))
    guard object.isManaged else { return unmanagedValue(of: object) }
    if let collection = makeCollection() {
      cell.attach(collection)
      return collection
    }
    return dynamicValue(cell.stored)
  }

  override func dynamicValue(_ stored: _Stored) -> Any? {
    if let value = stored.dynamicValue { return value }
    return type.isOptional ? nil : builtin?._makeForNull()?._encode().dynamicValue
  }

  /// A new handle of the property's kind; nil for single values.
  private func makeCollection() -> CollectionBase? {
    func make<Element: _ListElement>(_: Element.Type) -> CollectionBase? {
      switch type.collection {
      case .none: nil
      case .list: List<Element>()
      case .set: MutableSet<Element>()
      case .map: Map<String, Element>()
      }
    }
    return make(element)
  }

  private func unmanagedValue(of object: ObjectBase) -> Any? {
    switch input(of: object).content {
    case .single(let stored): stored.dynamicValue
    case .list(let elements), .set(let elements): elements.map(\.dynamicValue)
    case .map(let entries):
      Dictionary(entries.map { ($0.key, $0.value.dynamicValue) }, uniquingKeysWith: { $1 })
    }
  }

  package override func anyValue(of object: ObjectBase) -> Any { dynamicValue(of: object) as Any }

  override func text(of object: ObjectBase) -> String {
    switch dynamicValue(of: object) {
    case nil: "nil"
    case let inner as ObjectBase: inner.shortDescription
    case let value?: "\(value)"
    }
  }

  // MARK: Writing

  override func input(of object: ObjectBase) -> _PropertyInput {
    if let given = object.draft?.given[slot] { return given }
    let cell = _Cell(object: object, slot: Int32(slot))
    guard let collection = makeCollection() else {
      return object.isManaged ? _PropertyInput(cell.stored) : _PropertyInput(.null)
    }
    if object.isManaged { cell.attach(collection) }
    return collection.input
  }

  override func inputIfAny(of object: ObjectBase) -> _PropertyInput? { input(of: object) }

  override func collection(of object: ObjectBase) -> CollectionBase? { nil }

  /// An object that no store manages holds what it was made with.
  override func assign(_ any: Any, to object: ObjectBase) -> Bool { false }

  override func setDynamicValue(_ any: Any, of object: ObjectBase) -> Bool {
    guard let input = coerce(any) else { return false }
    let cell = _Cell(object: object, slot: Int32(slot))
    if case .single(let stored) = input.content {
      cell.assign(stored)
    } else if let collection = makeCollection() {
      cell.attach(collection)
      collection.replace(with: input.content)
    }
    return true
  }

  override func coerce(_ any: Any) -> _PropertyInput? {
    // Null is a collection without anything in it.
    let any = type.collection != .none && isNull(any) ? [String: Any]() : any
    switch type.collection {
    case .none: return coerceElement(any).map { _PropertyInput($0) }
    case .list: return coerceElements(any).map { _PropertyInput(list: $0) }
    case .set: return coerceElements(any).map { _PropertyInput(set: $0) }
    case .map:
      guard let entries = KeyedValues(any) else { return nil }
      var made: [_StoredEntry] = []
      for (key, value) in entries.values {
        guard let value = coerceElement(value) else { return nil }
        made.append(_StoredEntry(key: key, value: value))
      }
      return _PropertyInput(map: made)
    }
  }

  private func coerceElements(_ any: Any) -> [_Stored]? {
    let values: [Any]
    if let none = any as? [String: Any], none.isEmpty {
      values = []
    } else if let array = any as? [Any] {
      values = array
    } else if let collection = any as? any KeyValueCollection {
      values = collection.keyValueElements.map { $0 as Any }
    } else {
      return nil
    }
    var made: [_Stored] = []
    for value in values {
      guard let value = coerceElement(value) else { return nil }
      made.append(value)
    }
    return made
  }

  /// A value as stored: of the persisted type, of one that is mapped to it, or an enum (rule 63).
  private func coerceElement(_ any: Any) -> _Stored? {
    guard let any = unwrapped(any), !isNull(any) else { return .null }
    if let target = stored.target { return coerceObject(any, target) }
    return stored.type == .any ? AnyValue._coerce(any) : builtin?._coerce(any)
  }

  private func coerceObject(_ any: Any, _ target: ClassID) -> _Stored? {
    if let object = any as? ObjectBase { return classes.stored(object, as: target) }
    if any is [String: Any] || any is [Any] { return classes.make(target, value: any) }
    guard let encoded = (any as? any _PersistableValue)?._encode(), let object = encoded.object
    else { return nil }
    return classes.stored(object, as: target)
  }

  // MARK: The type that stands for what is stored

  private var builtin: (any _BuiltinPersistable.Type)? { stored.type.builtin }

  /// The type of the elements of a collection.
  private var element: any _ListElement.Type { stored.type.element(isOptional: type.isOptional) }
}

/// The contents of a dictionary or a map, by key.
private struct KeyedValues {
  var values: [(String, Any)]

  init?(_ any: Any) {
    if let map = any as? MapBase {
      values = map.snapshot.map { ($0.key, $0.value.dynamicValue as Any) }
      return
    }
    guard let dictionary = any as? [String: Any] else { return nil }
    values = dictionary.sorted { $0.key < $1.key }
  }
}

extension PersistedTraits {
  fileprivate init(_ index: IndexKind?) {
    switch index {
    case nil: self = []
    case .value: self = .indexed
    case .fullText: self = .fullText
    case .spatial: self = .spatial
    }
  }
}
