/// The errors that the storage's interface throws, which other modules tell apart by their cases.
enum TypedThrows {
  /// The modules whose interface names the type of every error.
  static let modules: Set<String> = ["AtollStorage", "AtollQuery"]

  static let instead =
    "name the type of the error: `throws(StorageError)`, or `throws(Failure)` of a closure's own"

  /// Lines that a declaration may go on for before its body.
  private static let headLines = 40

  static func check(_ repository: Repository) -> [Finding] {
    repository.files.filter { file in
      file.isSwift && file.path.hasPrefix("Sources/") && file.module.map(modules.contains) == true
    }.flatMap(findings)
  }

  private static func findings(_ file: SourceFile) -> [Finding] {
    var isInterface = false
    return file.code.indices.compactMap { index in
      let line = file.code[index]
      let isDeclaration = isDeclaration(line)
      if isDeclaration { isInterface = line.contains(/\b(package|public)\b/) }
      guard isInterface else { return nil }
      let throwing =
        isDeclaration
        ? head(file, from: index).contains(/\b(throws\b(?!\()|rethrows\b)/)
        : line.contains(/^\s*(get|set)( async)? throws\b(?!\()/)
      return throwing ? Finding(file.path, line: index + 1, instead) : nil
    }
  }

  /// A declaration up to its body, or to the end of its line if it has none.
  private static func head(_ file: SourceFile, from start: Int) -> String {
    var text = ""
    var depth = 0
    for line in file.code[start...].prefix(headLines) {
      for character in line {
        if character == "{" && depth == 0 { return text }
        if "([".contains(character) { depth += 1 }
        if ")]".contains(character) { depth -= 1 }
        text.append(character)
      }
      text.append("\n")
      if depth == 0, !line.trimmed.hasSuffix(")") { return text }
    }
    return text
  }

  private static func isDeclaration(_ line: Substring) -> Bool {
    line.contains(/\b(func|init|subscript|var|let|typealias)\b/)
  }
}

extension Substring {
  fileprivate var trimmed: String {
    String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}
