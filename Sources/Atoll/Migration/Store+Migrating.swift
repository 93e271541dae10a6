import AtollStorage
import AtollVocabulary
public import Foundation

extension Store {
  /// Brings the file to the model: new classes and columns, and a migration if the version rose.
  func prepareModel(_ models: [ModelClass]) throws {
    guard let record = try file.schemaRecord() else {
      extend(models, try file.adopt(models.map(\.schema)))
      if !configuration.isReadOnly { try file.record(currentRecord) }
      return
    }
    try check(record)
    if record.version < configuration.schemaVersion, try migrate(models, from: record) { return }
    try adopt(models, with: try file.schemaRecord() ?? record)
  }

  private func check(_ record: SchemaRecord) throws(Error) {
    if record.version > configuration.schemaVersion {
      throw Error(
        .schemaMismatch,
        "Opening '\(configuration.path)': the file has schema version \(record.version), the "
          + "configuration says \(configuration.schemaVersion). Raise 'schemaVersion', or use the "
          + "program that wrote the file.")
    }
    if record.version < configuration.schemaVersion, configuration.isReadOnly {
      throw Error(
        .schemaMismatch,
        "Opening '\(configuration.path)' for reading: the file has schema version "
          + "\(record.version) and must be migrated to \(configuration.schemaVersion) first. Open "
          + "it once for writing.")
    }
  }

  /// Takes in what the model has more; nothing needs to be migrated.
  private func adopt(_ models: [ModelClass], with record: SchemaRecord) throws {
    try check(record)
    if let mismatch = record.mismatch(with: models, in: try file.classes) {
      throw Error(
        .schemaMismatch,
        "Opening '\(configuration.path)': \(mismatch) Raise 'schemaVersion' over "
          + "\(record.version), and say in a 'migrationBlock' what becomes of the values.")
    }
    extend(models, try file.adopt(models.map(\.schema)))
    let current = currentRecord
    guard !configuration.isReadOnly,
      !record.classes.isSuperset(of: current.classes)
        || !record.properties.isSuperset(of: current.properties)
    else { return }
    try file.record(
      SchemaRecord(
        version: record.version, classes: record.classes.union(current.classes),
        properties: record.properties.union(current.properties)))
  }

  /// Everything in one transaction: columns, what the block writes, and the version.
  ///
  /// False if another process has migrated while this one waited for the lock.
  private func migrate(_ models: [ModelClass], from seen: SchemaRecord) throws -> Bool {
    try beginWrite()
    do {
      let record = try file.schemaRecord() ?? seen
      guard record.version < configuration.schemaVersion else {
        cancelWrite()
        return false
      }
      let old = try Store(before: self, record)
      defer { old.close() }
      extend(models, try file.adopt(models.map(\.schema)))
      try configuration.migrationBlock?(Migration(old: old, new: self), record.version)
      try file.record(currentRecord)
    } catch {
      if isInWriteTransaction { cancelWrite() }
      throw Error(migrating: error, configuration)
    }
    try commitWrite()
    return true
  }

  /// The parts of the file that this model uses.
  private var currentRecord: SchemaRecord {
    var properties: Set<PropertyID> = []
    for table in tables {
      for property in table.model.properties {
        if let stored = table.step(to: property), !stored.isKey { properties.insert(stored.id) }
      }
    }
    return SchemaRecord(
      version: configuration.schemaVersion, classes: Set(tables.map(\.classID)),
      properties: properties)
  }
}

extension SchemaRecord {
  /// Tells whether a file cannot be used with the model as it is.
  func needsMigration(
    to models: [ModelClass], version: UInt64, in file: [StoredClass]
  ) -> Bool {
    self.version < version || self.version == version && mismatch(with: models, in: file) != nil
  }

  /// Returns the part of the file that differs from the model's declarations; nil if the model only
  /// has more.
  fileprivate func mismatch(with models: [ModelClass], in file: [StoredClass]) -> String? {
    for model in models {
      let known = file.filter { $0.name == model.name && classes.contains($0.id) }
      guard let first = known.first else { continue }
      guard let stored = known.first(where: { $0.keyType == model.schema.keyType }) else {
        return "class '\(model.name)' has a primary key of type \(model.schema.keyType), in the "
          + "file it is \(first.keyType)."
      }
      for property in model.properties where !property.isPrimaryKey {
        if let other = other(than: property, of: stored) {
          return "\(property.place) is declared as \(Self.text(property.schema)), the file has it "
            + "as \(other)."
        }
      }
    }
    return nil
  }

  /// Returns the last use of a property in the file that is declared in another way now.
  private func other(than property: PropertyDescriptor, of stored: StoredClass) -> String? {
    let schema = property.schema
    let known = stored.properties.filter { $0.name == schema.name && properties.contains($0.id) }
    guard let first = known.first,
      !known.contains(where: { $0.type == schema.type && $0.collection == schema.collection })
    else { return nil }
    return Self.text(
      PropertySchema(name: first.name, type: first.type, collection: first.collection))
  }

  private static func text(_ schema: PropertySchema) -> String {
    schema.collection == .none ? "\(schema.type)" : "a \(schema.collection.name) of \(schema.type)"
  }
}

extension Store.Error {
  fileprivate init(migrating error: any Swift.Error, _ configuration: Store.Configuration) {
    if let error = error as? StorageError {
      self.init(error)
    } else if let error = error as? Store.Error, error.code == .schemaMismatch {
      self = error
    } else {
      self.init(
        .migrationFailed,
        "Migrating '\(configuration.path)' to schema version \(configuration.schemaVersion): "
          + "\(error). The file is as it was.")
    }
  }
}

// MARK: - Around migrations

extension Store {
  /// Migrates a file if its version is lower than the configuration's, without keeping it open.
  ///
  /// - Throws: What opening throws.
  public static func performMigration(for configuration: Configuration) throws(Error) {
    try Store(configuration: configuration).close()
  }
}

/// The version of the model that a file was last opened with; 0 if there was none.
///
/// - Throws: ``Store/Error`` if the file is missing or no store.
public func schemaVersionAtURL(_ fileURL: URL) throws(Store.Error) -> UInt64 {
  do {
    let options = StoreOptions(isReadOnly: true, mayCreate: false)
    let file = try StoreFile.open(fileURL.path, options: options)
    defer { file.close() }
    return try file.schemaRecord()?.version ?? 0
  } catch {
    throw Store.Error(error)
  }
}
