import AtollVocabulary

/// Canonical objects as lines of JSON.
///
/// One object a line: `class`, `key`, then its properties by name. A link is its target's class and
/// key, null if it reads nil. What JSON has no word for is an object with the type's name:
/// `{"data":"00ff"}`. A property whose name clashes with another's in the same object, or with
/// `class` or `key`, has its type appended: `p:Int`.
struct CanonicalText {
  private(set) var text = ""

  init(_ object: CanonicalObject, of entry: ClassEntry) {
    text += "{\"class\":"
    append(string: entry.name)
    text += ",\"key\":"
    append(object.key)
    append(object.cells, reserved: ["class", "key"], isFirst: false)
    text += "}"
  }

  private mutating func append(
    _ cells: [CanonicalObject.Cell], reserved: [String], isFirst: Bool
  ) {
    var isFirst = isFirst
    for (index, cell) in cells.enumerated() {
      if !isFirst { text += "," }
      isFirst = false
      let name = cell.property.name
      let clashes =
        reserved.contains(name)
        || (index > 0 && cells[index - 1].property.name == name)
        || (index + 1 < cells.count && cells[index + 1].property.name == name)
      append(string: clashes ? "\(name):\(label(cell))" : name)
      text += ":"
      append(cell.content, target: cell.target)
    }
  }

  private func label(_ cell: CanonicalObject.Cell) -> String {
    let type = cell.target.map { "\(cell.property.type) \($0.name)" } ?? "\(cell.property.type)"
    let collection = cell.property.collection
    return collection == .none ? type : "\(collection.name) of \(type)"
  }

  private mutating func append(_ content: CanonicalObject.Content, target: ClassEntry?) {
    switch content {
    case .scalar(let value): append(value)
    case .link(let key, _, let isAlive):
      guard isAlive, let target else {
        text += "null"
        return
      }
      text += "{\"class\":"
      append(string: target.name)
      text += ",\"key\":"
      append(key)
      text += "}"
    case .embedded(let cells):
      guard let cells else {
        text += "null"
        return
      }
      text += "{"
      append(cells, reserved: [], isFirst: true)
      text += "}"
    case .list(let elements):
      text += "["
      for (index, element) in elements.filter(\.isVisible).enumerated() {
        if index > 0 { text += "," }
        append(element.value.content, target: element.value.target)
      }
      text += "]"
    }
  }

  private mutating func append(_ value: PersistedValue) {
    switch value {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .int(let value): text += String(value)
    case .float(let value): append(number: "\(value)", isFinite: value.isFinite)
    case .double(let value): append(number: "\(value)", isFinite: value.isFinite)
    case .string(let value): append(string: value)
    case .data(let value): append("data", Hexadecimal.text(bytes: value))
    case .date(let value): append("date", "\(value)")
    case .uuid(let value): append("uuid", value.description)
    case .objectId(let value): append("objectId", value.description)
    case .decimal(let value): append("decimal", value.description)
    case .identity(let value):
      append("identity", "\(value.author):\(value.sequence):\(value.index)")
    }
  }

  private mutating func append(number: String, isFinite: Bool) {
    if isFinite { text += number } else { append("number", number) }
  }

  private mutating func append(_ type: String, _ value: String) {
    text += "{\"\(type)\":"
    append(string: value)
    text += "}"
  }

  private mutating func append(string: String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.value < 0x20:
        text += "\\u00" + Hexadecimal.text(bytes: [UInt8(scalar.value)])
      case _: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
