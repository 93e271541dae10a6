import AtollVocabulary

/// A property whose type is known.
final class TypedProperty<Value: _PropertyValue>: PropertyDescriptor, @unchecked Sendable {
  /// The explicit default of the declaration; nil for the type's own.
  let explicitDefault: Value?

  init(_ place: Place, prototype: ObjectBase) {
    let wrapper = Self.pointer(to: prototype, place.offset).pointee
    explicitDefault = wrapper.value
    let layout = MemoryLayout<Persisted<Value>>.self
    guard let slot = layout.offset(of: \.slot), let traits = layout.offset(of: \.traits) else {
      Trap.stop("A @Persisted wrapper whose parts have no offsets.")
    }
    super.init(
      place, type: Value._propertyType, traits: wrapper.traits,
      startsEmpty: wrapper.value == nil, slotOffset: slot, traitsOffset: traits)
  }

  private static func pointer(
    to object: ObjectBase, _ offset: Int
  ) -> UnsafeMutablePointer<Persisted<Value>> {
    Unmanaged.passUnretained(object).toOpaque().advanced(by: offset)
      .assumingMemoryBound(to: Persisted<Value>.self)
  }

  private func address(in object: ObjectBase) -> UnsafeMutableRawPointer {
    Unmanaged.passUnretained(object).toOpaque().advanced(by: offset)
  }

  private func wrapper(of object: ObjectBase) -> UnsafeMutablePointer<Persisted<Value>> {
    Self.pointer(to: object, offset)
  }

  override var valueType: Any.Type { Value.self }

  override func inputIfAny(of object: ObjectBase) -> _PropertyInput? {
    Value._encodeHeld(address(in: object)) ?? madeInput(of: object)
  }

  /// The same of an object that does not hold the value itself.
  ///
  /// Apart, because the wrapper's type, which it needs, is looked up at run time.
  @inline(never)
  private func madeInput(of object: ObjectBase) -> _PropertyInput? {
    guard object.isManaged else { return value(ofUnmanaged: object)?._encodeProperty() }
    let cell = _Cell(object: object, slot: Int32(slot))
    return Value._isHandle ? Value._read(cell)._encodeProperty() : _PropertyInput(cell.stored)
  }

  override func input(of object: ObjectBase) -> _PropertyInput {
    guard let input = inputIfAny(of: object) else { stopWithoutDefault() }
    return input
  }

  package override func anyValue(of object: ObjectBase) -> Any {
    if object.isManaged { return Value._read(_Cell(object: object, slot: Int32(slot))) }
    guard let value = value(ofUnmanaged: object) else { stopWithoutDefault() }
    return value
  }

  /// The value; makes and keeps the default if there is none yet, nil if that cannot be made.
  private func value(ofUnmanaged object: ObjectBase) -> Value? {
    if let value = wrapper(of: object).pointee.value { return value }
    guard let value = Value._makeDefault() else { return nil }
    wrapper(of: object).pointee.value = value
    wrapper(of: object).pointee.traits.insert(.made)
    return value
  }

  override func assign(_ any: Any, to object: ObjectBase) -> Bool {
    guard let input = coerce(any) else { return false }
    do throws(Store.Error) { try input.settle() } catch { Trap.stop(error.message) }
    return take(.value(any), input, in: object)
  }

  override func take(_ given: Given, _ input: _PropertyInput, in object: ObjectBase) -> Bool {
    if case .value(let any) = given, !Value._isHandle, let value = any as? Value {
      wrapper(of: object).pointee.assign(value)
      return true
    }
    let cell = _Cell(object: InputReader(input), slot: 0)
    guard let value = type.isOptional ? Value._read(cell) : Value._readIfConvertible(cell) else {
      return false
    }
    wrapper(of: object).pointee.assign(value)
    return true
  }

  override func dynamicValue(of object: ObjectBase) -> Any? {
    if Value._isHandle { return anyValue(of: object) }
    let cell =
      object.isManaged
      ? _Cell(object: object, slot: Int32(slot))
      : _Cell(object: InputReader(input(of: object)), slot: 0)
    return Value.dynamicValue(cell)
  }

  override func dynamicValue(_ stored: _Stored) -> Any? { Value.dynamicValue(of: stored) }

  override func setDynamicValue(_ any: Any, of object: ObjectBase) -> Bool {
    Value.setDynamicValue(any, _Cell(object: object, slot: Int32(slot)))
  }

  override func coerce(_ any: Any) -> _PropertyInput? { Value._coerceProperty(any) }

  override func bind(_ object: ObjectBase, keepsHandle: Bool) {
    Value._bind(address(in: object), Int32(slot), keepsHandle: keepsHandle)
  }

  override func keepHandle(of object: ObjectBase) {
    guard Value._isHandle else { return }
    wrapper(of: object).pointee.value = Value._read(_Cell(object: object, slot: Int32(slot)))
  }

  override func collection(of object: ObjectBase) -> CollectionBase? {
    Value._isHandle ? wrapper(of: object).pointee.value as? CollectionBase : nil
  }

  override func unconvertible(in object: ObjectBase) -> [UnconvertibleValue.Found] {
    guard let input = inputIfAny(of: object) else {
      return [UnconvertibleValue.Found(stored: nil)]
    }
    if type.collection == .none {
      let cell = _Cell(object: InputReader(input), slot: 0)
      if Value._readIfConvertible(cell) != nil { return [] }
      guard case .single(let stored) = input.content else { return [] }
      return [UnconvertibleValue.Found(stored: stored)]
    }
    guard let kind = Value.self as? any _CollectionValue.Type else { return [] }
    return input.elements.filter { !kind._isConvertible($0.stored) }
      .map { UnconvertibleValue.Found(element: $0.element, stored: $0.stored) }
  }

  override func probe(_ round: Int) -> _Stored { probes(round) }

  override func isSame(_ any: Any, as stored: _Stored) -> Bool { isUnchanged(any, as: stored) }

  override func text(of object: ObjectBase) -> String {
    guard object.isManaged else {
      return value(ofUnmanaged: object).map(brief) ?? "no default"
    }
    let cell = _Cell(object: object, slot: Int32(slot))
    if Value._isHandle { return brief(Value._read(cell)) }
    return Value._readIfConvertible(cell).map(brief) ?? "unconvertible \(cell.stored)"
  }

  private func brief(_ value: Value) -> String {
    if let object = value as? ObjectBase { return object.shortDescription }
    if let optional = value as? any OptionalText { return optional.text }
    return "\(value)"
  }

  override func isSought(in object: ObjectBase) -> Bool {
    wrapper(of: object).pointee.traits.contains(.sought)
  }

  /// Rule 13.
  override var withoutDefault: String {
    "Failed to default construct a \(Value.self) using the default value for persisted type "
      + "\(Value.PersistedType.self). This conversion must either succeed, the property must be "
      + "optional, or you must explicitly specify a default value for the property. \(place)."
  }

  func stopWithoutDefault() -> Never { Trap.stop(withoutDefault) }
}

private protocol OptionalText { var text: String { get } }

extension Optional: OptionalText {
  fileprivate var text: String {
    guard let value = self else { return "nil" }
    return (value as? ObjectBase)?.shortDescription ?? "\(value)"
  }
}

extension Persisted {
  /// Finds which property the wrapper is, for the sake of the message.
  @usableFromInline static func stopWithoutDefault(_ owner: ObjectBase) -> Never {
    let properties = ModelClass.of(type(of: owner)).properties
    for property in properties where property.isSought(in: owner) {
      (property as? TypedProperty<Value>)?.stopWithoutDefault()
    }
    Trap.stop("Failed to default construct a \(Value.self).")
  }
}

/// A wrapper of any type, as reflection meets it.
protocol AnyPersisted {
  /// True if the value is found rather than stored.
  static var isLinking: Bool { get }
  static func describe(
    _ place: PropertyDescriptor.Place, prototype: ObjectBase
  ) -> PropertyDescriptor
}

extension Persisted: AnyPersisted {
  static var isLinking: Bool { Value.self is any AnyLinkingObjects.Type }

  static func describe(
    _ place: PropertyDescriptor.Place, prototype: ObjectBase
  ) -> PropertyDescriptor {
    TypedProperty<Value>(place, prototype: prototype)
  }
}
