import AtollVocabulary
import Foundation

/// Reads a file piece by piece: lines, or the records of a CSV file, each with its line number.
///
/// Memory is bounded by the longest record, and that by `Limits.importRecordBytes`.
struct RecordReader {
  /// One record, without its line end.
  struct Record: Hashable {
    /// The line it begins at, from 1.
    let line: Int
    let bytes: [UInt8]
  }

  private let file: FileHandle
  private let quotes: Bool
  private var buffer: [UInt8] = []
  /// Bytes of ``buffer`` that were given out.
  private var taken = 0
  /// Bytes of ``buffer`` that were looked at, and whether a quoted field is open there.
  private var looked = 0
  private var isQuoted = false
  private var isAtEnd = false
  private var line = 1
  private var linesInRecord = 0
  /// Bytes given out, of all there are.
  private(set) var bytesRead = 0
  private static let pieceBytes = 256 << 10

  /// Begins at a file's start; `quotes` lets a line end stand inside double quotes, as in CSV.
  init(_ file: FileHandle, quotes: Bool) {
    self.file = file
    self.quotes = quotes
  }

  /// The next record; nil at the end.
  ///
  /// - Throws: `ImportProblem` for a record that is too long, and for a file that is not UTF-8.
  mutating func next() throws -> Record? {
    if bytesRead == 0, buffer.isEmpty, !isAtEnd { try begin() }
    while true {
      while looked < buffer.count {
        let byte = buffer[looked]
        looked += 1
        if quotes, byte == UInt8(ascii: "\"") { isQuoted.toggle() }
        guard byte == UInt8(ascii: "\n") else { continue }
        linesInRecord += 1
        if !isQuoted { return record(upTo: looked - 1) }
      }
      if isAtEnd {
        guard taken < buffer.count else { return nil }
        return record(upTo: buffer.count)
      }
      try fill()
    }
  }

  /// Skips the byte order mark of UTF-8, and refuses UTF-16.
  private mutating func begin() throws {
    while buffer.count < 4, !isAtEnd { try fill() }
    if buffer.starts(with: [0xEF, 0xBB, 0xBF]) {
      (taken, looked, bytesRead) = (3, 3, 3)
    } else if buffer.starts(with: [0xFE, 0xFF]) || buffer.starts(with: [0xFF, 0xFE])
      || buffer.prefix(4).contains(0)
    {
      throw ImportProblem(
        line: 1,
        text: "the file is UTF-16 or UTF-32, expected UTF-8; save it so, and import that file")
    }
  }

  private mutating func fill() throws {
    guard buffer.count - taken <= Limits.importRecordBytes else {
      throw ImportProblem(
        line: line, text: "it is longer than \(Limits.importRecordBytes) bytes; split it")
    }
    buffer.removeFirst(taken)
    looked -= taken
    taken = 0
    let piece = try file.read(upToCount: Self.pieceBytes) ?? Data()
    if piece.isEmpty { isAtEnd = true } else { buffer += piece }
  }

  private mutating func record(upTo end: Int) -> Record {
    var bytes = buffer[taken..<end]
    if bytes.last == UInt8(ascii: "\r") { bytes = bytes.dropLast() }
    let record = Record(line: line, bytes: Array(bytes))
    bytesRead += looked - taken
    taken = looked
    line += max(linesInRecord, 1)
    linesInRecord = 0
    return record
  }
}

/// A cell of a CSV file.
struct CSVField: Hashable {
  let text: String
  /// Whether it stood in quotes: an empty cell is nil without them, and an empty string with them.
  let isQuoted: Bool

  /// The cells of one record, after RFC 4180.
  static func fields(of record: RecordReader.Record) throws -> [CSVField] {
    guard let text = String(validating: record.bytes, as: UTF8.self) else {
      throw ImportProblem(line: record.line, text: "it is no UTF-8")
    }
    var fields: [CSVField] = []
    var rest = Substring(text).unicodeScalars
    while true {
      let isQuoted = rest.first == "\""
      let field = try isQuoted ? quoted(&rest, record.line) : plain(&rest, record.line)
      fields.append(CSVField(text: field, isQuoted: isQuoted))
      guard let separator = rest.popFirst() else { return fields }
      guard separator == "," else {
        throw ImportProblem(
          line: record.line, text: "found \"\(separator)\" after a quoted cell, expected a comma")
      }
    }
  }

  private static func plain(
    _ rest: inout Substring.UnicodeScalarView, _ line: Int
  ) throws -> String {
    let end = rest.firstIndex(of: ",") ?? rest.endIndex
    defer { rest = rest[end...] }
    let text = rest[..<end]
    // Where one begins or ends would be a guess.
    if text.contains("\"") {
      throw ImportProblem(
        line: line,
        text: "a quote stands inside a cell; such a cell has quotes around it, and its own twice")
    }
    if text.contains("\r") {
      throw ImportProblem(
        line: line, text: "found a carriage return, expected lines that end with LF or CRLF")
    }
    return String(text)
  }

  private static func quoted(
    _ rest: inout Substring.UnicodeScalarView, _ line: Int
  ) throws -> String {
    rest.removeFirst()
    var text = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      if scalar != "\"" {
        text.append(scalar)
      } else if rest.first == "\"" {
        text.append(scalar)
        rest.removeFirst()
      } else {
        return String(text)
      }
    }
    throw ImportProblem(line: line, text: "a quoted cell has no end")
  }

  /// In quotes where RFC 4180 asks for them, and where nothing would be nil.
  static func written(_ text: String?) -> String {
    guard let text else { return "" }
    let special: Set<Unicode.Scalar> = [",", "\"", "\n", "\r"]
    guard text.isEmpty || text.unicodeScalars.contains(where: special.contains) else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}

/// What is wrong with a line of a file that is imported.
struct ImportProblem: Error, Hashable, CustomStringConvertible {
  let line: Int
  let text: String

  var description: String { "line \(line): \(text)" }
}
