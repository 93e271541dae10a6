import AtollChanges
import AtollVocabulary

extension Checker {
  /// A log is dense, chained, in causal order, and readable.
  static func log(_ node: Int, _ entries: [LogEntry]) -> [Violation] {
    var reader = LogReader()
    for entry in entries {
      if let problem = reader.problem(with: entry) {
        let name = "changeset \(entry.id.sequence) of \(entry.id.author.shortDescription)"
        return [Violation(kind: .log, text: "node \(node), \(name): \(problem)")]
      }
    }
    return []
  }
}

/// Follows a log from its start, and says what is wrong with the first entry that is.
private struct LogReader {
  private var position = LogPosition.start
  private var heads = Holdings.none
  /// Looked up and never listed.
  private var tables: [Author: DeclarationTable] = [:]

  mutating func problem(with entry: LogEntry) -> String? {
    let author = entry.id.author
    guard entry.position > position else { return "its position is not behind the last one's" }
    position = entry.position
    let head = heads.head(of: author)
    let expected = (head?.sequence ?? .none).next
    guard entry.id.sequence == expected else { return "expected \(expected) here" }
    let hash = (head?.hash ?? .origin(of: author)).following(entry.bytes)
    guard hash == entry.id.hash else { return "its bytes do not give its hash" }
    var table = tables[author] ?? DeclarationTable(author: author)
    do {
      let changeset = try Changeset(decoding: entry.bytes, author: author)
      guard changeset.sequence == entry.id.sequence else { return "its bytes have another number" }
      try table.adopt(changeset.declarations)
      for dependency in changeset.dependencies {
        if let problem = problem(with: dependency, table) { return problem }
      }
    } catch {
      return "\(error)"
    }
    tables[author] = table
    heads.adopt(entry.id)
    return nil
  }

  private func problem(with dependency: Dependency, _ table: DeclarationTable) -> String? {
    guard let author = table[dependency.author] else { return "it depends on an unknown author" }
    guard heads.sequence(of: author) >= dependency.sequence else {
      return "it stands before changeset \(dependency.sequence) of \(author.shortDescription), "
        + "which it depends on"
    }
    return nil
  }
}
