import ArgumentParser
import AtollEdit
import AtollInspect
import AtollStorage
import Foundation

/// `atoll import`: objects from a file.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Brings objects from JSON lines or CSV into a store.",
    discussion: """
      JSON lines are what `export` writes: {"class":"City","key":"Bern","inhabitants":134000}. CSV has \
      the names of properties in its first line, the key's among them (or `key`), with dots into \
      embedded objects; an empty cell is nil, "" an empty string; lists, sets, maps and values of any \
      type are JSON in their cell. Numbers, dates, UUIDs, decimals and data (hexadecimal) may be plain \
      text. A Bool is true or false. A date is ISO 8601 with time and offset, such as \
      2024-02-29T12:30:00Z or 2024-02-29T13:30:00.25+01:00, or a number: seconds since 2001. The file \
      is UTF-8, with or without a byte order mark; lines end with LF or CRLF, and empty ones are skipped. \
      `atoll help schema` has the form of --schema.

      Objects are found by their keys and changed; others are made. So an import can be repeated, except \
      for objects without a primary key, which each import makes. After an error the lines before it may \
      be in the store already, in whole batches; the message says up to which, and --from-line goes on \
      there. Exit code 65 says that the file has errors.
      """)

  @OptionGroup var argument: StoreArgument

  @Argument(help: "The file to read; - is standard input.", completion: .file())
  var input: String

  @Option(help: "How the file is written: jsonl or csv; by its name if absent.")
  var format: RecordFormat?

  @Option(name: .customLong("class"), help: "The class of the objects; needed for CSV.")
  var className: String?

  @Option(
    help: "Declares classes first, from a file that `schema --json` wrote.", completion: .file())
  var schema: String?

  @Option(
    help: ArgumentHelp(
      "Leaves out what is before this line, but for the first line of CSV.", valueName: "line"))
  var fromLine = 1

  @Flag(help: "Only say what is wrong with the file, all of it; nothing is written.")
  var dryRun = false

  func validate() throws {
    if recordFormat == .csv, className == nil {
      throw ValidationError("CSV needs --class NAME.")
    }
    guard fromLine >= 1 else { throw ValidationError("--from-line is a line's number, from 1.") }
  }

  private var recordFormat: RecordFormat {
    format ?? (input.lowercased().hasSuffix(".csv") ? .csv : .jsonl)
  }

  func run() throws {
    let source = try opened()
    let file = try argument.write()
    defer { file.close() }
    if let schema { _ = try file.adopt(SchemaDocument(path: schema).schemas(from: schema)) }
    var progress = ProgressBar("importing", total: Self.size(of: input))
    var run = try ImportRun(into: file, isDry: dryRun, firstLine: fromLine) {
      progress.advance(to: $0)
    }
    let reader = RecordReader(source, quotes: recordFormat == .csv)
    do {
      switch recordFormat {
      case .jsonl: try run.lines(reader)
      case .csv: try run.table(reader, of: className ?? "")
      }
      let result = try run.finish()
      progress.clear()
      print(lines: result.lines)
    } catch let failure as ImportFailure {
      progress.clear()
      try FileHandle.standardError.write(
        contentsOf: Data("Error: importing \(input): \(failure)\n".utf8))
      throw failure.isOfTheFile ? Outcome.badInput : ExitCode.failure
    }
  }

  private func opened() throws -> FileHandle {
    if input == "-" { return .standardInput }
    guard let file = FileHandle(forReadingAtPath: input) else {
      throw CommandError.unreadable(path: input)
    }
    return file
  }

  private static func size(of path: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.intValue
  }
}

extension ImportResult {
  /// A line of what was made and changed, and one of what the input lacks, if it lacks anything.
  fileprivate var lines: [String] {
    let words = isDry ? "would be " : ""
    let counts = "\(made) objects \(words)made, \(changed) \(words)changed"
    guard missing > 0 else { return [counts] }
    return [
      counts,
      "\(missing) objects without a primary key \(words)made empty: links lead to them, and "
        + "the file does not have them",
    ]
  }
}

/// How objects are written in files.
enum RecordFormat: String, CaseIterable, ExpressibleByArgument {
  case jsonl, csv
}
