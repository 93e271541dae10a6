extension ObjectBase: CustomStringConvertible {
  /// The class and the properties, one a line, with what they hold, five objects deep.
  final var fullDescription: String {
    var text = ObjectText()
    return text.object(self, depth: 0)
  }

  /// The class, and the primary key if there is one; of an embedded object its owner's as well.
  package final var shortDescription: String {
    let model = model
    if isInvalidated { return model.name }
    if let key = model.primaryKey { return "\(model.name) with \(key.name) \(key.text(of: self))" }
    guard model.isEmbedded, let row = source?.row else { return model.name }
    return "\(model.name) in \(row.table.object(row.id).shortDescription)"
  }
}

/// Writes a graph of objects for people.
///
/// Cycles end at the depth; what is wide ends at the number of objects.
struct ObjectText {
  private static let maximumDepth = 5
  static let maximumElements = 100
  private static let maximumObjects = 1000
  private static let maximumBytes = 24

  private var objects = 0

  mutating func object(_ object: ObjectBase, depth: Int) -> String {
    let model = object.model
    if object.isInvalidated { return "\(model.name) [invalidated]" }
    if depth >= Self.maximumDepth { return "<Maximum depth exceeded>" }
    objects += 1
    if objects > Self.maximumObjects { return object.shortDescription }
    let lines = model.properties.map { property in
      "\t\(property.name) = \(indented(self.property(property, of: object, depth)));\n"
    }
    return "\(model.name) {\n\(lines.joined())}"
  }

  private mutating func property(
    _ property: PropertyDescriptor, of object: ObjectBase, _ depth: Int
  ) -> String {
    guard let input = property.inputIfAny(of: object) else { return property.text(of: object) }
    switch input.content {
    case .list(let elements), .set(let elements):
      return "\(property.valueType) \(list(elements, depth))"
    case .map(let entries):
      return "\(property.valueType) \(map(entries, depth))"
    case .single(let stored):
      if property.type.isMapped { return property.text(of: object) }
      if case .scalar(let scalar) = stored.content, scalar.type != .data {
        return property.text(of: object)
      }
      return value(stored, depth)
    }
  }

  private mutating func value(_ stored: _Stored, _ depth: Int) -> String {
    switch stored.content {
    case .object(let object): self.object(object, depth: depth + 1)
    case .scalar(.data(let bytes)): Self.data(bytes)
    case .scalar: "\(stored)"
    case .list(let elements): list(elements, depth)
    case .map(let entries): map(entries, depth)
    }
  }

  mutating func list(_ elements: some Collection<_Stored>, _ depth: Int) -> String {
    var lines: [String] = []
    for (index, element) in elements.prefix(Self.maximumElements).enumerated() {
      lines.append("[\(index)] \(value(element, depth))")
    }
    return lined(lines, of: elements.count, "(", ")")
  }

  mutating func map(_ entries: [_StoredEntry], _ depth: Int) -> String {
    var lines: [String] = []
    for entry in entries.prefix(Self.maximumElements) {
      lines.append("[\(entry.key)]: \(value(entry.value, depth))")
    }
    return lined(lines, of: entries.count, "{", "}")
  }

  func lined(_ lines: [String], of count: Int, _ open: String, _ close: String) -> String {
    let rest = count > lines.count ? ["... \(count - lines.count) more"] : []
    let body = (lines + rest).map { "\n\t\(indented($0))" }.joined(separator: ",")
    return body.isEmpty ? open + close : "\(open)\(body)\n\(close)"
  }

  private static func data(_ bytes: [UInt8]) -> String {
    let digits = bytes.prefix(maximumBytes).map { byte in
      let text = String(byte, radix: 16)
      return text.count == 1 ? "0" + text : text
    }
    return "<\(digits.joined()) — \(bytes.count) bytes>"
  }

  private func indented(_ text: String) -> String { text.replacing("\n", with: "\n\t") }
}
