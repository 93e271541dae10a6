import AtollQuery
import AtollStorage
import AtollVocabulary
import Foundation

// Aggregates work on what is stored and come back as the type that the caller names (rules 40, 41).
extension Results {
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
      Trap.stop("Summing '\(self.name).\(name)': the sum does not convert to '\(Value.self)'.")
    }
    return sum
  }

  /// The average of a property's values, nil where there is none.
  public func average<Value: _PersistableValue>(ofProperty name: String) -> Value?
  where Value.PersistedType: _Addable {
    aggregate(.average, name)
  }

  private func aggregate<Value: _PersistableValue>(
    _ aggregate: Predicate.Aggregate, _ name: String
  ) -> Value? {
    let way = column(name, "Aggregating")
    let value = self.value(of: aggregate, way)
    if value.isNull { return nil }
    return Value._decode(_Stored(PersistedValue.fitted(value, to: Value._valueType.type)))
  }

  /// The aggregate as the file computes it.
  func value(of aggregate: Predicate.Aggregate, _ way: QueryPath) -> PersistedValue {
    prepare("Aggregating '\(way.text)'")
    guard case .path(let path) = way.expression else { return .null }
    return store.attempt("aggregating '\(way.text)'") { file throws(StorageError) in
      try file.aggregate(query, aggregate, of: path)
    }
  }
}

extension Results where Element: ObjectBase {
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
