/// Why the demonstration could not be brought to its end.
enum ClusterError: Error {
  case notBuilt(String, folder: String)
  case notStarted(String, reason: String)
  case timeOut(String, waited: Duration, lines: [String])
  case failed(String, code: Int32, lines: [String])
  case noAirports(path: String, reason: String)
  case notConverged(waited: Duration, vectors: [String])
  case different(reason: String)
  case noClasses
}

extension ClusterError: CustomStringConvertible {
  var description: String {
    switch self {
    case .notBuilt(let name, let folder):
      "\(name) is not in \(folder): build the whole package first (`make release`, `make build`)"
    case .notStarted(let name, let reason):
      "starting \(name): \(reason)"
    case .timeOut(let name, let waited, let lines):
      "\(name) did not get there within \(waited)" + ClusterError.tail(lines)
    case .failed(let name, let code, let lines):
      "\(name) ended with code \(code)" + ClusterError.tail(lines)
    case .noAirports(let path, let reason):
      "reading airports from \(path): \(reason)"
    case .notConverged(let waited, let vectors):
      "the three have not got each other's changesets within \(waited): "
        + vectors.joined(separator: ", ")
    case .different(let reason):
      "the three are not equal: \(reason)"
    case .noClasses:
      "finding the model classes: none was found, expected those of the demonstration"
    }
  }

  private static func tail(_ lines: [String]) -> String {
    lines.isEmpty
      ? "; it wrote nothing"
      : "; it wrote last:\n" + lines.map { "  | \($0)" }.joined(separator: "\n")
  }
}
