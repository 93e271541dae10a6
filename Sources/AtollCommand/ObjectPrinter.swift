import AtollStorage
import AtollVocabulary

/// Objects of one class as lines of text: a table, or CSV (RFC 4180).
struct ObjectPrinter {
  let subject: StoredClass
  let format: ObjectFormat
  let write: (String) -> Void
  private var table = AlignedTable()

  init(subject: StoredClass, format: ObjectFormat, write: @escaping (String) -> Void) {
    self.subject = subject
    self.format = format
    self.write = write
  }

  /// The names of the columns.
  mutating func begin() {
    line([subject.key?.name ?? "identity"] + subject.columns.map { $0.path.joined(separator: ".") })
  }

  mutating func add(_ cells: [ShownCell]) {
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

  private static func text(_ cell: ShownCell) -> String {
    switch cell {
    case .value(let value): value.description.shownOnOneLine
    case .presence(let isThere): isThere ? "present" : "nil"
    case .count(let count): count == 1 ? "1 element" : "\(count) elements"
    case .kind(let kind): kind
    }
  }

  /// With nothing for nil, and texts as they are.
  private static func csv(_ cell: ShownCell) -> String {
    switch cell {
    case .value(.null), .presence(false): ""
    case .value(.string(let text)): text
    case .value(let value): value.description
    case .presence(true): "present"
    case .count(let count): "\(count)"
    case .kind(let kind): kind
    }
  }

  /// In quotes where RFC 4180 asks for them; quotes inside are doubled.
  private static func quoted(_ text: String) -> String {
    let special: Set<Unicode.Scalar> = [",", "\"", "\n", "\r"]
    guard text.unicodeScalars.contains(where: special.contains) else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
