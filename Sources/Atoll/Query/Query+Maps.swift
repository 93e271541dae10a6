import AtollQuery
import AtollStorage
import AtollVocabulary

extension MutableSet: _QueryCollection {
  public typealias _Member = Element
}

extension LinkingObjects: _QueryCollection {
  public typealias _Member = Element
}

extension Map: _QueryMap {
  public typealias _Member = Value
}

/// Marks maps in queries; what is asked of a map as a collection is asked of its values.
public protocol _QueryMap: _QueryCollection {}

extension Query where T: _QueryMap {
  /// The query of the value that a key has; nil where there is no such entry.
  public subscript(key: String) -> Query<T._Member> {
    Query<T._Member>(.path(path("Reading a condition's entry").appending(.entry(key))))
  }

  /// The query of the keys.
  public var keys: Query<_QueryElements<String>> {
    Query<_QueryElements<String>>(
      .path(path("Reading a condition's keys").keys(String._elementType)))
  }

  /// The query of the values.
  public var values: Query<_QueryElements<T._Member>> {
    Query<_QueryElements<T._Member>>(.path(path("Reading a condition's values")))
  }
}
