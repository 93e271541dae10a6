import AtollVocabulary
package import Foundation

/// Reads a file piece by piece: lines, or the records of a CSV file, each with its line number.
///
/// Memory is bounded by the longest record, and that by `Limits.importRecordBytes`.
package struct RecordReader {
  /// One record, without its line end.
  package struct Record: Hashable, Sendable {
    /// The line it begins at, from 1.
    package let line: Int
    package let bytes: [UInt8]
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
  package private(set) var bytesRead = 0
  private static let pieceBytes = 256 << 10

  /// Begins at a file's start; `quotes` lets a line end stand inside double quotes, as in CSV.
  package init(_ file: FileHandle, quotes: Bool) {
    self.file = file
    self.quotes = quotes
  }

  /// The next record; nil at the end.
  ///
  /// - Throws: `ImportProblem` for a record that is too long, and for a file that is not UTF-8.
  package mutating func next() throws -> Record? {
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
    let mark = try Self.mark(of: buffer.prefix(4))
    (taken, looked, bytesRead) = (mark, mark, mark)
  }

  /// The count of the bytes before the text, by the first four of a file.
  ///
  /// - Throws: `ImportProblem` for a file that is not UTF-8.
  static func mark(of start: ArraySlice<UInt8>) throws -> Int {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    if start.starts(with: mark) { return mark.count }
    guard
      !start.starts(with: [0xFE, 0xFF]), !start.starts(with: [0xFF, 0xFE]), !start.contains(0)
    else {
      throw ImportProblem(
        line: 1,
        text: "the file is UTF-16 or UTF-32, expected UTF-8; save it so, and import that file")
    }
    return 0
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

/// An error in a line of an imported file.
package struct ImportProblem: Error, Hashable, CustomStringConvertible, Sendable {
  package let line: Int
  package let text: String

  package var description: String { "line \(line): \(text)" }
}
