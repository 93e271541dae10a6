import AtollChanges
import AtollReplication
import AtollStorage
import AtollVocabulary
import Foundation

/// One node: a file that outlives crashes, and an engine that does not.
final class SimulatedNode {
  let number: Int
  let clock: VirtualClock
  /// Changesets whose transactions returned.
  private(set) var committed = VersionVector()
  /// What this node told others it holds.
  var promised = VersionVector()
  /// The vector at which this file was last compared with another's.
  var comparedAt: VersionVector?
  /// Counts starts; what was meant for an earlier life does not arrive.
  private(set) var life = 0
  private(set) var file: StoreFile?
  private(set) var workload: Workload?
  var engine: Engine?
  /// The last timer that was set; earlier ones no longer ring.
  var timerCount = 0
  var nextLink: UInt64 = 1
  /// Which connection a link is an end of, looked up and never listed.
  var connections: [LinkID: Int] = [:]

  private let path: String
  private let storeID: StoreID
  private let peers: [PeerID]

  var isUp: Bool { file != nil }

  init(
    number: Int, folder: String, storeID: StoreID, peers: [PeerID], clock: VirtualClock
  ) {
    self.number = number
    self.storeID = storeID
    self.peers = peers
    self.clock = clock
    path = "\(folder)/node-\(number).atoll"
  }

  /// Opens the file and makes a new engine; the events to begin with are the caller's.
  func boot() throws(StorageError) {
    let clock = clock
    let options = StoreOptions(
      storeID: storeID, durability: .normal, holderName: "node \(number)",
      wallClock: { clock.wallTime }, steadyClock: { clock.instant }, random: { clock.random() })
    let file = try StoreFile.open(path, options: options)
    workload = Workload(try file.adopt(Workload.classes))
    self.file = file
    engine = Engine(
      EngineConfiguration(
        storeID: storeID, author: file.author, agent: "simulation", peers: peers,
        seed: clock.random()))
  }

  /// Ends as a killed process does; perhaps in the middle of a transaction.
  func crash(isWriting: Bool) {
    if isWriting, let file, let workload {
      var random = SeededGenerator(seed: clock.random())
      try? file.beginWrite()
      try? workload.change(file, using: &random)
    }
    file?.close()
    file = nil
    workload = nil
    engine = nil
    life += 1
    timerCount += 1
    connections = [:]
  }

  // MARK: Backups

  private(set) var hasBackup = false

  /// Copies the file of a node that is down.
  func backUp() throws {
    try copy(from: path, to: "\(path).backup")
    hasBackup = true
  }

  /// Puts the copy in place of the file; what was written since is gone from here.
  func restore() throws {
    try copy(from: "\(path).backup", to: path)
    committed = VersionVector()
    promised = VersionVector()
  }

  private func copy(from source: String, to target: String) throws {
    let files = FileManager.default
    for suffix in ["", "-wal", "-shm"] {
      if files.fileExists(atPath: target + suffix) { try files.removeItem(atPath: target + suffix) }
      guard suffix != "-shm", files.fileExists(atPath: source + suffix) else { continue }
      try files.copyItem(atPath: source + suffix, toPath: target + suffix)
    }
  }

  func holdings() throws(StorageError) -> Holdings {
    guard let file else { return .none }
    return Holdings(heads: try file.heads(), applied: try file.appliedVector())
  }

  /// Makes one transaction; whether it changed anything.
  @discardableResult
  func write(
    _ body: (Workload, StoreFile) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    guard let file, let workload else { return false }
    try file.beginWrite()
    do {
      try body(workload, file)
    } catch {
      file.rollback()
      throw error
    }
    guard let commit = try file.commitWrite() else { return false }
    for head in commit.heads where head.author == file.author {
      committed[head.author] = head.sequence
    }
    return true
  }
}
