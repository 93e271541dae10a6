import AtollChanges
import AtollSQLite
import AtollVocabulary

// The state of a ``StoreFile``, by concern.

/// The version of the file that is shown, and the lease that limits how long.
struct ShownVersion {
  var isReading = false
  /// The versions shown by all processes; nil for a store in memory.
  let pins: VersionPins?
  /// The snapshot, which others of this process may take away; nil unless ``StoreFile/letVersionsMove()``.
  var lease: VersionLease?
  /// Work is under way that keeps ``lease`` from being taken away.
  var isAtWork = false
  /// The turns of threads that read one version; nil while the file belongs to one of them.
  var turns: RecursiveLock?

  init(pins: VersionPins?) { self.pins = pins }
}

/// Everything kept only to be faster, which can be dropped at any time.
struct StoreCaches {
  let queries: StatementPool
  let plans = QueryPlans()
  /// The author's name in position keys, since it takes a hash to find.
  var positionName: (author: Author, name: PositionName)?
  /// The class of replicas in one revision of the catalog.
  var memberClass: (revision: Int64, members: MemberClass?)?
  /// Replicas of which changesets are taken, where the store has owners: who is admitted stays so, unless the
  /// transaction that admits is taken back.
  var admitted: Set<ReplicaID> = []
  /// The head of the checkpoint; nil until something is asked of it.
  var checkpoint: StoreFile.CheckpointRead?

  init(on connection: Connection) {
    queries = StatementPool(on: connection)
  }
}

/// The ledger of lost writes, as far as it is in memory.
struct LedgerState {
  /// Records writes that are lost to concurrent ones.
  var isKept = true
  /// The operations that authors of changesets being merged had not seen and rows do not show, once asked for;
  /// kept from one batch to the next.
  var unseen: UnseenOperations?
}

/// The memory of changesets that peers delivered, from one batch to the next.
struct IncomingState {
  /// The changesets that peers have delivered, of authors of whom nothing was here.
  var strangers = StrangerCount()
  /// The peer that delivered the last changeset of another author; nil until one came.
  var lastArrival: Author??
  /// Authors whose next deferred changeset is blocked, by number: applying it was refused.
  var blocked: Set<Int64> = []
  /// The part that has come of a changeset older than the checkpoint, too large for a frame.
  var backfillPart: (id: ChangesetID, bytes: [UInt8])?
  /// The superseded changesets of the file whose log is replayed here; empty in every other file.
  var supersededInOriginal: [Author: [ClosedRange<SequenceNumber>]] = [:]
}

/// The state of the file on disk and of its write-ahead log.
struct OnDisk {
  let writeAheadLog = WriteAheadLogNote()
  /// The length of the write-ahead log, in pages, over which it is checkpointed.
  var nextCheckpoint = 0
  /// The token in the write-ahead log that marks it as this file's; nil until a commit needs it.
  var token: UInt64?
  /// The file as it was when it was last looked at.
  var place: StorePlace?
}
