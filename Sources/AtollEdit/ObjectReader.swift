import AtollQuery
import AtollStorage
import AtollVocabulary

/// An object by what it is called in every file, whatever its row is.
struct ObjectName: Hashable {
  let className: String
  let key: PersistedValue

  var text: String { "\(className) \(key)" }
}

/// A live object in this file.
struct FoundObject {
  let subject: StoredClass
  let row: RowID
  let key: PersistedValue

  var name: ObjectName { ObjectName(className: subject.name, key: key) }
}

/// Reads what objects hold as JSON in canonical form, so that two readings can be compared.
struct ObjectReader {
  let file: StoreFile
  let classes: [StoredClass]

  /// The object as `export` writes it; nil if it is not there.
  func line(of object: FoundObject) throws -> JSONValue? {
    var query = StoreQuery(object.subject.id)
    query.predicate = .comparison(
      .path(PropertyPath(scope: 0)), .equal, .object(object.row, of: object.subject.id))
    var line: String?
    try file.export(query) { line = $0 }
    do throws(JSONProblem) {
      return try line.map { text throws(JSONProblem) in try JSONValue(text.utf8) }
    } catch {
      throw Importer.Problem(text: "\(object.name.text) cannot be read: \(error.expected)")
    }
  }

  /// Returns the value of a property; null for a cell that was never written.
  func value(_ field: FieldPath, of object: FoundObject) throws -> JSONValue {
    var value = try line(of: object) ?? .null
    for (depth, property) in (field.slots + [field.property]).enumerated() {
      let label = Importer.labelled(property, in: classes)
      let isTaken = depth == 0 && ["class", "key"].contains(property.name)
      value = value[label] ?? (isTaken ? nil : value[property.name]) ?? .null
    }
    return value
  }

  /// An element of a list by its index, in a form that the importer reads; null if there is none.
  ///
  /// If the property has a scalar type, only the element is read.
  func element(_ index: Int, _ list: FieldPath, of object: FoundObject) throws -> JSONValue {
    if ![.any, .link, .embedded].contains(list.property.type) {
      let (classID, row) = (object.subject.id, object.row)
      let elements = try file.elements(
        of: classID, id: row, list: list, at: index..<index + 1)
      guard case .scalar(let value)? = elements.first?.value else { return .null }
      return Self.plain(value)
    }
    guard case .array(let elements) = try value(list, of: object), elements.indices ~= index else {
      return .null
    }
    return elements[index]
  }

  /// A value whose type is known, as its text alone.
  private static func plain(_ value: PersistedValue) -> JSONValue {
    switch value {
    case .null: .null
    case .bool(let value): .bool(value)
    case .int(let value): .number("\(value)")
    case .float(let value): .string("\(value)")
    case .double(let value): .string("\(value)")
    case .string(let text): .string(text)
    case .data(let bytes): .string(Hexadecimal.text(bytes: bytes))
    case .date(let seconds): .string(DateText.text(seconds))
    case .uuid(let value): .string(value.description)
    case .objectId(let value): .string(value.description)
    case .decimal(let value): .string(value.description)
    case .identity(let value): .string(value.description)
    }
  }

  // MARK: Comparing

  /// Tells whether two readings of a property say the same: a cell that was never written reads as nil.
  func isSame(_ a: JSONValue, _ b: JSONValue, of property: StoredProperty) -> Bool {
    reduced(a, property) == reduced(b, property)
  }

  /// Tells whether two readings of one element say the same.
  func isSameElement(_ a: JSONValue, _ b: JSONValue, of property: StoredProperty) -> Bool {
    reduced(element: a, property) == reduced(element: b, property)
  }

  /// The names of the members in which two readings of an object differ.
  ///
  /// With `isZeroNil`, an integer that is 0 is the same as one that was never written: after a step up and
  /// a step down it is 0.
  func differences(
    _ a: JSONValue, _ b: JSONValue, of subject: StoredClass, isZeroNil: Bool = false
  ) -> [String] {
    var names: [String] = []
    for value in [a, b] {
      guard case .object(let members) = value else { continue }
      names += members.map(\.name).filter { !names.contains($0) && !["class", "key"].contains($0) }
    }
    return names.filter { name in
      guard let property = property(name, of: subject) else { return a[name] != b[name] }
      let pair = [a, b].map { value in
        let reduced = reduced(value[name] ?? .null, property)
        return isZeroNil && property.type == .int && reduced == .number("0") ? nil : reduced
      }
      return pair[0] != pair[1]
    }
  }

  /// A value without what reads as nil; nil if nothing is left of it.
  private func reduced(_ value: JSONValue, _ property: StoredProperty) -> JSONValue? {
    switch (property.collection, value) {
    case (_, .null): nil
    case (.list, .array(let elements)), (.set, .array(let elements)):
      elements.isEmpty ? nil : .array(elements.map { reduced(element: $0, property) })
    case (.map, .object(let members)):
      members.isEmpty
        ? nil
        : .object(
          members.map { .init(name: $0.name, value: reduced(element: $0.value, property)) })
    case (_, _): reduced(element: value, property)
    }
  }

  private func reduced(element value: JSONValue, _ property: StoredProperty) -> JSONValue {
    guard property.type == .embedded, case .object(let members) = value,
      let inner = classes.first(where: { $0.id == property.target })
    else { return value }
    return .object(
      members.compactMap { member in
        guard let property = self.property(member.name, of: inner) else { return member }
        return reduced(member.value, property).map { .init(name: member.name, value: $0) }
      })
  }

  private func property(_ name: String, of owner: StoredClass) -> StoredProperty? {
    owner.properties.first { $0.name == name || Importer.labelled($0, in: classes) == name }
  }
}

extension FieldPath {
  /// The embedded objects that the path leads through.
  var slots: [StoredProperty] {
    steps.map { step in
      switch step {
      case .slot(let property), .element(let property, _): property
      }
    }
  }
}
