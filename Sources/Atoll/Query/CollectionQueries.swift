import AtollQuery
import AtollStorage
import AtollVocabulary

// Queries on the collections of one object. Each asks the file, never the elements in memory, so that
// an unmanaged collection, which the file does not have, stops.

extension CollectionBase {
  /// The query of all elements.
  fileprivate func query(_ doing: String) -> (StoreQuery, ManagedCollection) {
    guard let place else {
      Trap.stop("\(doing) a collection that no store manages. Add its object to a store first.")
    }
    let collection = StoreQuery.Collection(
      owner: place.row.table.classID, id: place.row.id, path: place.path)
    let source = place.place.elementTable?.classID ?? place.row.table.classID
    return (StoreQuery(source, in: collection), place)
  }

  /// The objects that the collection links to, as results.
  func objects<Element: Object>(_ doing: String) -> Results<Element> {
    let (query, place) = query(doing)
    guard let table = place.place.elementTable else {
      Trap.stop("\(doing) '\(place.name)', whose elements are of no class.")
    }
    return Results(store: place.row.store, table: table, query: query)
  }

  /// The values of the collection, as results.
  func values<Element: _ListElement>(_ doing: String) -> ValueResults<Element> {
    let (query, place) = query(doing)
    return ValueResults(place, query)
  }
}

/// A collection of objects that is asked as results are; of the library's own.
public protocol _ObjectCollection {
  associatedtype _Model: Object
  /// The objects as results; stops where no store manages them, saying what was to be done.
  func _objects(_ doing: String) -> Results<_Model>
}

extension List: _ObjectCollection where Element: Object {
  public func _objects(_ doing: String) -> Results<Element> { objects(doing) }
}

extension MutableSet: _ObjectCollection where Element: Object {
  public func _objects(_ doing: String) -> Results<Element> { objects(doing) }
}

/// Marks what leads to objects of a class, or to none.
public protocol _LinkValue {
  associatedtype _Target: Object
}

extension Optional: _LinkValue where Wrapped: Object {
  public typealias _Target = Wrapped
}

/// The objects of a map come by their keys; entries that lead to none are left out.
extension Map: _ObjectCollection where Value: _LinkValue {
  public func _objects(_ doing: String) -> Results<Value._Target> { objects(doing) }
}

extension _ObjectCollection {
  /// The objects that satisfy a condition, in the collection's order.
  public func `where`(_ isIncluded: (Query<_Model>) -> Query<Bool>) -> Results<_Model> {
    _objects("Querying").where(isIncluded)
  }

  /// The objects that satisfy a predicate in text; see ``Results/filter(_:_:)``.
  public func filter(_ predicate: String, _ arguments: Any?...) -> Results<_Model> {
    _objects("Querying").filter(predicate, given: arguments)
  }

  /// The objects that satisfy a predicate in text.
  ///
  /// - Throws: ``PredicateParsingError``, as ``Results/filter(parsing:_:)`` does.
  public func filter(
    parsing predicate: String, _ arguments: Any?...
  ) throws(PredicateParsingError) -> Results<_Model> {
    try _objects("Querying").filter(parsing: predicate, all: arguments)
  }

  /// The objects by a property; equal ones in the collection's order.
  public func sorted(byKeyPath path: String, ascending: Bool = true) -> Results<_Model> {
    _objects("Sorting").sorted(byKeyPath: path, ascending: ascending)
  }

  /// The objects by a property; equal ones in the collection's order.
  public func sorted<Value: _PropertyValue>(
    by path: KeyPath<_Model, Value>, ascending: Bool = true
  ) -> Results<_Model> where Value.PersistedType: _Sortable {
    _objects("Sorting").sorted(by: path, ascending: ascending)
  }

  /// The objects by several properties.
  public func sorted(by descriptors: some Sequence<SortDescriptor>) -> Results<_Model> {
    _objects("Sorting").sorted(by: descriptors)
  }

  /// The first object of each that agree in all these properties.
  public func distinct(by paths: some Sequence<String>) -> Results<_Model> {
    _objects("Telling apart").distinct(by: paths)
  }

  /// The first object of each that agree in all these properties.
  public func distinct(by paths: [PartialKeyPath<_Model>]) -> Results<_Model> {
    _objects("Telling apart").distinct(by: paths)
  }

  /// The objects in sections by a property, which becomes the first they are sorted by.
  public func sectioned<Key: _PropertyValue & _ListElement & Hashable>(
    by path: KeyPath<_Model, Key>, ascending: Bool = true
  ) -> SectionedResults<Key, _Model> where Key.PersistedType: _Sortable {
    _objects("Sectioning").sectioned(by: path, ascending: ascending)
  }
}

// MARK: - Aggregates of objects' properties

extension _ObjectCollection {
  /// The least value of a property, nil where there is none.
  public func min<Value: _PersistableValue>(ofProperty name: String) -> Value?
  where Value.PersistedType: _MinMaxable { _objects("Aggregating").min(ofProperty: name) }

  /// The greatest value of a property, nil where there is none.
  public func max<Value: _PersistableValue>(ofProperty name: String) -> Value?
  where Value.PersistedType: _MinMaxable { _objects("Aggregating").max(ofProperty: name) }

  /// The sum of a property's values, zero where there is none.
  public func sum<Value: _PersistableValue>(ofProperty name: String) -> Value
  where Value.PersistedType: _Addable { _objects("Aggregating").sum(ofProperty: name) }

  /// The average of a property's values, nil where there is none.
  public func average<Value: _PersistableValue>(ofProperty name: String) -> Value?
  where Value.PersistedType: _Addable { _objects("Aggregating").average(ofProperty: name) }
}

// MARK: - Collections of values

extension List where Element: _PropertyValue {
  /// The values that satisfy a condition, in the order of the list.
  public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> ValueResults<Element> {
    values("Querying").where(isIncluded)
  }

  /// The values that satisfy a predicate in text about `SELF`.
  public func filter(_ predicate: String, _ arguments: Any?...) -> ValueResults<Element> {
    values("Querying").filter(predicate, given: arguments)
  }
}

extension List where Element: _PropertyValue, Element.PersistedType: _Sortable {
  /// The values in order, by what is stored, nil first.
  public func sorted(ascending: Bool = true) -> ValueResults<Element> {
    values("Sorting").sorted(ascending: ascending)
  }

  /// Each value once, where it is first.
  public func distinct() -> ValueResults<Element> { values("Telling apart").distinct() }
}

extension MutableSet where Element: _PropertyValue {
  /// The values that satisfy a condition.
  public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> ValueResults<Element> {
    values("Querying").where(isIncluded)
  }

  /// The values that satisfy a predicate in text about `SELF`.
  public func filter(_ predicate: String, _ arguments: Any?...) -> ValueResults<Element> {
    values("Querying").filter(predicate, given: arguments)
  }
}

extension MutableSet where Element: _PropertyValue, Element.PersistedType: _Sortable {
  /// The values in order, by what is stored, nil first.
  public func sorted(ascending: Bool = true) -> ValueResults<Element> {
    values("Sorting").sorted(ascending: ascending)
  }
}

extension List where Element: _PropertyValue, Element.PersistedType: _MinMaxable {
  /// The least value that is not nil; nil if there is none.
  public func min() -> Element? { values("Aggregating").min() }

  /// The greatest value that is not nil; nil if there is none.
  public func max() -> Element? { values("Aggregating").max() }
}

extension List where Element: _PropertyValue, Element.PersistedType: _Addable {
  /// The sum of the values that are not nil, zero if there is none.
  public func sum() -> Element { values("Aggregating").sum() }

  /// The average as the type that the caller names; nil if there is none.
  public func average<Result: _ListElement & _PropertyValue>() -> Result?
  where Result.PersistedType: _Addable {
    let values: ValueResults<Element> = values("Aggregating")
    return values.average()
  }
}

extension MutableSet where Element: _PropertyValue, Element.PersistedType: _MinMaxable {
  /// The least value that is not nil; nil if there is none.
  public func min() -> Element? { values("Aggregating").min() }

  /// The greatest value that is not nil; nil if there is none.
  public func max() -> Element? { values("Aggregating").max() }
}

extension MutableSet where Element: _PropertyValue, Element.PersistedType: _Addable {
  /// The sum of the values that are not nil, zero if there is none.
  public func sum() -> Element { values("Aggregating").sum() }

  /// The average as the type that the caller names; nil if there is none.
  public func average<Result: _ListElement & _PropertyValue>() -> Result?
  where Result.PersistedType: _Addable {
    let values: ValueResults<Element> = values("Aggregating")
    return values.average()
  }
}

extension Map where Value: _PropertyValue, Value.PersistedType: _Sortable {
  /// The values that satisfy a condition, by their keys.
  public func `where`(_ isIncluded: (Query<Value>) -> Query<Bool>) -> ValueResults<Value> {
    values("Querying").where(isIncluded)
  }

  /// The values that satisfy a predicate in text about `SELF`.
  public func filter(_ predicate: String, _ arguments: Any?...) -> ValueResults<Value> {
    values("Querying").filter(predicate, given: arguments)
  }

  /// The values in order, by what is stored, nil first.
  public func sorted(ascending: Bool = true) -> ValueResults<Value> {
    values("Sorting").sorted(ascending: ascending)
  }

  /// Each value once, where its key is first.
  public func distinct() -> ValueResults<Value> { values("Telling apart").distinct() }
}

extension Map where Value: _PropertyValue, Value.PersistedType: _MinMaxable {
  /// The least value that is not nil; nil if there is none.
  public func min() -> Value? { values("Aggregating").min() }

  /// The greatest value that is not nil; nil if there is none.
  public func max() -> Value? { values("Aggregating").max() }
}

extension Map where Value: _PropertyValue, Value.PersistedType: _Addable {
  /// The sum of the values that are not nil, zero if there is none.
  public func sum() -> Value { values("Aggregating").sum() }

  /// The average as the type that the caller names; nil if there is none.
  public func average<Result: _ListElement & _PropertyValue>() -> Result?
  where Result.PersistedType: _Addable {
    let values: ValueResults<Value> = values("Aggregating")
    return values.average()
  }
}
