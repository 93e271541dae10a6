/// The page that lists the errors of the library and the programs, against the cases of the code.
enum ErrorPage {
  static let page = "Sources/Atoll/Atoll.docc/Errors.md"

  /// The enumerations whose cases the page has a row of, by the name that the row gives them.
  static let sources: [(name: String, path: String, head: String)] = [
    ("Code", "Sources/Atoll/Store/Store+Error.swift", "enum Code"),
    ("Reason", "Sources/Atoll/Sync/Sync+Missing.swift", "enum Reason"),
    ("StorageError", "Sources/AtollStorage/StorageError.swift", "enum StorageError"),
    ("InspectionError", "Sources/AtollInspect/InspectionError.swift", "enum InspectionError"),
    ("EditError", "Sources/AtollEdit/EditError.swift", "enum EditError"),
    ("OperatingError", "Sources/AtollEdit/OperatingError.swift", "enum OperatingError"),
    ("StudioError", "Sources/AtollStudio/StudioError.swift", "enum StudioError"),
    ("CommandError", "Sources/AtollCommand/CommandError.swift", "enum CommandError"),
    ("ClusterError", "Sources/AtollCluster/ClusterError.swift", "enum ClusterError"),
  ]

  /// The programs, by the folder of their module.
  static let programs: [(name: String, module: String)] = [
    ("atolld", "AtollDaemon"), ("atoll", "AtollCommand"),
    ("atoll-cluster", "AtollCluster"),
  ]

  /// The codes that ArgumentParser gives by itself: for what went well, and for arguments without sense.
  static let parserCodes: Set<Int> = [0, 64]
  static let plainFailure = 1

  /// The file of the one enumeration that makes its exit codes out of numbers alone.
  static let numbers = "Sources/AtollDaemon/DaemonFailure.swift"

  static func check(_ repository: Repository) -> [Finding] {
    guard let page = repository.file(page) else {
      return [Finding(page, "the page of all errors is missing: write it, a row each.")]
    }
    return cases(repository, page) + exitCodes(repository, page) + publicTypes(repository, page)
  }

  // MARK: Cases

  private static func cases(_ repository: Repository, _ page: SourceFile) -> [Finding] {
    let rows = page.lines.enumerated().compactMap { index, line in
      line.firstMatch(of: /^\| `(\w+\.\w+)` \|/).map { (line: index + 1, name: String($0.1)) }
    }
    var known: [String] = []
    for source in sources {
      guard let file = repository.file(source.path) else { continue }
      known += names(in: file, after: source.head).map { "\(source.name).\($0)" }
    }
    let missing = known.filter { name in rows.count { $0.name == name } != 1 }.map {
      Finding(
        Self.page, "not one row for `\($0)`: say what the error means and what to do about it.")
    }
    let stale = rows.filter { !known.contains($0.name) }.map {
      Finding(Self.page, line: $0.line, "there is no error `\($0.name)`: remove or rename the row.")
    }
    return missing + stale
  }

  /// The names of an enumeration's cases, from its head to the brace below it.
  static func names(in file: SourceFile, after head: String) -> [String] {
    guard let start = file.code.firstIndex(where: { $0.contains("\(head):") }) else { return [] }
    let indent = String(file.code[start].prefix { $0 == " " })
    return file.code[(start + 1)...].prefix { !$0.hasPrefix(indent + "}") }.flatMap { line in
      guard line.hasPrefix(indent + "  case ") else { return [String]() }
      return line.dropFirst(indent.count + 7).split(separator: #/\(.*\)|, /#).map(String.init)
    }
  }

  // MARK: Exit codes

  private static func exitCodes(_ repository: Repository, _ page: SourceFile) -> [Finding] {
    programs.flatMap { program in
      let known = codes(repository, program.module)
      let rows = page.lines.enumerated().compactMap { index, line in
        line.firstMatch(of: /^\| `([a-z-]+)` \| (\d+) \|/).flatMap { match in
          match.1 == program.name ? (line: index + 1, code: Int(match.2) ?? -1) : nil
        }
      }
      let missing = known.subtracting(rows.map(\.code)).sorted().map {
        Finding(Self.page, "no row for the exit code \($0) of `\(program.name)`.")
      }
      let stale = rows.filter { !known.contains($0.code) }.map {
        Finding(
          Self.page, line: $0.line,
          "`\(program.name)` never ends with \($0.code): remove the row, or correct the number.")
      }
      return missing + stale
    }
  }

  /// The exit codes that the code of a program names.
  private static func codes(_ repository: Repository, _ module: String) -> Set<Int> {
    let files = repository.files.filter { $0.isSwift && $0.path.hasPrefix("Sources/\(module)/") }
    guard !files.isEmpty else { return [] }
    var found = parserCodes
    for file in files {
      for line in file.code {
        for match in line.matches(of: /ExitCode\((\d+)\)/) { found.insert(Int(match.1) ?? -1) }
        if line.contains("ExitCode.failure") { found.insert(plainFailure) }
        guard file.path == numbers, let match = line.firstMatch(of: /: (\d+)$/) else { continue }
        found.insert(Int(match.1) ?? -1)
      }
    }
    return found
  }

  // MARK: Types

  /// The public error types of the library that the page does not name.
  private static func publicTypes(_ repository: Repository, _ page: SourceFile) -> [Finding] {
    repository.files.filter { $0.isSwift && $0.path.hasPrefix("Sources/Atoll/") }.flatMap { file in
      file.code.compactMap { line in
        line.firstMatch(of: /public (?:struct|enum) (\w+): (?:\w+, )*(?:Swift\.)?Error\b/).map {
          String($0.1)
        }
      }.filter { !page.text.contains("/\($0)``") && !page.text.contains("``\($0)``") }.map {
        Finding(Self.page, "the error type `\($0)` of \(file.path) is not on the page.")
      }
    }
  }
}
