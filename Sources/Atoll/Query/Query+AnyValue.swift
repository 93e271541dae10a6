import AtollQuery
import AtollStorage
import AtollVocabulary

extension Decimal128: _MinMaxable, _Addable { public typealias _Average = Decimal128 }

/// The least and the greatest by the order of ``AnyValue``; sums and averages of what is a number.
extension AnyValue: _MinMaxable, _Addable { public typealias _Average = Decimal128 }

// Any-typed values compare with constants of every type: numbers by value, whatever their types, and
// other values with those of their own kind.
extension Query where T == AnyValue {
  /// The query of the value that a key has, where the value is a dictionary; none elsewhere.
  public subscript(key: String) -> Query<AnyValue> {
    Query(.path(path("Reading a condition's entry").appending(.entry(key))))
  }

  /// The query of the value at an index, where the value is a list; none elsewhere.
  public subscript(index: Int) -> Query<AnyValue> {
    Query(.path(path("Reading a condition's element").appending(.index(index))))
  }

  /// The query of some value in the list or dictionary.
  public var any: Query<AnyValue> {
    Query(.path(path("Reading a condition's elements").wildcard))
  }

  /// Tells whether the value is a text that has another in it.
  public func contains(_ text: String, options: StringOptions = []) -> Query<Bool> {
    search(.infix, text._encode(), options)
  }

  /// Tells whether the value is a text that begins with another.
  public func starts(with text: String, options: StringOptions = []) -> Query<Bool> {
    search(.prefix, text._encode(), options)
  }

  /// Tells whether the value is a text that ends with another.
  public func ends(with text: String, options: StringOptions = []) -> Query<Bool> {
    search(.suffix, text._encode(), options)
  }

  /// Tells whether the value is this text, apart from what the options leave out.
  public func equals(_ text: String, options: StringOptions = []) -> Query<Bool> {
    search(.equal, text._encode(), options)
  }

  /// Tells whether the value is anything but this text, apart from what the options leave out.
  public func notEquals(_ text: String, options: StringOptions = []) -> Query<Bool> {
    searchOther(text._encode(), options)
  }

  /// Tells whether the value is a text that looks like a pattern: `*` is any text, `?` one character.
  public func like(_ pattern: String, caseInsensitive: Bool = false) -> Query<Bool> {
    search(.pattern, pattern._encode(), caseInsensitive ? .caseInsensitive : [])
  }
}

// MARK: - Collections of any-typed values

extension Query where T: _QueryCollection, T._Member == AnyValue {
  /// Tells whether some element is a text that has another in it.
  public func contains(_ text: String, options: StringOptions) -> Query<Bool> {
    search(.infix, text._encode(), options)
  }

  /// Tells whether some element is a text that begins with another.
  public func starts(with text: String, options: StringOptions = []) -> Query<Bool> {
    search(.prefix, text._encode(), options)
  }

  /// Tells whether some element is a text that ends with another.
  public func ends(with text: String, options: StringOptions = []) -> Query<Bool> {
    search(.suffix, text._encode(), options)
  }

  /// Tells whether some element is a text that looks like a pattern.
  public func like(_ pattern: String, caseInsensitive: Bool = false) -> Query<Bool> {
    search(.pattern, pattern._encode(), caseInsensitive ? .caseInsensitive : [])
  }

  /// The least element by the order of ``AnyValue``, NaN left out; none where there is none.
  public var min: Query<AnyValue> { aggregate(.minimum) }
  /// The greatest element by the order of ``AnyValue``; none where there is none.
  public var max: Query<AnyValue> { aggregate(.maximum) }
  /// The sum of the elements that are numbers, zero where there is none.
  public var sum: Query<Decimal128> { aggregate(.sum) }
  /// The average of the elements that are numbers, nil where there is none.
  public var avg: Query<Decimal128?> { aggregate(.average) }
}

extension Query where T == AnyValue {
  /// The least value among the collection's objects, NaN left out; none where there is none.
  public var min: Query<AnyValue> { aggregateOfProperty(.minimum) }
  /// The greatest value among the collection's objects; none where there is none.
  public var max: Query<AnyValue> { aggregateOfProperty(.maximum) }
  /// The sum of the numbers among the collection's objects, zero where there is none.
  public var sum: Query<Decimal128> { aggregateOfProperty(.sum) }
  /// The average of the numbers among the collection's objects, nil where there is none.
  public var avg: Query<Decimal128?> { aggregateOfProperty(.average) }
}
