import AtollInspect
import AtollStorage
import AtollVocabulary

/// Writes objects into a store as JSON tells them: those that are there by their keys are changed,
/// others made.
///
/// In an import a link may lead to an object that comes later: it is made with its key alone, and filled
/// then. For a single edit the target has to be there.
struct Importer {
  /// The rule for a link to an object that the file does not have.
  enum Targets {
    /// The target is made with its key alone.
    case made
    /// The link is refused; an object without a primary key is found by the hidden key that it has.
    case required
  }

  private let file: StoreFile
  let classes: [StoredClass]
  private let targets: Targets
  /// Objects without a primary key, by the hidden key that the text has for them.
  private var keyless: [String: RowID] = [:]
  private(set) var made = 0
  private(set) var changed = 0
  /// Those of ``keyless`` that only links have named so far, so that they hold nothing.
  private var unfilled: Set<String> = []

  /// Objects without a primary key that links lead to and the file does not have.
  var missing: Int { unfilled.count }

  /// The remembered objects, if files may give one several times; nil if they do not.
  var memory: ImportMemory?

  /// An error in a value; the line is known further out.
  struct Problem: Error {
    let text: String
  }

  init(_ file: StoreFile, targets: Targets = .made) throws {
    self.file = file
    self.targets = targets
    classes = try file.classes
  }

  /// Objects that were made without a primary key are gone, because the transaction was rolled
  /// back.
  mutating func forgetKeyless() { (keyless, unfilled) = ([:], []) }

  /// No link will lead to an object without a primary key by this name any more.
  mutating func forget(_ name: ObjectName) {
    if case .string(let text) = name.key { keyless[text] = nil }
    memory?.forget(name)
  }

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
    let name = try memory == nil ? nil : name(key, of: subject)
    let isAwaited = name.flatMap { memory?.awaited.remove($0) } != nil
    if let name, memory?.isRepeated(name, members) == true { return }
    if let row = try find(key, of: subject) {
      for field in fields {
        try file.assign(subject.id, id: row, FieldPath(field.property), field.value)
      }
      if isAwaited { made += 1 } else { changed += 1 }
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
    if subject.keyType == .identity {
      guard targets == .required else { return identity(key).flatMap { keyless[$0] } }
      guard let text = identity(key) else { return nil }
      return try file.find(subject.id, key: try Inspection(file).subject(subject.name).key(text))
    }
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

  /// An object's name in the memory; nil if no link can lead to it.
  private func name(_ key: JSONValue?, of subject: StoredClass) throws -> ObjectName? {
    guard subject.keyType == .identity else {
      return ObjectName(className: subject.name, key: try primaryKey(key, of: subject))
    }
    return identity(key).map { ObjectName(className: subject.name, key: .string($0)) }
  }

  private func identity(_ key: JSONValue?) -> String? {
    if case .string(let name)? = key?["identity"] { name } else { nil }
  }

  func primaryKey(_ key: JSONValue?, of subject: StoredClass) throws -> PersistedValue {
    guard let key else {
      throw Problem(text: "the key \(subject.key.map { "\"\($0.name)\" " } ?? "")is missing")
    }
    return try scalar(key, subject.keyType, named: subject.key?.name ?? "key")
  }

  /// The object that a link leads to, made with its key alone if it is not there.
  mutating func target(of link: JSONValue, named name: String) throws -> NewValue {
    guard case .string(let className)? = link["class"], let key = link["key"] else {
      throw Problem(text: "\(name): found \(link.kind), expected {\"class\":…,\"key\":…} or null")
    }
    let subject = try subject(className)
    if let row = try find(key, of: subject) { return .link(subject.id, row) }
    guard targets == .made else {
      throw Problem(
        text: "\(name): found \(key.text), expected the key of a \(className) that is there")
    }
    if subject.keyType == .identity, let name = identity(key) { unfilled.insert(name) }
    if memory != nil, let name = try self.name(key, of: subject) { try memory?.await(name) }
    return .link(subject.id, try create(key, [], of: subject))
  }
}
