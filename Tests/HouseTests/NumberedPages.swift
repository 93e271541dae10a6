/// A page that numbers what must hold, and the tests that name the numbers.
struct NumberedPage {
  let path: String
  /// Before the number, in a heading of the page: `### Rule 7: …`.
  let word: String
  /// The last number.
  let count: Int
  /// Before the numbers, in tests.
  let testsBegin: String
  /// Reads the numbers that a line of Swift names; none for most.
  let named: @Sendable (Substring) -> [Int]

  static let rules = NumberedPage(
    path: "Sources/Atoll/Atoll.docc/ProjectionRules.md", word: "Rule", count: 69,
    testsBegin: "`rule "
  ) { line in
    // Names of tests that begin with `rule 7: ` or `rules 7 and 9: `.
    guard let start = line.firstIndex(of: "`") else { return [] }
    let name = line[line.index(after: start)...]
    guard name.hasPrefix("rule ") || name.hasPrefix("rules "), let end = name.firstIndex(of: ":")
    else { return [] }
    return numbers(in: name[..<end])
  }

  static let scenarios = NumberedPage(
    path: "Tests/ScenarioTests/Scenarios.md", word: "Scenario", count: 52,
    testsBegin: "`scenario "
  ) { line in
    // Names of tests that begin with `scenario 7 …` or `scenarios 7 and 9 …`, and labels of stories.
    line.matches(of: /["`]scenarios? ((?:\d+|, | and | to )+)/).flatMap { numbers(in: $0.1) }
  }

  /// Returns the rows that the page lacks, has twice or has too much, those that no test names, and
  /// tests without a row.
  func check(_ repository: Repository) -> [Finding] {
    guard let page = repository.file(path) else {
      return [Finding(path, "the page of all numbers is missing: write it, a heading each.")]
    }
    let headings = page.lines.enumerated().compactMap { place, line in
      heading(line).map { (line: place + 1, number: $0) }
    }
    return order(headings) + untested(repository) + unknown(repository)
  }

  private func heading(_ line: Substring) -> Int? {
    guard line.hasPrefix("### \(word) "), let end = line.firstIndex(of: ":") else { return nil }
    return Int(line[..<end].dropFirst("### \(word) ".count))
  }

  private func order(_ headings: [(line: Int, number: Int)]) -> [Finding] {
    for (place, heading) in headings.enumerated() where heading.number != place + 1 {
      return [
        Finding(
          path, line: heading.line,
          "heading \(place + 1) is of \(heading.number): number them one after the other.")
      ]
    }
    guard headings.count != count else { return [] }
    return [
      Finding(
        path,
        "there are \(headings.count) headings `### \(word) N: `, and \(count) numbers: "
          + "write what is missing, or change the count in `NumberedPage`.")
    ]
  }

  private func tests(_ repository: Repository) -> [SourceFile] {
    repository.files.filter {
      $0.isSwift && $0.path.hasPrefix("Tests/") && !$0.path.hasPrefix("Tests/HouseTests/")
    }
  }

  private func untested(_ repository: Repository) -> [Finding] {
    let found = Set(tests(repository).flatMap { $0.lines.flatMap(named) })
    return (1...count).filter { !found.contains($0) }.map { number in
      Finding(
        path,
        "no test names \(word.lowercased()) \(number): write one whose name begins with "
          + "\(testsBegin)\(number)` and that fails when it is broken.")
    }
  }

  private func unknown(_ repository: Repository) -> [Finding] {
    tests(repository).flatMap { file in
      file.lines.enumerated().flatMap { place, line in
        named(line).filter { !(1...count).contains($0) }.map { number in
          Finding(
            file.path, line: place + 1,
            "\(word.lowercased()) \(number) is on no page: write it into \(path), or name another.")
        }
      }
    }
  }

  private static func numbers(in text: Substring) -> [Int] {
    text.split { !$0.isNumber }.compactMap { Int($0) }
  }
}
