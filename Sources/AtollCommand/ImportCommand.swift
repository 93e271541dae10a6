import ArgumentParser
import AtollStorage
import AtollVocabulary
import Foundation

/// `atoll import`: objects from a file.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Brings objects from JSON lines or CSV into a store.",
    discussion: """
      JSON lines are what `export` writes: {"class":"City","key":"Bern","inhabitants":134000}. CSV has \
      the names of properties in its first line, the key's among them (or `key`), with dots into \
      embedded objects; an empty cell is nil, "" an empty string; lists, sets, maps and values of any \
      type are JSON in their cell. Numbers, dates (ISO 8601 or seconds since 2001), UUIDs and decimals \
      may be plain text.

      Objects are found by their keys and changed; others are made. So an import can be repeated: after \
      an error the lines before it may be in the store already, in whole batches, and the message says \
      up to where. Exit code 65 says that the file has errors.
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

  @Flag(help: "Only say what is wrong with the file, all of it; nothing is written.")
  var dryRun = false

  func validate() throws {
    if recordFormat == .csv, className == nil {
      throw ValidationError("CSV needs --class NAME.")
    }
  }

  private var recordFormat: RecordFormat {
    format ?? (input.lowercased().hasSuffix(".csv") ? .csv : .jsonl)
  }

  func run() throws {
    let source = try opened()
    let file = try argument.write()
    defer { file.close() }
    if let schema { try file.declare(SchemaDocument(path: schema), from: schema) }
    var run = ImportRun(
      file: file, importer: try Importer(file), isDry: dryRun,
      progress: ProgressBar("importing", total: Self.size(of: input)))
    let reader = RecordReader(source, quotes: recordFormat == .csv)
    do {
      switch recordFormat {
      case .jsonl: try run.lines(reader)
      case .csv: try run.table(reader, of: className ?? "")
      }
      try run.finish()
    } catch let failure as ImportFailure {
      try FileHandle.standardError.write(
        contentsOf: Data("Error: importing \(input): \(failure)\n".utf8))
      throw Outcome.badInput
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

/// How objects are written in files.
enum RecordFormat: String, CaseIterable, ExpressibleByArgument {
  case jsonl, csv
}

/// One import, from the first record to the last, in transactions of bounded size.
struct ImportRun {
  let file: StoreFile
  var importer: Importer
  let isDry: Bool
  var progress: ProgressBar
  private var problems: [ImportProblem] = []
  private var inBatch = 0
  /// The last line whose transaction is committed, or checked.
  private var safeLine = 0
  private static let batchObjects = 1000
  private static let problemsShown = 100

  init(file: StoreFile, importer: Importer, isDry: Bool, progress: ProgressBar) {
    self.file = file
    self.importer = importer
    self.isDry = isDry
    self.progress = progress
  }

  mutating func lines(_ reader: RecordReader) throws {
    var reader = reader
    while let record = try next(&reader) {
      if record.bytes.allSatisfy({ $0 == 32 || $0 == 9 }) { continue }
      try take(record.line) { importer in
        do {
          try importer.take(try JSONValue(record.bytes))
        } catch let problem as JSONProblem {
          throw Importer.Problem(
            text: "at byte \(problem.offset + 1): expected \(problem.expected)")
        }
      }
      progress.advance(to: reader.bytesRead)
    }
  }

  mutating func table(_ reader: RecordReader, of className: String) throws {
    var reader = reader
    guard let head = try next(&reader) else { return }
    let table: CSVTable
    do {
      table = CSVTable(
        try importer.subject(className), head: try CSVField.fields(of: head), in: try file.classes)
    } catch {
      throw stopped(Self.problem(error, at: head.line))
    }
    while let record = try next(&reader) {
      if record.bytes.isEmpty { continue }
      try take(record.line) { importer in
        let (key, members) = try table.object(try CSVField.fields(of: record))
        try importer.take(members, key: key, of: table.subject, isNilAbsent: true)
      }
      progress.advance(to: reader.bytesRead)
    }
  }

  private mutating func next(_ reader: inout RecordReader) throws -> RecordReader.Record? {
    do {
      return try reader.next()
    } catch let problem as ImportProblem {
      if inBatch > 0 { file.rollback() }
      throw stopped(problem)
    }
  }

  /// One object; a problem ends the import, or is kept for the end if nothing is written.
  private mutating func take(_ line: Int, _ body: (inout Importer) throws -> Void) throws {
    if inBatch == 0 { try file.beginWrite() }
    inBatch += 1
    do {
      try body(&importer)
    } catch {
      let problem = Self.problem(error, at: line)
      guard isDry, problems.count < Self.problemsShown else {
        file.rollback()
        progress.clear()
        throw isDry ? ImportFailure(problems: problems, end: "and more") : stopped(problem)
      }
      problems.append(problem)
    }
    if inBatch >= Self.batchObjects { try endBatch(at: line) }
  }

  private func stopped(_ problem: ImportProblem) -> ImportFailure {
    let before =
      safeLine == 0
      ? "nothing was imported"
      : "everything up to line \(safeLine) is imported; correct the line and import the file again"
    return ImportFailure(problems: [problem], end: before)
  }

  private static func problem(_ error: any Error, at line: Int) -> ImportProblem {
    switch error {
    case let problem as ImportProblem: problem
    case let problem as Importer.Problem: ImportProblem(line: line, text: problem.text)
    default: ImportProblem(line: line, text: "\(error)")
    }
  }

  private mutating func endBatch(at line: Int) throws {
    inBatch = 0
    if isDry {
      file.rollback()
      importer.forgetKeyless()
    } else {
      try file.commitWrite()
    }
    safeLine = line
  }

  mutating func finish() throws {
    if inBatch > 0 { try endBatch(at: safeLine) }
    progress.clear()
    if !problems.isEmpty { throw ImportFailure(problems: problems, end: nil) }
    let words = isDry ? "would be " : ""
    print("\(importer.made) objects \(words)made, \(importer.changed) \(words)changed")
  }
}

/// Why an import ended: what is wrong with the file, and what was imported of it.
struct ImportFailure: Error, CustomStringConvertible {
  let problems: [ImportProblem]
  let end: String?

  var description: String {
    (problems.map(\.description) + [end].compactMap { $0 }).joined(separator: "\n")
  }
}
