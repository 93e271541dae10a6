import AtollSQLite
import Synchronization

/// The snapshot of one open file, which others of its process may move forward.
///
/// A file is confined to its thread, and one that nobody uses keeps the write-ahead log from being moved
/// into the database for ever. So whoever finds the log too long ends such snapshots from outside; the
/// file notices when it is next used, and goes on with the newest. Who does anything with the connection
/// has the turn: the owner for as long as a call takes, a mover for as long as it takes to end a read.
/// A mover never waits, and leaves a file alone while rows are being read from a cursor.
final class VersionLease: Sendable {
  private enum Turn {
    static let free = 0
    static let owner = 1
    static let mover = 2
  }

  private let turn = Atomic<Int>(Turn.free)
  private let snapshot = Atomic<Bool>(false)
  private let cursors = Atomic<Int>(0)
  /// The number of actions of the owner, and that at the last visit of a mover.
  private let uses = Atomic<UInt64>(0)
  private let seen = Atomic<UInt64>(.max)
  /// True if the snapshot is shown for good: it can be ended, and no other one is shown then.
  private let held = Atomic<Bool>(false)
  /// The length of the log beyond which the snapshot is ended although it is used or held.
  private let urgentLogBytes = Atomic<Int>(VersionLeases.urgentBytes)
  /// The number of times that the snapshot was taken away.
  private let moves = Atomic<UInt64>(0)
  /// Used by who has the turn alone.
  private nonisolated(unsafe) let connection: Connection
  private nonisolated(unsafe) let pins: VersionPins?

  init(_ connection: Connection, _ pins: VersionPins?) {
    self.connection = connection
    self.pins = pins
  }

  /// The number of times that the snapshot was moved forward from outside.
  var moveCount: UInt64 { moves.load(ordering: .relaxed) }

  /// True if there is a snapshot to take away; set by the owner, and cleared by a mover.
  var hasSnapshot: Bool {
    get { snapshot.load(ordering: .acquiring) }
    set { snapshot.store(newValue, ordering: .releasing) }
  }

  /// Takes the turn for the owner; another has it for microseconds only.
  func enter() {
    uses.store(uses.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    while !turn.compareExchange(
      expected: Turn.free, desired: Turn.owner, ordering: .acquiring
    ).exchanged {}
  }

  func leave() { turn.store(Turn.free, ordering: .releasing) }

  func addCursor() { cursors.add(1, ordering: .releasing) }

  func removeCursor() { cursors.subtract(1, ordering: .releasing) }

  /// True if the snapshot was promised to stay: it is ended only if it must be, and none follows.
  var isHeld: Bool { held.load(ordering: .acquiring) }

  /// Promises that the snapshot stays, while the log has a certain length.
  ///
  /// A log that is long already is not the fault of who begins to hold: it has to grow first.
  func hold(logBytes: Int) {
    urgentLogBytes.store(VersionLeases.urgentBytes(ofHeldAt: logBytes), ordering: .relaxed)
    held.store(true, ordering: .releasing)
  }

  /// Lets nobody take anything any more; returns whether there still was a snapshot.
  func end() -> Bool {
    enter()
    defer { leave() }
    let had = hasSnapshot
    hasSnapshot = false
    return had
  }

  /// Ends the snapshot, if nothing is being done with it; one that was used since the last visit is only
  /// ended if the log is so long that it must be, and so is one that is held.
  func moveForward(logBytes: Int) {
    let isUrgent = logBytes > urgentLogBytes.load(ordering: .relaxed)
    let used = uses.load(ordering: .relaxed)
    let isIdle = seen.exchange(used, ordering: .relaxed) == used
    guard isIdle && !isHeld || isUrgent, hasSnapshot,
      turn.compareExchange(expected: Turn.free, desired: Turn.mover, ordering: .acquiring).exchanged
    else { return }
    defer { leave() }
    guard hasSnapshot, cursors.load(ordering: .acquiring) == 0,
      (try? connection.execute("COMMIT")) != nil
    else { return }
    hasSnapshot = false
    pins?.unpin()
    moves.add(1, ordering: .relaxed)
  }
}
