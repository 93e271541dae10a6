import AtollChanges
import AtollLog
import AtollVocabulary

/// The state of one SQLite transaction so far; gone when it commits or rolls back.
final class WriteTransaction {
  let origin: Commit.Origin
  /// The author of local changesets.
  var writer: AuthorNumbers
  /// The local changeset being written; nil while peers' are applied or tables are made.
  ///
  /// Like all that each operation touches, it is never accessed twice at once.
  @exclusivity(unchecked) var encoder: ChangesetEncoder?
  /// The changeset before it, of the same transaction: whole, and not in the log yet, because only what
  /// comes then says whether it is continued.
  var finished: FinishedChangeset?
  /// Why an operation failed of which some may be in the rows: then nothing can be committed any more.
  var failure: (any Error)?
  /// Canonical bytes of all that are in the log.
  var loggedBytes = 0
  /// The source of the operations that are merged while ``encoder`` takes them down.
  @exclusivity(unchecked) var source: MergeSource?
  /// The index of the next operation in ``encoder``.
  @exclusivity(unchecked) var nextIndex: UInt32 = 0
  /// True if tables, columns or the schema's version changed: a commit even without operations.
  var hasSchema = false
  /// True if something was changed that peers never hear of: likewise.
  var hasLocalChanges = false
  var declarations: [Declaration] = []
  @exclusivity(unchecked) var changes = ChangeCollector()
  /// The growth of the sums over the classes' objects.
  @exclusivity(unchecked) var digests = DigestGrowth()
  /// The greatest row ids of objects that are gone and not remembered, by class.
  @exclusivity(unchecked) var goneIDs: [ClassID: Int64] = [:]
  /// Authors whose log grew, by number.
  var grown: Set<Int64> = []
  /// The file found itself to be an old copy, and started a new incarnation.
  var hasNewIncarnation = false
  /// The key of the replica that writes in the file once this is committed; nil if it stays the same.
  var nextKey: ReplicaKey?
  /// True once a seal has come for something that was in the log already.
  var hasNewSeal = false
  /// The peer whose changesets are applied; nil where no link brought them.
  var sender: Author?
  /// True if a fork was found: a refusal undoes all of it.
  var isForking = false
  /// True if something was superseded that had been applied: all objects are made anew at the end.
  var needsRebuild = false
  /// True if a replay has superseded something that it had merged before.
  var replaysAgain = false
  let revision: Int64
  /// True if a pinned snapshot is to be taken up again afterwards.
  let wasReading: Bool
  /// The row last loaded, kept in step with what is written to it.
  @exclusivity(unchecked) var loadedRow: LoadedRow?
  /// The object whose row is being made, so that it can link to itself.
  @exclusivity(unchecked) var making: (entry: ClassEntry, object: ObjectReference, id: Int64)?
  /// The row id of the last object made; nil if the last create met an object that was there.
  @exclusivity(unchecked) var madeID: Int64?

  init(origin: Commit.Origin, writer: AuthorNumbers, revision: Int64, wasReading: Bool) {
    self.origin = origin
    self.writer = writer
    self.revision = revision
    self.wasReading = wasReading
  }

  /// The log's record of ``writer``.
  var own: AuthorRecord { writer.record }

  /// The authors of changesets that the author of the merged one had not all seen, once that was asked.
  var unseen:
    (
      author: Int64, sequence: SequenceNumber,
      authors: [(record: AuthorRecord, seen: SequenceNumber)]
    )?

  /// The log position up to which a rebuild has replayed; later entries are not there yet.
  var replayed = Int64.max

  /// Forgets rows that may have changed behind the transaction's back.
  func forget() { loadedRow = nil }
}
