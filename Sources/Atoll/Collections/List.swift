import AtollStorage
public import Foundation

/// An ordered collection of objects or values that belongs to a property.
///
/// ```swift
/// @Persisted var runways: List<Runway>
/// ```
///
/// Every change to a managed list is recorded as what it was (insert, remove, move, set), so that
/// concurrent changes of other replicas merge with it. Iteration runs over the elements there were
/// when it began.
public final class List<Element: _ListElement>: ListBase {
  /// An empty list that no store manages.
  public override init() { super.init() }

  /// A list that no store manages, of `elements`.
  public convenience init(_ elements: some Sequence<Element>) {
    self.init()
    append(contentsOf: elements)
  }

  // MARK: Looking

  /// Returns the first index of an element, by its persisted value.
  ///
  /// A value mapped to an embedded object is nowhere, because each one is an object of its own.
  public func index(of element: Element) -> Int? { index(of: element._encodeElement()) }

  /// The elements at some indices, ascending.
  public func objects(at indexes: IndexSet) -> [Element] { indexes.map { self[$0] } }

  /// The element at `index`.
  ///
  /// - Throws: ``Store/Error/Code/invalidValue`` if the stored value does not convert.
  public func element(checking index: Int) throws(Store.Error) -> Element {
    let stored = stored(at: index)
    if let element = Element._decodeElement(stored) { return element }
    throw unconvertible(stored, Element.self, "the index \(index)")
  }

  // MARK: Changing

  /// Appends an element.
  public func append(_ element: Element) { append(element._encodeElement()) }

  /// Appends elements in order.
  public func append(contentsOf elements: some Sequence<Element>) { append(stored(elements)) }

  /// Appends elements in order.
  public func append(objectsIn elements: some Sequence<Element>) { append(contentsOf: elements) }

  /// Inserts an element before the one at `index`.
  public func insert(_ element: Element, at index: Int) {
    insert(CollectionOfOne(element._encodeElement()), at: index)
  }

  /// Inserts elements in order before the one at `index`.
  public func insert(contentsOf elements: some Sequence<Element>, at index: Int) {
    insert(stored(elements), at: index)
  }

  /// Replaces the element at `index`.
  public func replace(index: Int, object: Element) { self[index] = object }

  /// Removes the elements that satisfy a condition.
  public func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
    let offsets = try enumerated().filter { try shouldBeRemoved($0.element) }.map(\.offset)
    for index in offsets.reversed() { remove(at: index) }
  }

  func stored(_ elements: some Sequence<Element>) -> [_Stored] {
    elements.map { $0._encodeElement() }
  }

  func decode(_ stored: _Stored) -> Element {
    if let value = Element._decodeElement(stored) { return value }
    stopUnconvertible(stored, Element.self)
  }
}

extension List where Element: Equatable {
  /// Tells whether an element is there: as stored, or by `==` of what is stored.
  public func contains(_ element: Element) -> Bool {
    let stored = element._encodeElement()
    return snapshot.contains {
      $0.isSame(as: stored) || Element._decodeElement($0) == element
    }
  }
}

extension List: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  /// The element at `index`.
  public subscript(index: Int) -> Element {
    get { decode(stored(at: index)) }
    set { replace(newValue._encodeElement(), at: index) }
  }

  /// Iterates over the elements there are now, whatever happens to the list meanwhile.
  public func makeIterator() -> ElementIterator<Element> {
    if let managed {
      let rest = managed.makeIterator()
      return ElementIterator { rest.next().map { self.decode($0) } }
    }
    var rest = elements.makeIterator()
    return ElementIterator { rest.next().map(self.decode) }
  }
}
