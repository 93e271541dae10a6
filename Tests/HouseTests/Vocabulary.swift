/// Words that were replaced and must not come back, each with the one that is used.
enum Vocabulary {
  static let replaced = ["banish": "revoke", "bringer": "sender"]

  static func check(_ repository: Repository) -> [Finding] {
    repository.files.filter { !$0.path.hasPrefix("Tests/HouseTests/") }.flatMap { file in
      file.lines.enumerated().flatMap { place, line in
        let line = line.lowercased()
        return replaced.sorted { $0.key < $1.key }.filter { line.contains($0.key) }.map {
          old, new in
          Finding(file.path, line: place + 1, "`\(old)` was replaced: write `\(new)`.")
        }
      }
    }
  }
}
