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

  /// Appends an element.
  public func append(_ element: Element) { append(element._encodeElement()) }

  /// Appends elements in order.
  public func append(contentsOf elements: some Sequence<Element>) {
    for element in elements { append(element) }
  }

  /// Appends elements in order.
  public func append(objectsIn elements: some Sequence<Element>) { append(contentsOf: elements) }

  /// Inserts an element before the one at `index`.
  public func insert(_ element: Element, at index: Int) {
    insert(element._encodeElement(), at: index)
  }

  /// Replaces the element at `index`.
  public func replace(index: Int, object: Element) { self[index] = object }

  /// Removes the first element.
  public func removeFirst() { remove(at: 0) }

  /// Removes the last element.
  public func removeLast() { remove(at: count - 1) }

  func decode(_ stored: _Stored) -> Element {
    guard let element = Element._decodeElement(stored) else {
      Trap.stop("Could not convert value '\(stored)' to type '\(Element.self)'.")
    }
    return element
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
  public func makeIterator() -> AnyIterator<Element> {
    var rest = snapshot[...]
    return AnyIterator { rest.popFirst().map(self.decode) }
  }
}

extension List: CustomStringConvertible {
  public var description: String {
    "List<\(Element.self)> [" + map { "\($0)" }.joined(separator: ", ") + "]"
  }
}

extension List: _PropertyValue {
  public typealias PersistedType = List

  public static var _propertyType: _PropertyType {
    var type = Element._elementType
    type.collection = .list
    return type
  }

  @inlinable public static var _isHandle: Bool { true }

  public static func _makeDefault() -> List? { List() }

  public static func _read(_ cell: _Cell) -> List { cell.makeHandle(of: Element.self) }

  public static func _readIfConvertible(_ cell: _Cell) -> List? { _read(cell) }

  public static func _readPersisted(_ cell: _Cell) -> List? { _read(cell) }

  /// Copies the elements into the list that is there (rule 38).
  public func _write(_ cell: _Cell) { _ = _replacing(Self._read(cell)) }

  public func _replacing(_ old: List?) -> List {
    guard let old else { return self }
    if old === self || old == self { return old }
    let elements = snapshot
    old.removeAll()
    for element in elements { old.append(element) }
    return old
  }

  public func _encodeProperty() -> _PropertyInput { _PropertyInput(list: snapshot) }

  public static func _coerceProperty(_ any: Any) -> _PropertyInput? {
    if let list = any as? List { return list._encodeProperty() }
    guard let array = any as? [Any] else { return nil }
    var elements: [_Stored] = []
    for value in array {
      guard let element = Element._coerceElement(value) else { return nil }
      elements.append(element)
    }
    return _PropertyInput(list: elements)
  }
}
