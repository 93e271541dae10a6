import AtollStorage
import AtollVocabulary

/// Writes objects into a store as JSON tells them: those that are there by their keys are changed,
/// others made.
///
/// A link may lead to an object that comes later: it is made with its key alone, and filled then.
struct Importer {
  private let file: StoreFile
  private let classes: [StoredClass]
  /// Objects without a primary key, by the hidden key that the text has for them.
  private var keyless: [String: RowID] = [:]
  private(set) var made = 0
  private(set) var changed = 0

  /// What is wrong with a value; the line is known further out.
  struct Problem: Error {
    let text: String
  }

  init(_ file: StoreFile) throws {
    self.file = file
    classes = try file.classes
  }

  /// What was made without a primary key is no longer there, since it was rolled back.
  mutating func forgetKeyless() { keyless = [:] }

  func subject(_ name: String) throws -> StoredClass {
    guard let found = classes.first(where: { $0.name == name && !$0.isEmbedded }) else {
      let known = classes.filter { !$0.isEmbedded }.map(\.name).joined(separator: ", ")
      throw Problem(
        text: "the store has no class \"\(name)\"; it has \(known.isEmpty ? "none" : known)"
          + ". Import with --schema, or let an application open the store first")
    }
    return found
  }

  /// One line of `atoll export`.
  mutating func take(_ value: JSONValue) throws {
    guard case .object(let members) = value, case .string(let name)? = value["class"] else {
      throw Problem(text: "expected an object with the member \"class\"")
    }
    let subject = try subject(name)
    let rest = members.filter { !["class", "key"].contains($0.name) }
    try take(rest, key: value["key"], of: subject)
  }

  /// An object's key and its properties by name.
  ///
  /// JSON lines tell a nil that was assigned from a property that never was; where the text cannot,
  /// `isNilAbsent` leaves nil out of new objects.
  mutating func take(
    _ members: [JSONValue.Member], key: JSONValue?, of subject: StoredClass,
    isNilAbsent: Bool = false
  ) throws {
    var fields: [NewField] = []
    for member in members {
      let property = try property(member.name, of: subject)
      fields.append(NewField(property, try value(member.value, for: property)))
    }
    if let row = try find(key, of: subject) {
      for field in fields {
        try file.assign(subject.id, id: row, FieldPath(field.property), field.value)
      }
      changed += 1
    } else {
      if isNilAbsent {
        fields.removeAll { [.scalar(.null), .list([]), .set([]), .map([])].contains($0.value) }
      }
      _ = try create(key, fields, of: subject)
      made += 1
    }
  }

  // MARK: Objects

  private func find(_ key: JSONValue?, of subject: StoredClass) throws -> RowID? {
    if subject.keyType == .identity { return identity(key).flatMap { keyless[$0] } }
    return try file.find(subject.id, key: try primaryKey(key, of: subject))
  }

  private mutating func create(
    _ key: JSONValue?, _ fields: [NewField], of subject: StoredClass
  ) throws -> RowID {
    guard subject.keyType == .identity else {
      let key = try primaryKey(key, of: subject)
      return try file.create(subject.id, key: key, fields: fields)
    }
    let row = try file.create(subject.id, key: nil, fields: fields)
    if let name = identity(key) {
      guard keyless.count < Limits.importKeyless else {
        throw Problem(
          text:
            "more than \(Limits.importKeyless) objects without a primary key are more than can be "
            + "told apart in one import; split the file")
      }
      keyless[name] = row
    }
    return row
  }

  private func identity(_ key: JSONValue?) -> String? {
    if case .string(let name)? = key?["identity"] { name } else { nil }
  }

  private func primaryKey(_ key: JSONValue?, of subject: StoredClass) throws -> PersistedValue {
    guard let key else {
      throw Problem(text: "the key \(subject.key.map { "\"\($0.name)\" " } ?? "")is missing")
    }
    return try scalar(key, subject.keyType, named: subject.key?.name ?? "key")
  }

  /// The object that a link leads to, made with its key alone if it is not there.
  private mutating func target(of link: JSONValue, named name: String) throws -> NewValue {
    guard case .string(let className)? = link["class"], let key = link["key"] else {
      throw Problem(text: "\(name): found \(link.kind), expected {\"class\":…,\"key\":…} or null")
    }
    let subject = try subject(className)
    if let row = try find(key, of: subject) { return .link(subject.id, row) }
    return .link(subject.id, try create(key, [], of: subject))
  }

  // MARK: Values

  /// A property by its name, or by name and type where several have one name: `p:Int`.
  private func property(_ name: String, of subject: StoredClass) throws -> StoredProperty {
    let own = subject.properties
    if let found = own.first(where: { $0.name == name }) { return found }
    if let colon = name.lastIndex(of: ":") {
      let type = name[name.index(after: colon)...]
      if let found = own.first(where: { $0.name == name[..<colon] && label($0) == type }) {
        return found
      }
    }
    throw Problem(
      text: "\(subject.name) has no property \"\(name)\"; it has "
        + own.map(\.name).joined(separator: ", "))
  }

  private func label(_ property: StoredProperty) -> String {
    let target = property.target.flatMap { id in classes.first { $0.id == id } }
    let type = target.map { "\(property.type) \($0.name)" } ?? "\(property.type)"
    return property.collection == .none ? type : "\(property.collection.name) of \(type)"
  }

  private mutating func value(
    _ value: JSONValue, for property: StoredProperty
  ) throws -> NewValue {
    switch (property.collection, value) {
    case (.none, _): return try single(value, property)
    case (.list, .array(let elements)): return .list(try elements.map { try single($0, property) })
    case (.set, .array(let members)): return .set(try members.map { try single($0, property) })
    case (.map, .object(let members)):
      return .map(
        try members.map { NewEntry(key: $0.name, value: try single($0.value, property)) })
    case (.list, .null): return .list([])
    case (.set, .null): return .set([])
    case (.map, .null): return .map([])
    case (.list, _), (.set, _), (.map, _):
      throw Problem(
        text: "\(property.name): found \(value.kind), expected \(property.collection)")
    }
  }

  private mutating func single(
    _ value: JSONValue, _ property: StoredProperty
  ) throws -> NewValue {
    if value == .null { return .scalar(.null) }
    switch property.type {
    case .link: return try target(of: value, named: property.name)
    case .embedded: return try embedded(value, property)
    case .any: return try anything(value, named: property.name)
    case .bool, .int, .float, .double, .string, .data, .date, .uuid, .objectId, .identity, .decimal:
      return .scalar(try scalar(value, property.type, named: property.name))
    }
  }

  private mutating func embedded(
    _ value: JSONValue, _ property: StoredProperty
  ) throws -> NewValue {
    guard case .object(let members) = value,
      let stored = classes.first(where: { $0.id == property.target })
    else {
      throw Problem(text: "\(property.name): found \(value.kind), expected an object or null")
    }
    return .embedded(
      try members.map { member in
        let field = try self.property(member.name, of: stored)
        return NewField(field, try self.value(member.value, for: field))
      })
  }

  /// A value of a property that takes any type.
  private mutating func anything(_ value: JSONValue, named name: String) throws -> NewValue {
    switch value {
    case .null: return .scalar(.null)
    case .bool(let value): return .scalar(.bool(value))
    case .string(let text): return .scalar(.string(text))
    case .number(let text):
      if let number = Int64(text) { return .scalar(.int(number)) }
      return .scalar(try scalar(value, .double, named: name))
    case .array(let elements):
      return .list(try elements.map { try anything($0, named: name) })
    case .object(let members):
      if value["class"] != nil, value["key"] != nil { return try target(of: value, named: name) }
      if let wrapped = try wrapped(value, named: name) { return .scalar(wrapped) }
      return .map(
        try members.map { NewEntry(key: $0.name, value: try anything($0.value, named: name)) })
    }
  }

  /// `{"date":"1.5"}` and its like; nil if it is no such object.
  private func wrapped(_ value: JSONValue, named name: String) throws -> PersistedValue? {
    guard case .object(let members) = value, members.count == 1, let member = members.first,
      let type = ScalarText.types[member.name]
    else { return nil }
    return try scalar(member.value, type, named: name)
  }

  /// A value of a type: as `export` writes it, or as its text alone.
  private func scalar(
    _ value: JSONValue, _ type: PersistedType, named name: String
  ) throws -> PersistedValue {
    let text: String? =
      switch value {
      case .null: nil
      case .bool(let value): type == .bool ? "\(value)" : nil
      case .number(let text): type == .string || type == .bool ? nil : text
      case .string(let text): type == .bool || type == .int ? nil : text
      case .object(let members):
        members.first.flatMap { member in
          guard members.count == 1, case .string(let text) = member.value else { return nil }
          return member.name == ScalarText.word(of: type) ? text : nil
        }
      case .array: nil
      }
    if value == .null { return .null }
    guard let text, let found = ScalarText.value(text, type) else {
      throw Problem(text: "\(name): found \(value.kind), expected \(type)")
    }
    return found
  }
}
