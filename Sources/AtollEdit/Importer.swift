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
  /// Those of ``keyless`` that only links have named so far, so that they hold nothing.
  private var unfilled: Set<String> = []

  /// Objects without a primary key that links lead to and the file does not have.
  var missing: Int { unfilled.count }

  /// What is wrong with a value; the line is known further out.
  struct Problem: Error {
    let text: String
  }

  init(_ file: StoreFile) throws {
    self.file = file
    classes = try file.classes
  }

  /// What was made without a primary key is no longer there, since it was rolled back.
  mutating func forgetKeyless() { (keyless, unfilled) = ([:], []) }

  /// Tells whether an import of the same lines again would make objects twice.
  private(set) var hasMadeKeyless = false

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
    try checkNames(of: members)
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
    if subject.keyType == .identity, let name = identity(key) { unfilled.remove(name) }
    if let row = try find(key, of: subject) {
      for field in fields {
        try file.assign(subject.id, id: row, FieldPath(field.property), field.value)
      }
      changed += 1
    } else {
      if isNilAbsent {
        fields.removeAll { field in
          let isEmpty = [.list([]), .set([]), .map([])].contains(field.value)
          return field.value == .scalar(.null) || isEmpty && field.property.collection != .none
        }
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
    hasMadeKeyless = true
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
    if subject.keyType == .identity, let name = identity(key) { unfilled.insert(name) }
    return .link(subject.id, try create(key, [], of: subject))
  }

  // MARK: Values

  /// Refuses an object that has a name twice: which of the values counts would be a guess.
  private func checkNames(of members: [JSONValue.Member]) throws {
    var names: Set<[UInt8]> = []
    for member in members where !names.insert(Array(member.name.utf8)).inserted {
      throw Problem(text: "an object has the name \"\(member.name)\" twice, expected once")
    }
  }

  /// A property by its name, or by name and type where several have one name: `p:Int`.
  private func property(_ name: String, of subject: StoredClass) throws -> StoredProperty {
    let found = subject.properties.filter {
      $0.name == name || Self.labelled($0, in: classes) == name
    }
    if found.count == 1, let only = found.first { return only }
    guard found.isEmpty else {
      throw Problem(
        text: "\(subject.name) has several properties \"\(name)\"; name one by its type, of "
          + found.map { Self.labelled($0, in: classes) }.joined(separator: ", "))
    }
    throw Problem(
      text: "\(subject.name) has no property \"\(name)\"; it has "
        + subject.properties.map(\.name).joined(separator: ", "))
  }

  /// A property's name and type, as `export` writes them where the name alone is not clear: `p:Int`.
  static func labelled(_ property: StoredProperty, in classes: [StoredClass]) -> String {
    let target = property.target.flatMap { id in classes.first { $0.id == id } }
    let type = target.map { "\(property.type) \($0.name)" } ?? "\(property.type)"
    let kind = property.collection == .none ? type : "\(property.collection.name) of \(type)"
    return "\(property.name):\(kind)"
  }

  private mutating func value(
    _ value: JSONValue, for property: StoredProperty
  ) throws -> NewValue {
    switch (property.collection, value) {
    case (.none, _): return try single(value, property)
    case (.list, .array(let elements)): return .list(try elements.map { try single($0, property) })
    case (.set, .array(let members)): return .set(try members.map { try single($0, property) })
    case (.map, .object(let members)):
      try checkNames(of: members)
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
    try checkNames(of: members)
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
      guard text.utf8.contains(where: { [46, 69, 101].contains($0) }) else {
        throw Problem(text: "\(name): found \(text), expected \(ScalarText.expected(.int))")
      }
      return .scalar(try scalar(value, .double, named: name))
    case .array(let elements):
      return .list(try elements.map { try anything($0, named: name) })
    case .object(let members):
      try checkNames(of: members)
      if value["class"] != nil, value["key"] != nil { return try target(of: value, named: name) }
      guard members.count == 1, let only = members.first, CanonicalText.words.contains(only.name)
      else { return try map(members, named: name) }
      if case .object(let inner) = only.value, only.name == "map" {
        try checkNames(of: inner)
        return try map(inner, named: name)
      }
      guard let type = ScalarText.types[only.name], case .string = only.value else {
        throw Problem(
          text:
            "\(name): found {\"\(only.name)\":\(only.value.kind)}, expected a text in it; a map "
            + "of this one key is {\"map\":{\"\(only.name)\":…}}")
      }
      return .scalar(try scalar(only.value, type, named: name))
    }
  }

  private mutating func map(_ members: [JSONValue.Member], named name: String) throws -> NewValue {
    .map(try members.map { NewEntry(key: $0.name, value: try anything($0.value, named: name)) })
  }

  /// A value of a type: as `export` writes it, or as its text alone.
  private func scalar(
    _ value: JSONValue, _ type: PersistedType, named name: String
  ) throws -> PersistedValue {
    if value == .null { return .null }
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
    guard let text else {
      throw Problem(text: "\(name): found \(value.kind), expected \(ScalarText.expected(type))")
    }
    return try ScalarText.value(text, type, named: name, found: value.kind)
  }
}
