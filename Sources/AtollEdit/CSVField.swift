/// A cell of a CSV file.
package struct CSVField: Hashable, Sendable {
  let text: String
  /// True if it stood in quotes: an empty cell is nil without them, and an empty string with them.
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
    // The beginning or end of an element would be a guess.
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

  /// Writes a cell: in quotes where RFC 4180 asks for them, and where nothing would be nil.
  package static func written(_ text: String?) -> String {
    guard let text else { return "" }
    let special: Set<Unicode.Scalar> = [",", "\"", "\n", "\r"]
    guard text.isEmpty || text.unicodeScalars.contains(where: special.contains) else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
