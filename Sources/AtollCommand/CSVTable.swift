import AtollStorage
import AtollVocabulary

/// What the columns of a CSV file mean for the objects of one class, both ways.
struct CSVTable {
  let subject: StoredClass
  /// By column, the names from the object inwards; `key` alone is the key.
  private let paths: [[String]]
  private let classes: [StoredClass]

  /// As the first line of a file says.
  init(_ subject: StoredClass, head: [CSVField], in classes: [StoredClass]) {
    self.subject = subject
    self.classes = classes
    let keyName = subject.key?.name
    paths = head.map { field in
      field.text == keyName ? ["key"] : field.text.split(separator: ".").map(String.init)
    }
  }

  /// All that the class has.
  init(_ subject: StoredClass, in classes: [StoredClass]) {
    self.subject = subject
    self.classes = classes
    paths = [["key"]] + subject.columns.map(\.path)
  }

  // MARK: Reading

  /// The key and the properties of one record.
  func object(_ fields: [CSVField]) throws -> (key: JSONValue?, members: [JSONValue.Member]) {
    guard fields.count == paths.count else {
      throw Importer.Problem(
        text: "it has \(fields.count) cells, the first line \(paths.count)")
    }
    var key: JSONValue?
    var members: [String: JSONValue] = [:]
    var order: [String] = []
    for (path, field) in zip(paths, fields) {
      guard let name = path.first else { throw Importer.Problem(text: "a column has no name") }
      if path == ["key"] {
        key = try cell(field, subject.keyType, target: nil, name: name)
        continue
      }
      if members[name] == nil { order.append(name) }
      let (value, isInside) = try value(field, path)
      if isInside, value == .null || members[name] == .null { continue }
      members[name] = isInside ? Self.merged(members[name], path.dropFirst(), value) : value
    }
    return (
      key,
      order.compactMap { name in
        members[name].map { JSONValue.Member(name: name, value: $0) }
      }
    )
  }

  /// A cell's value, and whether it is one of an embedded object's.
  private func value(_ field: CSVField, _ path: [String]) throws -> (JSONValue, isInside: Bool) {
    var owner = subject
    for (depth, name) in path.enumerated() {
      guard let property = owner.property(named: name) else {
        throw Importer.Problem(text: "\(owner.name) has no property \"\(name)\"")
      }
      let isLast = depth == path.count - 1
      if isLast { return (try self.value(field, property), path.count > 1) }
      guard let inner = classes.first(where: { $0.id == property.target }), inner.isEmbedded else {
        throw Importer.Problem(text: "\(owner.name) embeds nothing as \"\(name)\"")
      }
      owner = inner
    }
    return (.null, false)
  }

  private func value(_ field: CSVField, _ property: StoredProperty) throws -> JSONValue {
    if field.text.isEmpty, !field.isQuoted { return .null }
    if property.collection == .none, property.type == .embedded {
      // The column that says whether there is one; its fields have columns of their own.
      return .object([])
    }
    guard property.collection == .none, property.type != .any else {
      do throws(JSONProblem) {
        return try JSONValue(field.text.utf8)
      } catch {
        throw Importer.Problem(
          text:
            "\(property.name): at byte \(error.offset + 1) of the cell: expected \(error.expected)")
      }
    }
    return try cell(field, property.type, target: property.target, name: property.name)
  }

  private func cell(
    _ field: CSVField, _ type: PersistedType, target: ClassID?, name: String
  ) throws -> JSONValue {
    if field.text.isEmpty, !field.isQuoted { return .null }
    guard type == .link, let linked = classes.first(where: { $0.id == target }) else {
      if type == .identity {
        return .object([.init(name: "identity", value: .string(field.text))])
      }
      if type == .bool, let value = Bool(field.text) { return .bool(value) }
      if type == .int, Int64(field.text) != nil { return .number(field.text) }
      return .string(field.text)
    }
    return .object([
      .init(name: "class", value: .string(linked.name)),
      .init(name: "key", value: try cell(field, linked.keyType, target: nil, name: name)),
    ])
  }

  /// An object with one more member inside, at the end of a path.
  private static func merged(
    _ object: JSONValue?, _ path: ArraySlice<String>, _ value: JSONValue
  ) -> JSONValue {
    guard let name = path.first else { return value }
    var members: [JSONValue.Member] = []
    if case .object(let known)? = object { members = known }
    let inner = members.first { $0.name == name }?.value
    members.removeAll { $0.name == name }
    members.append(.init(name: name, value: merged(inner, path.dropFirst(), value)))
    return .object(members)
  }

  // MARK: Writing

  var head: String {
    paths.map { path in
      CSVField.written(path == ["key"] ? subject.key?.name ?? "key" : path.joined(separator: "."))
    }.joined(separator: ",")
  }

  /// The cells of an object that `export` writes as this.
  func record(_ object: JSONValue) -> String {
    paths.map { path in
      let value = path.reduce(JSONValue?.some(object)) { $0?[$1] }
      return CSVField.written(value.flatMap { text($0, isPresence: isPresence(path)) })
    }.joined(separator: ",")
  }

  private func isPresence(_ path: [String]) -> Bool {
    subject.columns.contains { column in
      if case .presence = column.kind { column.path == path } else { false }
    }
  }

  private func text(_ value: JSONValue, isPresence: Bool) -> String? {
    switch value {
    case .null: nil
    case .bool(let value): "\(value)"
    case .number(let text), .string(let text): text
    case .array: value.text
    case .object(let members):
      if isPresence {
        "present"
      } else if let key = value["key"], value["class"] != nil {
        text(key, isPresence: false)
      } else if members.count == 1, let only = members.first, case .string(let text) = only.value,
        ScalarText.types[only.name] != nil || only.name == "identity"
      {
        text
      } else {
        value.text
      }
    }
  }
}
