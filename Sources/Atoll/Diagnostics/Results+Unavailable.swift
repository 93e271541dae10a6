// Forms that people try with objects in an order or a sum, each with what to write instead.

extension Results {
  @_documentation(visibility: internal)
  @available(*, unavailable, renamed: "sorted(byKeyPath:ascending:)")
  public func sorted(by path: String, ascending: Bool = true) -> Results {
    Diagnostics.unavailable()
  }

  @_documentation(visibility: internal)
  @available(*, unavailable, renamed: "sorted(by:ascending:)")
  public func sorted<Value>(
    byKeyPath path: KeyPath<Element, Value>, ascending: Bool = true
  ) -> Results { Diagnostics.unavailable() }

  @_documentation(visibility: internal)
  @_disfavoredOverload
  @available(
    *, unavailable,
    message:
      "objects are ordered by what is stored as a number, text, date, data, Bool, UUID or ObjectId; through a link by '\\.dog?.name'"
  )
  public func sorted<Value>(by path: KeyPath<Element, Value>, ascending: Bool = true) -> Results {
    Diagnostics.unavailable()
  }

  @_documentation(visibility: internal)
  @available(*, unavailable, message: "name the properties in an array: 'distinct(by: [\\.name])'")
  public func distinct<Value>(by path: KeyPath<Element, Value>) -> Results {
    Diagnostics.unavailable()
  }
}

extension _Aggregated where Self: Sequence, Element: ObjectBase {
  @_documentation(visibility: internal)
  @_disfavoredOverload
  @available(*, unavailable, message: "numbers only are added up")
  public func sum<Value>(of path: KeyPath<Element, Value>) -> Double { Diagnostics.unavailable() }

  @_documentation(visibility: internal)
  @_disfavoredOverload
  @available(*, unavailable, message: "numbers only have an average")
  public func average<Value>(of path: KeyPath<Element, Value>) -> Double? {
    Diagnostics.unavailable()
  }

  @_documentation(visibility: internal)
  @_disfavoredOverload
  @available(
    *, unavailable, message: "numbers and dates only; of others 'sorted(by: \\.name).first?.name'"
  )
  public func min<Value>(of path: KeyPath<Element, Value>) -> Value? { Diagnostics.unavailable() }

  @_documentation(visibility: internal)
  @_disfavoredOverload
  @available(
    *, unavailable, message: "numbers and dates only; of others 'sorted(by: \\.name).last?.name'"
  )
  public func max<Value>(of path: KeyPath<Element, Value>) -> Value? { Diagnostics.unavailable() }
}
