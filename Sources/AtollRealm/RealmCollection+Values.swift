public import Atoll

// Queries of any collection of values. Concrete collections have all of it themselves, so these are
// not favoured where both fit; nor where Swift's own `min` and `max` do.
extension RealmCollection where Element: _PropertyValue {
  /// The values that satisfy a condition, in the collection's order.
  @_disfavoredOverload
  public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> ValueResults<Element> {
    _valueResults("Querying").where(isIncluded)
  }

  /// The values that satisfy a predicate in text about `SELF`.
  @_disfavoredOverload
  public func filter(_ predicate: String, _ arguments: Any?...) -> ValueResults<Element> {
    _valueResults("Querying").filter(predicate, given: arguments)
  }

  /// The index of the first value that satisfies a condition; nil if none does.
  @_disfavoredOverload
  public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
    _valueResults("Querying").index(matching: isIncluded)
  }

  /// The index of the first value that satisfies a predicate in text; nil if none does.
  @_disfavoredOverload
  public func index(matching predicate: String, _ arguments: Any?...) -> Int? {
    _valueResults("Querying").index(matching: predicate, given: arguments)
  }
}

extension RealmCollection where Element: _PropertyValue, Element.PersistedType: _Sortable {
  /// The values in order, by what is stored, nil first.
  @_disfavoredOverload
  public func sorted(ascending: Bool = true) -> ValueResults<Element> {
    _valueResults("Sorting").sorted(ascending: ascending)
  }

  /// Each value once, where it is first.
  @_disfavoredOverload
  public func distinct() -> ValueResults<Element> { _valueResults("Telling apart").distinct() }
}

extension RealmCollection where Element: _PropertyValue, Element.PersistedType: _MinMaxable {
  /// The least value that is not nil; nil if there is none.
  @_disfavoredOverload
  public func min() -> Element? { aggregateOfElements(.minimum) }

  /// The greatest value that is not nil; nil if there is none.
  @_disfavoredOverload
  public func max() -> Element? { aggregateOfElements(.maximum) }
}

extension RealmCollection where Element: _PropertyValue, Element.PersistedType: _Addable {
  /// The sum of the values that are not nil, zero if there is none.
  @_disfavoredOverload
  public func sum() -> Element { sumOfElements() }

  /// The average as the type that the caller names; nil if there is none.
  @_disfavoredOverload
  public func average<Result: _ListElement & _PropertyValue>() -> Result?
  where Result.PersistedType: _Addable {
    aggregateOfElements(.average)
  }
}
