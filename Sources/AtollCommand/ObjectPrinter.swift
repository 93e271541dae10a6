import AtollStorage
import AtollVocabulary

/// Objects of one class as lines of text.
struct ObjectPrinter {
  let file: StoreFile
  let subject: StoredClass
  let format: ObjectFormat

  /// The names of the columns, where the format has them.
  var heading: String? {
    let names =
      [subject.key?.name ?? "identity"] + subject.columns.map { $0.path.joined(separator: ".") }
    switch format {
    case .table: return names.joined(separator: "\t")
    case .csv: return names.map(Self.quoted).joined(separator: ",")
    case .json: return nil
    }
  }

  /// The object as one line; nil if it is gone.
  func text(_ row: ObjectRow) throws -> String? {
    switch format {
    case .table: try cells(row).map(\.table).joined(separator: "\t")
    case .csv: try cells(row).map { Self.quoted($0.csv) }.joined(separator: ",")
    case .json: try file.canonicalText(of: subject.id, id: row.id)
    }
  }

  /// What a cell shows in a table, and in CSV.
  private struct Cell {
    let table: String
    let csv: String

    init(_ value: PersistedValue) {
      table = value.description
      switch value {
      case .null: csv = ""
      case .string(let text): csv = text
      case .bool, .int, .float, .double, .decimal, .data, .date, .uuid, .objectId, .identity:
        csv = value.description
      }
    }

    init(table: String, csv: String) {
      self.table = table
      self.csv = csv
    }
  }

  private func cells(_ row: ObjectRow) throws -> [Cell] {
    var cells = [Cell(row.key)]
    for (column, value) in zip(subject.columns, row.columns) {
      switch column.kind {
      case .scalar: cells.append(Cell(value))
      case .link(let target): cells.append(Cell(try key(of: value, in: target)))
      case .presence:
        let word = value == .null ? "nil" : "present"
        cells.append(Cell(table: word, csv: value == .null ? "" : word))
      case .collection(let kind):
        let count = try count(kind, of: row, column.properties)
        cells.append(Cell(table: "\(count) elements", csv: "\(count)"))
      }
    }
    return cells
  }

  /// In quotes where RFC 4180 asks for them; quotes inside are doubled.
  private static func quoted(_ text: String) -> String {
    let special: Set<Unicode.Scalar> = [",", "\"", "\n", "\r"]
    guard text.unicodeScalars.contains(where: special.contains) else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }

  private func count(
    _ kind: CollectionKind, of row: ObjectRow, _ path: [StoredProperty]
  ) throws -> Int {
    guard let property = path.last else { return 0 }
    let field = FieldPath(steps: path.dropLast().map { .slot($0) }, property: property)
    return switch kind {
    case .none: 0
    case .list: try file.elementCount(of: subject.id, id: row.id, list: field)
    case .set: try file.members(of: subject.id, id: row.id, set: field).count
    case .map: try file.entries(of: subject.id, id: row.id, map: field).count
    }
  }

  /// What a link shows: the key of the object it leads to.
  private func key(of link: PersistedValue, in target: ClassID?) throws -> PersistedValue {
    guard case .int(let id) = link, let target else { return .null }
    return try file.row(of: target, id: RowID(id))?.key ?? .null
  }
}
