import AtollQuery
import AtollStorage
import AtollVocabulary

// The members of a query: properties, through links and collections, and what is stored of them.

extension Query where T: ObjectBase {
  /// The query of a property.
  public subscript<Value: _PropertyValue>(
    dynamicMember path: KeyPath<T, Value>
  ) -> Query<Value> { member(path) }
}

extension Query {
  /// The query of a property of a linked or an embedded object; nil where there is none.
  public subscript<Target: ObjectBase, Value: _PropertyValue>(
    dynamicMember path: KeyPath<Target, Value>
  ) -> Query<Value> where T == Target? { member(path) }

  fileprivate func member<Owner: ObjectBase, Value>(
    _ path: KeyPath<Owner, Value>
  ) -> Query<Value> {
    let way = self.path("Reading a property of a condition")
    return Query<Value>(.path(KeyPathNames.names(of: path).reduce(way) { $0.appending($1) }))
  }
}

// MARK: - Collections

/// A collection in a query: lists, sets, and the keys and values of maps.
public protocol _QueryCollection {
  associatedtype _Member
}

extension List: _QueryCollection {
  public typealias _Member = Element
}

extension Query {
  /// The query of a list's element at an index, negative from the end; nil where there is none.
  public subscript<Element: _ListElement>(index: Int) -> Query<Element> where T == List<Element> {
    Query<Element>(.path(path("Reading a condition's element").appending(.index(index))))
  }
}

/// Stands for a collection whose elements are taken as something else than declared.
public enum _QueryElements<Element>: _QueryCollection {
  public typealias _Member = Element
}

extension Query where T: _QueryCollection, T._Member: ObjectBase {
  /// The query of a property of the elements: a condition on it asks for some element.
  public subscript<Value: _PropertyValue>(
    dynamicMember path: KeyPath<T._Member, Value>
  ) -> Query<Value> { member(path) }
}

extension Query where T: _QueryCollection {
  /// The query of a property of the objects that elements link to.
  public subscript<Target: ObjectBase, Value: _PropertyValue>(
    dynamicMember path: KeyPath<Target, Value>
  ) -> Query<Value> where T._Member == Target? { member(path) }
}

// MARK: - What is stored

extension Query where T: _Mapping {
  /// The query of the stored value of a mapped property.
  public var persistableValue: Query<T.PersistedType> {
    Query<T.PersistedType>(.path(path("Reading a condition's stored value").persisted))
  }
}

extension Query where T: _OptionalMapping {
  /// The query of the stored value of an optional mapped property.
  public var persistableValue: Query<T.PersistedType> {
    Query<T.PersistedType>(.path(path("Reading a condition's stored value").persisted))
  }
}

extension Query where T: _QueryCollection, T._Member: _Mapping {
  /// The query of the stored values of a collection of mapped values.
  public var persistableValue: Query<_QueryElements<T._Member.PersistedType>> {
    Query<_QueryElements<T._Member.PersistedType>>(
      .path(path("Reading a condition's stored value").persisted))
  }
}

extension Query where T: _QueryCollection, T._Member: _OptionalMapping {
  /// The query of the stored values of a collection of optional mapped values.
  public var persistableValue: Query<_QueryElements<T._Member.PersistedType>> {
    Query<_QueryElements<T._Member.PersistedType>>(
      .path(path("Reading a condition's stored value").persisted))
  }
}

/// Marks optionals of mapped types.
public protocol _OptionalMapping {
  associatedtype PersistedType
}

extension Optional: _OptionalMapping where Wrapped: _Mapping & _PersistableValue {}

extension Query where T: RawRepresentable & _PersistableValue {
  /// The query of an enumeration's raw value.
  public var rawValue: Query<T.RawValue> {
    Query<T.RawValue>(.path(path("Reading a condition's raw value").persisted))
  }
}

extension Query where T: _OptionalRaw {
  /// The query of an optional enumeration's raw value.
  public var rawValue: Query<T._Raw?> {
    Query<T._Raw?>(.path(path("Reading a condition's raw value").persisted))
  }
}

extension Query where T: _QueryCollection, T._Member: RawRepresentable & _PersistableValue {
  /// The query of the raw values of a collection of enumeration cases.
  public var rawValue: Query<_QueryElements<T._Member.RawValue>> {
    Query<_QueryElements<T._Member.RawValue>>(
      .path(path("Reading a condition's raw value").persisted))
  }
}

/// Marks optional enumerations.
public protocol _OptionalRaw {
  associatedtype _Raw
}

extension Optional: _OptionalRaw where Wrapped: RawRepresentable & _PersistableValue {
  public typealias _Raw = Wrapped.RawValue
}
