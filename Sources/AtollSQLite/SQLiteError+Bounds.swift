extension SQLiteError {
  /// Tells whether a statement was refused because it exceeds a bound of the library, by the library's words:
  /// there is one code for all errors of a statement.
  package var isOfStatement: Bool {
    code.primary == .tooBig
      || Self.bounds.contains { message.contains($0) }
  }

  private static let bounds = [
    "parser stack overflow", "Expression tree is too large", "too many SQL variables",
    "variable number must be between", "tables in a join", "too many arguments on function",
    "too many columns", "too many terms",
  ]
}
