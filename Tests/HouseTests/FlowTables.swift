/// The functions that the two flows of `Sources/README.md` go by, compared with the code.
enum FlowTables {
  static let path = "Sources/README.md"
  /// Functions from an assignment to the socket, at most.
  static let bound = 20

  /// A row: `| 7 | `StoreFile.locate` | [StoreFile+LocalPaths.swift](AtollStorage/…) | … |`.
  private struct Row {
    let line: Int
    let number: Int
    let type: Substring
    let function: Substring
    let file: String
  }

  static func check(_ repository: Repository) -> [Finding] {
    guard let page = repository.file(path) else { return [Finding(path, "the page is missing.")] }
    let rows = page.lines.enumerated().compactMap { row($0.element, line: $0.offset + 1) }
    guard rows.count(where: { $0.number == 1 }) == 2 else {
      return [Finding(path, "expected the tables of two flows, each numbered from 1.")]
    }
    return rows.flatMap { missing($0, repository) } + misnumbered(rows)
  }

  private static func row(_ line: Substring, line place: Int) -> Row? {
    let pattern = /\| (\d+) \| `([A-Za-z_]+)\.(\w+)` \| \[.+\]\((.+)\) \|.+/
    guard let match = line.wholeMatch(of: pattern), let number = Int(match.1) else { return nil }
    return Row(
      line: place, number: number, type: match.2, function: match.3,
      file: "Sources/\(match.4)")
  }

  private static func missing(_ row: Row, _ repository: Repository) -> [Finding] {
    guard let file = repository.file(row.file) else {
      return [
        Finding(path, line: row.line, "there is no \(row.file): name the file of the function.")
      ]
    }
    let words = row.function == "subscript" ? "subscript" : "func \(row.function)"
    let isThere = file.code.contains { line in
      line.ranges(of: words).contains { range in
        range.upperBound == line.endIndex || "(<".contains(line[range.upperBound])
      }
    }
    let isNamed = file.text.contains(row.type)
    return isThere && isNamed
      ? []
      : [
        Finding(
          path, line: row.line,
          "\(row.file) has no \(row.type).\(row.function): name the function that is called there now."
        )
      ]
  }

  /// Numbers that do not follow one another, and too many of them.
  private static func misnumbered(_ rows: [Row]) -> [Finding] {
    var expected = 1
    var findings: [Finding] = []
    for row in rows {
      if row.number == 1 { expected = 1 }
      if row.number != expected {
        findings.append(Finding(path, line: row.line, "number the function \(expected)."))
      }
      if row.number > bound {
        findings.append(
          Finding(path, line: row.line, "a flow goes by \(bound) functions at most: cut one."))
      }
      expected = row.number + 1
    }
    return findings
  }
}
