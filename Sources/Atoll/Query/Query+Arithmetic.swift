import AtollQuery
import AtollStorage
import AtollVocabulary

// Numbers that are computed before they are compared, in the type of the property, as stored. Whole
// numbers wrap around, and have no quotient by zero; nil makes nil.
extension Query where T: _PropertyValue, T.PersistedType: _Addable {
  /// The sum of the property and a number.
  public static func + (query: Query, number: T) -> Query { query.computing(.add, number) }

  /// The sum of a number and the property.
  public static func + (number: T, query: Query) -> Query {
    query.computing(.add, number, isFirst: true)
  }

  /// The sum of two properties of one type; one of them at most leads through a collection.
  public static func + (a: Query, b: Query) -> Query {
    let doing = "Computing with a condition"
    return Query(.path(a.path(doing).computing(.add, with: b.path(doing))))
  }

  /// The difference of the property and a number.
  public static func - (query: Query, number: T) -> Query { query.computing(.subtract, number) }

  /// The difference of a number and the property.
  public static func - (number: T, query: Query) -> Query {
    query.computing(.subtract, number, isFirst: true)
  }

  /// The difference of two properties of one type; one of them at most leads through a collection.
  public static func - (a: Query, b: Query) -> Query {
    let doing = "Computing with a condition"
    return Query(.path(a.path(doing).computing(.subtract, with: b.path(doing))))
  }

  /// The product of the property and a number.
  public static func * (query: Query, number: T) -> Query { query.computing(.multiply, number) }

  /// The product of a number and the property.
  public static func * (number: T, query: Query) -> Query {
    query.computing(.multiply, number, isFirst: true)
  }

  /// The product of two properties of one type; one of them at most leads through a collection.
  public static func * (a: Query, b: Query) -> Query {
    let doing = "Computing with a condition"
    return Query(.path(a.path(doing).computing(.multiply, with: b.path(doing))))
  }

  /// The quotient of the property and a number.
  public static func / (query: Query, number: T) -> Query { query.computing(.divide, number) }

  /// The quotient of a number and the property.
  public static func / (number: T, query: Query) -> Query {
    query.computing(.divide, number, isFirst: true)
  }

  /// The quotient of two properties of one type; one of them at most leads through a collection.
  public static func / (a: Query, b: Query) -> Query {
    let doing = "Computing with a condition"
    return Query(.path(a.path(doing).computing(.divide, with: b.path(doing))))
  }

  private func computing(
    _ operation: Predicate.Operation, _ number: T, isFirst: Bool = false
  ) -> Query {
    let way = path("Computing with a condition")
    return Query(.path(way.computing(operation, number.queryOperand, isFirst: isFirst)))
  }
}
