/// Frames and limits of the code against those that `protocol/` describes, in both directions.
enum ProtocolPages {
  static let framesPage = "protocol/frames.md"
  static let limitsPage = "protocol/limits.md"
  static let frameSource = "Sources/AtollWire/Frame.swift"
  static let limitSource = "Sources/AtollVocabulary/Limits.swift"

  /// The parts of `Limits` that both ends of a link have to agree on.
  static let sharedParts: Set<Substring> = ["Changesets", "Frames"]

  static func frames(_ repository: Repository) -> [Finding] {
    guard let page = repository.file(framesPage), let source = repository.file(frameSource) else {
      return []
    }
    let inCode = kinds(in: source)
    let onPage = rows(in: page)
    let missing = inCode.filter { kind in
      !onPage.contains { $0.name == kind.name && $0.number == kind.number }
    }.map { kind in
      Finding(
        framesPage,
        "no row for frame `\(kind.name)` with the number \(kind.number): describe its bytes.")
    }
    let stale = onPage.filter { row in !inCode.contains { $0.name == row.name } }.map { row in
      Finding(
        framesPage, line: row.line, "frame `\(row.name)` is not in \(frameSource): remove the row.")
    }
    return missing + stale
  }

  static func limits(_ repository: Repository) -> [Finding] {
    guard let page = repository.file(limitsPage), let source = repository.file(limitSource) else {
      return []
    }
    let inCode = declaredLimits(in: source)
    let named = page.lines.enumerated().compactMap { index, line in
      line.firstMatch(of: /^\| `(?:Limits\.)?(\w+)`/).map { (line: index + 1, name: String($0.1)) }
    }
    let missing = inCode.filter { limit in
      limit.isShared && !named.contains { $0.name == limit.name }
    }.map {
      Finding(limitsPage, "no row for `\($0.name)`: say what it bounds, and its value.")
    }
    let stale = named.filter { row in !inCode.contains { $0.name == row.name } }.map {
      Finding(
        limitsPage, line: $0.line, "`\($0.name)` is not in \(limitSource): remove the row.")
    }
    return missing + stale
  }

  /// `case hello = 1` of the enumeration that numbers the frames.
  private static func kinds(in source: SourceFile) -> [(name: String, number: Int)] {
    source.code.compactMap { line in
      line.firstMatch(of: /^\s*case (\w+) = (0x[0-9A-Fa-f]+|\d+)/).flatMap { match in
        number(match.2).map { (String(match.1), $0) }
      }
    }
  }

  /// Rows of the table of kinds: `| 1 | `hello` | …`.
  private static func rows(in page: SourceFile) -> [(line: Int, name: String, number: Int)] {
    page.lines.enumerated().compactMap { index, line in
      line.firstMatch(of: /^\| `?(0x[0-9A-Fa-f]+|\d+)`? \| \[?`(\w+)`/).flatMap { match in
        number(match.1).map { (index + 1, String(match.2), $0) }
      }
    }
  }

  private static func number(_ text: Substring) -> Int? {
    text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
  }

  private static func declaredLimits(
    in source: SourceFile
  ) -> [(name: String, isShared: Bool)] {
    var part: Substring = ""
    return source.lines.compactMap { line in
      if let mark = line.firstMatch(of: /\/\/ MARK: (.+)$/) { part = mark.1 }
      return line.firstMatch(of: /static let (\w+)/).map {
        (String($0.1), sharedParts.contains(part))
      }
    }
  }
}
