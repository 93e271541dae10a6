import Foundation

/// The code of documentation pages, which has to stand in a snippet that is compiled and run.
enum Snippets {
  /// Only a page that has a snippet of its own name is held to it.
  static func check(_ repository: Repository) -> [Finding] {
    let pages = repository.files.filter {
      $0.isMarkdown && ($0.path.contains(".docc/") || $0.path == FrontPage.path)
    }
    return pages.flatMap { page in
      let name = page.path.split(separator: "/").last.map { $0.dropLast(".md".count) } ?? ""
      let path = page.path == FrontPage.path ? FrontPage.snippet : "Snippets/\(name).swift"
      guard let snippet = repository.file(path) else { return [Finding]() }
      return blocks(of: page).filter { !snippet.text.contains($0.code) }.map {
        Finding(
          page.path, line: $0.line,
          "this code is not in `\(path)`: change both together, so that it is compiled and run.")
      }
    }
  }

  /// The blocks of Swift of a page, with the line each begins at.
  private static func blocks(of page: SourceFile) -> [(line: Int, code: String)] {
    var found: [(Int, String)] = []
    var start: Int?
    for (index, line) in page.lines.enumerated() {
      if let first = start {
        guard line == "```" else { continue }
        found.append((first + 1, page.lines[first..<index].joined(separator: "\n") + "\n"))
        start = nil
      } else if line == "```swift" {
        start = index + 1
      }
    }
    return found
  }
}
