// Forms that people try with a store or in a declaration, each with what to write instead.

extension Store {
  @_documentation(visibility: internal)
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: "a store is opened for an actor by 'try await Store.open(configuration:actor:)'"
  )
  public convenience init(
    configuration: Configuration = .defaultConfiguration, actor: any Actor
  ) throws { Diagnostics.unavailable() }

  @_documentation(visibility: internal)
  @_disfavoredOverload
  @available(
    *, unavailable,
    message:
      "objects are those of a class below 'Object', or of a projection; generic code says '<T: Object>'"
  )
  public func objects<T>(_ type: T.Type) -> Results<Object> { Diagnostics.unavailable() }

  @_documentation(visibility: internal)
  @_disfavoredOverload
  @available(*, unavailable, message: "say what is updated: 'update: .modified' or 'update: .all'")
  public func add(_ object: Object, update: Bool) { Diagnostics.unavailable() }
}

@available(*, unavailable, message: "a link can be nil: declare the property as an optional")
extension Object: _PropertyValue {}

enum Diagnostics {
  /// Nobody gets here: the compiler refuses the call.
  static func unavailable() -> Never { Trap.stop("A form was called that the compiler refuses.") }
}
