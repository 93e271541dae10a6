import AtollVocabulary
import Foundation

/// Cuts a JSON file into its values while it is read, without looking into them.
///
/// Memory is bounded by the longest value, and that by `Limits.importRecordBytes`.
struct JSONPieces {
  /// A value as it stands in the file.
  struct Piece {
    /// The line it begins at, from 1, and the bytes of the file before it.
    let line: Int
    let offset: Int
    let bytes: [UInt8]

    /// Reads the value.
    ///
    /// - Throws: `ImportProblem` with the line and the byte of the file at which it is no JSON.
    func value() throws -> JSONValue {
      do throws(JSONProblem) {
        return try JSONValue(bytes, levels: Limits.importLevels)
      } catch {
        let lines = bytes.prefix(error.offset).count { $0 == UInt8(ascii: "\n") }
        throw ImportProblem(
          line: line + lines,
          text: "at byte \(offset + error.offset + 1) of the file: expected \(error.expected)")
      }
    }
  }

  private let file: FileHandle
  private var buffer: [UInt8] = []
  /// Bytes of ``buffer`` that were given out.
  private var taken = 0
  private var isAtEnd = false
  private var hasBegun = false
  private(set) var line = 1
  /// Bytes of the file that were given out.
  private(set) var offset = 0
  private static let pieceBytes = 256 << 10

  init(_ file: FileHandle) { self.file = file }

  /// The next byte that is no space, which stays; nil at the end of the file.
  mutating func peek() throws -> UInt8? {
    try begin()
    while let byte = try byte(0) {
      guard [32, 9, 10, 13].contains(byte) else { return byte }
      take(1)
    }
    return nil
  }

  /// Passes a character that has to come next.
  mutating func skip(_ character: Character) throws {
    guard try passes(character) else { throw expected("`\(character)`") }
  }

  /// Passes a character if it comes next.
  mutating func passes(_ character: Character) throws -> Bool {
    guard try peek() == character.asciiValue else { return false }
    take(1)
    return true
  }

  /// The next value as it stands, up to its end.
  ///
  /// - Throws: `ImportProblem` if none begins here, if the file ends in it, or if it is too long.
  mutating func piece() throws -> Piece {
    guard let first = try peek(), ![44, 58, 93, 125].contains(first) else {
      throw expected("a value")
    }
    var scan = Scan()
    var length = 0
    while true {
      guard let byte = try byte(length) else {
        if scan.isPlain { break }
        throw problem("the file ends inside the value that begins here; is it whole?")
      }
      guard !scan.ends(before: byte) else { break }
      length += 1
      if scan.ends(after: byte) { break }
    }
    let piece = Piece(line: line, offset: offset, bytes: Array(buffer[taken..<taken + length]))
    take(length)
    return piece
  }

  /// The search for the end of a value, byte by byte.
  private struct Scan {
    private var depth = 0
    private var isString = false
    private var isEscaped = false

    /// Neither in brackets nor in quotes.
    var isPlain: Bool { depth == 0 && !isString }

    /// A number or a word ends before what cannot be in it.
    func ends(before byte: UInt8) -> Bool {
      isPlain && [44, 58, 93, 125, 32, 9, 10, 13].contains(byte)
    }

    mutating func ends(after byte: UInt8) -> Bool {
      if isString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isString = false
          return depth == 0
        }
        return false
      }
      switch byte {
      case UInt8(ascii: "\""): isString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        return depth == 0
      case _: break
      }
      return false
    }
  }

  /// A problem at the place that is reached.
  func problem(_ text: String) -> ImportProblem {
    ImportProblem(line: line, text: "at byte \(offset + 1) of the file: \(text)")
  }

  func expected(_ words: String) -> ImportProblem { problem("expected \(words)") }

  // MARK: Reading

  /// Skips the byte order mark of UTF-8, and refuses UTF-16.
  private mutating func begin() throws {
    guard !hasBegun else { return }
    hasBegun = true
    while buffer.count < 4, !isAtEnd { try fill() }
    taken = try RecordReader.mark(of: buffer.prefix(4))
    offset = taken
  }

  /// A byte ahead; nil if the file ends before it.
  private mutating func byte(_ index: Int) throws -> UInt8? {
    while taken + index >= buffer.count {
      guard !isAtEnd else { return nil }
      try fill()
    }
    return buffer[taken + index]
  }

  private mutating func take(_ count: Int) {
    for byte in buffer[taken..<taken + count] where byte == UInt8(ascii: "\n") { line += 1 }
    taken += count
    offset += count
  }

  private mutating func fill() throws {
    guard buffer.count - taken <= Limits.importRecordBytes else {
      throw problem(
        "the value that begins here is longer than \(Limits.importRecordBytes) bytes; export it "
          + "with links as keys")
    }
    buffer.removeFirst(taken)
    taken = 0
    let piece = try file.read(upToCount: Self.pieceBytes) ?? Data()
    if piece.isEmpty { isAtEnd = true } else { buffer += piece }
  }
}
