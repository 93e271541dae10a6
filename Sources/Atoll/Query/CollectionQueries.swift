import AtollQuery
import AtollStorage
import AtollVocabulary

// Queries on the collections of one object. Each asks the file, never the elements in memory, so that
// an unmanaged collection, which the file does not have, stops. Aggregates it has, see `Aggregates.swift`.

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
  package func objects<Element: Object>(_ doing: String) -> Results<Element> {
    let (query, place) = query(doing)
    guard let table = place.place.elementTable else {
      Trap.stop("\(doing) '\(place.name)', whose elements are of no class.")
    }
    return Results(store: place.row.store, table: table, query: query)
  }

  /// The values of the collection, as results.
  package func values<Element: _ListElement>(_ doing: String) -> ValueResults<Element> {
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

  /// The objects in sections by a property, sorted by descriptors of which the first is that property.
  public func sectioned<Key: _PropertyValue & _ListElement & Hashable>(
    by path: KeyPath<_Model, Key>, sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, _Model> where Key.PersistedType: _Sortable {
    _objects("Sectioning").sectioned(by: path, sortDescriptors: sortDescriptors)
  }

  /// The objects in sections by what a function says of them, in the order of the descriptors.
  public func sectioned<Key: Hashable>(
    by key: @escaping (_Model) -> Key, sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, _Model> {
    _objects("Sectioning").sectioned(by: key, sortDescriptors: sortDescriptors)
  }

  /// The index of the first object that satisfies a condition; nil if none does.
  public func index(matching isIncluded: (Query<_Model>) -> Query<Bool>) -> Int? {
    _objects("Querying").index(matching: isIncluded)
  }

  /// The index of the first object that satisfies a predicate in text; nil if none does.
  public func index(matching predicate: String, _ arguments: Any?...) -> Int? {
    _objects("Querying").index(matching: predicate, given: arguments)
  }
}
