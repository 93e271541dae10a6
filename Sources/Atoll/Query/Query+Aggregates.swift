import AtollQuery
import AtollStorage
import AtollVocabulary
public import Foundation

/// Marks persisted types of which there is a least and a greatest: numbers and dates.
public protocol _MinMaxable {}

/// Marks persisted types that are added up.
public protocol _Addable {
  /// The type of their average.
  associatedtype _Average: _PropertyValue
}

extension Int: _MinMaxable, _Addable { public typealias _Average = Double }
extension Int8: _MinMaxable, _Addable { public typealias _Average = Double }
extension Int16: _MinMaxable, _Addable { public typealias _Average = Double }
extension Int32: _MinMaxable, _Addable { public typealias _Average = Double }
extension Int64: _MinMaxable, _Addable { public typealias _Average = Double }
extension Float: _MinMaxable, _Addable { public typealias _Average = Double }
extension Double: _MinMaxable, _Addable { public typealias _Average = Double }
extension Date: _MinMaxable {}
extension Optional: _MinMaxable where Wrapped: _MinMaxable {}
extension Optional: _Addable where Wrapped: _Addable {
  public typealias _Average = Wrapped._Average
}

extension Query where T: _QueryCollection {
  /// The number of elements.
  public var count: Query<Int> {
    Query<Int>(
      .path(
        path("Counting a condition").aggregating { collection, _ in .count(collection, .always) }))
  }

  /// True if there is no element.
  public var isEmpty: Query<Bool> { count == 0 }

  func aggregate<Result>(_ aggregate: Predicate.Aggregate) -> Query<Result> {
    Query<Result>(
      .path(
        path("An aggregate of a condition").aggregating { .aggregate(aggregate, $1, of: $0) }))
  }
}

// MARK: - Collections of values

extension Query
where
  T: _QueryCollection, T._Member: _PersistableValue,
  T._Member.PersistedType: _MinMaxable
{
  /// The least element, nil where there is none.
  public var min: Query<T._Member?> { aggregate(.minimum) }
  /// The greatest element, nil where there is none.
  public var max: Query<T._Member?> { aggregate(.maximum) }
}

extension Query
where
  T: _QueryCollection, T._Member: _OptionalProperty,
  T._Member.PersistedType: _MinMaxable
{
  /// The least element that is not nil, nil where there is none.
  public var min: Query<T._Member> { aggregate(.minimum) }
  /// The greatest element that is not nil, nil where there is none.
  public var max: Query<T._Member> { aggregate(.maximum) }
}

extension Query
where
  T: _QueryCollection, T._Member: _PersistableValue,
  T._Member.PersistedType: _Addable
{
  /// The sum of the elements, zero where there is none.
  public var sum: Query<T._Member> { aggregate(.sum) }
  /// The average of the elements, nil where there is none.
  public var avg: Query<T._Member.PersistedType._Average?> { aggregate(.average) }
}

extension Query
where
  T: _QueryCollection, T._Member: _OptionalProperty,
  T._Member.PersistedType: _Addable
{
  /// The sum of the elements that are not nil, zero where there is none.
  public var sum: Query<T._Member> { aggregate(.sum) }
  /// The average of the elements that are not nil, nil where there is none.
  public var avg: Query<T._Member.PersistedType._Average?> { aggregate(.average) }
}

// MARK: - Properties of a collection's objects

extension Query where T: _PropertyValue {
  func aggregateOfProperty<Result>(_ aggregate: Predicate.Aggregate) -> Query<Result> {
    let way = path("An aggregate of a condition")
    guard !way.collections.isEmpty else {
      Trap.stop(
        "Querying '\(way.root)': '\(way.text)' is one value, of which there is no aggregate.")
    }
    return Query<Result>(.path(way.aggregating { .aggregate(aggregate, $1, of: $0) }))
  }
}

extension Query where T: _PropertyValue & _PersistableValue, T.PersistedType: _MinMaxable {
  /// The least value among the collection's objects, nil where there is none.
  public var min: Query<T?> { aggregateOfProperty(.minimum) }
  /// The greatest value among the collection's objects, nil where there is none.
  public var max: Query<T?> { aggregateOfProperty(.maximum) }
}

extension Query where T: _OptionalProperty, T.PersistedType: _MinMaxable {
  /// The least value among the collection's objects, nil where there is none.
  public var min: Query<T> { aggregateOfProperty(.minimum) }
  /// The greatest value among the collection's objects, nil where there is none.
  public var max: Query<T> { aggregateOfProperty(.maximum) }
}

extension Query where T: _PropertyValue, T.PersistedType: _Addable {
  /// The sum of the values of the collection's objects, zero where there is none.
  public var sum: Query<T> { aggregateOfProperty(.sum) }
  /// The average of the values of the collection's objects, nil where there is none.
  public var avg: Query<T.PersistedType._Average?> { aggregateOfProperty(.average) }
}

// MARK: - Subqueries

extension Query where T == Bool {
  /// The number of elements of the one collection in the conditions that satisfy all of them.
  ///
  /// `($0.runways.length > 3000 && $0.runways.isPaved).count >= 2`
  public var count: Query<Int> {
    var collection: PropertyPath?
    let inner = Self.element(predicate, &collection)
    guard let collection else {
      Trap.stop("Subqueries must contain a keypath starting with a collection.")
    }
    return Query<Int>(.path(QueryPath(count: .count(collection, inner))))
  }

  /// Returns the condition on one element of the collection.
  private static func element(_ predicate: Predicate, _ collection: inout PropertyPath?)
    -> Predicate
  {
    switch predicate {
    case .always, .never: return predicate
    case .all(let parts): return .all(parts.map { element($0, &collection) })
    case .any(let parts): return .any(parts.map { element($0, &collection) })
    case .not(let part): return .not(element(part, &collection))
    case .exists(let found, let inner):
      if let known = collection, known != found {
        Trap.stop("Subquery predicates will only work on one collection at a time.")
      }
      collection = found
      return inner
    case .comparison, .contained, .linked, .text: return predicate
    }
  }
}
