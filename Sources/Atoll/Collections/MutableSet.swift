public import Foundation

/// An unordered collection without duplicates that belongs to a property.
///
/// ```swift
/// @Persisted var tags: MutableSet<String>
/// ```
///
/// Elements are told apart by what is stored: two mapped values with one persisted value are one
/// element, even where `==` says otherwise, and an object is one whoever holds it. Iteration runs
/// over the elements there were when it began, in no order that a program should rely on.
public final class MutableSet<Element: _ListElement>: MutableSetBase {
  /// An empty set that no store manages.
  public override init() { super.init() }

  /// A set that no store manages, of `elements`.
  public convenience init(_ elements: some Sequence<Element>) {
    self.init()
    insert(objectsIn: elements)
  }

  /// Inserts an element; nothing happens if it is there.
  public func insert(_ element: Element) { insert(element._encodeElement()) }

  /// Inserts those elements that are not there.
  public func insert(objectsIn elements: some Sequence<Element>) {
    for element in stored(elements) { insert(element) }
  }

  /// Removes an element; nothing happens if it is not there.
  public func remove(_ element: Element) { remove(element._encodeElement()) }

  /// Tells whether an element is there, by its persisted value.
  public func contains(_ element: Element) -> Bool { contains(element._encodeElement()) }

  /// Some element; nil if there is none.
  public var first: Element? { snapshot.first.map(decode) }

  /// Returns the index of an element in the present order, which any change can alter; nil if it is
  /// not there.
  public func index(of element: Element) -> Int? {
    let stored = element._encodeElement()
    return snapshot.firstIndex { $0.isSame(as: stored) }
  }

  /// The elements at some places in the present order.
  public func objects(at indexes: IndexSet) -> [Element] { indexes.map { self[$0] } }

  /// The element at a place in the present order, which any change can alter.
  ///
  /// - Throws: ``Store/Error/Code/invalidValue`` if the stored value does not convert.
  public func element(checking index: Int) throws(Store.Error) -> Element {
    try decodeChecked(stored(at: index))
  }

  func stored(_ elements: some Sequence<Element>) -> [_Stored] {
    (elements as? MutableSetBase)?.snapshot ?? elements.map { $0._encodeElement() }
  }

  func decode(_ stored: _Stored) -> Element {
    if let value = Element._decodeElement(stored) { return value }
    stopUnconvertible(stored, Element.self)
  }

  private func decodeChecked(_ stored: _Stored) throws(Store.Error) -> Element {
    if let element = Element._decodeElement(stored) { return element }
    throw unconvertible(stored, Element.self)
  }
}

// MARK: - Several sets

extension MutableSet {
  /// Tells whether `other` has every element of this set.
  public func isSubset(of other: MutableSet) -> Bool { snapshot.allSatisfy(other.contains) }

  /// Tells whether this set has every element of `other`.
  public func isSuperset(of other: some Sequence<Element>) -> Bool {
    stored(other).allSatisfy(contains)
  }

  /// Tells whether this set and `other` have an element in common.
  public func intersects(_ other: some Sequence<Element>) -> Bool {
    stored(other).contains(where: contains)
  }

  /// Inserts every element of `other`.
  public func formUnion(_ other: some Sequence<Element>) { insert(objectsIn: other) }

  /// Removes every element that `other` does not have.
  public func formIntersection(_ other: some Sequence<Element>) {
    var kept = StoredSet()
    for element in stored(other) { _ = kept.insert(element) }
    for element in snapshot where kept.index(of: element) == nil { remove(element) }
  }

  /// Removes every element of `other`.
  public func subtract(_ other: some Sequence<Element>) {
    for element in stored(other) { remove(element) }
  }
}

extension MutableSet: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  /// The element at a place in the present order, which any change can alter.
  public subscript(index: Int) -> Element { decode(stored(at: index)) }

  /// Iterates over the elements there are now, whatever happens to the set meanwhile.
  public func makeIterator() -> ElementIterator<Element> {
    var rest = snapshot[...]
    return ElementIterator { rest.popFirst().map(self.decode) }
  }
}

extension MutableSet: _PropertyValue {
  /// Itself: its elements are stored each for itself.
  public typealias PersistedType = MutableSet

  public static var _propertyType: _PropertyType {
    var type = Element._elementType
    type.collection = .set
    return type
  }

  @inlinable public static var _isHandle: Bool { true }

  public static func _makeDefault() -> MutableSet? { MutableSet() }

  public static func _read(_ cell: _Cell) -> MutableSet {
    let set = MutableSet()
    cell.attach(set)
    return set
  }

  public static func _readIfConvertible(_ cell: _Cell) -> MutableSet? { _read(cell) }

  public static func _readPersisted(_ cell: _Cell) -> MutableSet? { _read(cell) }

  /// Copies the elements into the set that is there (rule 38).
  public func _write(_ cell: _Cell) { _ = _replacing(Self._read(cell)) }

  public func _replacing(_ old: MutableSet?) -> MutableSet {
    guard let old else { return self }
    if old != self { old.replace(with: input.content) }
    return old
  }

  public func _encodeProperty() -> _PropertyInput { input }

  public static func _coerceProperty(_ any: Any) -> _PropertyInput? {
    if let set = any as? MutableSet { return set.input }
    if isNull(any) { return _PropertyInput(set: []) }
    guard let values = elementsOf(any) else { return nil }
    var members: [_Stored] = []
    for value in values {
      guard let member = Element._coerceElement(value) else { return nil }
      members.append(member)
    }
    return _PropertyInput(set: members)
  }
}
