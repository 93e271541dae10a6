import AtollInspect
import AtollStorage
import AtollVocabulary

/// Performs edits in the open write transaction of a file, and tells of each how it is taken back.
struct EditWriter {
  let file: StoreFile
  let reader: ObjectReader
  var importer: Importer

  init(_ file: StoreFile) throws {
    self.file = file
    importer = try Importer(file, targets: .required)
    reader = ObjectReader(file: file, classes: importer.classes)
  }

  /// Performs one edit.
  ///
  /// - Returns: The steps that take it back, to be performed from the last to the first.
  mutating func perform(_ edit: StoreEdit) throws -> [InverseEdit] {
    if case .create(let members) = edit.action { return [try create(edit, members)] }
    let object = try object(edit.className, edit.key)
    switch edit.action {
    case .create: return []
    case .delete: return [try delete(object)]
    case .set(let path, let members): return try set(members, at: path, of: object)
    case .assign(let path, let value): return [try assign(value, to: path, of: object)]
    case .increment(let path, let amount):
      let field = try field(path, of: object.subject)
      try file.increment(object.subject.id, id: object.row, field, by: amount)
      let back = amount.multipliedReportingOverflow(by: -1)
      return back.overflow
        ? [.increment(object.name, path, by: .max), .increment(object.name, path, by: 1)]
        : [.increment(object.name, path, by: back.partialValue)]
    case .restore(let path, let changeset):
      return [try restore(path, as: changeset, of: object)]
    case .insert, .replace, .remove, .move: return [try editList(edit.action, of: object)]
    case .add(let path, let value): return try editSet(path, value, of: object, isAdded: true)
    case .drop(let path, let value): return try editSet(path, value, of: object, isAdded: false)
    case .put(let path, let entry, let value):
      return [try editMap(path, entry, value, of: object)].compactMap { $0 }
    case .take(let path, let entry):
      return [try editMap(path, entry, nil, of: object)].compactMap { $0 }
    }
  }

  // MARK: Objects

  /// The object that a class and a key name.
  private func object(_ className: String, _ text: String?) throws -> FoundObject {
    let subject = try Inspection(file).subject(className)
    guard let text else { throw Importer.Problem(text: "the key of the \(className) is missing") }
    let name = ObjectName(className: className, key: try subject.key(text))
    guard let found = try find(name) else {
      throw Importer.Problem(
        text: "there is no \(className) with the key \"\(text)\"; it may have been deleted")
    }
    return found
  }

  func find(_ name: ObjectName) throws -> FoundObject? {
    let subject = try importer.subject(name.className)
    return try file.find(subject.id, key: name.key).map {
      FoundObject(subject: subject, row: $0, key: name.key)
    }
  }

  private mutating func create(
    _ edit: StoreEdit, _ members: [JSONValue.Member]
  ) throws -> InverseEdit {
    let subject = try Inspection(file).subject(edit.className)
    let stored = subject.stored
    try importer.checkNames(of: members)
    let rest = members.filter { $0.name != stored.key?.name }
    let key = try key(of: edit, members, subject)
    var fields: [NewField] = []
    for member in rest {
      let property = try importer.property(member.name, of: stored)
      fields.append(NewField(property, try importer.value(member.value, for: property)))
    }
    let object = try made(stored, key: key, fields)
    return .delete(object.name, written: try reader.line(of: object) ?? .null)
  }

  /// The key of an object to be made: given as text, among the values, or twice the same.
  private func key(
    of edit: StoreEdit, _ members: [JSONValue.Member], _ subject: SubjectClass
  ) throws -> PersistedValue? {
    let stored = subject.stored
    guard stored.keyType != .identity else {
      guard edit.key == nil else {
        throw Importer.Problem(
          text: "objects of \(stored.name) have hidden keys: expected an edit without a key")
      }
      return nil
    }
    let given = stored.key.flatMap { key in members.first { $0.name == key.name }?.value }
    guard let text = edit.key else { return try importer.primaryKey(given, of: stored) }
    let key = try subject.key(text)
    guard let given, try importer.primaryKey(given, of: stored) != key else { return key }
    throw Importer.Problem(
      text: "found two keys, \(key) and \(given.kind): expected one, or the same twice")
  }

  /// Makes an object, and reads the hidden key that it was given.
  func made(
    _ subject: StoredClass, key: PersistedValue?, _ fields: [NewField]
  ) throws -> FoundObject {
    let row = try file.create(subject.id, key: key, fields: fields)
    let given = try key ?? file.row(of: subject.id, id: row)?.key
    return FoundObject(subject: subject, row: row, key: given ?? .null)
  }

  private func delete(_ object: FoundObject) throws -> InverseEdit {
    let line = try reader.line(of: object)
    try file.delete(object.subject.id, id: object.row)
    guard case .object(let members)? = line else { return .create(object.name, []) }
    return .create(object.name, members.filter { !["class", "key"].contains($0.name) })
  }

  // MARK: Properties

  private mutating func set(
    _ members: [JSONValue.Member], at path: String?, of object: FoundObject
  ) throws -> [InverseEdit] {
    try importer.checkNames(of: members)
    return try members.map { member in
      try assign(member.value, to: (path.map { $0 + "." } ?? "") + member.name, of: object)
    }
  }

  /// Gives a property a value, a collection as a whole.
  mutating func assign(
    _ value: JSONValue, to path: String, of object: FoundObject
  ) throws -> InverseEdit {
    let field = try field(path, of: object.subject)
    let before = try reader.value(field, of: object)
    let new = try importer.value(value, for: field.property)
    try file.assign(object.subject.id, id: object.row, field, new)
    let written = try reader.value(field, of: object)
    return .assign(object.name, path, before, written: written)
  }

  /// Gives a property the value that a changeset of the log had given it.
  private func restore(
    _ path: String, as changeset: String, of object: FoundObject
  ) throws -> InverseEdit {
    let field = try field(path, of: object.subject)
    let names = field.steps.compactMap { step in
      if case .slot(let property) = step { property.name } else { nil }
    }
    let history = try file.explain(
      object.subject.id, key: object.key, path: names + [field.property.name])
    let write = history.writes.last {
      $0.isRestorable && changeset.count >= 16 && $0.hash.hasPrefix(changeset)
    }
    guard let write else {
      throw Importer.Problem(
        text: "the log has no changeset \(changeset.prefix(64)) that gave \(path) a value; "
          + "see its history")
    }
    let before = try reader.value(field, of: object)
    try file.assign(object.subject.id, id: object.row, field, kept: write.value)
    return .assign(object.name, path, before, written: try reader.value(field, of: object))
  }

  /// Reads a value as one element of a collection, or as a property of one value.
  mutating func single(_ value: JSONValue, of field: FieldPath) throws -> NewValue {
    try importer.single(value, field.property)
  }

  /// The property at the end of a path.
  func field(_ path: String, of subject: StoredClass) throws -> FieldPath {
    // The name of a property may have a dot in it, and its type may have.
    let isWhole = subject.properties.contains {
      $0.name == path || Importer.labelled($0, in: importer.classes) == path
    }
    let names = isWhole ? [path] : path.split(separator: ".").map(String.init)
    guard let last = names.last else { throw Importer.Problem(text: "the path is empty") }
    var owner = subject
    var steps: [FieldPath.Step] = []
    for name in names.dropLast() {
      let property = try property(name, of: owner)
      guard property.type == .embedded, property.collection == .none,
        let inner = importer.classes.first(where: { $0.id == property.target })
      else { throw Importer.Problem(text: "\(owner.name) embeds nothing as \"\(name)\"") }
      steps.append(.slot(property))
      owner = inner
    }
    return FieldPath(steps: steps, property: try property(last, of: owner))
  }

  /// A property that is the only one of its name: of several, the text of an object does not say which it means.
  private func property(_ name: String, of owner: StoredClass) throws -> StoredProperty {
    let found = try importer.property(name, of: owner)
    guard owner.properties.count(where: { $0.name == found.name }) == 1 else {
      throw Importer.Problem(
        text:
          "\(owner.name) has several properties \"\(found.name)\", which cannot be edited here: "
          + "correct the models")
    }
    return found
  }
}
