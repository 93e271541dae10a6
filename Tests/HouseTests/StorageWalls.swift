/// The inner walls of the storage: the log's tables are named by one module, and `StoreFile` only shrinks.
enum StorageWalls {
  /// The tables of the log, which `LogTables.swift` makes.
  static let logTables = [
    "atoll_author", "atoll_log", "atoll_held", "atoll_continued", "atoll_superseded",
    "atoll_rewritten", "atoll_released", "atoll_base", "atoll_floor", "atoll_gap",
    "atoll_backlog", "atoll_seen", "atoll_arrival",
  ]

  /// Ratchets, at the figures of today: they are lowered when there is less, and never raised.
  static let storedProperties = 16
  static let extendingFiles = 60

  static func logTables(_ repository: Repository) -> [Finding] {
    repository.files.filter {
      $0.isSwift && $0.path.hasPrefix("Sources/") && $0.module != "AtollLog"
    }.flatMap { file in
      file.lines.enumerated().flatMap { index, line in
        logTables.filter { Words.contains($0, in: line) && !isLonger($0, in: line) }.map { table in
          Finding(
            file.path, line: index + 1,
            "`\(table)` is a table of the log: ask `ChangesetLog`, or give it a function.")
        }
      }
    }
  }

  private static func isLonger(_ table: String, in line: Substring) -> Bool {
    line.ranges(of: table).allSatisfy { range in
      guard range.upperBound < line.endIndex else { return false }
      let next = line[range.upperBound]
      return next.isLetter || next.isNumber || next == "_"
    }
  }

  /// The tables of objects are below the file: they merge and read, and know of no transaction's beginning or
  /// end, no peer and no snapshot.
  static func tables(_ repository: Repository) -> [Finding] {
    repository.files.filter { file in
      file.path.hasPrefix("Sources/AtollStorage/")
        && (file.path.contains("/Tables/")
          || file.code.contains { $0.hasPrefix("extension ObjectTables") })
    }.flatMap { file in
      file.code.enumerated().filter { Words.contains("StoreFile", in: $1) }.map { index, _ in
        Finding(
          file.path, line: index + 1,
          "the tables do not call the file: hand over what is needed, or do it in `StoreFile`.")
      }
    }
  }

  static func ratchets(_ repository: Repository) -> [Finding] {
    let path = "Sources/AtollStorage/StoreFile.swift"
    let properties = repository.file(path).map(storedProperties) ?? 0
    let files = repository.files.filter { file in
      file.path.hasPrefix("Sources/AtollStorage/")
        && file.code.contains { $0.hasPrefix("extension StoreFile") }
    }
    return exceeding(path, "stored properties", properties, storedProperties)
      + exceeding("Sources/AtollStorage", "files extend `StoreFile`", files.count, extendingFiles)
  }

  private static func exceeding(
    _ path: String, _ things: String, _ count: Int, _ bound: Int
  ) -> [Finding] {
    guard count != bound else { return [] }
    return [
      Finding(
        path,
        count > bound
          ? "\(count) \(things), and at most \(bound) may: give the new concern a type of its own."
          : "\(count) \(things), fewer than \(bound): lower the ratchet in `StorageWalls`.")
    ]
  }

  /// The stored properties of the class: declared two columns in, and without a body that computes them.
  private static func storedProperties(_ file: SourceFile) -> Int {
    guard let start = file.code.firstIndex(where: { $0.contains("class StoreFile") }),
      let end = file.code[start...].firstIndex(of: "}")
    else { return 0 }
    return file.code[start..<end].count { line in
      let words = line.split(separator: " ")
      guard line.hasPrefix("  "), !line.hasPrefix("   "),
        words.contains("let") || words.contains("var")
      else { return false }
      return !line.contains("{") || line.contains("=")
    }
  }
}
