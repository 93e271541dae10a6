import AtollQuery
import AtollStorage
import AtollVocabulary

/// The values of a collection that a query selects, in order: lazy, and live.
///
/// What does not convert where nil is not allowed stops when it is read, as in the collection itself.
public final class ValueResults<Element: _ListElement> {
  let collection: ManagedCollection
  let query: StoreQuery
  private var elements: [StoredElement] = []
  private var readAt: UInt64?

  init(_ collection: ManagedCollection, _ query: StoreQuery) {
    self.collection = collection
    self.query = query
  }

  /// The store the values belong to.
  public var store: Store { collection.row.store }

  private func narrowed(to query: StoreQuery) -> ValueResults {
    query.checkLevels(collection.name)
    return ValueResults(collection, query)
  }

  private var start: QueryPath {
    QueryPath(store: store, element: Element._elementType, root: collection.name)
  }

  // MARK: Narrowing down and ordering

  /// The values that satisfy a condition too.
  public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> ValueResults {
    narrowed(to: query.adding(isIncluded(Query(.path(start))).predicate))
  }

  /// The values that satisfy a predicate in text about `SELF` too.
  public func filter(_ predicate: String, _ arguments: Any?...) -> ValueResults {
    filter(predicate, given: arguments)
  }

  func filter(_ predicate: String, given arguments: [Any?]) -> ValueResults {
    do {
      return narrowed(
        to: try PredicateParser.query(
          predicate, arguments: arguments.map { PredicateArgument($0, in: store) }, from: query,
          in: store.predicateScope(ofElements: collection.path.property)))
    } catch {
      Trap.stop(error.description)
    }
  }

  /// The first values, at most `maxLength`.
  public func prefix(_ maxLength: Int) -> ValueResults {
    narrowed(to: query.limited(to: maxLength))
  }

  // MARK: Asking

  private var current: [StoredElement] {
    collection.checkReading()
    return store.alone {
      if readAt != store.changeCount {
        elements = collection.read { file throws(StorageError) in try file.elements(query) }
        readAt = store.changeCount
      }
      return elements
    }
  }

  private func decode(_ element: StoredElement) -> Element {
    let stored = collection.decode(element)
    guard let element = Element._decodeElement(stored) else {
      Trap.stop(
        "Could not convert value '\(stored)' to type '\(Element.self)'. "
          + "It is an element of '\(collection.name)'.")
    }
    return element
  }

  /// An aggregate of the stored values as one of the type that is asked for; nil where there is none.
  fileprivate func aggregate<Result: _ListElement>(
    _ aggregate: Predicate.Aggregate, as type: Result.Type
  ) -> Result? {
    collection.checkReading()
    let value = collection.read { file throws(StorageError) in
      try file.aggregate(query, aggregate, of: PropertyPath(scope: 0))
    }
    if value.isNull { return nil }
    return Result._decodeElement(
      _Stored(PersistedValue.fitted(value, to: Result._elementType.type)))
  }
}

extension ValueResults where Element: _PropertyValue, Element.PersistedType: _Sortable {
  /// The values in order, by what is stored, nil first.
  public func sorted(ascending: Bool = true) -> ValueResults {
    narrowed(
      to: query.sorted(by: [StoreQuery.Order(PropertyPath(scope: 0), isAscending: ascending)]))
  }

  /// Each value once, where it is first.
  public func distinct() -> ValueResults {
    narrowed(to: query.distinct(by: [PropertyPath(scope: 0)]))
  }
}

extension ValueResults: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { current.count }

  public subscript(index: Int) -> Element {
    let elements = current
    guard elements.indices.contains(index) else {
      Trap.stop("Index \(index) is out of bounds of results of \(elements.count) values.")
    }
    return decode(elements[index])
  }

  /// Iterates over the values there are now, whatever changes meanwhile.
  public func makeIterator() -> AnyIterator<Element> {
    var rest = current[...]
    return AnyIterator { rest.popFirst().map(self.decode) }
  }
}

// MARK: - Aggregates

extension ValueResults where Element: _PropertyValue, Element.PersistedType: _MinMaxable {
  /// The least value that is not nil; nil if there is none.
  public func min() -> Element? { aggregate(.minimum, as: Element.self) }

  /// The greatest value that is not nil; nil if there is none.
  public func max() -> Element? { aggregate(.maximum, as: Element.self) }
}

extension ValueResults where Element: _PropertyValue, Element.PersistedType: _Addable {
  /// The sum of the values that are not nil, zero if there is none.
  public func sum() -> Element {
    guard let sum = aggregate(.sum, as: Element.self) else {
      Trap.stop("The sum of '\(collection.name)' does not convert to type '\(Element.self)'.")
    }
    return sum
  }

  /// The average as the type that the caller names; nil if there is none.
  public func average<Result: _ListElement & _PropertyValue>() -> Result?
  where Result.PersistedType: _Addable {
    aggregate(.average, as: Result.self)
  }
}
