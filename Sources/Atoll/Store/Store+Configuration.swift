package import AtollStorage
import AtollVocabulary
public import Foundation
import Synchronization

extension Store {
  /// The settings of a store: its file, and its classes.
  public struct Configuration: Sendable {
    /// The file, which is made if it does not exist; nil for a store in memory.
    ///
    /// Setting it makes a store in memory one on disk again; nil stands for ``defaultFileURL``.
    public var fileURL: URL? {
      get { inMemoryIdentifier == nil ? file : nil }
      set {
        file = newValue ?? Self.defaultFileURL
        inMemoryIdentifier = nil
      }
    }
    fileprivate var file: URL
    /// The name of a store in memory, which ends with the last ``Store`` of this process that has it open.
    ///
    /// Takes the place of ``fileURL``.
    public var inMemoryIdentifier: String?
    /// The id that the store must have, or that a new file gets.
    ///
    /// Nil takes the file's own, or draws one. Files of one id exchange their objects, others never
    /// do.
    public var storeID: UUID?
    /// The classes of the store; nil for every model class of the program.
    public var objectTypes: [ObjectBase.Type]?
    /// True if writing is refused.
    public var isReadOnly: Bool
    /// The version of the model; raise it whenever a property changes its type or meaning.
    ///
    /// New classes and properties need no new version.
    public var schemaVersion: UInt64
    /// A block that is called if the file was last opened with a lower version.
    public var migrationBlock: MigrationBlock?
    /// True if a file that would have to be migrated is deleted and made anew.
    ///
    /// Objects of other replicas come back from them, because the new file belongs to the same
    /// store. Objects that only this file had are lost.
    public var deleteIfMigrationNeeded: Bool
    /// Asked when the file is opened for writing, with its bytes and those of them in use; true has
    /// it written anew without the others.
    public var shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)?
    /// A store file that a file that does not exist yet begins as a copy of.
    ///
    /// The copy belongs to the same store and is a replica of its own.
    public var seedFilePath: URL?
    /// The number of versions of the file that may be in use when a write begins; nil for any
    /// number.
    ///
    /// A version is in use while a store of any process shows it; the newest always is.
    public var maximumNumberOfActiveVersions: UInt?
    /// Gives a new store without a `storeID` owners, who say which replicas may write.
    ///
    /// This replica is the first of them, and the id of the store proves it: see ``Store/members``. In a store without
    /// owners whoever may connect may write. The file of a store that is there keeps what it is, and so does a copy of
    /// ``seedFilePath``: make a seed without owners, since those who get it are not admitted to its store.
    public var hasOwners = true
    /// True if this program exchanges with other replicas itself.
    public var node = Node.none
    /// The source of the classes when `objectTypes` is nil.
    package var discovery: @Sendable () -> [ObjectBase.Type] = { ClassDiscovery.classes }
    /// The size that the file may not pass, for tests of a full disk.
    package var maximumPageCount: Int?
    /// Changes how the file is opened: in the simulation, its clocks and its disk.
    package var adjusting: (@Sendable (inout StoreOptions) -> Void)?

    /// The exchange with other replicas.
    public enum Node: Hashable, Sendable {
      /// `atolld`, if it runs, or nobody.
      case none
      #if Replication
      /// A node in this program, as long as the store is open; while a daemon serves the file, that
      /// one.
      ///
      /// Links to other machines are TLS 1.3, and both ends prove their keys; whom it knows is in the
      /// store's roster, see ``Sync/trust(_:as:role:addresses:)`` and ``Sync/pair(with:at:)``.
      ///
      /// - `peers`: `host:port` of nodes to stay connected to.
      /// - `listen`: `host:port` where others connect; nil if none can.
      /// - `key`: The file of the node's key, readable by its user alone, and made if it is missing; nil
      ///   for `atoll-identity.pem` beside the store.
      /// - `security`: Which links are secured.
      case embedded(
        peers: [String], listen: String? = nil, key: URL? = nil,
        security: Security = .toOtherMachines)
      #endif
    }

    #if Replication
    /// The links of an embedded node that are secured.
    public enum Security: Hashable, Sendable {
      /// Those to other machines; within this one anybody who reaches the port takes part.
      case toOtherMachines
      /// All.
      case always
    }
    #endif

    /// A configuration for a file, by default ``defaultFileURL``, with the labels in Realm's order.
    @preconcurrency
    public init(
      fileURL: URL? = nil, inMemoryIdentifier: String? = nil, storeID: UUID? = nil,
      isReadOnly: Bool = false, schemaVersion: UInt64 = 0, migrationBlock: MigrationBlock? = nil,
      deleteIfMigrationNeeded: Bool = false,
      shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)? = nil,
      objectTypes: [ObjectBase.Type]? = nil, seedFilePath: URL? = nil,
      maximumNumberOfActiveVersions: UInt? = nil
    ) {
      file = fileURL ?? Self.defaultFileURL
      self.inMemoryIdentifier = inMemoryIdentifier
      self.storeID = storeID
      self.isReadOnly = isReadOnly
      self.schemaVersion = schemaVersion
      self.migrationBlock = migrationBlock
      self.deleteIfMigrationNeeded = deleteIfMigrationNeeded
      self.shouldCompactOnLaunch = shouldCompactOnLaunch
      self.objectTypes = objectTypes
      self.seedFilePath = seedFilePath
      self.maximumNumberOfActiveVersions = maximumNumberOfActiveVersions
    }

    /// The configuration of a store that is opened without one; an application sets it once, at its start.
    public static var defaultConfiguration: Configuration {
      get { standard.withLock { $0 } }
      set { standard.withLock { $0 = newValue } }
    }
    private static let standard = Mutex(Configuration())

    /// The file `default.atoll` in the working directory.
    public static var defaultFileURL: URL {
      URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
        .appendingPathComponent("default.atoll")
    }
  }
}

extension Store.Configuration {
  var path: String { inMemoryIdentifier.map(MemoryFile.path) ?? file.path }

  var options: StoreOptions {
    var options = StoreOptions(
      storeID: storeID.map {
        let bytes = UniqueBytes($0)
        return StoreID(high: bytes.high, low: bytes.low)
      }, isOwned: hasOwners,
      durability: inMemoryIdentifier == nil ? .full : .none, isReadOnly: isReadOnly,
      mayCreate: !isReadOnly, maximumPageCount: maximumPageCount,
      maximumVersions: maximumNumberOfActiveVersions.map { Int(clamping: $0) })
    adjusting?(&options)
    return options
  }

  /// Opens the file by itself, beside the store, for as long as `body` takes; it must be there.
  func opening<Result>(
    toWrite: Bool, _ body: (StoreFile) throws(StorageError) -> Result
  ) throws(Store.Error) -> Result {
    do throws(StorageError) {
      var options = options
      options.isReadOnly = !toWrite
      options.mayCreate = false
      let file = try StoreFile.open(path, options: options)
      defer { file.close() }
      return try body(file)
    } catch {
      throw Store.Error(error)
    }
  }

  /// The same file for reading without a model, as one of an earlier version.
  func readingOnly(at version: UInt64) -> Store.Configuration {
    var configuration = self
    configuration.isReadOnly = true
    configuration.objectTypes = []
    configuration.schemaVersion = version
    configuration.migrationBlock = nil
    return configuration
  }

  /// The classes as declared; stops if one cannot be stored or two have one name.
  var models: [ModelClass] {
    var seen: Set<ObjectIdentifier> = []
    let types = (objectTypes ?? discovery()).filter { seen.insert(ObjectIdentifier($0)).inserted }
    let models = types.map(ModelClass.of)
    var names: Set<String> = []
    for model in models {
      model.validate()
      if !names.insert(model.name).inserted {
        Trap.stop(
          "Opening '\(path)': two classes are named '\(model.name)'. "
            + "Rename one, or say in objectTypes which of them the store has.")
      }
    }
    return models
  }
}
