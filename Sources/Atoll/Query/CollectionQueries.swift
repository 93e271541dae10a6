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

extension List where Element: Object {
  /// The objects of the list that satisfy a condition, in its order.
  public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
    objects("Querying").where(isIncluded)
  }

  /// The objects of the list that satisfy a predicate in text; see ``Results/filter(_:_:)``.
  public func filter(_ predicate: String, _ arguments: Any?...) -> Results<Element> {
    objects("Querying").filter(predicate, given: arguments)
  }

  /// The objects of the list by a property; equal ones in the order of the list.
  public func sorted(byKeyPath path: String, ascending: Bool = true) -> Results<Element> {
    objects("Sorting").sorted(byKeyPath: path, ascending: ascending)
  }

  /// The objects of the list by a property; equal ones in the order of the list.
  public func sorted<Value: _PropertyValue>(
    by path: KeyPath<Element, Value>, ascending: Bool = true
  ) -> Results<Element> where Value.PersistedType: _Sortable {
    objects("Sorting").sorted(by: path, ascending: ascending)
  }

  /// The objects of the list by several properties.
  public func sorted(by descriptors: some Sequence<SortDescriptor>) -> Results<Element> {
    objects("Sorting").sorted(by: descriptors)
  }

  /// The first object of the list of each that agree in all these properties.
  public func distinct(by paths: some Sequence<String>) -> Results<Element> {
    objects("Telling apart").distinct(by: paths)
  }
}

extension MutableSet where Element: Object {
  /// The objects of the set that satisfy a condition.
  public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
    objects("Querying").where(isIncluded)
  }

  /// The objects of the set that satisfy a predicate in text; see ``Results/filter(_:_:)``.
  public func filter(_ predicate: String, _ arguments: Any?...) -> Results<Element> {
    objects("Querying").filter(predicate, given: arguments)
  }

  /// The objects of the set by a property.
  public func sorted(byKeyPath path: String, ascending: Bool = true) -> Results<Element> {
    objects("Sorting").sorted(byKeyPath: path, ascending: ascending)
  }

  /// The objects of the set by several properties.
  public func sorted(by descriptors: some Sequence<SortDescriptor>) -> Results<Element> {
    objects("Sorting").sorted(by: descriptors)
  }
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
