import AtollInspect
import AtollVocabulary

/// Objects of one class as lines of text: a table, or CSV (RFC 4180).
struct ObjectPrinter {
  let format: ObjectFormat
  let write: (String) -> Void
  private var table = AlignedTable()

  init(format: ObjectFormat, write: @escaping (String) -> Void) {
    self.format = format
    self.write = write
  }

  /// Writes the names of the columns.
  mutating func begin(_ columns: [String]) { line(columns) }

  mutating func add(_ cells: [ObjectCell]) {
    line(cells.map { format == .csv ? Self.csv($0) : Self.text($0) })
  }

  /// Writes what is still kept to be aligned.
  mutating func end() { table.flush(write) }

  private mutating func line(_ cells: [String]) {
    if format == .csv {
      write(cells.map(Self.quoted).joined(separator: ","))
    } else {
      table.add(cells, write)
    }
  }

  // MARK: Cells

  private static func text(_ cell: ObjectCell) -> String {
    switch cell.kind {
    case .null, .absent: "nil"
    case .value:
      (cell.type == PersistedType.string.description ? "\"\(cell.text)\"" : cell.text)
        .shownOnOneLine
    case .object: "present"
    case .collection: cell.text == "1" ? "1 element" : "\(cell.text) elements"
    case .nested: cell.text
    }
  }

  /// With nothing for nil, and texts as they are.
  private static func csv(_ cell: ObjectCell) -> String {
    switch cell.kind {
    case .null, .absent, .value, .collection, .nested: cell.text
    case .object: "present"
    }
  }

  /// In quotes where RFC 4180 asks for them; quotes inside are doubled.
  private static func quoted(_ text: String) -> String {
    let special: Set<Unicode.Scalar> = [",", "\"", "\n", "\r"]
    guard text.unicodeScalars.contains(where: special.contains) else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
