import AtollStorage
import AtollVocabulary

/// Says objects of Realm's JSON in the words of `atoll export`, by the classes that the store declares.
///
/// Values that do not fit go to the report and nowhere else: a property that is left out keeps its
/// value. An object that is given in full where a link is declared becomes an object of its own and
/// a link.
struct RealmTranslator {
  /// An object as the `Importer` takes it.
  struct Found {
    let subject: StoredClass
    let key: JSONValue?
    let members: [JSONValue.Member]
  }

  /// A value or object that cannot be taken.
  struct Omission: Error {
    let reason: ImportReport.Reason
    let text: String

    init(_ reason: ImportReport.Reason, _ text: String) {
      self.reason = reason
      self.text = text
    }
  }

  /// An object that is given in full, and how links name it.
  struct Given {
    let subject: StoredClass
    let key: JSONValue
    let node: RealmNode
  }

  let classes: [StoredClass]
  var report = ImportReport()
  /// Names of objects without a primary key that nothing outside the object last translated can mean.
  private(set) var passing: [ObjectName] = []

  // MARK: Of the object that is being translated

  var form = RealmForm()
  private var line = 0
  private var root = ""
  /// Objects in full that wait for their translation.
  private var waiting: [Given] = []
  /// The targets of `$ref`: the objects around it, by their `$refId`.
  var references: [String: JSONValue] = [:]
  private var values = 0
  /// Those of ``translated`` that it has added.
  private var new: [Int] = []

  // MARK: Of the file

  private var fileNumber = 0
  private var lastName = 0
  /// Values of a flatted file that were translated as objects.
  private var translated: Set<Int> = []

  init(classes: [StoredClass]) { self.classes = classes }

  mutating func beginFile() {
    fileNumber += 1
    translated = []
  }

  // MARK: Objects

  /// The objects of a record, those that are linked to before those that link.
  mutating func objects(of record: RealmReader.Record) -> [Found] {
    (form, line, root) = (record.form, record.line, record.className)
    (waiting, references, passing, values, new) = ([], [:], [], 0, [])
    guard let subject = classes.first(where: { $0.name == record.className }) else {
      countCase(.unknownClass, record.className)
      return []
    }
    guard !subject.isEmbedded else {
      countCase(.embeddedAlone, subject.name)
      return []
    }
    var found: [Found] = []
    do {
      if let root = try object(record.node, subject) { found.append(root) }
      var next = 0
      while next < waiting.count {
        let given = waiting[next]
        next += 1
        if let object = try object(given.node, given.subject, given.key) { found.append(object) }
      }
    } catch {
      // The parts that were found are not taken either, so that the object can come again.
      omit(error, subject.name, nil)
      translated.subtract(new)
      return []
    }
    return found.reversed()
  }

  /// An object with its properties; nil if it was translated before, or cannot be.
  private mutating func object(
    _ node: RealmNode, _ subject: StoredClass, _ known: JSONValue? = nil
  ) throws -> Found? {
    if let index = node.index {
      guard translated.insert(index).inserted else { return nil }
      new.append(index)
    }
    do {
      let members = try members(of: node)
      let key = try known ?? ownKey(members, node, subject)
      if let key, let name = members.text("$refId") { references[name] = link(subject, key) }
      if known == nil { root = key.map { "\(subject.name) \($0.text)" } ?? subject.name }
      return Found(
        subject: subject, key: key, members: try translation(of: members, subject, isObject: true))
    } catch {
      try tolerate(error, subject.name, nil)
      return nil
    }
  }

  /// The key of an object of its class's array; nil if nothing can link to it.
  private mutating func ownKey(
    _ members: [JSONValue.Member], _ node: RealmNode, _ subject: StoredClass
  ) throws -> JSONValue? {
    guard subject.keyType == .identity else { return try key(members, subject) }
    return name(members, node).map(Self.identity)
  }

  /// The members of an object, each name once.
  func members(of node: RealmNode) throws -> [JSONValue.Member] {
    guard case .object(let members) = node.value else {
      throw Omission(.mismatch, "found \(node.value.kind), expected an object")
    }
    var names: Set<[UInt8]> = []
    for member in members where !names.insert(Array(member.name.utf8)).inserted {
      throw Omission(.repeatedName, "\"\(member.name.prefix(40))\"")
    }
    return members
  }

  /// The properties of an object, or of an embedded one, without those that do not fit.
  mutating func translation(
    of members: [JSONValue.Member], _ subject: StoredClass, isObject: Bool = false, depth: Int = 1
  ) throws -> [JSONValue.Member] {
    var found: [JSONValue.Member] = []
    for member in members where member.name != "$refId" {
      let stored = Self.stored(member.name)
      if isObject, stored == subject.key?.name { continue }
      let properties = subject.properties.filter { $0.name == stored }
      guard let property = properties.first, properties.count == 1 else {
        countCase(
          properties.isEmpty ? .unknownProperty : .severalProperties, subject.name, member.name)
        continue
      }
      guard !found.contains(where: { $0.name == stored }) else {
        countCase(.repeatedName, subject.name, member.name)
        continue
      }
      do {
        let node = try node(member.value)
        found.append(.init(name: stored, value: try value(node, property, subject, depth)))
      } catch {
        try tolerate(error, subject.name, stored)
      }
    }
    return found
  }

  /// The name of a property in a file: Realm's without the underscores before it.
  private static func stored(_ name: String) -> String { String(name.drop { $0 == "_" }) }

  /// A value inside another, counted.
  mutating func node(_ inner: JSONValue) throws -> RealmNode {
    values += 1
    guard values <= Limits.importValues else { throw TooMany() }
    return try form.node(inner)
  }

  // MARK: Keys and links

  /// The primary key of an object that is given in full.
  private mutating func key(
    _ members: [JSONValue.Member], _ subject: StoredClass
  ) throws -> JSONValue {
    guard let name = subject.key?.name,
      let member = members.first(where: { Self.stored($0.name) == name })
    else {
      throw Omission(.noKey, "expected a member \"\(subject.key?.name ?? "")\"")
    }
    return try key(try node(member.value), subject)
  }

  /// A primary key by itself.
  mutating func key(_ node: RealmNode, _ subject: StoredClass) throws -> JSONValue {
    let name = subject.key?.name ?? "key"
    do {
      let key = try RealmScalar.value(try form.whole(node.value), subject.keyType, named: name)
      if case .string(let text) = key, text.utf8.count > Limits.keyBytes {
        throw Omission(.noKey, "\(name): more than \(Limits.keyBytes) bytes")
      }
      return key
    } catch let problem as Importer.Problem {
      throw Omission(.noKey, problem.text)
    }
  }

  /// Returns the name by which several places of a file can mean one object without a primary key;
  /// nil if they cannot.
  private func name(_ members: [JSONValue.Member], _ node: RealmNode) -> String? {
    if let reference = members.text("$refId") { return Self.name(reference, fileNumber) }
    return node.index.map { Self.name("\($0)", fileNumber) }
  }

  private static func name(_ text: String, _ file: Int) -> String { "file \(file):\(text)" }

  static func identity(_ name: String) -> JSONValue {
    .object([.init(name: "identity", value: .string(name))])
  }

  func link(_ subject: StoredClass, _ key: JSONValue) -> JSONValue {
    .object([.init(name: "class", value: .string(subject.name)), .init(name: "key", value: key)])
  }

  /// The link to an object that stands in full in the place of a link.
  mutating func link(toGiven node: RealmNode, _ subject: StoredClass) throws -> JSONValue {
    let members = try members(of: node)
    let key: JSONValue
    if subject.keyType != .identity {
      key = try self.key(members, subject)
    } else {
      if members.text("$refId") == nil { countCase(.madeAnew, subject.name) }
      key = Self.identity(name(members, node) ?? passingName(of: subject))
    }
    waiting.append(Given(subject: subject, key: key, node: node))
    return link(subject, key)
  }

  private mutating func passingName(of subject: StoredClass) -> String {
    lastName += 1
    let name = "passing:\(lastName)"
    passing.append(ObjectName(className: subject.name, key: .string(name)))
    return name
  }

  /// The link that a `$ref` stands for.
  func link(reference: String, _ subject: StoredClass) throws -> JSONValue {
    if let link = references[reference] { return link }
    guard subject.keyType == .identity else {
      throw Omission(.unknownReference, "\"\(reference)\"")
    }
    return link(subject, Self.identity(Self.name(reference, fileNumber)))
  }

  // MARK: The report

  /// Counts one case, at the place of the object.
  mutating func countCase(
    _ reason: ImportReport.Reason, _ className: String, _ property: String? = nil,
    _ detail: String? = nil
  ) {
    let (line, root) = (self.line, self.root)
    report.add(reason, className, property) {
      "line \(line), \(root)" + (detail.map { ": \($0)" } ?? "")
    }
  }

  private struct TooMany: Error {}

  /// Reports what makes a value be left out, and throws on what makes the whole object be.
  mutating func tolerate(_ error: any Error, _ className: String, _ property: String?) throws {
    if error is TooMany { throw error }
    omit(error, className, property)
  }

  private mutating func omit(_ error: any Error, _ className: String, _ property: String?) {
    switch error {
    case let omission as Omission:
      countCase(omission.reason, className, property, omission.text)
    case let problem as Importer.Problem:
      countCase(.mismatch, className, property, problem.text)
    case _:
      countCase(
        .tooLarge, className, property, "more than \(Limits.importValues) values in one object")
    }
  }
}

extension [JSONValue.Member] {
  /// The text of a member; nil if it is not there, or no text.
  func text(_ name: String) -> String? {
    guard case .string(let text)? = first(where: { $0.name == name })?.value else { return nil }
    return text
  }

  /// True if every name begins with a dollar, as those of Extended JSON do.
  var isExtended: Bool { !isEmpty && allSatisfy { $0.name.hasPrefix("$") } }
}
