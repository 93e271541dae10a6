import Foundation

/// Relative links in Markdown, each of which has to lead to something that is tracked.
enum Links {
  static func check(_ repository: Repository) -> [Finding] {
    repository.files.filter(\.isMarkdown).flatMap { file in
      targets(in: file).compactMap { line, target in
        let path = resolved(target, from: file.path)
        guard path.map({ !repository.contains($0) }) ?? true else { return nil }
        return Finding(
          file.path, line: line,
          "the link to `\(target)` leads nowhere: write a path relative to this file, to something "
            + "in the repository.")
      }
    }
  }

  /// The relative targets of a page with their lines; code is skipped.
  static func targets(in file: SourceFile) -> [(line: Int, target: String)] {
    var isCode = false
    var found: [(Int, String)] = []
    for (index, line) in file.lines.enumerated() {
      if line.hasPrefix("```") {
        isCode.toggle()
        continue
      }
      guard !isCode, line.contains("](") else { continue }
      let prose = line.replacing(/`[^`]*`/, with: "")
      for match in prose.matches(of: /\]\(([^)\s]+)[^)]*\)/) {
        let target = String(match.1)
        guard !target.contains("://"), !target.hasPrefix("#"), !target.hasPrefix("mailto:") else {
          continue
        }
        found.append((index + 1, target))
      }
    }
    return found
  }

  /// The path from the top; nil where it leaves the repository.
  private static func resolved(_ target: String, from page: String) -> String? {
    var parts = page.split(separator: "/").dropLast().map(String.init)
    for step in target.prefix(while: { $0 != "#" }).split(separator: "/") {
      switch step {
      case ".": continue
      case "..":
        guard parts.popLast() != nil else { return nil }
      default: parts.append(step.removingPercentEncoding ?? String(step))
      }
    }
    return parts.joined(separator: "/")
  }
}
