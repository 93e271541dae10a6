import AtollChanges
import AtollPresence
import AtollReplication
import AtollStorage
import AtollVocabulary
private import Foundation
private import Synchronization

/// The one writer thread of a store: owns the file, works off requests, reports what came of them.
///
/// Nothing here runs on the loop but the putting of requests. The engine asks for one batch of
/// changesets at a time, all that came in while the last was written: they share a transaction.
final class StoreService: Sendable {
  /// A request of the hub.
  enum Request: Sendable {
    /// Look whether another process committed.
    case check
    /// An engine's action on the file, with the sender of the changesets that it is to apply.
    case store(StoreAction, from: WritePermissions.Sender? = nil)
    /// A link is gone: nothing is read ahead for it any more.
    case forget(LinkID)
    /// Compare what the rows hold with what was written, beside other work.
    case checkDigests
    /// Make this replica known as a member, unless it is.
    case announce
    case writeStatus(StoreStatus)
    /// Look how large the files are, and the log.
    case measure
    /// Admit a replica that this node lets write, if this one is an owner of the store; ask owners to, if it is not.
    case admit(ReplicaID)
    /// Say in the store by which key others know this replica.
    case introduce(NodeIdentity)
    /// Another connection of this process found damage in the file.
    case damaged(String)
    /// Remember by which key a replica showed itself.
    case pin(ReplicaID, NodeIdentity)
    /// See whether a node was given the pairing code, and let it in.
    case redeem(PairingAttempt)

    /// Tells whether it only records something, which can wait until all that peers wait for is done.
    var isRecord: Bool {
      switch self {
      case .store(.persistProgress, _), .writeStatus, .measure: true
      case .check, .store, .forget, .checkDigests, .announce, .admit, .introduce, .damaged, .pin,
        .redeem:
        false
      }
    }
  }

  /// A report to the hub.
  enum Report: Sendable {
    case event(Event)
    /// The same, with what links are likely to ask for in answer.
    case advance(Event, readAhead: [ReadAhead])
    /// The file has new commits, up to a number, which all that have it open are told of.
    case committed(CommitNumber, after: CommitNumber)
    /// Rows of these classes were modified externally.
    case modifiedExternally(classes: [String])
    /// The roster is another one.
    case roster([RosterEntry])
    /// Exchange with other nodes was paused, or goes on.
    case paused(Bool)
    /// Changesets of these authors were not taken, which came over that link, and why.
    case declined(LinkID, [Author], LeavingOut)
    /// This node has admitted a replica to the store.
    case admitted(ReplicaID)
    /// This node has asked owners of the store to admit a replica.
    case asked(ReplicaID)
    /// The answer to ``Request/redeem(_:)``.
    case redeemed(Int, Bool)
    /// The known holdings of others are in the file, or in the status beside it.
    case remembered
    /// A snapshot is being made, and has to be gone on with.
    case makingSnapshot
    /// The log was cut.
    case truncated(LogTruncation)
    case trouble(String)
    /// The members have changed: all that are not retired, without this replica.
    case members([Member])
    /// The replicas that owners have removed, told again whenever that changes.
    case removed([ReplicaID])
    /// The state of the file is another one.
    case fileHealth(FileHealth)
    /// Another connection of this process found damage.
    case damaged(String)
  }

  /// A read of the log that was not asked for yet.
  struct ReadAhead: Sendable {
    var link: LinkID
    var after: LogPosition
    var batch: LogBatch
  }

  /// The state of a file that was opened.
  struct Opened: Sendable {
    var storeID: StoreID
    var author: Author
    var holdings: Holdings
    /// The known holdings of others.
    var known: [PeerProgress]
    var commit: CommitNumber
    /// The roster of the file.
    var roster: [RosterEntry]
    /// The keys that replicas showed on links of their own.
    var pinned: [ReplicaID: NodeIdentity]
    /// True if nothing is exchanged with other nodes.
    var isPaused: Bool
    var logStart: LogStart
    /// The time by which the file's own time is ahead of the limit of peers; nil if it is not.
    var timeAhead: Duration?
  }

  let paths: StorePaths
  private let mailbox = Mailbox<Request>()
  private let isCheckComing = Mutex(false)
  private let end = EndOfThread()

  private init(_ paths: StorePaths) { self.paths = paths }

  /// Starts the thread, takes the store's daemon lock, and opens the file.
  ///
  /// `report` is called on the service's thread.
  ///
  /// - Throws: `NodeError` when another node serves the store, or the file cannot be opened.
  static func open(
    _ paths: StorePaths, options: StoreOptions, truncationAge: Duration?, metrics: MetricSource,
    report: @escaping @Sendable ([Report]) -> Void
  ) async throws(NodeError) -> (StoreService, Opened) {
    let service = StoreService(paths)
    let result = await withCheckedContinuation { continuation in
      let thread = Thread {
        Thread.current.name = "atoll-store"
        service.run(options, truncationAge, FileMeters(metrics), report) {
          continuation.resume(returning: $0)
        }
      }
      thread.stackSize = Self.stackBytes
      thread.start()
    }
    return (service, try result.get())
  }

  /// Deep values are walked by recursion; the default of secondary threads would do, barely.
  private static let stackBytes = 4 << 20

  func request(_ request: Request) { mailbox.put(request) }

  /// The number of requests that are not begun.
  var waitingRequests: Int { mailbox.count }

  /// Asks for a look at the file; asking again before it happened adds nothing.
  func requestCheck() {
    let isNew = isCheckComing.withLock { isComing in
      defer { isComing = true }
      return !isComing
    }
    if isNew { mailbox.put(.check) }
  }

  /// Finishes what was asked for, closes the file and gives the lock back; then calls `then`.
  func stop(then: @escaping @Sendable () -> Void) {
    mailbox.close()
    end.call(then)
  }

  private func run(
    _ options: StoreOptions, _ truncationAge: Duration?, _ meters: FileMeters,
    _ report: @escaping @Sendable ([Report]) -> Void,
    _ opened: (Result<Opened, NodeError>) -> Void
  ) {
    defer { end.come() }
    let worker: StoreWorker
    do {
      worker = try StoreWorker(
        paths, options: options, truncationAge: truncationAge, meters: meters, report: report)
      opened(.success(try worker.opened()))
    } catch {
      return opened(.failure(error))
    }
    while let requests = mailbox.take() {
      isCheckComing.withLock { $0 = false }
      worker.perform(requests)
    }
    worker.close()
  }
}

/// The end of a thread, and what is called then.
private final class EndOfThread: Sendable {
  private struct State {
    var hasCome = false
    var waiting: [@Sendable () -> Void] = []
  }

  private let state = Mutex(State())

  func come() {
    let waiting = state.withLock { state in
      state.hasCome = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for action in waiting { action() }
  }

  func call(_ action: @escaping @Sendable () -> Void) {
    let hasCome = state.withLock { state in
      if !state.hasCome { state.waiting.append(action) }
      return state.hasCome
    }
    if hasCome { action() }
  }
}
