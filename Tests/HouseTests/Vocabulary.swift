/// Words that were replaced and must not come back, each with the one that is used.
enum Vocabulary {
  static let replaced = [
    "banish": "revoke", "bringer": "sender", "by force": "modified externally",
    "deaf": "ignores other processes", "disk was put back": "rolled back", "ghost": "placeholder",
    "held and not applied": "deferred", "horizon": "truncation point",
    "noroom": "disk full", "patien": "timeout", "quarantin": "deferred by clock",
    "quiet peer": "lazy peer",
    "rewriting": "reissue", "ruling": "control operation", "shortage": "disk full",
    "stuck": "blocked", "this room": "this module", "trunk": "common history",
    "written again as": "reissued as",
  ]

  /// Folders with words of others, or with the words above.
  private static let exempt = ["Tests/HouseTests/", "Tests/Data/"]

  static func check(_ repository: Repository) -> [Finding] {
    repository.files.flatMap { file -> [Finding] in
      guard !exempt.contains(where: { file.path.hasPrefix($0) }) else { return [] }
      let text = file.text.lowercased()
      let words = replaced.filter { text.contains($0.key) }.sorted { $0.key < $1.key }
      return words.isEmpty ? [] : findings(of: words, in: file)
    }
  }

  private static func findings(
    of words: [(key: String, value: String)], in file: SourceFile
  ) -> [Finding] {
    file.lines.enumerated().flatMap { place, line in
      // Tables keep the names that they have in files.
      let line = line.lowercased().replacing(/atoll_[a-z_]+/, with: "")
      return words.filter { line.contains($0.key) }.map { old, new in
        Finding(file.path, line: place + 1, "`\(old)` was replaced: write `\(new)`.")
      }
    }
  }
}
