import ArgumentParser
import AtollEdit
import AtollInspect
import AtollStorage
import AtollVocabulary
import Foundation

/// `atoll export`: everything a store holds, in canonical text.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes every object as canonical JSON lines, or a class as CSV.",
    discussion: """
      JSON lines are sorted by class and key and free of anything local: byte-identical on replicas that \
      have applied the same changesets. CSV (RFC 4180) has the names of properties in its first line, \
      keys for links, and JSON for lists, sets, maps and values of any type. Dates are ISO 8601 in UTC, \
      with as many digits as they need to be the same again: 2024-02-29T12:30:00.25Z; one before the year \
      1 or after 9999 is its seconds since 2001. `atoll import` reads both, and an export of that is the \
      same, byte for byte, but for the hidden keys of objects that have no primary key.
      """)

  @OptionGroup var argument: StoreArgument

  @Option(
    name: [.short, .long], help: "Where to write; standard output if absent.", completion: .file())
  var output: String?

  @Option(name: .customLong("class"), help: "Only objects of this class; needed for CSV.")
  var className: String?

  @Option(help: "How objects are written: jsonl or csv.")
  var format = RecordFormat.jsonl

  func validate() throws {
    if format == .csv, className == nil { throw ValidationError("CSV needs --class NAME.") }
  }

  func run() throws {
    let file = try argument.read()
    defer { file.close() }
    let table = try className.map { name in
      let subject = try Inspection(file).subject(name).stored
      return try CSVTable(subject, in: try file.classes)
    }
    var destination = LineWriter(try output.map(created(at:)) ?? FileHandle.standardOutput)
    if format == .csv, let table { try destination.write(table.head + "\n") }
    let counts = try file.counts().filter { className == nil || $0.class.name == className }
    var progress = ProgressBar("exporting", total: counts.reduce(0) { $0 + $1.objects })
    var done = 0
    let beginning = table.map { "{\"class\":\(JSONValue.string($0.subject.name).text)," }
    var failure: (any Error)?
    try file.exportLines(while: { line in
      if let beginning, !line.hasPrefix(beginning) { return true }
      do {
        let text =
          switch format {
          case .jsonl: line
          case .csv: (try table?.record(try JSONValue(line.utf8)) ?? "") + "\n"
          }
        try destination.write(text)
      } catch {
        failure = error
        return false
      }
      done += 1
      progress.advance(to: done)
      return true
    })
    if let failure { throw failure }
    try destination.flush()
    progress.clear()
  }

  private func created(at path: String) throws -> FileHandle {
    guard FileManager.default.createFile(atPath: path, contents: nil) else {
      throw CommandError.unwritable(path: path, reason: "the file cannot be made")
    }
    return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
  }
}

/// Gathers lines for fewer, larger writes.
private struct LineWriter {
  private let file: FileHandle
  private var waiting = Data()
  private static let gatherBytes = 256 << 10

  init(_ file: FileHandle) { self.file = file }

  mutating func write(_ text: String) throws {
    waiting += Data(text.utf8)
    if waiting.count >= Self.gatherBytes { try flush() }
  }

  mutating func flush() throws {
    try file.write(contentsOf: waiting)
    waiting.removeAll(keepingCapacity: true)
  }
}
