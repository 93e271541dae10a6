import AtollStorage
import AtollVocabulary

/// Objects of one class as lines of text.
struct ObjectPrinter {
  let file: StoreFile
  let subject: StoredClass

  /// The names of the columns, apart by tabs.
  var heading: String {
    ([subject.key?.name ?? "identity"] + subject.columns.map { $0.path.joined(separator: ".") })
      .joined(separator: "\t")
  }

  /// The values of the columns, apart by tabs.
  func text(_ row: ObjectRow) throws -> String {
    var cells = [row.key.description]
    for (column, value) in zip(subject.columns, row.columns) {
      switch column.kind {
      case .scalar: cells.append(value.description)
      case .link(let target): cells.append(try key(of: value, in: target).description)
      case .presence: cells.append(value == .null ? "nil" : "present")
      case .collection(let kind):
        cells.append("\(try count(kind, of: row, column.properties)) elements")
      }
    }
    return cells.joined(separator: "\t")
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
