import AtollChanges
import AtollStorage
import AtollVocabulary
import Foundation
import Synchronization
import TestKit
import Testing

/// One replica of a scenario: a store file of its own, a clock of its own, and a name that fixes the
/// order of its author among the others'.
final class Peer {
  let name: String
  let store: StoreFile
  let clock = WallClock()
  /// Stays as long as the file is open in it.
  private let folder: TemporaryFolder?
  /// The changesets that each author had applied when it wrote each of its own.
  private(set) var contexts: [ChangesetID: VersionVector] = [:]

  static let storeID = StoreID(high: 0xA7011, low: 1)

  /// Opens a file in `folder`, or a store in memory without one.
  ///
  /// `name` is one letter, and A's author is below B's. With `backup`, the file
  /// starts as a copy of that one. What it draws at random counts up from `drawn`. Without `storeID` it
  /// founds a store that has owners.
  init(
    _ name: String, in folder: TemporaryFolder?, restoring backup: String? = nil,
    schema: [ClassSchema] = Model.schema, drawn: UInt64 = 0, storeID: StoreID? = Peer.storeID
  ) throws {
    self.name = name
    self.folder = folder
    let path = folder?.storePath(name) ?? StoreFile.inMemory
    if let backup { try TemporaryFolder.copyStore(from: backup, to: path) }
    let rank = UInt64(name.utf8.first ?? 0)
    let base = PeerNames.base(rank, drawn)
    let drawn = Mutex(drawn)
    let clock = clock
    store = try StoreFile.open(
      path,
      options: StoreOptions(
        storeID: storeID, isOwned: true, durability: .normal, holderName: name,
        wallClock: { clock.now },
        random: {
          base
            + drawn.withLock {
              $0 += 1; return $0
            }
        }))
    _ = try store.adopt(schema)
  }

  deinit { store.close() }

  /// One write transaction, at `@seconds`; nothing of it stays if `body` throws.
  func write(at seconds: Int64? = nil, _ body: (Transaction) throws -> Void) throws {
    if let seconds { clock.set(secondsAfterStart: seconds) }
    let context = try store.appliedVector()
    try store.beginWrite()
    do {
      try body(Transaction(store: store))
      guard try store.commitWrite() != nil else { return }
    } catch {
      store.rollback()
      throw error
    }
    let head = try #require(try store.heads().first { $0.author == store.author })
    contexts[head] = context
  }

  // MARK: Exchanging

  /// Takes everything that `other` has and this peer lacks; says whether there was anything.
  @discardableResult
  func receive(from other: Peer) throws -> Bool {
    let lacking = try other.changesets(lackedBy: store.holdings().stored)
    let outcomes = try store.apply(lacking.map(\.incoming))
    for (entry, outcome) in zip(lacking, outcomes) {
      if case .deferred = outcome { continue }
      guard case .applied(_) = outcome else {
        Issue.record("\(name) answered \(outcome) to \(entry.id.author.shortDescription)")
        return false
      }
    }
    return !lacking.isEmpty
  }

  /// The log without what `vector` includes, in the order of this peer.
  func changesets(lackedBy vector: VersionVector = VersionVector()) throws -> [LogEntry] {
    var found: [LogEntry] = []
    var position = LogPosition.start
    while true {
      // One at a time, so that each has a seal of its own and can be given by itself.
      let batch = try store.entries(
        lackedBy: vector, after: position, limitBytes: 1, isForPeer: true)
      found += batch.entries
      if batch.isAtEnd { return found }
      position = batch.next
    }
  }

  /// The canonical text of everything.
  func export() throws -> String {
    var text = ""
    try store.export { text += $0 }
    return text
  }
}

/// Random numbers that give a replica a name in the order wanted: a name is the hash of a key, so those that
/// do are looked for, once.
private enum PeerNames {
  private static let known = Mutex<[[UInt64]: UInt64]>([:])

  /// The number to which a count from `drawn` on is added, so that a key of the first four has a name that begins
  /// with the byte `rank`.
  static func base(_ rank: UInt64, _ drawn: UInt64) -> UInt64 {
    known.withLock { known in
      if let base = known[[rank, drawn]] { return base }
      var base = rank << 56
      while true {
        var next = base + drawn
        let key = ReplicaKey {
          next += 1
          return next
        }
        if key.replica.high >> 56 == rank { break }
        base += 1 << 32
      }
      known[[rank, drawn]] = base
      return base
    }
  }
}

extension LogEntry {
  /// As a link brings it.
  var incoming: IncomingChangeset {
    IncomingChangeset(
      author: id.author, sequence: id.sequence, bytes: bytes,
      expectedHash: seal == nil ? nil : id.hash, seal: seal)
  }
}

extension TemporaryFolder {
  func storePath(_ name: String) -> String { path("\(name).atoll") }

  /// Copies a store as a backup does: the file, and the write-ahead log beside it.
  static func copyStore(from source: String, to target: String) throws {
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: source + suffix) {
      try FileManager.default.copyItem(atPath: source + suffix, toPath: target + suffix)
    }
  }
}
