import AtollSQLite
package import AtollVocabulary

/// The version of the model with which a file was last opened, and the parts of the file that the
/// model used.
///
/// The file itself only ever grows; this says which of the properties of one name, and which of the
/// classes, an application knew when it last looked.
package struct SchemaRecord: Hashable, Sendable {
  package var version: UInt64
  package var classes: Set<ClassID>
  package var properties: Set<PropertyID>

  package init(version: UInt64, classes: Set<ClassID>, properties: Set<PropertyID>) {
    self.version = version
    self.classes = classes
    self.properties = properties
  }
}

extension StoreFile {
  /// Returns the record of the last application to open the file; nil if none has opened it with a
  /// model.
  package func schemaRecord() throws(StorageError) -> SchemaRecord? {
    try doing("reading the schema version") {
      _ = try lookAtState()
      let known = try connection.integer(
        "SELECT count(*) FROM sqlite_schema WHERE name = 'atoll_schema'")
      guard known == 1 else { return nil }
      let statement = try connection.prepare(
        "SELECT version, classes, properties FROM atoll_schema")
      guard try statement.step() else { return nil }
      return SchemaRecord(
        version: UInt64(bitPattern: statement.int64(at: 0)),
        classes: Set(Self.numbers(statement.string(at: 1)).map { ClassID($0) }),
        properties: Set(Self.numbers(statement.string(at: 2)).map { PropertyID($0) }))
    }
  }

  /// Records a version: in the open write transaction, or in one of its own if there is none.
  package func record(_ record: SchemaRecord) throws(StorageError) {
    try doing("recording the schema version") {
      if let transaction {
        try store(record)
        transaction.hasSchema = true
        return
      }
      try begin(.schema, timeout: options.lockTimeout)
      do {
        try store(record)
        _ = try finish(try current("recording"))
      } catch {
        abandon()
        throw error
      }
    }
  }

  private func store(_ record: SchemaRecord) throws {
    let known = try connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE name = 'atoll_schema'")
    if known == 0 {
      try connection.execute(
        """
        CREATE TABLE atoll_schema (
          one INTEGER PRIMARY KEY CHECK (one = 1), version INTEGER NOT NULL,
          classes TEXT NOT NULL, properties TEXT NOT NULL)
        """)
      try TableGuards.make(for: ["atoll_schema"], on: connection)
    }
    let statement = try connection.prepare(
      """
      INSERT OR REPLACE INTO atoll_schema (one, version, classes, properties) VALUES (1, ?, ?, ?)
      """)
    statement.bind(Int64(bitPattern: record.version), at: 1)
    statement.bind(Self.text(record.classes.map(\.rawValue)), at: 2)
    statement.bind(Self.text(record.properties.map(\.rawValue)), at: 3)
    try statement.run()
  }

  private static func text(_ numbers: [Int32]) -> String {
    numbers.sorted().map(String.init).joined(separator: " ")
  }

  private static func numbers(_ text: String) -> [Int32] {
    text.split(separator: " ").compactMap { Int32($0) }
  }
}
