import AtollStorage
import AtollVocabulary

// From JSON to values, by the types of their properties.
extension Importer {
  /// Refuses an object that has a name twice: which of the values counts would be a guess.
  func checkNames(of members: [JSONValue.Member]) throws {
    var names: Set<[UInt8]> = []
    for member in members where !names.insert(Array(member.name.utf8)).inserted {
      throw Problem(text: "an object has the name \"\(member.name)\" twice, expected once")
    }
  }

  /// A property by its name, or by name and type where several have one name: `p:Int`.
  func property(_ name: String, of subject: StoredClass) throws -> StoredProperty {
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

  /// Reads what a property holds, a collection as a whole.
  mutating func value(
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

  /// Reads one value, or one element of a collection.
  mutating func single(
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
  func scalar(
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
