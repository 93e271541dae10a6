import AtollQuery
import AtollSQLite
import AtollVocabulary

extension QueryCompiler {
  private static let zero = "x'\(Hexadecimal.text(bytes: Decimal128.zero.orderedBytes))'"

  static func aggregate(_ aggregate: Predicate.Aggregate, _ value: QueryValue) -> String {
    switch aggregate {
    case .minimum where value.type == .any: "min(\(value.key))\(value.number)"
    case .maximum where value.type == .any: "max(\(value.key))\(value.number)"
    case .minimum: "min(\(value.sql))\(value.number)"
    case .maximum: "max(\(value.sql))\(value.number)"
    case .sum where value.type == .any:
      "\(QueryFunctions.decimal)(\(QueryFunctions.sum)(\(value.onlyNumber)))"
    case .average where value.type == .any:
      "\(QueryFunctions.decimal)(\(QueryFunctions.average)(\(value.onlyNumber)))"
    case .sum where value.type == .decimal:
      // The sum of nothing is a whole number, because nothing says what would have been added.
      "coalesce(nullif(\(QueryFunctions.sum)(\(value.sql)), 0), \(zero))"
    case .sum: "\(QueryFunctions.sum)(\(value.sql))"
    case .average: "\(QueryFunctions.average)(\(value.sql))"
    }
  }

  /// The aggregate of all that a query has, as the file reads it.
  ///
  /// Beside the least or greatest of any-typed values stand the value that it is of and its type: SQLite
  /// takes those from the row that `min` or `max` found.
  static func result(of aggregate: Predicate.Aggregate, _ value: QueryValue) -> String {
    guard let tag = value.tag, aggregate == .minimum || aggregate == .maximum else {
      return self.aggregate(aggregate, value)
    }
    let key = "CASE WHEN \(value.isOrdered) THEN \(value.key) END"
    return "\(aggregate == .minimum ? "min" : "max")(\(key)), \(value.sql), \(tag)"
  }
}

extension QueryValue {
  /// The value as columns of a statement inside another.
  var asColumns: String { "\(sql) AS v" + (tag.map { ", \($0) AS g" } ?? "") }

  /// The column name of ``asColumns``.
  var column: QueryValue {
    var column = self
    (column.sql, column.raw) = ("v", "v")
    if tag != nil { column.tag = "g" }
    return column
  }
}
