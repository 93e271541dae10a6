public import Atoll

// Queries of any collection of objects. Concrete collections have all of it themselves, so these
// are not favoured where both fit.
extension RealmCollection where Element: Object {
  /// The objects that satisfy a condition, in the collection's order.
  @_disfavoredOverload
  public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
    _objectResults("Querying").where(isIncluded)
  }

  /// The objects that satisfy a predicate in text; see `Results.filter(_:_:)`.
  @_disfavoredOverload
  public func filter(_ predicate: String, _ arguments: Any?...) -> Results<Element> {
    _objectResults("Querying").filter(predicate, given: arguments)
  }

  /// The index of the first object that satisfies a condition; nil if none does.
  @_disfavoredOverload
  public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
    let objects: Results<Element> = _objectResults("Querying")
    return objects.index(matching: isIncluded)
  }

  /// The index of the first object that satisfies a predicate in text; nil if none does.
  @_disfavoredOverload
  public func index(matching predicate: String, _ arguments: Any?...) -> Int? {
    let objects: Results<Element> = _objectResults("Querying")
    return objects.index(matching: predicate, given: arguments)
  }

  /// The objects by a property; equal ones in the collection's order.
  @_disfavoredOverload
  public func sorted(byKeyPath path: String, ascending: Bool = true) -> Results<Element> {
    _objectResults("Sorting").sorted(byKeyPath: path, ascending: ascending)
  }

  /// The objects by a property; equal ones in the collection's order.
  @_disfavoredOverload
  public func sorted<Value: _PropertyValue>(
    by path: KeyPath<Element, Value>, ascending: Bool = true
  ) -> Results<Element> where Value.PersistedType: _Sortable {
    _objectResults("Sorting").sorted(by: path, ascending: ascending)
  }

  /// The objects by several properties.
  @_disfavoredOverload
  public func sorted(by descriptors: some Sequence<SortDescriptor>) -> Results<Element> {
    _objectResults("Sorting").sorted(by: descriptors)
  }

  /// The first object of each that agree in all these properties.
  @_disfavoredOverload
  public func distinct(by paths: some Sequence<String>) -> Results<Element> {
    _objectResults("Telling apart").distinct(by: paths)
  }

  /// The first object of each that agree in all these properties.
  @_disfavoredOverload
  public func distinct(by paths: some Sequence<PartialKeyPath<Element>>) -> Results<Element> {
    _objectResults("Telling apart").distinct(by: Array(paths))
  }

  /// The objects in sections by a property, which becomes the first they are sorted by.
  @_disfavoredOverload
  public func sectioned<Key: _PropertyValue & _ListElement & Hashable>(
    by path: KeyPath<Element, Key>, ascending: Bool = true
  ) -> SectionedResults<Key, Element> where Key.PersistedType: _Sortable {
    _objectResults("Sectioning").sectioned(by: path, ascending: ascending)
  }

  /// The objects in sections by a property, sorted by descriptors of which the first is that property.
  @_disfavoredOverload
  public func sectioned<Key: _PropertyValue & _ListElement & Hashable>(
    by path: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, Element> where Key.PersistedType: _Sortable {
    _objectResults("Sectioning").sectioned(by: path, sortDescriptors: sortDescriptors)
  }

  /// The objects in sections by what a function says of them, in the order of the descriptors.
  @_disfavoredOverload
  public func sectioned<Key: Hashable>(
    by key: @escaping (Element) -> Key, sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, Element> {
    _objectResults("Sectioning").sectioned(by: key, sortDescriptors: sortDescriptors)
  }
}
