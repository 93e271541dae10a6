import AtollPresence
import AtollSQLite
import AtollStorage
import AtollVocabulary

/// The state of a store's file, as its writer thread finds it.
struct FileHealth: Hashable, Sendable {
  /// The state of the path if the open file is not there any more.
  var replaced: String?
  /// The words of the first error that told of damage; kept until the file is opened again.
  var damaged: String?
  /// The words of the last attempt to read the log, if it failed.
  var notRead: String?
  /// True if an owner of the store has removed this replica.
  var isRemoved = false
  /// The replicas that owners of the store have admitted or removed, or are asked to admit; empty without owners.
  var admissions: [AdmissionState: Int] = [:]
  /// By how much this replica's own time is ahead of what others accept; nil if it is not.
  var timeAhead: Duration?
  /// The authors of whom changesets are deferred by clock, with their number.
  var deferred: [DeferredByClock] = []
}

/// The word of a store's owners on a replica, as metrics name it.
enum AdmissionState: String, CaseIterable {
  case owner, writer, requested, removed
}

extension FileHealth {
  /// The conditions that follow, the worst first.
  var conditions: [HealthCondition] {
    var found: [HealthCondition] = []
    if let replaced { found.append(HealthCondition(.fileReplaced, replaced)) }
    if let damaged { found.append(HealthCondition(.fileDamaged, damaged)) }
    if let notRead, damaged == nil { found.append(HealthCondition(.fileNotRead, notRead)) }
    if isRemoved { found.append(.removed) }
    return found + HealthCondition.ofClocks(timeAhead: timeAhead, deferred: deferred)
  }
}

extension StorageError {
  /// Tells whether it tells of bytes in the file that a store does not have.
  var isDamage: Bool {
    if case .damaged = self { return true }
    if case .notADatabase = self { return true }
    if case .notAStore = self { return true }
    return false
  }
}

/// Looks at the state of a store's file, for a twentieth of the time at most (`Limits.healthShare`).
struct FileExamination {
  private let path: String
  /// The file that was opened.
  private let opened: FileFacts?
  private(set) var health = FileHealth()
  /// The replicas that exist and are not retired, this one included.
  private(set) var members: [Member] = []
  /// The replicas that owners of the store have removed, ascending.
  private(set) var removed: [ReplicaID] = []
  private var nextLook: ContinuousClock.Instant?

  init(path: String) {
    self.path = path
    opened = FileFacts(path: path)
  }

  /// Records an error, which may tell of damage.
  mutating func record(_ error: StorageError) {
    if error.isDamage { record(damage: "\(error)") }
  }

  /// Records damage that was found on another connection.
  mutating func record(damage: String) { health.damaged = health.damaged ?? damage }

  /// Records how an attempt to read the log ended; nil if it succeeded.
  mutating func record(read failure: StorageError?) {
    health.notRead = failure.map { "\($0)" }
    if let failure { record(failure) }
  }

  /// Looks at the path and at what is deferred, unless that was done just now.
  mutating func look(at file: StoreFile) {
    let now = ContinuousClock.now
    if let nextLook, now < nextLook { return }
    defer {
      let end = ContinuousClock.now
      nextLook = end.advanced(by: now.duration(to: end) * Limits.healthShare)
    }
    health.replaced = replacement()
    do throws(StorageError) {
      health.timeAhead = try file.ownTimeAhead()
      health.deferred = try file.deferredChangesets().compactMap {
        DeferredByClock($0.author, count: $0.count, ahead: $0.lastAhead)
      }
      members = try file.members().filter { !$0.isRetired }
      removed = try file.removals()
      health.isRemoved = removed.contains(file.author.replica)
      health.admissions = try admissions(in: file)
    } catch {
      record(error)
    }
  }

  private func admissions(in file: StoreFile) throws(StorageError) -> [AdmissionState: Int] {
    guard file.storeID.isOwned else { return [:] }
    let admitted = try file.admissions().filter { !removed.contains($0.replica) }
    let owners = admitted.count { $0.as == .owner }
    return [
      .owner: owners, .writer: admitted.count - owners, .removed: removed.count,
      .requested: try AdmissionRequests(of: file).pending().count,
    ]
  }

  private func replacement() -> String? {
    guard let opened else { return nil }
    guard let found = FileFacts(path: path) else {
      return "the file at \(path) was removed while it is served: what is written goes to no file"
    }
    guard found.device != opened.device || found.inode != opened.inode else { return nil }
    return
      "another file was put at \(path) while it is served: the daemon goes on with the old one, "
      + "which no path leads to"
  }
}
