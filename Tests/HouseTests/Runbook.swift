/// The messages that the runbook explains, against the cases of the code.
enum Runbook {
  static let page = "deploy/RUNBOOK.md"

  /// The sources of the messages, each with whether the runbook has to explain them.
  static let sources: [(name: String, path: String, isWhole: Bool)] = [
    ("StatusEvent", "Sources/AtollReplication/StatusEvent.swift", true),
    ("GoodbyeCode", "Sources/AtollWire/Goodbye.swift", true),
    ("NodeError", "Sources/AtollNode/NodeError.swift", true),
    ("TransportError", "Sources/AtollTransport/TransportError.swift", true),
    ("DaemonFailure", "Sources/AtollDaemon/DaemonFailure.swift", true),
    // Most of these are mistakes of a program, which no operator meets.
    ("StorageError", "Sources/AtollStorage/StorageError.swift", false),
  ]

  static func check(_ repository: Repository) -> [Finding] {
    guard let page = repository.file(page) else { return [] }
    let rows = page.lines.enumerated().compactMap { index, line in
      line.firstMatch(of: /^\| `(\w+\.\w+)` \|/).map { (line: index + 1, name: String($0.1)) }
    }
    var known: Set<String> = []
    var wanted: [String] = []
    for source in sources {
      guard let file = repository.file(source.path) else { continue }
      let names = cases(of: source.name, in: file).map { "\(source.name).\($0)" }
      known.formUnion(names)
      if source.isWhole { wanted += names }
    }
    let missing = wanted.filter { name in !rows.contains { $0.name == name } }.map {
      Finding(Self.page, "no row for `\($0)`: say what the message means and what to do.")
    }
    let stale = rows.filter { !known.contains($0.name) }.map {
      Finding(
        Self.page, line: $0.line, "there is no message `\($0.name)`: remove or rename the row.")
    }
    return missing + stale
  }

  /// The names of an enumeration's cases, from its head to the brace that ends it.
  private static func cases(of name: String, in file: SourceFile) -> [String] {
    guard let head = file.code.firstIndex(where: { $0.contains("enum \(name)") }) else { return [] }
    return file.code[(head + 1)...].prefix { !$0.hasPrefix("}") }.compactMap { line in
      line.firstMatch(of: /^  case (\w+)/).map { String($0.1) }
    }
  }
}
