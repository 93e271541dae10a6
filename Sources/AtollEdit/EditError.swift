/// Something about a change that the store has no place for; what the file refuses is `StorageError`.
package enum EditError: Error, Hashable, Sendable {
  /// Objects that a table cannot hold without losing something.
  case notInCSV(class: String, detail: String)
}

extension EditError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notInCSV(let name, let detail):
      "writing \(name) as CSV: \(detail), which a table cannot tell; export it as JSON lines"
    }
  }
}
