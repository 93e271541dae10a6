/// The command line, which parses its arguments, calls, and prints.
enum CommandLineRule {
  static let folder = "Sources/AtollCommand/"

  /// The files that name a `StoreFile`: those that open or make one.
  ///
  /// The list only gets shorter: what is shown of a store comes from `AtollInspect`.
  static let openers: Set<String> = [
    "BenchCommand.swift", "CopyCommands.swift", "InitCommand.swift", "JoinCommand.swift",
    "StoreArgument.swift",
  ]

  static func check(_ repository: Repository) -> [Finding] {
    let files = repository.files.filter { $0.isSwift && $0.path.hasPrefix(folder) }
    let stale = files.isEmpty ? [] : openers.subtracting(files.map(name)).sorted()
    return files.flatMap(findings)
      + stale.map { Finding(folder + $0, "there is no such file: take it off `openers`.") }
  }

  private static func name(_ file: SourceFile) -> String {
    String(file.path.dropFirst(folder.count))
  }

  private static func findings(_ file: SourceFile) -> [Finding] {
    let places = file.code.indices.filter { Words.contains("StoreFile", in: file.code[$0]) }
    let imports = Imports.imports(of: file).filter { $0.module == "AtollSQLite" }.map {
      Finding(file.path, line: $0.line, "ask AtollStorage or AtollInspect, not SQLite.")
    }
    guard openers.contains(name(file)) else {
      return imports
        + places.map { line in
          Finding(
            file.path, line: line + 1,
            "a `StoreFile` is opened by `StoreArgument`; have AtollInspect make what is shown, as a "
              + "value, and print it here.")
        }
    }
    let isIdle = places.isEmpty
    return imports
      + (isIdle ? [Finding(file.path, "it names no `StoreFile`: take it off `openers`.")] : [])
  }
}
