import AtollChanges
import AtollLog
import AtollQuery
import AtollSQLite
package import AtollVocabulary

extension StoreFile {
  /// Makes room for a model's classes; classes and properties that are there already stay.
  ///
  /// Committed on its own, under the write lock, only if something is missing; inside an open write
  /// transaction it is part of that one. Nothing is said to peers: a class is declared with its
  /// first use.
  ///
  /// - Returns: The classes as stored, in the order given.
  package func adopt(_ classes: [ClassSchema]) throws(StorageError) -> [StoredClass] {
    let model = Model(classes)
    return try doing("adopting the model's classes") {
      _ = try lookAtState()
      try check(model)
      if let known = try known(model) { return known }
      guard !options.isReadOnly else {
        throw StorageError.openedForReading(
          path: path, doing: "adding to the file what it lacks of the model")
      }
      try checkLimits(model)
      if let transaction {
        try grow(model)
        transaction.hasSchema = true
        return try known(model) ?? []
      }
      try growAlone { try grow(model) }
      return try known(model) ?? []
    }
  }

  /// Makes room for everything that another file has, in its order.
  func adopt(schemaOf other: Catalog) throws {
    try growAlone {
      try catalog.growing(on: connection) {
        for entry in other.entries {
          _ = try catalog.grow(
            className: entry.name, isEmbedded: entry.isEmbedded, keyType: entry.keyType,
            keyName: entry.keyName, on: connection)
        }
        for property in other.properties {
          try catalog.grow(
            property: property.name, of: try tables.entry(property.owner), type: property.type,
            collection: property.collection, target: property.target, on: connection)
        }
      }
    }
  }

  /// Commits what `body` adds to the schema on its own.
  private func growAlone(_ body: () throws -> Void) throws {
    try begin(.schema, timeout: options.lockTimeout)
    do {
      try body()
      _ = try finish(try current("adopting"))
    } catch {
      abandon()
      throw error
    }
  }

  /// Every class of the file, ascending by id, those only peers know included.
  package var classes: [StoredClass] {
    get throws(StorageError) {
      try doing("reading the classes") {
        _ = try lookAtState()
        return catalog.entries.map(\.storedClass)
      }
    }
  }

  /// The first class of this name; another key type makes another class of one name.
  package func storedClass(named name: String) throws(StorageError) -> StoredClass? {
    try classes.first { $0.name == name }
  }

  package func storedClass(_ id: ClassID) throws(StorageError) -> StoredClass {
    try doing("reading a class") { try tables.entry(id).storedClass }
  }

  // MARK: Checking

  private func check(_ model: Model) throws {
    for schema in model.classes {
      try checkKey(schema)
      try checkReserved(schema)
      for property in schema.properties {
        guard property.name.utf8.count <= Limits.nameBytes, !property.name.isEmpty else {
          throw StorageError.tooLarge(
            what: "the name of a property of \(schema.name)", size: property.name.utf8.count,
            limit: Limits.nameBytes)
        }
        guard (property.type == .link || property.type == .embedded) == (property.target != nil)
        else {
          throw StorageError.schemaClash(
            class: schema.name,
            detail: "the property \(property.name) of type \(property.type) has "
              + (property.target.map { "the target \($0), expected none" } ?? "no target class"))
        }
        guard let target = property.target else { continue }
        guard model[target] != nil else {
          throw StorageError.schemaClash(
            class: schema.name,
            detail: "\(property.name) leads to \(target), which is not among the classes")
        }
      }
    }
  }

  /// Refuses a model that could not be declared to peers, beside what was declared to them already.
  private func checkLimits(_ model: Model) throws {
    var table = try own.declarations
    func number(_ schema: ClassSchema) throws -> ClassNumber {
      let declaration = ClassDeclaration(
        name: schema.name, isEmbedded: schema.isEmbedded, keyType: schema.keyType,
        keyName: schema.primaryKey)
      if let known = table.number(of: declaration) { return known }
      try declare(.class(declaration), of: schema, in: &table)
      return ClassNumber(UInt32(table.classes.count - 1))
    }
    for schema in model.classes {
      let owner = try number(schema)
      for property in schema.properties where property.name != schema.primaryKey {
        let target = try property.target.flatMap { model[$0] }.map(number)
        let declaration = PropertyDeclaration(
          owner: owner, name: property.name, type: property.type, collection: property.collection,
          target: target)
        guard table.number(of: declaration) == nil else { continue }
        try declare(.property(declaration), of: schema, in: &table)
      }
    }
  }

  private func declare(
    _ declaration: Declaration, of schema: ClassSchema, in table: inout DeclarationTable
  ) throws {
    do {
      try table.adopt([declaration])
    } catch {
      throw StorageError.schemaClash(class: schema.name, detail: error.description)
    }
  }

  private func checkKey(_ schema: ClassSchema) throws {
    guard let key = schema.primaryKey else { return }
    guard !schema.isEmbedded, let property = schema.property(named: key),
      property.collection == .none, property.type != .link, property.type != .embedded
    else {
      throw StorageError.schemaClash(
        class: schema.name,
        detail: "the primary key \(key) must be a scalar property of a class that is not embedded")
    }
  }

  /// Refuses a model that has a class of the file's own, or would have one of a later build.
  private func checkReserved(_ schema: ClassSchema) throws {
    guard schema.name.hasPrefix("atoll.") else { return }
    let reserved = [MemberClass.schema] + OwnersClass.all.map(\.schema)
    let own = reserved.first { $0.name == schema.name && $0.primaryKey == schema.primaryKey }
    guard let own, schema.properties.allSatisfy({ own.property(named: $0.name)?.type == $0.type })
    else {
      throw StorageError.schemaClash(
        class: schema.name, detail: "names that begin with \"atoll.\" are reserved: give it another"
      )
    }
  }

  // MARK: Finding and making

  /// The stored classes, nil as soon as anything is missing.
  private func known(_ model: Model) throws -> [StoredClass]? {
    var stored: [StoredClass] = []
    for schema in model.classes {
      guard let entry = knownEntry(schema),
        try schema.primaryKey.map({ try !names($0, theKeyOf: entry) }) ?? true
      else { return nil }
      for property in schema.properties where property.name != schema.primaryKey {
        guard let known = knownProperty(property, of: entry, in: model) else { return nil }
        let lacksIndex = indexes(of: property, known).contains { !catalog.has($0, on: known.id) }
        if lacksIndex, !options.isReadOnly { return nil }
      }
      stored.append(entry.storedClass)
    }
    return stored
  }

  /// Returns the indexes of a property of a model: the declared ones, and one of links by their
  /// targets.
  ///
  /// Observers after every commit, and linking objects, ask for the objects that link to one.
  private func indexes(of property: PropertySchema, _ stored: StoredProperty) -> [IndexKind] {
    let kinds = property.type == .link ? [.value] : property.index.map { [$0] } ?? []
    return kinds.filter { canIndex(stored, $0) }
  }

  /// Tells whether there is an index of a kind for the property; models say so only where there is.
  private func canIndex(_ property: StoredProperty, _ kind: IndexKind) -> Bool {
    guard property.collection == .none || property.type == .link,
      catalog.entry(property.owner)?.isEmbedded == false
    else { return false }
    switch kind {
    case .value: return property.type != .embedded && property.type != .any
    case .fullText: return property.type == .string
    case .spatial:
      return property.target.flatMap { catalog.entry($0) }?.storedClass.isGeoPoint == true
    }
  }

  private func knownEntry(_ schema: ClassSchema) -> ClassEntry? {
    catalog.entry(name: schema.name, isEmbedded: schema.isEmbedded, keyType: schema.keyType)
  }

  private func knownProperty(
    _ property: PropertySchema, of entry: ClassEntry, in model: Model
  ) -> StoredProperty? {
    let target = property.target.flatMap { model[$0] }
      .flatMap { knownEntry($0)?.id }
    if property.target != nil, target == nil { return nil }
    return catalog.property(
      of: entry.id, name: property.name, type: property.type, collection: property.collection,
      target: target)
  }

  private func grow(_ model: Model) throws {
    try catalog.growing(on: connection) { try draft(model) }
    // These are filled from their tables, which must stand first.
    for schema in model.classes {
      guard let entry = knownEntry(schema) else { continue }
      for property in schema.properties {
        guard let stored = knownProperty(property, of: entry, in: model) else { continue }
        for kind in indexes(of: property, stored)
        where kind != .value && !catalog.has(kind, on: stored.id) {
          try makeSearchIndex(kind, on: stored)
        }
      }
    }
  }

  /// Tells whether a model's name for the key of a class becomes the file's.
  ///
  /// Once the class is declared to peers with another name, the model's would be known here only.
  private func names(_ key: String, theKeyOf entry: ClassEntry) throws -> Bool {
    guard let known = entry.keyName else { return true }
    return try Catalog.isFirst(key, known) && numbers[own].number(of: entry.id) == nil
  }

  private func draft(_ model: Model) throws {
    for schema in model.classes {
      let entry = try catalog.grow(
        className: schema.name, isEmbedded: schema.isEmbedded, keyType: schema.keyType,
        keyName: knownEntry(schema) == nil ? schema.primaryKey : nil, on: connection)
      if let key = schema.primaryKey, try names(key, theKeyOf: entry) {
        try catalog.grow(keyName: key, of: entry, on: connection)
      }
    }
    for schema in model.classes {
      guard let entry = knownEntry(schema) else { continue }
      for property in schema.properties where property.name != schema.primaryKey {
        let target = property.target.flatMap { model[$0] }
          .flatMap { knownEntry($0)?.id }
        let stored = try catalog.grow(
          property: property.name, of: entry, type: property.type,
          collection: property.collection, target: target, on: connection)
        if indexes(of: property, stored).contains(.value) {
          try catalog.growIndex(on: stored, connection: connection)
        }
      }
    }
  }

  /// Every name under which authors declared different types, ascending by name.
  package func schemaClashes() throws(StorageError) -> [SchemaClash] {
    try doing("looking for clashes of types") { try snapshot { tables.schemaClashes() } }
  }
}

/// The classes of a model, which are found by their names, too.
private struct Model {
  let classes: [ClassSchema]
  private let byName: [String: ClassSchema]

  /// Of two classes of one name the first is found.
  init(_ classes: [ClassSchema]) {
    self.classes = classes
    byName = Dictionary(classes.map { ($0.name, $0) }) { first, _ in first }
  }

  subscript(name: String) -> ClassSchema? { byName[name] }
}
