package import AtollVocabulary

/// One property of a model class, with the operations that need to know its type.
///
/// Made once per class. Every operation goes from the object's address to the wrapper by a fixed
/// offset; nothing is reflected per object. Immutable, therefore shared between threads.
package class PropertyDescriptor: @unchecked Sendable {
  package struct Place {
    package var className: String
    /// The name in Swift, in queries and in messages.
    package var name: String
    /// The name in the file and to peers.
    package var columnName: String
    /// The index among the class's properties.
    package var slot: Int
    /// The wrapper's distance from the object's address.
    package var offset: Int
    /// True if `primaryKey()` or `indexedProperties()` of the class names it.
    package var isPrimaryKey = false
    package var isIndexed = false
  }

  package let className: String
  package let name: String
  package let columnName: String
  package let slot: Int
  package let offset: Int
  package let type: _PropertyType
  package let isPrimaryKey: Bool
  package let index: IndexKind?

  /// The offset of the wrapper's slot and traits in the object.
  final let slotOffset: Int
  final let traitsOffset: Int
  /// True if a new object's wrapper holds nothing, because the declaration gives no default.
  final let startsEmpty: Bool

  init(
    _ place: Place, type: _PropertyType, traits: PersistedTraits, startsEmpty: Bool,
    slotOffset: Int, traitsOffset: Int
  ) {
    self.startsEmpty = startsEmpty
    self.slotOffset = place.offset + slotOffset
    self.traitsOffset = place.offset + traitsOffset
    className = place.className
    name = place.name
    columnName = place.columnName
    slot = place.slot
    offset = place.offset
    self.type = type
    isPrimaryKey = place.isPrimaryKey || traits.contains(.primaryKey)
    index =
      traits.contains(.fullText)
      ? .fullText
      : traits.contains(.spatial)
        ? .spatial : place.isIndexed || traits.contains(.indexed) ? .value : nil
  }

  /// The name of the property in messages.
  package var place: String { "Property '\(className).\(name)'" }

  package var schema: PropertySchema {
    PropertySchema(
      name: columnName, type: type.type, collection: type.collection, isOptional: isOptional,
      index: index, target: type.target.map(ModelClass.name))
  }

  /// Embedded values can be missing whatever the declaration says (rule 10).
  package var isOptional: Bool {
    type.isOptional
      || (type.type == .embedded && (type.collection == .none || type.collection == .map))
  }

  /// The type of the declaration, as a reader would write it.
  package var valueType: Any.Type { unwritten() }
  /// Tells whether the application gave the value, in an unmanaged object.
  final func isAssigned(in object: ObjectBase) -> Bool {
    let traits = Unmanaged.passUnretained(object).toOpaque()
      .load(fromByteOffset: traitsOffset, as: PersistedTraits.self)
    return traits.contains(.assigned)
  }

  /// All that ``bind(_:keepsHandle:)`` does to an object that was just made, if its wrapper holds
  /// nothing; nil if the declaration gives it a value.
  final var newSlot: NewSlot? {
    startsEmpty
      ? NewSlot(
        offset: slotOffset, slot: Int32(truncatingIfNeeded: slot), traitsOffset: traitsOffset)
      : nil
  }

  /// The offset of a new object's slot and traits, and the number of the slot.
  struct NewSlot {
    let offset: Int
    let slot: Int32
    let traitsOffset: Int
  }

  /// The value as a new row takes it; of a managed object what is stored, convertible or not.
  func input(of object: ObjectBase) -> _PropertyInput { unwritten() }
  /// The same; nil for an unmanaged object without the value, whose type has no default.
  func inputIfAny(of object: ObjectBase) -> _PropertyInput? { unwritten() }
  /// The value as the application sees it.
  package func anyValue(of object: ObjectBase) -> Any { unwritten() }
  /// Gives an unmanaged object a value in mapped or persisted form; false if it is neither.
  func assign(_ any: Any, to object: ObjectBase) -> Bool { unwritten() }
  /// Gives an unmanaged object a value that `input` is the stored form of; false if that does not
  /// convert.
  func take(_ given: Given, _ input: _PropertyInput, in object: ObjectBase) -> Bool { unwritten() }
  /// Why an object without the value has none: its type's default does not convert (rule 13).
  var withoutDefault: String { unwritten() }
  /// The stored form of a value in mapped or persisted form; nil if it is neither.
  func coerce(_ any: Any) -> _PropertyInput? { unwritten() }
  /// The stored value as access by name gives it; stops if it must convert and does not.
  func dynamicValue(of object: ObjectBase) -> Any? { unwritten() }
  /// A value that was stored once, in the same form.
  func dynamicValue(_ stored: _Stored) -> Any? { unwritten() }
  /// Gives a managed object a value in mapped or persisted form; false if it is neither.
  func setDynamicValue(_ any: Any, of object: ObjectBase) -> Bool { unwritten() }
  /// Makes the wrapper of a managed object point to its slot, and give up what it holds.
  ///
  /// A new object holds the values of its declaration or `init()`, which are not the stored ones.
  /// `keepsHandle` spares a collection that an unmanaged object has handed out.
  func bind(_ object: ObjectBase, keepsHandle: Bool = false) { unwritten() }
  /// Makes the collection that a managed object will hand out, where it keeps one.
  func keepHandle(of object: ObjectBase) {}
  /// The collection an object has handed out; nil if it has not, and for single values.
  func collection(of object: ObjectBase) -> CollectionBase? { unwritten() }
  /// Stored values that do not convert: the value's own, or those of its elements.
  func unconvertible(in object: ObjectBase) -> [UnconvertibleValue.Found] { unwritten() }
  /// The value that a key path recorder answers with in a round, so that the way through the property can go on.
  func probe(_ round: Int) -> _Stored { unwritten() }
  /// Tells whether a value of any type is what the property gives where `stored` is stored.
  func isSame(_ any: Any, as stored: _Stored) -> Bool { unwritten() }
  func text(of object: ObjectBase) -> String { unwritten() }
  /// Tells whether this is the wrapper that `traits.sought` marks.
  func isSought(in object: ObjectBase) -> Bool { unwritten() }

  private func unwritten() -> Never { Trap.stop("A property descriptor without a type.") }
}
