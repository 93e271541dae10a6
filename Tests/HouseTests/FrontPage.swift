/// The README, which a newcomer reads first.
enum FrontPage {
  static let path = "README.md"
  /// The file of its program, which is compiled and run.
  static let snippet = "Snippets/FrontPage.swift"
  private static let bound = 150

  static func check(_ repository: Repository) -> [Finding] {
    guard let page = repository.file(path) else { return [Finding(path, "it is missing.")] }
    var findings: [Finding] = []
    // The last line ends with a newline, after which there is an empty one.
    let count = page.lines.count - 1
    if count > bound {
      findings.append(
        Finding(
          path, line: bound + 1,
          "it has \(count) lines, and at most \(bound) are read: move what is for some readers "
            + "only to a page of its own."))
    }
    if repository.file(snippet) == nil {
      findings.append(Finding(path, "its program is to stand in `\(snippet)`, which is missing."))
    }
    return findings
  }
}
