import AtollQuery
import AtollStorage
import AtollVocabulary
public import Foundation

/// The values of a collection that a query selects, in order: lazy, and live.
///
/// A value that does not convert where nil is not allowed stops when it is read, as in the
/// collection itself.
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

  package func filter(_ predicate: String, given arguments: [Any?]) -> ValueResults {
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

  /// The values as they are stored.
  var storedElements: [_Stored] { current.map { collection.decode($0) } }

  private func decode(_ element: StoredElement) -> Element {
    let stored = collection.decode(element)
    guard let element = Element._decodeElement(stored) else {
      Trap.stop(
        "Could not convert value '\(stored)' to type '\(Element.self)'. "
          + "It is an element of '\(collection.name)'.")
    }
    return element
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
  public func makeIterator() -> ElementIterator<Element> {
    var rest = current[...]
    return ElementIterator { rest.popFirst().map(self.decode) }
  }
}

extension ValueResults: Equatable {
  /// Tells whether both ask the same of one collection; values are not compared.
  public static func == (a: ValueResults, b: ValueResults) -> Bool {
    a === b || a.collection.isSame(as: b.collection) && a.query == b.query
  }
}

// MARK: - Places

extension ValueResults {
  /// The index of the first value that is the same as stored; nil if there is none.
  public func index(of element: Element) -> Int? {
    let stored = element._encodeElement()
    return current.firstIndex { collection.decode($0).isSame(as: stored) }
  }

  /// The index of the first value that satisfies a condition; nil if none does.
  public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
    place(of: self.where(isIncluded))
  }

  /// The index of the first value that satisfies a predicate in text about `SELF`; nil if none does.
  public func index(matching predicate: String, _ arguments: Any?...) -> Int? {
    index(matching: predicate, given: arguments)
  }

  package func index(matching predicate: String, given arguments: [Any?]) -> Int? {
    place(of: filter(predicate, given: arguments))
  }

  private func place(of narrower: ValueResults) -> Int? {
    guard let first = narrower.prefix(1).current.first else { return nil }
    return current.firstIndex { $0.id == first.id }
  }

  /// The values at several indices.
  public func objects(at indices: IndexSet) -> [Element] { indices.map { self[$0] } }
}

// MARK: - Aggregates

extension ValueResults where Element: _PropertyValue, Element.PersistedType: _MinMaxable {
  /// The least value that is not nil; nil if there is none.
  public func min() -> Element? { aggregateOfElements(.minimum) }

  /// The greatest value that is not nil; nil if there is none.
  public func max() -> Element? { aggregateOfElements(.maximum) }
}

extension ValueResults where Element: _PropertyValue, Element.PersistedType: _Addable {
  /// The sum of the values that are not nil, zero if there is none.
  public func sum() -> Element { sumOfElements() }

  /// The average as the type that the caller names; nil if there is none.
  public func average<Result: _ListElement & _PropertyValue>() -> Result?
  where Result.PersistedType: _Addable {
    aggregateOfElements(.average)
  }
}
