// Queries on the collections of values of one object, which ask the file as those of objects do.

extension List where Element: _PropertyValue {
  /// The values that satisfy a condition, in the order of the list.
  public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> ValueResults<Element> {
    values("Querying").where(isIncluded)
  }

  /// The values that satisfy a predicate in text about `SELF`.
  public func filter(_ predicate: String, _ arguments: Any?...) -> ValueResults<Element> {
    values("Querying").filter(predicate, given: arguments)
  }

  /// The index of the first value that satisfies a condition; nil if none does.
  public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
    let values: ValueResults<Element> = values("Querying")
    return values.index(matching: isIncluded)
  }

  /// The index of the first value that satisfies a predicate in text; nil if none does.
  public func index(matching predicate: String, _ arguments: Any?...) -> Int? {
    let values: ValueResults<Element> = values("Querying")
    return values.index(matching: predicate, given: arguments)
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

  /// The place of some value that satisfies a condition, in the present order; nil if none does.
  public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
    let values: ValueResults<Element> = values("Querying")
    return values.index(matching: isIncluded)
  }

  /// The place of some value that satisfies a predicate in text; nil if none does.
  public func index(matching predicate: String, _ arguments: Any?...) -> Int? {
    let values: ValueResults<Element> = values("Querying")
    return values.index(matching: predicate, given: arguments)
  }
}

extension MutableSet where Element: _PropertyValue, Element.PersistedType: _Sortable {
  /// The values in order, by what is stored, nil first.
  public func sorted(ascending: Bool = true) -> ValueResults<Element> {
    values("Sorting").sorted(ascending: ascending)
  }

  /// The values, of which a set has each once.
  public func distinct() -> ValueResults<Element> { values("Telling apart").distinct() }
}

extension List where Element: _PropertyValue, Element.PersistedType: _MinMaxable {
  /// The least value that is not nil; nil if there is none.
  public func min() -> Element? { aggregateOfElements(.minimum) }

  /// The greatest value that is not nil; nil if there is none.
  public func max() -> Element? { aggregateOfElements(.maximum) }
}

extension List where Element: _PropertyValue, Element.PersistedType: _Addable {
  /// The sum of the values that are not nil, zero if there is none.
  public func sum() -> Element { sumOfElements() }

  /// The average as the type that the caller names; nil if there is none.
  public func average<Result: _ListElement & _PropertyValue>() -> Result?
  where Result.PersistedType: _Addable {
    aggregateOfElements(.average)
  }
}

extension MutableSet where Element: _PropertyValue, Element.PersistedType: _MinMaxable {
  /// The least value that is not nil; nil if there is none.
  public func min() -> Element? { aggregateOfElements(.minimum) }

  /// The greatest value that is not nil; nil if there is none.
  public func max() -> Element? { aggregateOfElements(.maximum) }
}

extension MutableSet where Element: _PropertyValue, Element.PersistedType: _Addable {
  /// The sum of the values that are not nil, zero if there is none.
  public func sum() -> Element { sumOfElements() }

  /// The average as the type that the caller names; nil if there is none.
  public func average<Result: _ListElement & _PropertyValue>() -> Result?
  where Result.PersistedType: _Addable {
    aggregateOfElements(.average)
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
  public func min() -> Value? { aggregateOfElements(.minimum) }

  /// The greatest value that is not nil; nil if there is none.
  public func max() -> Value? { aggregateOfElements(.maximum) }
}

extension Map where Value: _PropertyValue, Value.PersistedType: _Addable {
  /// The sum of the values that are not nil, zero if there is none.
  public func sum() -> Value { sumOfElements() }

  /// The average as the type that the caller names; nil if there is none.
  public func average<Result: _ListElement & _PropertyValue>() -> Result?
  where Result.PersistedType: _Addable {
    aggregateOfElements(.average)
  }
}
