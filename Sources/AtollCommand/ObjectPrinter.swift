import AtollStorage
import AtollVocabulary

/// Objects of one class as lines of text.
struct ObjectPrinter {
  private let file: StoreFile
  private let subject: StoredClass
  private let classes: [ClassID: StoredClass]

  init(file: StoreFile, subject: StoredClass, classes: [StoredClass]) {
    self.file = file
    self.subject = subject
    self.classes = Dictionary(classes.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private var keyName: String { subject.key?.name ?? "identity" }

  // MARK: Columns

  /// The names of the columns, apart by tabs.
  var heading: String {
    ([keyName] + subject.columns.map { $0.path.joined(separator: ".") }).joined(separator: "\t")
  }

  /// The values of the columns, apart by tabs.
  func text(_ row: ObjectRow) throws -> String {
    var cells = [row.key.description]
    for (column, value) in zip(subject.columns, row.columns) {
      switch column.kind {
      case .scalar: cells.append(value.description)
      case .link(let target): cells.append(try key(of: value, in: target).description)
      case .presence: cells.append(value == .null ? "nil" : "present")
      case .list:
        let count = try elements(of: row, column.properties).count
        cells.append("\(count) elements")
      }
    }
    return cells.joined(separator: "\t")
  }

  // MARK: JSON

  /// The object with what it embeds and its lists, as JSON on one line.
  func json(_ row: ObjectRow) throws -> String {
    let cells = Cells(owner: subject, values: row.columns, row: row, steps: [])
    let members = try members(of: subject, in: cells, prefix: [])
    return JSONText.line(.object([JSONText.Member(keyName, JSONText.Value(row.key))] + members))
  }

  /// Flat values and the class whose columns they are; an object's, or a list element's.
  private struct Cells {
    let owner: StoredClass
    let values: [PersistedValue]
    let row: ObjectRow
    /// From the object to the element.
    let steps: [FieldPath.Step]

    func value(_ path: [StoredProperty]) -> PersistedValue {
      guard let column = owner.column(path), column < values.count else { return .null }
      return values[column]
    }
  }

  private func members(
    of holder: StoredClass, in cells: Cells, prefix: [StoredProperty]
  ) throws -> [JSONText.Member] {
    try holder.properties.map { property in
      (property.name, try value(of: property, in: cells, prefix: prefix))
    }
  }

  private func value(
    of property: StoredProperty, in cells: Cells, prefix: [StoredProperty]
  ) throws -> JSONText.Value {
    let path = prefix + [property]
    if property.collection == .list { return try list(path, in: cells) }
    let value = cells.value(path)
    guard let target = property.target, value != .null else { return JSONText.Value(value) }
    guard property.type == .embedded else { return JSONText.Value(try key(of: value, in: target)) }
    guard let embedded = classes[target] else { return .null }
    return .object(try members(of: embedded, in: cells, prefix: path))
  }

  private func list(_ path: [StoredProperty], in cells: Cells) throws -> JSONText.Value {
    guard let property = path.last else { return .array([]) }
    let steps = cells.steps + path.dropLast().map { .slot($0) }
    let field = FieldPath(steps: steps, property: property)
    let elements = try file.elements(of: subject.id, id: cells.row.id, list: field)
    return .array(
      try elements.map { element in
        switch element.value {
        case .scalar(let value): return JSONText.Value(value)
        case .link(let id):
          return JSONText.Value(try key(of: .int(id.rawValue), in: property.target))
        case .embedded(let values):
          guard let embedded = property.target.flatMap({ classes[$0] }) else { return .null }
          let inner = Cells(
            owner: embedded, values: values, row: cells.row,
            steps: steps + [.element(property, element.id)])
          return .object(try members(of: embedded, in: inner, prefix: []))
        }
      })
  }

  private func elements(
    of row: ObjectRow, _ path: [StoredProperty]
  ) throws -> [StoredElement] {
    guard let property = path.last else { return [] }
    let field = FieldPath(steps: path.dropLast().map { .slot($0) }, property: property)
    return try file.elements(of: subject.id, id: row.id, list: field)
  }

  /// What a link shows: the key of the object it leads to.
  private func key(of link: PersistedValue, in target: ClassID?) throws -> PersistedValue {
    guard case .int(let id) = link, let target else { return .null }
    return try file.row(of: target, id: RowID(id))?.key ?? .null
  }
}
