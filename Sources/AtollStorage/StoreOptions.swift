package import AtollChanges
package import AtollSQLite
package import AtollVocabulary

/// The options of an open store file, with its clock and its generator.
package struct StoreOptions: Sendable {
  /// The moment at which a commit counts as done.
  package enum Durability: Sendable {
    /// After its bytes have reached the disk.
    case full
    /// After the operating system has them; a power cut may lose the last commits, never part of one.
    case normal
    /// At once: nothing is ever flushed, so a power cut may leave anything.
    ///
    /// For the test that sees such a loss found.
    case none
  }

  /// The store this file must belong to; nil takes the file's own, or draws one for a new file.
  package var storeID: StoreID?
  /// Has a new file that is to draw the store's id found a store that has owners.
  package var isOwned: Bool
  /// The key of the replica that a new file goes on as, in a new incarnation; nil draws one.
  package var key: ReplicaKey?
  package var durability: Durability
  package var isReadOnly: Bool
  /// True if a file that does not exist is made.
  package var mayCreate: Bool
  /// The name that others read in a time-out message while this file holds the write lock.
  package var holderName: String
  package var lockTimeout: Duration
  package var wallClock: @Sendable () -> WallTime
  /// The time by which a changeset may be stamped ahead of the local clock; beyond, it is deferred.
  package var clockDrift: Duration
  /// A clock that never steps back; decides when a remote batch yields.
  package var steadyClock: @Sendable () -> Instant
  package var random: @Sendable () -> UInt64
  /// Canonical bytes after which a transaction goes on in another changeset.
  package var partBytes: Int
  /// The page count SQLite may not pass; nil for none.
  ///
  /// Tests of a full disk set it.
  package var maximumPageCount: Int?
  /// Versions of the file that may be in use when a write begins, the newest included; nil for any.
  package var maximumVersions: Int?
  /// A disk that fails on purpose; nil for the system's own.
  package var disk: FaultDisk?

  package init(
    storeID: StoreID? = nil, isOwned: Bool = false, key: ReplicaKey? = nil,
    durability: Durability = .full,
    isReadOnly: Bool = false, mayCreate: Bool = true, holderName: String? = nil,
    lockTimeout: Duration = Limits.writeLockTimeout,
    wallClock: @escaping @Sendable () -> WallTime = SystemClock.wallTime,
    clockDrift: Duration = Limits.clockDrift,
    steadyClock: @escaping @Sendable () -> Instant = SystemClock.instant,
    random: @escaping @Sendable () -> UInt64 = SystemClock.random,
    partBytes: Int = Limits.partBytes, maximumPageCount: Int? = nil, maximumVersions: Int? = nil,
    disk: FaultDisk? = nil
  ) {
    self.storeID = storeID
    self.isOwned = isOwned
    self.key = key
    self.durability = durability
    self.isReadOnly = isReadOnly
    self.mayCreate = mayCreate
    self.holderName = holderName ?? SystemClock.processName
    self.lockTimeout = lockTimeout
    self.wallClock = wallClock
    self.clockDrift = clockDrift
    self.steadyClock = steadyClock
    self.random = random
    self.partBytes = partBytes
    self.maximumPageCount = maximumPageCount
    self.maximumVersions = maximumVersions
    self.disk = disk
  }
}

extension StoreOptions.Durability {
  /// SQLite's word for it.
  var synchronous: String {
    switch self {
    case .full: "FULL"
    case .normal: "NORMAL"
    case .none: "OFF"
    }
  }
}
