// Forms that people try in a condition and that it does not have, each with what to write instead.
//
// Without them the compiler says what its search ended with, which is seldom what is wrong.

extension Query where T: _PropertyValue, T.PersistedType: _TextSearchable {
  @_documentation(visibility: internal)
  @available(*, unavailable, renamed: "starts(with:)")
  public func hasPrefix(_ text: String) -> Query<Bool> { Diagnostics.unavailable() }

  @_documentation(visibility: internal)
  @available(*, unavailable, renamed: "ends(with:)")
  public func hasSuffix(_ text: String) -> Query<Bool> { Diagnostics.unavailable() }

  @_documentation(visibility: internal)
  @available(
    *, unavailable, message: "without regard to case is '.equals(\"a\", options: .caseInsensitive)'"
  )
  public func lowercased() -> Query<T> { Diagnostics.unavailable() }

  @_documentation(visibility: internal)
  @available(
    *, unavailable, message: "without regard to case is '.equals(\"a\", options: .caseInsensitive)'"
  )
  public func uppercased() -> Query<T> { Diagnostics.unavailable() }
}

extension Query where T: _QueryCollection {
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "ask an element by its index: '[0]'")
  public var first: Query<T._Member> { Diagnostics.unavailable() }

  @_documentation(visibility: internal)
  @available(*, unavailable, message: "ask an element by its index from the end: '[-1]'")
  public var last: Query<T._Member> { Diagnostics.unavailable() }

  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "ask the elements' properties: '$0.dogs.name == \"Rex\"' if one condition is to hold, '($0.dogs.name == \"Rex\" && $0.dogs.age > 3).count > 0' if several are to hold for one element"
  )
  public func contains(where condition: (Query<T._Member>) -> Query<Bool>) -> Query<Bool> {
    Diagnostics.unavailable()
  }

  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "ask the elements' properties: '($0.dogs.name == \"Rex\" && $0.dogs.age > 3).count > 0'"
  )
  public func filter(_ condition: (Query<T._Member>) -> Query<Bool>) -> Query<T> {
    Diagnostics.unavailable()
  }
}

extension Query {
  @_documentation(visibility: internal)
  @_disfavoredOverload
  @available(*, unavailable, message: "a property that is not optional is never nil")
  public static func == (query: Query, nothing: _OptionalNilComparisonType) -> Query<Bool> {
    Diagnostics.unavailable()
  }

  @_documentation(visibility: internal)
  @_disfavoredOverload
  @available(*, unavailable, message: "a property that is not optional is never nil")
  public static func != (query: Query, nothing: _OptionalNilComparisonType) -> Query<Bool> {
    Diagnostics.unavailable()
  }

}

extension Sequence {
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "ask the property: '$0.name.in([\"a\", \"b\"])', '$0.age.contains(1...3)'"
  )
  public func contains<Value>(_ value: Query<Value>) -> Query<Bool> { Diagnostics.unavailable() }
}

extension RangeExpression {
  @_documentation(visibility: internal)
  @_disfavoredOverload
  @available(*, unavailable, message: "ask the property: '$0.age.contains(1...3)'")
  public func contains<Value>(_ value: Query<Value>) -> Query<Bool> { Diagnostics.unavailable() }
}
