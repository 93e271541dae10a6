import AtollVocabulary
import Foundation

/// A stored value that does not convert to the type of its property, as ``Store/unconvertible(_:)``
/// finds it.
public struct UnconvertibleValue {
  /// The place of an element in a collection.
  public enum Element: Hashable, Sendable {
    /// The place in a list or set.
    case index(Int)
    /// The key in a map.
    case key(String)
  }

  /// The object, of the class asked for.
  public let object: ObjectBase
  /// The property's name; from the object inwards, `street.site` or `streets[1].site`, where it is
  /// that of an embedded object.
  public let property: String
  /// Nil if it is the property's own value.
  public let element: Element?
  /// The value as it is stored, in the Swift type of its persisted type.
  public let persistedValue: Any?

  /// A value of a property that does not convert; without a value if there is not even a default.
  struct Found {
    var element: Element?
    var stored: _Stored?
  }
}

extension UnconvertibleValue: CustomStringConvertible {
  /// Class, key, property, element and value.
  public var description: String {
    let value = persistedValue.map { "\($0)" } ?? "nil"
    return "\(object.shortDescription): \(property)\(element?.text ?? "") is '\(value)'"
  }
}

extension UnconvertibleValue.Element {
  fileprivate var text: String {
    switch self {
    case .index(let index): "[\(index)]"
    case .key(let key): "[\"\(key)\"]"
    }
  }
}

extension Store {
  /// Every stored value of a class that does not convert to the type of its property, so that one
  /// bad write can be found before it is read.
  ///
  /// Elements of collections and properties of embedded objects are looked at as well. Nothing is
  /// changed.
  public func unconvertible<T: Object>(_ type: T.Type) -> [UnconvertibleValue] {
    var found: [UnconvertibleValue] = []
    for object in objects(type) { object.findUnconvertible(&found, of: object, under: "") }
    return found
  }
}

extension ObjectBase {
  fileprivate final func findUnconvertible(
    _ found: inout [UnconvertibleValue], of root: ObjectBase, under way: String
  ) {
    for property in model.properties {
      let name = way + property.name
      found += property.unconvertible(in: self).map {
        UnconvertibleValue(
          object: root, property: name, element: $0.element,
          persistedValue: $0.stored?.dynamicValue)
      }
      guard property.type.type == .embedded, !property.type.isMapped,
        let input = property.inputIfAny(of: self)
      else { continue }
      if case .single(let stored) = input.content {
        stored.object?.findUnconvertible(&found, of: root, under: name + ".")
      }
      for (element, stored) in input.elements {
        stored.object?.findUnconvertible(&found, of: root, under: "\(name)\(element.text).")
      }
    }
  }
}

/// A collection as a property, as far as its elements' type goes.
public protocol _CollectionValue {
  static func _isConvertible(_ stored: _Stored) -> Bool
}

extension List: _CollectionValue {
  public static func _isConvertible(_ stored: _Stored) -> Bool { Element._isConvertible(stored) }
}

extension MutableSet: _CollectionValue {
  public static func _isConvertible(_ stored: _Stored) -> Bool { Element._isConvertible(stored) }
}

extension Map: _CollectionValue {
  public static func _isConvertible(_ stored: _Stored) -> Bool { Value._isConvertible(stored) }
}

extension _ListElement {
  public static func _isConvertible(_ stored: _Stored) -> Bool {
    _decodeElement(stored) != nil || stored.isNull && _elementType.type == .embedded
  }
}

extension Optional where Wrapped: _PersistableValue {
  public static func _isConvertible(_ stored: _Stored) -> Bool {
    stored.isNull || Wrapped._decode(stored) != nil
  }
}

extension _PropertyInput {
  /// The elements of a collection, each with its place.
  var elements: [(element: UnconvertibleValue.Element, stored: _Stored)] {
    switch content {
    case .single: []
    case .list(let elements), .set(let elements):
      elements.enumerated().map { (.index($0.offset), $0.element) }
    case .map(let entries): entries.map { (.key($0.key), $0.value) }
    }
  }
}
