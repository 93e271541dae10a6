/// The bugs that `.ci/museum` puts back, against the sources and the tests.
enum Museum {
  private static let folder = "Tests/ScenarioTests/Museum/"

  static func check(_ repository: Repository) -> [Finding] {
    let files = repository.files.filter { $0.path.hasPrefix(folder) }
    let bugs = files.filter { $0.path.hasSuffix(".diff") }
    let tests = files.filter(\.isSwift).flatMap { file in
      file.lines.enumerated().compactMap { index, line in
        line.firstMatch(of: /`museum: (.*)`/).map { (file.path, index + 1, String($0.1)) }
      }
    }
    let names = bugs.flatMap { bug in self.names(in: bug).map { (bug.path, $0) } }
    let untested = names.filter { _, name in !tests.contains { $0.2.hasPrefix("\(name), ") } }
      .map { Finding($0, "no test is called `museum: \($1), …`: add it, or remove the bug.") }
    let unshown = tests.filter { test in !names.contains { test.2.hasPrefix("\($0.1), ") } }
      .map { path, line, _ in
        Finding(path, line: line, "no file of \(folder)Bugs has a bug of this name: add it.")
      }
    return bugs.flatMap { misplaced($0, in: repository) } + untested + unshown
  }

  private static func names(in bug: SourceFile) -> [String] {
    bug.text.matches(of: /Museum\.has\("(.+?)"\)/).map { String($0.1) }
  }

  /// The hunks that no longer have their one place in the sources.
  private static func misplaced(_ bug: SourceFile, in repository: Repository) -> [Finding] {
    let sources = repository.files.filter { $0.isSwift && $0.path.hasPrefix("Sources/") }
    return hunks(of: bug).compactMap { line, lines in
      let found = lines.filter { !$0.hasPrefix("+") }.map { $0.dropFirst() + "\n" }.joined()
      let places = sources.reduce(0) { $0 + $1.text.ranges(of: found).count }
      return places == 1
        ? nil
        : Finding(
          bug.path, line: line,
          "\(places) places of Sources have the lines of this hunk: give it those of one place.")
    }
  }

  /// The lines of each hunk, and the number of its head.
  private static func hunks(of bug: SourceFile) -> [(line: Int, lines: [Substring])] {
    let heads = bug.lines.indices.filter { bug.lines[$0].hasPrefix("@@") }
    let ends = heads.dropFirst() + [bug.lines.count]
    return zip(heads, ends).map { head, end in
      (head + 1, bug.lines[(head + 1)..<end].filter { !$0.isEmpty })
    }
  }
}
