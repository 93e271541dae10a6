public import Atoll
public import Foundation

extension Store.Configuration {
  /// A configuration with Realm's labels.
  @_disfavoredOverload
  @preconcurrency
  public init(
    fileURL: URL? = nil, inMemoryIdentifier: String? = nil, readOnly: Bool = false,
    schemaVersion: UInt64 = 0, migrationBlock: MigrationBlock? = nil,
    deleteRealmIfMigrationNeeded: Bool = false,
    shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)? = nil,
    objectTypes: [ObjectBase.Type]? = nil, seedFilePath: URL? = nil
  ) {
    self.init(
      fileURL: fileURL, inMemoryIdentifier: inMemoryIdentifier, isReadOnly: readOnly,
      schemaVersion: schemaVersion, migrationBlock: migrationBlock,
      deleteIfMigrationNeeded: deleteRealmIfMigrationNeeded,
      shouldCompactOnLaunch: shouldCompactOnLaunch, objectTypes: objectTypes,
      seedFilePath: seedFilePath)
  }

  /// Realm's form of a configuration whose file is encrypted.
  @available(
    *, unavailable,
    message: "Atoll does not encrypt files. Leave the key out, and use an encrypted volume."
  )
  public init(
    fileURL: URL? = nil, inMemoryIdentifier: String? = nil, encryptionKey: Data?,
    readOnly: Bool = false, schemaVersion: UInt64 = 0, migrationBlock: MigrationBlock? = nil,
    deleteRealmIfMigrationNeeded: Bool = false,
    shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)? = nil,
    objectTypes: [ObjectBase.Type]? = nil, seedFilePath: URL? = nil
  ) {
    self.init()
  }

  /// Realm's key of an encrypted file.
  @available(
    *, unavailable,
    message: "Atoll does not encrypt files. Leave the key out, and use an encrypted volume."
  )
  public var encryptionKey: Data? { nil }

  /// Realm's name of `Store.Configuration.isReadOnly`.
  public var readOnly: Bool {
    get { isReadOnly }
    set { isReadOnly = newValue }
  }

  /// Realm's name of `Store.Configuration.deleteIfMigrationNeeded`.
  public var deleteRealmIfMigrationNeeded: Bool {
    get { deleteIfMigrationNeeded }
    set { deleteIfMigrationNeeded = newValue }
  }
}
