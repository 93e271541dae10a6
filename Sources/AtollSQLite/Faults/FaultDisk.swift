import CSQLite
import AtollVocabulary
import Synchronization

/// A disk under SQLite that fails when it is told to: for tests and the simulation.
///
/// Connections that are opened with it go through a shim over the system's file access; all others
/// do not know of it. Reads and writes reach the real files at once, as they reach the system's
/// cache. What was written since a file was last flushed is remembered, so that ``losePower(seed:)``
/// can take it back: each write then lands whole, in part at sector borders, or not at all. Flushing
/// costs nothing here, since nobody pulls the plug of the machine that runs the tests.
///
/// The shared memory of the write-ahead log passes through, and files that are made or deleted are
/// so at once. Memory is bounded by what the store writes between two flushes.
package final class FaultDisk: Sendable {
  /// A call of SQLite to a file.
  package enum Call: Hashable, Sendable, CaseIterable {
    case open, read, write, truncate, flush, delete
  }

  /// The file of a call.
  package enum File: Hashable, Sendable {
    case store, log, other
  }

  package enum Fault: Hashable, Sendable {
    /// The disk is full: the front half of a write lands.
    case full
    /// The device does not answer.
    case inputOutput
    /// One bit comes back other than it was written, counted from the start of what is read.
    case flip(bit: Int)
    /// The power goes: the call is done, and not flushed, and every later one fails.
    case cut
  }

  /// The call that fails, and its failure.
  package struct Plan: Hashable, Sendable {
    package var calls: Set<Call>
    /// Nil for any.
    package var file: File?
    /// Calls of these kinds that go well before one does not.
    package var skipped: Int
    package var fault: Fault
    /// True if all later calls of these kinds fail too.
    package var isLasting: Bool

    package init(
      _ fault: Fault, at calls: Set<Call>, of file: File? = nil, after skipped: Int = 0,
      isLasting: Bool = false
    ) {
      self.calls = calls
      self.file = file
      self.skipped = skipped
      self.fault = fault
      self.isLasting = isLasting
    }
  }

  struct State {
    var plan: Plan?
    var hasFired = false
    var isCut = false
    var changes = UnflushedChanges()
  }

  let state = Mutex(State())
  /// By which SQLite knows the shim.
  let name: String
  nonisolated(unsafe) private let system: UnsafeMutablePointer<sqlite3_vfs>

  private static let count = Atomic<Int>(0)

  package init() throws(SQLiteError) {
    guard let base = sqlite3_vfs_find(nil) else { throw SQLiteError(SQLITE_NOTFOUND, of: nil) }
    name = "atoll-faults-\(Self.count.add(1, ordering: .relaxed).newValue)"
    system = FaultShim.make(name: name, over: base)
    system.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
    let code = sqlite3_vfs_register(system, 0)
    guard code == SQLITE_OK else { throw SQLiteError(code, of: nil) }
  }

  deinit {
    sqlite3_vfs_unregister(system)
    FaultShim.free(system)
  }

  // MARK: Faults

  /// Has a call go wrong from now on; nil ends that.
  package func plan(_ plan: Plan?) {
    state.withLock {
      $0.plan = plan
      $0.hasFired = false
    }
  }

  /// True if a call has gone wrong since the last plan was made.
  package var hasFired: Bool { state.withLock { $0.hasFired } }

  /// True if the power is gone.
  package var isCut: Bool { state.withLock { $0.isCut } }

  /// Ends the power: every call fails until ``losePower(seed:)``.
  package func cut() { state.withLock { $0.isCut = true } }

  /// Takes back what was not flushed, as far as chance has it, and returns the power.
  ///
  /// Every connection must have been closed.
  package func losePower(seed: UInt64) throws(SQLiteError) {
    var random = SeededGenerator(seed: seed)
    let changes = state.withLock { state in
      defer { state = State() }
      return state.changes
    }
    try changes.settle(using: &random)
  }

  /// Goes on after ``cut()`` with everything that was written: only the process had died.
  package func returnPower() {
    state.withLock { state in
      state.isCut = false
      state.plan = nil
      state.hasFired = false
    }
  }

  /// Counts everything as flushed, for instance because files were replaced.
  package func flush() { state.withLock { $0.changes = UnflushedChanges() } }

  /// Writes that a power cut could take back.
  package var unflushedCount: Int { state.withLock { $0.changes.count } }
}

extension FaultDisk.State {
  /// Returns the fault of this call; nil if there is none.
  mutating func fault(at call: FaultDisk.Call, of file: FaultDisk.File) -> FaultDisk.Fault? {
    if isCut { return .inputOutput }
    guard let plan, plan.calls.contains(call), plan.file == nil || plan.file == file else {
      return nil
    }
    guard plan.skipped == 0 else {
      self.plan?.skipped -= 1
      return nil
    }
    if !plan.isLasting { self.plan = nil }
    hasFired = true
    if plan.fault == .cut { isCut = true }
    return plan.fault
  }
}
