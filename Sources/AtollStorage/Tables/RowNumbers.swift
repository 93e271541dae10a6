import AtollSQLite

/// Any number of row numbers as one parameter, so that it is one statement for however many.
enum RowNumbers {
  /// The list of parameter 1, after `IN`.
  static let list = "(SELECT value FROM json_each(?1))"
}

extension Statement {
  /// Binds what ``RowNumbers/list`` reads.
  func bind(rows: some Collection<Int64>) {
    bind("[\(rows.map(String.init).joined(separator: ","))]", at: 1)
  }
}
