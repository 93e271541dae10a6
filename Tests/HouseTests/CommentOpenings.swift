/// First words of comments. A comment names its thing or says what is done, so that one reads the
/// subject first: "The last sequence number acknowledged by the peer."
enum CommentOpenings {
  static let refused: Set<Substring> = [
    "How", "What", "When", "Where", "Whether", "Which", "Who", "Whom", "Whose",
  ]

  static func check(_ repository: Repository) -> [Finding] {
    repository.files.filter { $0.path.hasSuffix(".swift") }.flatMap { file in
      file.lines.indices.compactMap { line -> Finding? in
        guard let word = firstWord(of: file.lines[line]), refused.contains(word),
          line == 0 || !hasWords(file.lines[line - 1])
        else { return nil }
        return Finding(
          file.path, line: line + 1,
          "a comment begins with `\(word)`: name the thing (\"The number of …\") or say what is "
            + "done (\"Returns …\", \"Tells whether …\").")
      }
    }
  }

  private static func firstWord(of line: Substring) -> Substring? {
    let text = line.drop { $0 == " " }
    guard text.hasPrefix("//") else { return nil }
    return text.drop { $0 == "/" }.split(separator: " ").first
  }

  /// A line of a comment that the next line continues.
  private static func hasWords(_ line: Substring) -> Bool { firstWord(of: line) != nil }
}
