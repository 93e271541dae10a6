import ArgumentParser
import AtollEdit
import AtollInspect
import AtollStorage
import Foundation

/// `atoll import`: objects from a file.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Brings objects from JSON lines, CSV or Realm's JSON into a store.",
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

      With --realm-json the files, any number of them in any order, are JSON that Realm Studio (Save data) \
      or realm-js wrote: an object with an array for each class, or an array of objects of one class, whose \
      name is the file's or that of --class. Values are read by the classes that the store has: dates, \
      data, UUIDs, ObjectIds and decimals as text or as Extended JSON ({"$oid":…}). A link is a key, \
      {"$ref":"Dog","$id":7}, or the object in full, which is imported too. What does not fit is left out, \
      and the report names it by class, property and reason, with examples; a dry run has the same report. \
      Objects are written in transactions of about 1,000. One object may have 64 MiB and 256 levels; about \
      100 bytes of memory are used for each object, and the whole file if it has the form of flatted, as \
      Realm Studio writes it from version 14 on, which may have 1 GiB.
      """)

  @OptionGroup var argument: StoreArgument

  @Argument(
    help: "The file to read; - is standard input. Several with --realm-json.", completion: .file())
  var inputs: [String]

  @Option(help: "How the file is written: jsonl or csv; by its name if absent.")
  var format: RecordFormat?

  @Flag(help: "The files are JSON that Realm Studio or realm-js wrote.")
  var realmJson = false

  @Option(
    name: .customLong("class"),
    help: "The class of the objects; needed for CSV, and for an array of --realm-json.")
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

  @Flag(help: "The result as one JSON object.")
  var json = false

  private var input: String { inputs.first ?? "-" }

  func validate() throws {
    if inputs.count > 1, !realmJson {
      throw ValidationError("Only --realm-json takes several files.")
    }
    if realmJson, format != nil || fromLine != 1 {
      throw ValidationError("--realm-json goes with neither --format nor --from-line.")
    }
    if !realmJson, recordFormat == .csv, className == nil {
      throw ValidationError("CSV needs --class NAME.")
    }
    guard fromLine >= 1 else { throw ValidationError("--from-line is a line's number, from 1.") }
  }

  private var recordFormat: RecordFormat {
    format ?? (input.lowercased().hasSuffix(".csv") ? .csv : .jsonl)
  }

  func run() throws {
    let sources = try inputs.map { ($0, try opened($0)) }
    let file = try argument.write()
    defer { file.close() }
    if let schema { _ = try file.adopt(SchemaDocument(path: schema).schemas(from: schema)) }
    var progress = ProgressBar("importing", total: Self.size(of: inputs))
    var before = 0
    var run = try ImportRun(into: file, isDry: dryRun, firstLine: fromLine) {
      progress.advance(to: before + $0)
    }
    var reached = input
    do {
      for (name, source) in sources {
        reached = name
        try take(name, source, &run)
        before += Self.size(of: [name]) ?? 0
      }
      let result = try run.finish()
      progress.clear()
      if json { print(data: try JSONLine.text(result)) } else { print(lines: result.lines) }
    } catch let failure as ImportFailure {
      progress.clear()
      try FileHandle.standardError.write(
        contentsOf: Data("Error: importing \(reached): \(failure)\n".utf8))
      throw failure.isOfTheFile ? Outcome.badInput : ExitCode.failure
    }
  }

  private func take(_ name: String, _ source: FileHandle, _ run: inout ImportRun) throws {
    guard !realmJson else {
      let named = URL(fileURLWithPath: name).deletingPathExtension().lastPathComponent
      try run.realm(RealmReader(source, className: className ?? named))
      return
    }
    let reader = RecordReader(source, quotes: recordFormat == .csv)
    switch recordFormat {
    case .jsonl: try run.lines(reader)
    case .csv: try run.table(reader, of: className ?? "")
    }
  }

  private func opened(_ input: String) throws -> FileHandle {
    if input == "-" { return .standardInput }
    guard let file = FileHandle(forReadingAtPath: input) else {
      throw CommandError.unreadable(path: input)
    }
    return file
  }

  /// The bytes of all files; nil if one of them is none that has a size.
  private static func size(of paths: [String]) -> Int? {
    let sizes = paths.compactMap { path in
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      return (attributes?[.size] as? NSNumber)?.intValue
    }
    return sizes.count == paths.count ? sizes.reduce(0, +) : nil
  }
}

extension ImportResult {
  /// A line of what was made and changed, and one of what the input lacks, if it lacks anything.
  fileprivate var lines: [String] {
    let words = isDry ? "would be " : ""
    let counts = "\(made) objects \(words)made, \(changed) \(words)changed"
    if let report { return [counts] + report.text }
    guard missing > 0 else { return [counts] }
    return [
      counts,
      "\(missing) objects without a primary key \(words)made empty: links lead to them, and "
        + "the file does not have them",
    ]
  }
}

extension ImportReport {
  /// The omissions, then what a person should look at, a line each, with examples below.
  fileprivate var text: [String] {
    let parts =
      [("not taken:", lines.filter { !$0.reason.isTaken })]
      + [("taken, but to be looked at:", lines.filter(\.reason.isTaken))]
    let shown = parts.filter { !$0.1.isEmpty }.flatMap { head, lines in
      [head]
        + lines.flatMap { line in
          let name = line.className + (line.property.map { ".\($0)" } ?? "")
          return ["  \(name): \(line.count) × \(line.reason.text)"]
            + line.examples.map { "    \($0)" }
        }
    }
    return shown + (others > 0 ? ["and \(others) more, of other classes and properties"] : [])
  }
}

/// The formats of objects in files.
enum RecordFormat: String, CaseIterable, ExpressibleByArgument {
  case jsonl, csv
}
