import AtollSQLite
import AtollVocabulary
import Synchronization

/// The open files of this process whose snapshots may be moved forward.
enum VersionLeases {
  private struct Entry {
    let file: FileFacts
    weak var lease: VersionLease?
  }

  private static let entries = Mutex<[Entry]>([])
  /// From here on snapshots that nobody uses are ended.
  static let boundBytes = Limits.pinnedWALBytes / 2
  /// From here on those in use, and those that are held, are ended too.
  static let urgentBytes = Limits.pinnedWALBytes / 4 * 3

  /// The length of the log beyond which a snapshot is ended that began to be held at `logBytes`: never
  /// more than seven eighths of what the log may grow to.
  static func urgentBytes(ofHeldAt logBytes: Int) -> Int {
    let (growth, last) = (Limits.pinnedWALBytes / 16, Limits.pinnedWALBytes / 8 * 7)
    return min(max(urgentBytes, logBytes + growth), last)
  }

  static func add(_ lease: VersionLease, of path: String) {
    guard let file = FileFacts(path: path) else { return }
    entries.withLock { entries in
      entries.removeAll { $0.lease == nil }
      entries.append(Entry(file: file, lease: lease))
    }
  }

  /// Ends snapshots of a file if its write-ahead log has become too long.
  static func relieve(_ path: String, logBytes: Int) {
    guard logBytes > boundBytes, let file = FileFacts(path: path) else { return }
    let leases = entries.withLock { entries in
      entries.filter { $0.file == file }.compactMap(\.lease)
    }
    for lease in leases { lease.moveForward(logBytes: logBytes) }
  }
}

// Snapshots that may be moved from outside, and those that are counted.
extension StoreFile {
  /// Lets the snapshot be moved forward from outside when the write-ahead log has become too long.
  ///
  /// Reads go on with the newest version then; ``versionMoves`` tells that it has happened.
  package func letVersionsMove() {
    guard version.lease == nil, !version.isReading, !Self.isPrivate(path) else { return }
    let lease = VersionLease(connection, version.pins)
    version.lease = lease
    VersionLeases.add(lease, of: path)
  }

  /// The number of times that the snapshot was moved forward from outside.
  package var versionMoves: UInt64 { version.lease?.moveCount ?? 0 }

  /// Moves the snapshots of this process forward if others have made the log of a file too long.
  package static func relieve(_ path: String) {
    guard let bytes = FileFacts.size(path: path + "-wal") else { return }
    VersionLeases.relieve(path, logBytes: Int(clamping: bytes))
  }

  /// The versions of the file that are in use in any process, the newest included.
  package func versionsInUse() throws(StorageError) -> Int {
    try doing("counting the versions in use") {
      Set(pinnedVersions().map(\.version) + [try lookAtState()]).count
    }
  }

  private func pinnedVersions() -> [VersionPins.Pin] {
    version.pins?.all(bound: Limits.pinsCounted) ?? []
  }

  /// Refuses to begin a write transaction while more versions are in use than are allowed.
  func checkVersions(_ limit: Int) throws {
    let newest = try lookAtState()
    let pins = pinnedVersions()
    let count = Set(pins.map(\.version) + [newest]).count
    guard count > limit else { return }
    throw StorageError.tooManyVersions(
      path: path, count: count, limit: limit,
      holders: pins.filter { $0.version < newest }.prefix(Self.namedHolders).map {
        "\($0.holder), \(newest - $0.version) commits behind"
      })
  }

  /// Holders of old versions that an error names, the oldest first.
  private static let namedHolders = 5
}
