import AtollStorage
package import AtollVocabulary

/// The columns of a CSV file and their meaning for the objects of one class, both ways.
package struct CSVTable {
  package let subject: StoredClass
  /// By column, the names from the object inwards; nil for the key.
  private let paths: [[String]?]
  /// By column, as paths; only of a table that is written.
  private var columns: [StoredColumn] = []
  private let keyName: String
  private let classes: [StoredClass]

  /// As the first line of a file says.
  ///
  /// - Throws: `Importer.Problem` if two columns have one name.
  init(_ subject: StoredClass, head: [CSVField], in classes: [StoredClass]) throws {
    self.subject = subject
    self.classes = classes
    keyName = Self.keyName(of: subject)
    let hasKeyProperty = subject.property(named: "key") != nil
    var names: Set<String> = []
    for field in head {
      guard names.insert(field.text).inserted else {
        throw Importer.Problem(text: "two columns have the name \"\(field.text)\"; remove one")
      }
    }
    if head.count == 1, let text = head.first?.text, subject.property(named: text) == nil,
      let separator = [";", "\t"].first(where: { text.contains($0) })
    {
      let name = separator == "\t" ? "tabs" : "semicolons"
      throw Importer.Problem(text: "found \(name) between the names, expected commas")
    }
    paths = head.map { [keyName] field in
      field.text == keyName || field.text == "key" && !hasKeyProperty
        ? nil : field.text.split(separator: ".").map(String.init)
    }
  }

  /// All that the class has.
  ///
  /// - Parameters:
  ///   - subject: The class of the objects.
  ///   - classes: All of the store.
  /// - Throws: `EditError.notInCSV` if two of its properties have one name.
  package init(_ subject: StoredClass, in classes: [StoredClass]) throws(EditError) {
    self.subject = subject
    self.classes = classes
    keyName = Self.keyName(of: subject)
    columns = subject.columns
    paths = [nil] + columns.map(\.path)
    guard Set(columns.map(\.path)).count == columns.count else {
      throw EditError.notInCSV(
        class: subject.name, detail: "it has several properties of one name")
    }
  }

  /// The name of the key's column: of the key, or one that no property has.
  private static func keyName(of subject: StoredClass) -> String {
    let names = [subject.key?.name, "key", "identity"].compactMap { $0 }
    return names.first { subject.property(named: $0) == nil || $0 == subject.key?.name } ?? "_key"
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
      guard let path else {
        key = try cell(field, subject.keyType, target: nil, name: keyName)
        continue
      }
      guard let name = path.first else { throw Importer.Problem(text: "a column has no name") }
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
      guard field.text == Self.presence else {
        throw Importer.Problem(
          text:
            "\(property.name): found \"\(field.text)\", expected \"\(Self.presence)\" or nothing")
      }
      return .object([])
    }
    guard property.collection == .none, property.type != .any else {
      do throws(JSONProblem) {
        return try JSONValue(field.text.utf8)
      } catch {
        throw Importer.Problem(
          text:
            "\(property.name): at byte \(error.offset + 1) of the cell: expected \(error.expected); "
            + "the cell is JSON, in which a text has quotes: \"\"\"text\"\"\"")
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
    guard linked.keyType != .identity || linked.id == subject.id else {
      throw Importer.Problem(
        text:
          "\(name): objects of \(linked.name) have no primary key, so that only those in the same "
          + "file can be linked to; export and import JSON lines")
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

  /// The word in the column of an embedded object that is there.
  private static let presence = "present"

  /// The first line: the names of the columns.
  package var head: String {
    paths.map { CSVField.written($0?.joined(separator: ".") ?? keyName) }.joined(separator: ",")
  }

  /// The cells of an object, as one line.
  ///
  /// - Parameter object: A line of `export`.
  /// - Returns: The line, without its end.
  /// - Throws: `EditError.notInCSV` for a value that a cell cannot tell from another.
  package func record(_ object: JSONValue) throws(EditError) -> String {
    let key = object["key"].flatMap { scalar($0) }
    if columns.isEmpty, key == nil {
      throw EditError.notInCSV(
        class: subject.name, detail: "a key is nil, and a line without anything is none")
    }
    return
      ([CSVField.written(key)]
      + (try columns.map { column throws(EditError) in
        CSVField.written(try text(value(of: column, in: object), column))
      }))
      .joined(separator: ",")
  }

  /// Returns the value at the end of a column's path.
  private func value(of column: StoredColumn, in object: JSONValue) -> JSONValue? {
    var value: JSONValue? = object
    for (depth, property) in column.properties.enumerated() {
      let isTaken = depth == 0 && ["class", "key"].contains(property.name)
      value = value?[isTaken ? Importer.labelled(property, in: classes) : property.name]
    }
    return value
  }

  private func text(
    _ value: JSONValue?, _ column: StoredColumn
  ) throws(EditError) -> String? {
    guard let value, value != .null else { return nil }
    switch column.kind {
    case .presence: return Self.presence
    case .collection: return value.text
    case .scalar(.any): return value.text
    case .scalar: return scalar(value)
    case .link:
      guard let key = value["key"].flatMap({ scalar($0) }) else {
        throw EditError.notInCSV(
          class: subject.name,
          detail: "\(column.path.joined(separator: ".")) links to an object "
            + "whose key is nil")
      }
      return key
    }
  }

  /// A value of which the type is known, bare.
  private func scalar(_ value: JSONValue) -> String? {
    switch value {
    case .null: nil
    case .bool(let value): "\(value)"
    case .number(let text), .string(let text): text
    case .array: value.text
    case .object(let members):
      if members.count == 1, case .string(let text)? = members.first?.value {
        text
      } else {
        value.text
      }
    }
  }
}
