/// The entries that may stand at the top of the repository.
enum TopLevel {
  static let entries: Set<Substring> = [
    "Package.swift", "Sources", "Tests", "deploy", "protocol", "README.md", "Benchmarks",
    "Examples", "Snippets", "Makefile", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md",
  ]

  static func check(_ repository: Repository) -> [Finding] {
    let top = Set(repository.paths.compactMap { $0.split(separator: "/").first })
    return top.filter { !entries.contains($0) && !$0.hasPrefix(".") }.sorted().map {
      Finding(String($0), "does not belong at the top: move it into the folder of what it is for.")
    }
  }
}
