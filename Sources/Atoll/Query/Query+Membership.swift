import AtollQuery
import AtollStorage
import AtollVocabulary

// Lists of values and ranges.

extension Query where T: _PropertyValue {
  /// Tells whether the property is one of these values; nil may be among them.
  public func `in`(_ values: some Sequence<T>) -> Query<Bool> {
    isOne(of: values.map(\.queryOperand))
  }
}

extension Query where T: _PropertyValue & Comparable {
  /// Tells whether the property is at least the lower bound and below the upper, as stored.
  public func contains(_ range: Range<T>) -> Query<Bool> {
    isBetween(range.lowerBound.queryOperand, range.upperBound.queryOperand, .less)
  }

  /// Tells whether the property is at least the lower bound and at most the upper, as stored.
  public func contains(_ range: ClosedRange<T>) -> Query<Bool> {
    isBetween(range.lowerBound.queryOperand, range.upperBound.queryOperand, .lessOrEqual)
  }
}

extension Query {
  /// Tells whether the property is at least the lower bound and below the upper, as stored; nil is not.
  public func contains<Wrapped: _PersistableValue & Comparable>(
    _ range: Range<Wrapped>
  ) -> Query<Bool> where T == Wrapped? {
    isBetween(range.lowerBound._encode(), range.upperBound._encode(), .less)
  }

  /// Tells whether the property is at least the lower bound and at most the upper, as stored; nil is not.
  public func contains<Wrapped: _PersistableValue & Comparable>(
    _ range: ClosedRange<Wrapped>
  ) -> Query<Bool> where T == Wrapped? {
    isBetween(range.lowerBound._encode(), range.upperBound._encode(), .lessOrEqual)
  }

  fileprivate func isBetween(
    _ low: _Stored, _ high: _Stored, _ upper: Predicate.Comparator
  ) -> Query<Bool> {
    let way = path("Comparing a condition with a range")
    return Query<Bool>(
      way.some { way in
        guard let low = way.constant(low), let high = way.constant(high) else { return .never }
        return .all([
          .comparison(way.expression, .greaterOrEqual, low),
          .comparison(way.expression, upper, high),
        ])
      }, store)
  }
}

// MARK: - Collections

extension Query where T: _QueryCollection, T._Member: _ListElement {
  /// Tells whether some element is `value`.
  public static func == (query: Query, value: T._Member) -> Query<Bool> {
    query.compare(.equal, value._encodeElement())
  }

  /// Tells whether some element is another than `value`.
  ///
  /// For values that are stored as embedded objects: whether there are elements, and none is `value`.
  public static func != (query: Query, value: T._Member) -> Query<Bool> {
    query.compare(.notEqual, value._encodeElement())
  }

  /// Tells whether some element is `value`.
  public func contains(_ value: T._Member) -> Query<Bool> {
    compare(.equal, value._encodeElement())
  }

  /// Tells whether some element is one of these values.
  public func containsAny(in values: some Sequence<T._Member>) -> Query<Bool> {
    isOne(of: values.map { $0._encodeElement() })
  }

  /// Tells whether some element is one of these values.
  public func `in`(_ values: some Sequence<T._Member>) -> Query<Bool> { containsAny(in: values) }
}

extension Query
where
  T: _QueryCollection, T._Member: _PropertyValue & _ListElement,
  T._Member.PersistedType: _Ordered
{
  /// Tells whether some element is less than `value`, as stored.
  public static func < (query: Query, value: T._Member) -> Query<Bool> {
    query.compare(.less, value._encodeElement())
  }

  /// Tells whether some element is at most `value`, as stored.
  public static func <= (query: Query, value: T._Member) -> Query<Bool> {
    query.compare(.lessOrEqual, value._encodeElement())
  }

  /// Tells whether some element is greater than `value`, as stored.
  public static func > (query: Query, value: T._Member) -> Query<Bool> {
    query.compare(.greater, value._encodeElement())
  }

  /// Tells whether some element is at least `value`, as stored.
  public static func >= (query: Query, value: T._Member) -> Query<Bool> {
    query.compare(.greaterOrEqual, value._encodeElement())
  }
}

extension Query where T: _QueryCollection, T._Member: _ListElement & Comparable {
  /// Tells whether there are elements and *all* of them are at least the lower bound and below the upper.
  public func contains(_ range: Range<T._Member>) -> Query<Bool> {
    areAllBetween(
      range.lowerBound._encodeElement(), range.upperBound._encodeElement(), .less)
  }

  /// Tells whether there are elements and *all* of them are within the bounds.
  public func contains(_ range: ClosedRange<T._Member>) -> Query<Bool> {
    areAllBetween(
      range.lowerBound._encodeElement(), range.upperBound._encodeElement(), .lessOrEqual)
  }
}

extension Query where T: _QueryCollection {
  /// Tells whether there are elements and *all* of them, nil left out, are in the half-open range.
  public func contains<Wrapped: _PersistableValue & Comparable>(
    _ range: Range<Wrapped>
  ) -> Query<Bool> where T._Member == Wrapped? {
    areAllBetween(range.lowerBound._encode(), range.upperBound._encode(), .less)
  }

  /// Tells whether there are elements and *all* of them, nil left out, are within the bounds.
  public func contains<Wrapped: _PersistableValue & Comparable>(
    _ range: ClosedRange<Wrapped>
  ) -> Query<Bool> where T._Member == Wrapped? {
    areAllBetween(range.lowerBound._encode(), range.upperBound._encode(), .lessOrEqual)
  }

  fileprivate func areAllBetween(
    _ low: _Stored, _ high: _Stored, _ upper: Predicate.Comparator
  ) -> Query<Bool> {
    let way = path("Comparing a condition with a range")
    let least = way.aggregating { .aggregate(.minimum, $1, of: $0) }
    let greatest = way.aggregating { .aggregate(.maximum, $1, of: $0) }
    return Query<Bool>(
      .all([least.compare(.greaterOrEqual, low), greatest.compare(upper, high)]), store)
  }
}
