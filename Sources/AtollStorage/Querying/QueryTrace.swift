/// The queries of a file for a while; for tests, which count them.
package struct QueryTrace {
  /// The SQL of each statement that began to run, without values.
  package let statements: [String]
  /// Rows that statements gave.
  package let rows: Int
  /// Statements that were compiled and kept.
  package let compiled: Int
  /// The cost of finding the rows, those that were passed over included.
  package let instructions: Int
}
