import AtollVocabulary
package import Foundation

/// Reads the objects of a JSON file that Realm Studio or realm-js wrote, one after the other.
///
/// The forms: an object of arrays, by class (`{"Dog":[…],"Person":[…]}`); an array of objects of one class;
/// and both as the library flatted writes them, which Realm Studio uses from version 14 on.
package struct RealmReader {
  /// An object of the file, and the form in which its values are written.
  struct Record {
    let className: String
    let line: Int
    let node: RealmNode
    let form: RealmForm
  }

  private enum Place {
    case start
    /// Between the arrays of classes.
    case classes(isFirst: Bool)
    /// In an array; with the value that was read to find out the form.
    case elements(String, isFirst: Bool, isAlone: Bool, read: JSONPieces.Piece?)
    case flatted(FlattedRecords)
    case end
  }

  private var pieces: JSONPieces
  private var place = Place.start
  /// The class of a file that is one array.
  private let className: String
  private var names: Set<String> = []

  /// Bytes of the file that were given out.
  package var bytesRead: Int { pieces.offset }

  /// Begins at a file's start; `className` is that of the objects if the file does not name it.
  package init(_ file: FileHandle, className: String) {
    pieces = JSONPieces(file)
    self.className = className
  }

  /// The next object; nil at the end.
  ///
  /// - Throws: `ImportProblem` with the place at which the file is not in one of the forms.
  mutating func next() throws -> Record? {
    while true {
      switch place {
      case .start: try begin()
      case .classes(let isFirst): try nextClass(isFirst: isFirst)
      case .elements(let name, let isFirst, let isAlone, let read):
        if let piece = try read ?? element(isFirst: isFirst, isAlone: isAlone) {
          let isBehindComma = read != nil && isFirst
          place = .elements(name, isFirst: isBehindComma, isAlone: isAlone, read: nil)
          return Record(
            className: name, line: piece.line, node: RealmNode(value: try piece.value()),
            form: RealmForm())
        }
      case .flatted(var records):
        let record = try records.next()
        place = record == nil ? .end : .flatted(records)
        return record
      case .end: return nil
      }
    }
  }

  private mutating func begin() throws {
    if try pieces.passes("{") {
      place = .classes(isFirst: true)
      return
    }
    guard try pieces.passes("[") else {
      throw pieces.expected("an object with an array for each class, or an array of objects")
    }
    guard try pieces.peek() != UInt8(ascii: "]") else {
      place = .elements(className, isFirst: true, isAlone: true, read: nil)
      return
    }
    let first = try pieces.piece()
    var isFlatted = first.bytes.first == UInt8(ascii: "[")
    if try pieces.passes(",") {
      let second = try pieces.peek()
      isFlatted = isFlatted || second == UInt8(ascii: "[") || second == UInt8(ascii: "\"")
      guard isFlatted else {
        guard second != UInt8(ascii: "]") else { throw pieces.expected("an object") }
        // The comma is passed: an element comes next, as at the beginning.
        place = .elements(className, isFirst: true, isAlone: true, read: first)
        return
      }
      place = .flatted(try flatted(first, hasMore: true))
    } else if isFlatted {
      place = .flatted(try flatted(first, hasMore: false))
    } else {
      place = .elements(className, isFirst: false, isAlone: true, read: first)
    }
  }

  private mutating func nextClass(isFirst: Bool) throws {
    if try pieces.passes("}") {
      try finish()
      return
    }
    if !isFirst { try pieces.skip(",") }
    guard try pieces.peek() == UInt8(ascii: "\"") else {
      throw pieces.expected("the name of a class")
    }
    let piece = try pieces.piece()
    guard case .string(let name) = try piece.value() else { return }
    guard names.count < Limits.declaredClasses * 4, names.insert(name).inserted else {
      throw ImportProblem(
        line: piece.line, text: "the class \"\(name.prefix(64))\" is one too many, or there twice")
    }
    try pieces.skip(":")
    guard try pieces.passes("[") else {
      throw pieces.expected("an array with the objects of \(name.prefix(64))")
    }
    place = .elements(name, isFirst: true, isAlone: false, read: nil)
  }

  /// The next element of an array; nil at its end, with the place behind it.
  private mutating func element(isFirst: Bool, isAlone: Bool) throws -> JSONPieces.Piece? {
    if try pieces.passes("]") {
      if isAlone { try finish() } else { place = .classes(isFirst: false) }
      return nil
    }
    if !isFirst { try pieces.skip(",") }
    return try pieces.piece()
  }

  private mutating func finish() throws {
    guard try pieces.peek() == nil else { throw pieces.expected("the end of the file") }
    place = .end
  }

  private mutating func flatted(
    _ first: JSONPieces.Piece, hasMore: Bool
  ) throws -> FlattedRecords {
    var values = FlattedValues()
    try values.append(first)
    var hasMore = hasMore
    while hasMore {
      try values.append(try pieces.piece())
      hasMore = try pieces.passes(",")
    }
    try pieces.skip("]")
    guard try pieces.peek() == nil else { throw pieces.expected("the end of the file") }
    return try FlattedRecords(values, className: className)
  }
}
