import AtollQuery
import AtollVocabulary

/// One value that is computed of many; of the library's own.
public enum _Aggregate: Sendable {
  case minimum, maximum, sum, average

  var predicate: Predicate.Aggregate {
    switch self {
    case .minimum: .minimum
    case .maximum: .maximum
    case .sum: .sum
    case .average: .average
    }
  }
}

/// A collection whose elements are aggregated; of the library's own.
public protocol _Aggregated {
  /// The aggregate of a property of the elements, or of the elements themselves; null where there is
  /// none.
  func _aggregate(_ aggregate: _Aggregate, of property: String?) -> _Stored
}

// Aggregates work on what is stored and come back as the type that the caller names (rules 40, 41).
extension _Aggregated {
  /// The least value of a property, nil where there is none.
  public func min<Value: _PersistableValue>(ofProperty name: String) -> Value?
  where Value.PersistedType: _MinMaxable {
    aggregate(.minimum, name)
  }

  /// The greatest value of a property, nil where there is none.
  public func max<Value: _PersistableValue>(ofProperty name: String) -> Value?
  where Value.PersistedType: _MinMaxable {
    aggregate(.maximum, name)
  }

  /// The sum of a property's values, zero where there is none.
  public func sum<Value: _PersistableValue>(ofProperty name: String) -> Value
  where Value.PersistedType: _Addable {
    guard let sum: Value = aggregate(.sum, name) ?? Value._makeForNull() else {
      Trap.stop("Summing '\(name)': the sum does not convert to '\(Value.self)'.")
    }
    return sum
  }

  /// The average of a property's values, nil where there is none.
  public func average<Value: _PersistableValue>(ofProperty name: String) -> Value?
  where Value.PersistedType: _Addable {
    aggregate(.average, name)
  }

  private func aggregate<Value: _PersistableValue>(
    _ aggregate: _Aggregate, _ name: String
  ) -> Value? {
    guard let value = _aggregate(aggregate, of: name).scalar, !value.isNull else { return nil }
    return Value._decode(_Stored(PersistedValue.fitted(value, to: Value._valueType.type)))
  }

  /// An aggregate of the elements as one of the type that is asked for; nil where there is none.
  package func aggregateOfElements<Value: _ListElement>(
    _ aggregate: _Aggregate, as type: Value.Type = Value.self
  ) -> Value? {
    guard let value = _aggregate(aggregate, of: nil).scalar, !value.isNull else { return nil }
    return Value._decodeElement(
      _Stored(PersistedValue.fitted(value, to: Value._elementType.type)))
  }

  /// The sum of the elements; stops if it does not convert.
  package func sumOfElements<Value: _ListElement>(as type: Value.Type = Value.self) -> Value {
    guard let sum: Value = aggregateOfElements(.sum) else {
      Trap.stop("The sum of a \(Self.self) does not convert to type '\(Value.self)'.")
    }
    return sum
  }
}

// MARK: - By Swift key paths

extension _Aggregated where Self: Sequence, Element: ObjectBase {
  /// The least value of a property, nil where there is none.
  public func min<Value: _PropertyValue & _PersistableValue>(
    of path: KeyPath<Element, Value>
  ) -> Value? where Value.PersistedType: _MinMaxable {
    min(ofProperty: KeyPathNames.text(of: path))
  }

  /// The least value of a property that is not nil, nil where there is none.
  public func min<Value: _PersistableValue>(of path: KeyPath<Element, Value?>) -> Value?
  where Value.PersistedType: _MinMaxable {
    min(ofProperty: KeyPathNames.text(of: path))
  }

  /// The greatest value of a property, nil where there is none.
  public func max<Value: _PropertyValue & _PersistableValue>(
    of path: KeyPath<Element, Value>
  ) -> Value? where Value.PersistedType: _MinMaxable {
    max(ofProperty: KeyPathNames.text(of: path))
  }

  /// The greatest value of a property, nil where there is none.
  public func max<Value: _PersistableValue>(of path: KeyPath<Element, Value?>) -> Value?
  where Value.PersistedType: _MinMaxable {
    max(ofProperty: KeyPathNames.text(of: path))
  }

  /// The sum of a property's values, zero where there is none.
  public func sum<Value: _PropertyValue & _PersistableValue>(
    of path: KeyPath<Element, Value>
  ) -> Value where Value.PersistedType: _Addable {
    sum(ofProperty: KeyPathNames.text(of: path))
  }

  /// The sum of a property's values that are not nil, zero where there is none.
  public func sum<Value: _PersistableValue>(of path: KeyPath<Element, Value?>) -> Value
  where Value.PersistedType: _Addable {
    sum(ofProperty: KeyPathNames.text(of: path))
  }

  /// The average of a property's values as the type that the caller names, nil where there is none.
  public func average<Value: _PropertyValue, Result: _PersistableValue>(
    of path: KeyPath<Element, Value>
  ) -> Result? where Value.PersistedType: _Addable, Result.PersistedType: _Addable {
    average(ofProperty: KeyPathNames.text(of: path))
  }
}

// MARK: - Numbers of another type

extension PersistedValue {
  /// A number as another type of number; everything else as it is.
  static func fitted(_ value: PersistedValue, to type: PersistedType) -> PersistedValue {
    switch (type, value) {
    case (.double, .float(let number)): return .double(Double(number))
    case (.double, .int(let number)): return .double(Double(number))
    case (.double, .decimal(let number)): return .double(Double(number))
    case (.float, .double(let number)): return .float(Float(number))
    case (.float, .decimal(let number)): return .float(Float(Double(number)))
    case (.float, .int(let number)): return .float(Float(number))
    case (.int, .double(let number)):
      return Int64(exactly: number.rounded(.towardZero)).map { .int($0) } ?? .null
    case (.decimal, .double(let number)): return .decimal(Decimal128(number))
    case (.decimal, .int(let number)): return .decimal(Decimal128(number))
    default: return value
    }
  }
}
