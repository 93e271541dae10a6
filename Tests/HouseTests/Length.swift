/// Files and functions short enough to be read in one go.
enum Length {
  static let fileLines = 800
  static let functionLines = 70

  static func files(_ repository: Repository) -> [Finding] {
    repository.files.filter { $0.lines.count > fileLines + 1 }.map { file in
      Finding(
        file.path,
        "\(file.lines.count - 1) lines, at most \(fileLines): find the second type or aspect in "
          + "it and give it a file of its own, `Type.swift` or `Type+Aspect.swift`.")
    }
  }

  static func functions(_ repository: Repository) -> [Finding] {
    repository.files.flatMap { file in
      bodies(in: file.code).filter { $0.count > functionLines }.map { body in
        Finding(
          file.path, line: body.lowerBound + 1,
          "a function of \(body.count) lines, at most \(functionLines): keep the control flow "
            + "here and move what its branches do into functions with names of their own.")
      }
    }
  }

  /// The lines of every function, initialiser and accessor block, from its keyword to its brace.
  static func bodies(in code: [Substring]) -> [Range<Int>] {
    code.indices.compactMap { line in
      guard startsFunction(code[line]) else { return nil }
      return closingLine(of: line, in: code).map { line..<($0 + 1) }
    }
  }

  private static let keywords: Set<Substring> = ["func", "init", "deinit", "subscript"]

  private static func startsFunction(_ line: Substring) -> Bool {
    let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "." || $0 == "@") }
    guard let keyword = words.firstIndex(where: { keywords.contains($0) }) else { return false }
    return words[..<keyword].allSatisfy { modifiers.contains($0) || $0.hasPrefix("@") }
  }

  private static let modifiers: Set<Substring> = [
    "public", "package", "internal", "fileprivate", "private", "open", "static", "class", "final",
    "override", "mutating", "nonmutating", "convenience", "required", "nonisolated", "isolated",
    "borrowing", "consuming", "unsafe", "prefix", "postfix", "infix", "discardableResult",
    "inlinable", "sendable", "dynamic", "optional", "indirect", "__consuming",
  ]

  /// The line of the brace that closes what starts here; nil for a requirement without a body.
  private static func closingLine(of start: Int, in code: [Substring]) -> Int? {
    var braces = 0
    var parentheses = 0
    var isOpened = false
    for line in start..<code.count {
      // A declaration without a body ends where the next one starts.
      if line > start, !isOpened, parentheses == 0, endsRequirement(code[line]) { return nil }
      for character in code[line].utf8 {
        switch character {
        case UInt8(ascii: "("): parentheses += 1
        case UInt8(ascii: ")"): parentheses -= 1
        case UInt8(ascii: "{"):
          braces += 1
          isOpened = isOpened || parentheses == 0
        case UInt8(ascii: "}"):
          braces -= 1
          if braces < 0 { return nil }
          if isOpened && braces == 0 { return line }
        default: break
        }
      }
    }
    return nil
  }

  private static func endsRequirement(_ line: Substring) -> Bool {
    startsFunction(line) || line.allSatisfy(\.isWhitespace)
  }
}
