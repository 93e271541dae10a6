import AtollVocabulary

/// Canonical objects as lines of JSON.
///
/// One object a line: `class`, `key`, then its properties by name. A link is its target's class and
/// key, null if it reads nil; a list or set is an array, a map an object. What JSON has no word for is an
/// object with the type's name: `{"data":"00ff"}`. Dates are ISO 8601 (``DateText``). A property whose name
/// clashes with another's in the same object, or with `class` or `key`, has its type appended: `p:Int`.
///
/// A value of any type says what it is: a `Float` is `{"float":"0.1"}`, and a map that would read as a link
/// or as one of these objects is `{"map":{…}}`.
package struct CanonicalText {
  private(set) var text = ""

  /// The names of objects of one member that stand for a value of any type.
  package static let words: Set<String> = [
    "data", "date", "uuid", "objectId", "decimal", "number", "float", "map", "identity",
  ]

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
      if cell.property.collection == .map, case .map(let entries) = cell.content {
        append(
          map: entries.filter { $0.value != nil }, isAny: cell.property.type == .any,
          isDeclared: true)
      } else {
        append(cell.content, isAny: cell.property.type == .any)
      }
    }
  }

  private func label(_ cell: CanonicalObject.Cell) -> String {
    let type = cell.target.map { "\(cell.property.type) \($0.name)" } ?? "\(cell.property.type)"
    let collection = cell.property.collection
    return collection == .none ? type : "\(collection.name) of \(type)"
  }

  private mutating func append(_ content: CanonicalObject.Content, isAny: Bool) {
    switch content {
    case .scalar(.float(let value)) where isAny: append("float", "\(value)")
    case .scalar(let value): append(value)
    case .link(let target, let key, _, let isAlive):
      guard isAlive else {
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
      append(list: elements.filter(\.isVisible).map(\.value.content), isAny: isAny)
    case .set(let members):
      append(list: members.filter { $0.isHeld && $0.isVisible }.map(\.content), isAny: isAny)
    case .map(let entries):
      append(map: entries.filter { $0.value != nil }, isAny: isAny, isDeclared: false)
    }
  }

  private mutating func append(list contents: [CanonicalObject.Content], isAny: Bool) {
    text += "["
    for (index, content) in contents.enumerated() {
      if index > 0 { text += "," }
      append(content, isAny: isAny)
    }
    text += "]"
  }

  /// Entries by key; a map that its property declares cannot be taken for anything else.
  private mutating func append(
    map entries: [CanonicalObject.Entry], isAny: Bool, isDeclared: Bool
  ) {
    let keys = Set(entries.map(\.key))
    let isUnclear =
      isAny && !isDeclared
      && (keys.isSuperset(of: ["class", "key"]) || keys.count == 1 && keys.isSubset(of: Self.words))
    text += isUnclear ? "{\"map\":{" : "{"
    for (index, entry) in entries.enumerated() {
      if index > 0 { text += "," }
      append(string: entry.key)
      text += ":"
      append(entry.value?.content ?? .scalar(.null), isAny: isAny)
    }
    text += isUnclear ? "}}" : "}"
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
    case .date(let value): append("date", DateText.text(value))
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
