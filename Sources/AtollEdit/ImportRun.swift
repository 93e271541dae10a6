package import AtollStorage
import Foundation

/// One import, from the first record to the last, in transactions of bounded size.
///
/// Whoever runs it says what to read, by ``lines(_:)``, ``table(_:of:)`` or ``realm(_:)``, and ends it by
/// ``finish()``.
package struct ImportRun {
  private let file: StoreFile
  var importer: Importer
  private let isDry: Bool
  /// Records that begin before it are left out.
  private let firstLine: Int
  let onProgress: (_ bytesRead: Int) -> Void
  /// The state that is kept from one of Realm's files to the next; nil if none was read.
  var translator: RealmTranslator?
  private var problems: [ImportProblem] = []
  private var inBatch = 0
  /// The last line whose transaction is committed, or checked, and what was made and changed by then.
  private var safeLine = 0
  private var kept = (made: 0, changed: 0)
  private static let batchObjects = 1000
  private static let problemsShown = 100

  /// Prepares an import; nothing is read or written yet.
  ///
  /// - Parameters:
  ///   - file: The store, open for writing, in no transaction.
  ///   - isDry: Everything is checked and nothing is kept.
  ///   - firstLine: Records that begin before this line are left out; lines are counted from 1.
  ///   - onProgress: Is told after each object how many bytes of the input have been read.
  /// - Throws: `StorageError` if the classes of the store cannot be read.
  package init(
    into file: StoreFile, isDry: Bool = false, firstLine: Int = 1,
    onProgress: @escaping (_ bytesRead: Int) -> Void = { _ in }
  ) throws {
    self.file = file
    importer = try Importer(file)
    self.isDry = isDry
    self.firstLine = firstLine
    self.onProgress = onProgress
  }

  /// Imports JSON lines, as `atoll export` writes them.
  ///
  /// - Throws: `ImportFailure`, which says up to which line everything is imported.
  package mutating func lines(_ reader: RecordReader) throws {
    var reader = reader
    while let record = try next(&reader) {
      if record.line < firstLine || Self.isBlank(record) { continue }
      try take(record.line) { importer in
        do {
          try importer.take(try JSONValue(record.bytes))
        } catch let problem as JSONProblem {
          throw Importer.Problem(
            text: "at byte \(problem.offset + 1): expected \(problem.expected)")
        }
      }
      onProgress(reader.bytesRead)
    }
  }

  /// Imports the records of a CSV file, the first of which has the names of the columns.
  ///
  /// - Parameters:
  ///   - reader: The file, read with quotes.
  ///   - className: The class of all its objects.
  /// - Throws: `ImportFailure`, which says up to which line everything is imported.
  package mutating func table(_ reader: RecordReader, of className: String) throws {
    var reader = reader
    var first = try next(&reader)
    while let record = first, Self.isBlank(record) { first = try next(&reader) }
    guard let head = first else { return }
    let table: CSVTable
    do {
      table = try CSVTable(
        try importer.subject(className), head: try CSVField.fields(of: head), in: try file.classes)
    } catch {
      throw stopped(Self.problem(error, at: head.line))
    }
    while let record = try next(&reader) {
      if record.line < firstLine || record.bytes.isEmpty { continue }
      try take(record.line) { importer in
        let (key, members) = try table.object(try CSVField.fields(of: record))
        try importer.take(members, key: key, of: table.subject, isNilAbsent: true)
      }
      onProgress(reader.bytesRead)
    }
  }

  private static func isBlank(_ record: RecordReader.Record) -> Bool {
    record.bytes.allSatisfy { $0 == 32 || $0 == 9 }
  }

  private mutating func next(_ reader: inout RecordReader) throws -> RecordReader.Record? {
    try reading { try reader.next() }
  }

  /// Has an error of the file end the import.
  mutating func reading<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      if inBatch > 0 { file.rollback() }
      if let problem = error as? ImportProblem { throw stopped(problem) }
      throw refused("reading it: \(error.localizedDescription)")
    }
  }

  /// One object; a problem ends the import, or is kept for the end if nothing is written.
  mutating func take(
    _ line: Int, count: Int = 1, _ body: (inout Importer) throws -> Void
  ) throws {
    if inBatch == 0 { try keeping { try file.beginWrite() } }
    inBatch += count
    do {
      try body(&importer)
    } catch let error as StorageError where !error.isOfAValue {
      file.rollback()
      throw refused("\(error)")
    } catch {
      let problem = Self.problem(error, at: line)
      guard isDry, problems.count < Self.problemsShown else {
        file.rollback()
        throw isDry ? ImportFailure(problems: problems, end: "and more") : stopped(problem)
      }
      problems.append(problem)
    }
    if inBatch >= Self.batchObjects { try endBatch(at: line) }
  }

  private func stopped(_ problem: ImportProblem) -> ImportFailure {
    ImportFailure(problems: [problem], end: ending("correct the line"))
  }

  /// An import that ended for a reason that is not in the file: what is in stays in.
  private func refused(_ reason: String) -> ImportFailure {
    ImportFailure(problems: [], refusal: reason, end: ending("remove the cause"))
  }

  /// Has an error of the store say what is imported already.
  private func keeping(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as StorageError {
      throw refused("\(error)")
    }
  }

  /// Up to where the file is imported, and how to go on.
  private func ending(_ first: String) -> String {
    if isDry { return "nothing was imported" }
    if let translator { return translator.ending(first, kept, importer.hasMadeKeyless) }
    guard safeLine > 0 else {
      return firstLine > 1
        ? "nothing was imported from line \(firstLine) on" : "nothing was imported"
    }
    let once =
      importer.hasMadeKeyless ? "; without it, objects that have no primary key are made twice" : ""
    return "everything up to line \(safeLine) is imported: \(kept.made) objects made, "
      + "\(kept.changed) changed. To go on, \(first) and import the file again with "
      + "--from-line \(safeLine + 1)\(once)"
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
      try keeping { try file.commitWrite() }
    }
    safeLine = line
    kept = (importer.made, importer.changed)
  }

  /// Ends the import with the last of its transactions.
  ///
  /// - Returns: The counts of what was made and changed.
  /// - Throws: `ImportFailure` with all that a dry run found wrong, or if the store refuses the commit.
  package mutating func finish() throws -> ImportResult {
    if inBatch > 0 { try endBatch(at: safeLine) }
    if !problems.isEmpty { throw ImportFailure(problems: problems, end: nil) }
    let report = fullReport()
    return ImportResult(
      made: importer.made, changed: importer.changed,
      missing: report == nil ? importer.missing : 0, isDry: isDry, report: report)
  }
}

/// The counts of an import that came to its end.
package struct ImportResult: Hashable, Encodable, Sendable {
  package let made: Int
  package let changed: Int
  /// Objects without a primary key that were made empty: links lead to them, and the input lacks them.
  package let missing: Int
  /// True if nothing was kept.
  package let isDry: Bool
  /// The omissions in Realm's files; nil for other files, which are imported in full.
  package let report: ImportReport?

  package init(
    made: Int, changed: Int, missing: Int, isDry: Bool, report: ImportReport? = nil
  ) {
    self.report = report
    self.made = made
    self.changed = changed
    self.missing = missing
    self.isDry = isDry
  }
}

/// Why an import ended: what is wrong with the file, and what was imported of it.
package struct ImportFailure: Error, CustomStringConvertible {
  package let problems: [ImportProblem]
  /// Why the store or the system did not go on; nil if the file is wrong.
  package var refusal: String?
  package let end: String?

  /// True if the file is to be corrected, and false if the store or the system did not go on.
  package var isOfTheFile: Bool { refusal == nil }

  package var description: String {
    (problems.map(\.description) + [refusal, end].compactMap { $0 }).joined(separator: "\n")
  }
}

extension StorageError {
  /// Tells whether a value is not one that the store takes: then what was asked for is to be corrected.
  var isOfAValue: Bool {
    switch self {
    case .typeMismatch, .duplicateKey, .noSuchClass, .noSuchObject, .noSuchProperty, .tooLarge,
      .noSuchTarget, .noSuchElement, .noSuchInstance, .incrementOfNil:
      true
    case _: false
    }
  }
}
