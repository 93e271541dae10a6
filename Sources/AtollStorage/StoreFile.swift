import AtollChanges
import AtollLog
import AtollSQLite
package import AtollVocabulary

/// One connection to a store file: reads, writes, and applies what peers wrote.
///
/// Confined to the thread that uses it; other threads and processes open the same file again. One
/// file is one connection, so reads inside a write transaction see what it did so far.
package final class StoreFile {
  package let path: String
  package internal(set) var storeID: StoreID
  /// Who writes here now; changes when the file is found to be a copy.
  package internal(set) var author: Author
  /// The one door: called after each commit made through this object, local and remote alike.
  package var onCommit: ((Commit) -> Void)?

  let options: StoreOptions
  let connection: Connection
  /// What the statement that last changed a single cell found in it.
  let replaced: ReplacedValue
  /// Nil for a store in memory, which nobody else can open.
  let lock: WriteLock?
  let writeAheadLog: WriteAheadLogNote
  /// The length of the write-ahead log, in pages, over which it is checkpointed.
  var nextCheckpoint = 0
  // Every write goes through these; nothing accesses them twice at once.
  @exclusivity(unchecked) var catalog: Catalog
  /// The statements on the bookkeeping tables.
  let statements: FixedStatements
  let log: ChangesetLog
  let authors: AuthorTable
  let numbers: NumberTable
  /// The file's own row, as of the last write transaction.
  var state: StoreState
  /// Whether the caches must be read again before the next write.
  var isStale = false
  @exclusivity(unchecked) var isReading = false
  /// Which version is shown, for the others of all processes; nil for a store in memory.
  let pins: VersionPins?
  /// By which others of this process may take the snapshot away; nil unless ``letSnapshotsMove()``.
  var lease: SnapshotLease?
  /// Whether ``lease`` is held off by something that is being done.
  @exclusivity(unchecked) var isAtWork = false
  /// In which threads take turns that read one version; nil while the file belongs to one of them.
  @exclusivity(unchecked) var turns: RecursiveLock?
  @exclusivity(unchecked) var transaction: WriteTransaction?
  var cursors = CursorRegister()
  /// The order of lists that were read or written by index.
  var views = ListViews()
  /// The author's name in position keys, since it takes a hash to find.
  var positionName: (author: Author, name: PositionName)?
  let queries: StatementPool
  /// Of walks over everything, which ask the same of every object.
  let walks: StatementPool
  let plans = QueryPlans()
  /// Whether writes that are lost to concurrent ones are entered in the ledger.
  var keepsConflicts = true
  /// The operations that authors of changesets being merged had not seen and rows do not show, once asked for;
  /// kept from one batch to the next.
  var unseenOperations: UnseenOperations?
  /// The class of replicas in one revision of the catalog.
  var knownMemberClass: (revision: Int64, members: MemberClass?)?
  /// The changesets that peers have brought, of authors of whom nothing was here.
  var strangers = StrangerCount()
  /// The head of the checkpoint; nil until something is asked of it.
  var knownCheckpoint: CheckpointRead?
  /// The part that has come of a changeset older than the checkpoint, too large for a frame.
  var backfillPart: (id: ChangesetID, bytes: [UInt8])?
  /// By whom the last changeset of another author came; nil until one came.
  var lastArrival: Author??
  /// The superseded changesets of the file whose log is replayed here; empty in every other file.
  var supersededInOriginal: [Author: [ClosedRange<SequenceNumber>]] = [:]
  /// Authors whose next deferred changeset is blocked, by number: applying it was refused.
  var blocked: Set<Int64> = []
  /// What shows in the write-ahead log that it is this file's; nil until a commit needs it.
  var token: UInt64?
  /// The file as it was when it was last looked at.
  var place: StorePlace?

  init(
    path: String, options: StoreOptions, connection: Connection, lock: WriteLock?,
    pins: VersionPins?,
    catalog: Catalog, authors: AuthorTable, state: StoreState, author: Author
  ) throws(SQLiteError) {
    self.path = path
    self.options = options
    self.connection = connection
    self.lock = lock
    self.pins = pins
    self.catalog = catalog
    self.authors = authors
    statements = FixedStatements(on: connection)
    log = ChangesetLog(statements, authors: authors)
    numbers = NumberTable(of: authors, statements)
    self.state = state
    self.storeID = state.storeID
    self.author = author
    writeAheadLog = WriteAheadLogNote()
    queries = StatementPool(on: connection)
    replaced = try connection.keepReplaced()
    walks = StatementPool(on: connection)
    connection.onWriteAheadLog(writeAheadLog)
    log.checkpoint = RecentChangesets(store: self)
    try numbers.refresh(catalog)
  }

  /// Rolls back what was not committed and lets go of the file; the object is of no use then.
  ///
  /// Whoever is the last of all processes to close a file that may be written moves the write-ahead log
  /// into it, so that the one file is the whole store.
  ///
  /// - Parameter movingLog: False leaves the log, as the end of a killed process does.
  package func close(movingLog: Bool = true) {
    _ = lease?.end()
    lease = nil
    rollback()
    pins?.unpin()
    cursors.detach()
    statements.drain()
    queries.drain()
    walks.drain()
    catalog.dissolve()
    let isHeld = movingLog && lockToMoveLog()
    connection.close(movingLog: isHeld)
    if isHeld { lock?.release() }
  }

  /// Takes the write lock if there is a log that may be moved.
  ///
  /// Who holds it for longer has the file open, and closes it later.
  private func lockToMoveLog() -> Bool {
    guard let lock, LogFile(of: path) != nil,
      (try? lock.acquire(timeout: Limits.closingLockTimeout)) != nil
    else { return false }
    guard (try? checkPlace()) != nil else {
      lock.release()
      return false
    }
    return true
  }
}

/// What the file says of itself: `atoll_store`, and the last commit's record.
struct StoreState {
  var storeID: StoreID
  /// The number of the author that writes here.
  var author: Int64
  /// The last hybrid time given or received.
  var time: HybridTime
  var number: Int64
  var schema: Int64
}

// MARK: - Errors and statements

extension StoreFile {
  /// Runs `body` and says what was being done if it fails.
  func doing<Result>(
    _ what: @autoclosure () -> String, _ body: () throws -> Result
  ) throws(StorageError) -> Result {
    do {
      guard let turns else { return try withTurn(body) }
      return try turns.withLock { try withTurn(body) }
    } catch {
      throw StorageError(error, path: path, doing: what())
    }
  }

  /// A statement on the bookkeeping tables, compiled once; `sql` must come from a fixed set.
  func statement(_ sql: String) throws(SQLiteError) -> Statement {
    try statements(sql)
  }
}
