import AtollStorage
import AtollVocabulary
public import Foundation

/// The objects that link to this one by a property of theirs: live, found rather than stored.
///
/// ```swift
/// final class Dog: Object {
///   @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
/// }
/// ```
///
/// The property can be a link, or a list, set or map of links; of an embedded object it is the one
/// that embeds it, in an ``Object``. An object without a store has none.
public struct LinkingObjects<Element: Object> {
  /// The name of the property of `Element` that links here.
  let originProperty: String
  /// The objects that were found; nil for an object without a store.
  let results: Results<Element>?

  /// The form of older models: the default of a `@Persisted` property.
  ///
  /// ```swift
  /// @Persisted var owners = LinkingObjects(fromType: Person.self, property: "dogs")
  /// ```
  public init(fromType type: Element.Type, property: String) {
    self.init(originProperty: property)
  }

  init(originProperty: String, results: Results<Element>? = nil) {
    self.originProperty = originProperty
    self.results = results
  }

  /// The store whose objects these are; nil for those of an object without a store.
  public var store: Store? { results?.store }
}

extension LinkingObjects: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { results?.count ?? 0 }

  public subscript(index: Int) -> Element {
    guard let results else { Trap.stop("Index \(index) is out of bounds of no linking objects.") }
    return results[index]
  }

  /// Iterates over the objects there are now, whatever changes meanwhile.
  public func makeIterator() -> ElementIterator<Element> {
    let objects = results?.makeIterator()
    return ElementIterator { objects?.next() }
  }
}

extension LinkingObjects: _ObjectCollection {
  public func _objects(_ doing: String) -> Results<Element> {
    guard let results else {
      Trap.stop("\(doing) the linking objects of an object that no store manages. Add it first.")
    }
    return results
  }
}

extension LinkingObjects {
  /// The index of an object; nil if it does not link here.
  public func index(of object: Element) -> Int? { results?.index(of: object) }

  /// The objects at several indices.
  public func objects(at indices: IndexSet) -> [Element] { indices.map { self[$0] } }
}

extension LinkingObjects: Equatable {
  /// Tells whether both are the objects that link to one object by one property.
  public static func == (a: LinkingObjects, b: LinkingObjects) -> Bool {
    a.originProperty == b.originProperty && a.results == b.results
  }
}

extension Persisted {
  /// Declares the objects that link to this one by the property `originProperty` of theirs.
  public init<Element: Object>(originProperty: String) where Value == LinkingObjects<Element> {
    self.init(value: LinkingObjects(originProperty: originProperty), traits: [])
  }
}

// MARK: - As a property

extension LinkingObjects: _PropertyValue {
  /// Itself: it is found rather than stored.
  public typealias PersistedType = LinkingObjects

  public static var _propertyType: _PropertyType {
    var type = _PropertyType(.link, target: Element.self)
    type.collection = .list
    return type
  }

  public static var _isHandle: Bool { false }

  public static func _makeDefault() -> LinkingObjects? { LinkingObjects(originProperty: "") }

  public static func _read(_ cell: _Cell) -> LinkingObjects { cell.linkingObjects() }

  public static func _readIfConvertible(_ cell: _Cell) -> LinkingObjects? { _read(cell) }

  public static func _readPersisted(_ cell: _Cell) -> LinkingObjects? { _read(cell) }

  public func _write(_ cell: _Cell) { stopReadOnly() }

  public func _replacing(_ old: LinkingObjects?) -> LinkingObjects { stopReadOnly() }

  public func _encodeProperty() -> _PropertyInput { _PropertyInput(list: []) }

  public static func _coerceProperty(_ any: Any) -> _PropertyInput? { nil }

  private func stopReadOnly() -> Never {
    Trap.stop(
      "Assigning linking objects, which are found and not stored. Change the property "
        + "'\(Element.self).\(originProperty)' instead.")
  }
}

/// Linking objects of any class, as reflection meets them.
protocol AnyLinkingObjects {
  var originProperty: String { get }
  static var origin: Object.Type { get }
}

extension LinkingObjects: AnyLinkingObjects {
  static var origin: Object.Type { Element.self }
}
