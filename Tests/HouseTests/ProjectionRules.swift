/// The rules of type projection, each of which a test has to name.
enum ProjectionRules {
  static let numbers = 1...69

  /// Rules that only the compiler can hold, and why no test can fail for them.
  static let heldByTheCompiler: [Int: String] = [:]

  static func untested(_ repository: Repository) -> [Finding] {
    let named = Set(
      repository.files.filter { $0.isSwift && $0.path.hasPrefix("Tests/Atoll") }
        .flatMap { numbers(in: $0) })
    return numbers.filter { !named.contains($0) && heldByTheCompiler[$0] == nil }.map { number in
      Finding(
        "Tests/AtollTests/Matrix",
        "no test names rule \(number) of type projection: write one whose name begins with "
          + "`rule \(number): ` and that fails when the rule is broken.")
    }
  }

  /// The numbers in names of tests that begin with `rule 7: ` or `rules 7 and 9: `.
  private static func numbers(in file: SourceFile) -> [Int] {
    file.lines.flatMap { line -> [Int] in
      guard let start = line.firstIndex(of: "`") else { return [] }
      let name = line[line.index(after: start)...]
      guard name.hasPrefix("rule ") || name.hasPrefix("rules "), let end = name.firstIndex(of: ":")
      else { return [] }
      return name[..<end].split { !$0.isNumber }.compactMap { Int($0) }
    }
  }
}
