/// The table of modules in `Sources/README.md`, against the folders of `Sources/`.
enum ModuleTable {
  static let page = "Sources/README.md"

  static func check(_ repository: Repository) -> [Finding] {
    let rows = Set(modules(in: repository.file(page)?.text ?? ""))
    let folders = Set(repository.sourceFolders)
    let missing = folders.subtracting(rows).sorted().map { folder in
      Finding(
        page,
        "no row for `Sources/\(folder)`: add `| `\(folder)` | the module, in a line |` to the "
          + "table.")
    }
    let stale = rows.subtracting(folders).sorted().map { row in
      Finding(
        page, "a row for `\(row)`, which `Sources/` does not have: remove or rename it.")
    }
    return missing + stale
  }

  /// The first cells of the table below the heading `Folder in `Sources/``.
  static func modules(in readme: String) -> [String] {
    let lines = readme.split(separator: "\n", omittingEmptySubsequences: false)
    guard let heading = lines.firstIndex(where: { $0.hasPrefix("| Folder in `Sources/`") }) else {
      return []
    }
    return lines[(heading + 1)...].prefix { $0.hasPrefix("|") }.compactMap { row in
      row.firstMatch(of: /^\| `(\w+)` \|/).map { String($0.1) }
    }
  }
}

/// The levels drawn in the README: ` 3   AtollReplication   AtollTransport`.
struct ModuleLevels {
  private var levels: [String: Int] = [:]
  /// Modules of one level of which the second may import the first: `AtollNode ◀── Atoll (client)`, and
  /// whatever imports the second as well.
  private var arrows: Set<[String]> = []

  init(_ readme: String) {
    for line in readme.split(separator: "\n") {
      guard let match = line.firstMatch(of: /^ (\d)  +(.+)$/), let level = Int(match.1) else {
        continue
      }
      for word in match.2.split(separator: " ") where word.allSatisfy(\.isLetter) {
        levels[String(word)] = level
      }
      for arrow in match.2.matches(of: /(\w+)(?: \(\w+\))? ◀── (?=(\w+))/) {
        arrows.insert([String(arrow.2), String(arrow.1)])
      }
    }
  }

  func level(of module: String) -> Int? { levels[module] }
  func isDrawn(from: String, to: String) -> Bool {
    arrows.contains { $0[0] == from && ($0[1] == to || isDrawn(from: $0[1], to: to)) }
  }
}
