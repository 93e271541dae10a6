import Atoll
import AtollChanges
import AtollNode
import AtollReplication
import AtollSQLite
import AtollStorage
import AtollVocabulary
import Foundation

/// One node: a file that outlives crashes, and an engine that does not.
final class SimulatedNode {
  let number: Int
  let clock: VirtualClock
  /// Changesets whose transactions returned.
  private(set) var committed = VersionVector()
  /// The holdings that this node announced to others.
  var promised = VersionVector()
  /// The vector at which this file was last compared with another's.
  var comparedAt: VersionVector?
  /// The changesets in its log at the last look; looked up and never listed.
  var logged: [ChainHash: ChangesetID] = [:]
  /// Counts starts; what was meant for an earlier life does not arrive.
  private(set) var life = 0
  private(set) var file: StoreFile?
  private var performer: ActionPerformer<StoreFile>?
  /// The author of its file, as long as it is up or was.
  private(set) var replica: ReplicaID?
  private(set) var workload: Workload?
  var engine: Engine?
  /// The last timer that was set; earlier ones no longer ring.
  var timerCount = 0
  var nextLink: UInt64 = 1
  /// The moment at which the engine hears of the last thing that its file has done.
  var lastAnswer = Instant(nanoseconds: 0)
  /// The connection of each link, looked up and never listed.
  var connections: [LinkID: Int] = [:]

  let disk: FaultDisk
  /// The point at which it is to die next.
  var armed: FaultPoint?
  /// The version of its program's model.
  var version: Int
  /// True if it is not there yet: a copy that nobody has made.
  var isDormant = false
  let observer = CommitObserver()
  private let durability: StoreOptions.Durability
  let path: String
  /// The application's own view of the file, if there is one.
  var store: Store?
  private let isBuiltIn: Bool
  private let snapshotChangesets: UInt64?
  private let partBytes: Int
  let storeID: StoreID
  /// The key that its file is made with; nil draws one.
  private let key: ReplicaKey?
  private let peers: [PeerID]

  var isUp: Bool { file != nil }

  init(
    number: Int, folder: String, storeID: StoreID, key: ReplicaKey?, peers: [PeerID],
    clock: VirtualClock, durability: StoreOptions.Durability, version: Int, isBuiltIn: Bool,
    snapshotChangesets: UInt64?, partBytes: Int
  ) throws(SQLiteError) {
    disk = try FaultDisk()
    self.durability = durability
    self.version = version
    self.isBuiltIn = isBuiltIn
    self.snapshotChangesets = snapshotChangesets
    self.partBytes = partBytes
    self.number = number
    self.storeID = storeID
    self.key = key
    self.peers = peers
    self.clock = clock
    path = "\(folder)/node-\(number).atoll"
  }

  /// Opens the file and makes a new engine; the events to begin with are the caller's.
  ///
  /// - Parameter isRepairing: Whether somebody repairs what was written while the clock was ahead, asked
  ///   where something was.
  /// - Returns: Whether it was repaired.
  /// - Throws: What opening throws.
  func boot(repairing isRepairing: () -> Bool) throws(StorageError) -> Bool {
    let file = try StoreFile.open(path, options: options)
    self.file = file
    performer = ActionPerformer(file)
    var repair: ClockRepair?
    if try file.ownTimeAhead() != nil, isRepairing() {
      do {
        repair = try file.repairClock()
        hasBackup = false
      } catch .doubtfulClock {
        // Others are ahead too: rather this clock is behind.
      } catch .removed {
        // Nothing that it writes counts.
      }
    }
    if isBuiltIn {
      workload = Workload(try file.adopt(Workload.classes(version)), version: version)
    }
    observer.start(at: try file.commitNumber(), try file.holdings().stored)
    file.onCommit = { [observer] commit in observer.record(commit) }
    replica = file.author.replica
    engine = Engine(
      EngineConfiguration(
        storeID: storeID, author: file.author, agent: "simulation", peers: peers,
        seed: clock.random(), snapshotChangesets: snapshotChangesets))
    return repair != nil
  }

  /// The options with which engine and application open the file.
  var options: StoreOptions {
    let clock = clock
    return StoreOptions(
      storeID: storeID, key: key, durability: durability, holderName: "node \(number)",
      wallClock: { clock.wallTime }, steadyClock: { clock.instant }, random: { clock.random() },
      partBytes: partBytes, disk: disk)
  }

  /// Leaves a transaction open in which something was changed.
  func beginToWrite() {
    guard let file, let workload else { return }
    var random = SeededGenerator(seed: clock.random())
    try? file.beginWrite()
    try? workload.change(file, using: &random)
  }

  /// Ends as a killed process does, or with the power of the machine.
  ///
  /// - Throws: What the system says if the files cannot be put into the state after a power cut.
  func crash(losesPower: Bool) throws(SQLiteError) {
    if losesPower { disk.cut() }
    store?.close()
    store = nil
    file?.close(movingLog: false)
    file = nil
    performer = nil
    workload = nil
    engine = nil
    life += 1
    timerCount += 1
    connections = [:]
    armed = nil
    if losesPower { try disk.losePower(seed: clock.random()) } else { disk.returnPower() }
  }

  /// Remembers that a changeset's transaction returned.
  func acknowledge(_ entry: VersionVector.Entry) { committed[entry.author] = entry.sequence }

  // MARK: Backups

  /// True if the disk was rolled back since the node was last linked; its clock is not repaired then, as by the command.
  var mayBePutBack = false

  /// True if there is a copy to put in place of the file; none from before a repair of the clock.
  private(set) var hasBackup = false

  /// Copies the file of a node that is down.
  func backUp() throws {
    try copy(from: path, to: "\(path).backup")
    hasBackup = true
  }

  /// Puts the copy in place of the file; what was written since is gone from here.
  func restore() throws {
    try copy(from: "\(path).backup", to: path)
    forget()
  }

  /// Nothing that was said of the file is true of it any more.
  func forget() {
    disk.flush()
    committed = VersionVector()
    promised = VersionVector()
    logged = [:]
  }

  /// Begins with a copy of the file of a node that runs.
  func copy(_ other: SimulatedNode) throws {
    try copy(from: other.path, to: path)
    isDormant = false
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
    try file?.holdings() ?? .none
  }

  /// The author and the holdings of a file at a moment.
  struct Moment {
    var author: Author
    var stored: VersionVector
  }

  func moment() throws(StorageError) -> Moment? {
    guard let file else { return nil }
    return Moment(author: file.author, stored: try file.holdings().stored)
  }

  /// Does what the engine asks of the file; nothing where the node is down.
  func perform(_ action: StoreAction) throws(StorageError) -> [Event] {
    try performer?.perform(action) ?? []
  }

  /// Admits a replica for good; whether it was not admitted so.
  func admit(_ replica: ReplicaID, as admission: Admission) throws(StorageError) -> Bool {
    guard let file, try file.admit(replica, as: admission) else { return false }
    try commitHead(of: file)
    return true
  }

  /// Asks owners to admit a replica; whether there was anything to ask.
  func ask(for replica: ReplicaID) throws(StorageError) -> Bool {
    guard let file, try AdmissionRequests(of: file).ask(for: replica) else { return false }
    try commitHead(of: file)
    return true
  }

  /// Removes a replica for good; false if it is removed, or this one was restored and has met nobody since.
  ///
  /// Of half of the replicas what they wrote in the last ten seconds is taken back, if it is not cut off the log.
  func remove(_ replica: ReplicaID) throws(StorageError) -> Bool {
    guard let file, try !file.isRemoved(replica) else { return false }
    do throws(StorageError) {
      if replica.low.isMultiple(of: 2) {
        let moment = WallTime(milliseconds: clock.wallTime.milliseconds - 10_000)
        _ = try UndoingRemoval(of: replica, from: file).run(since: moment)
      } else {
        try file.remove(replica)
      }
    } catch {
      if case .notYet = error { return false }
      throw error
    }
    try commitHead(of: file)
    return true
  }

  /// Changes the key of its replica; false where that counts for nothing, or a backup would bring the former one back.
  func rotateKey() throws(StorageError) -> Bool {
    guard let file, !hasBackup, try file.admits(file.author.replica),
      try !file.isRemoved(file.author.replica)
    else { return false }
    let former = file.author
    try KeyRotation(of: file).run()
    let heads = try file.heads()
    for author in [former, file.author] {
      committed[author] = heads.first { $0.author == author }?.sequence ?? .none
    }
    replica = file.author.replica
    return true
  }

  /// Looks whether somebody was admitted of whom nothing was taken.
  func recordAdmissions() throws(StorageError) -> [Event] {
    try performer?.recordAdmissions() ?? []
  }

  /// Makes itself known as a member; whether it had to.
  func announce() throws(StorageError) -> Bool {
    guard let file, try file.announce() else { return false }
    try commitHead(of: file)
    return true
  }

  /// Remembers that the last changeset's transaction returned.
  private func commitHead(of file: StoreFile) throws(StorageError) {
    committed[file.author] = try file.heads().first { $0.author == file.author }?.sequence ?? .none
  }

  /// Makes one transaction; whether it changed anything.
  @discardableResult
  func write(
    _ body: (Workload, StoreFile) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    guard let file, let workload, try !file.isRemoved(file.author.replica) else { return false }
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
