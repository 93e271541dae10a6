import AtollChanges
import AtollVocabulary

/// What one SQLite transaction has gathered so far; gone when it commits or rolls back.
final class WriteTransaction {
  let origin: Commit.Origin
  /// The author of local changesets.
  let own: AuthorRecord
  /// The local changeset being written; nil while peers' are applied or tables are made.
  var encoder: ChangesetEncoder?
  /// Whose operations are merged while ``encoder`` takes them down.
  var source: MergeSource?
  /// The index of the next operation in ``encoder``.
  var nextIndex: UInt32 = 0
  /// Whether tables, columns or the schema's version changed: a commit even without operations.
  var hasSchema = false
  /// Whether something was changed that peers never hear of: likewise.
  var hasLocalChanges = false
  var declarations: [Declaration] = []
  var changes = ChangeCollector()
  /// What the sums over the classes' objects grew by.
  var digests = DigestGrowth()
  /// Authors whose log grew, by number.
  var grown: Set<Int64> = []
  /// Whether the file found itself to be an old copy and goes on under a new name.
  var hasNewIncarnation = false
  /// Whether something was superseded that had been applied: all objects are made anew at the end.
  var needsRebuild = false
  let generation: Int64
  /// Whether a pinned snapshot is to be taken up again afterwards.
  let wasReading: Bool
  /// The row last loaded, kept in step with what is written to it.
  var loadedRow: LoadedRow?
  /// The object whose row is being made, so that it can link to itself.
  var making: (entry: ClassEntry, object: ObjectReference, id: Int64)?
  /// The row id of the last object made; nil if the last create met an object that was there.
  var madeID: Int64?

  init(origin: Commit.Origin, own: AuthorRecord, generation: Int64, wasReading: Bool) {
    self.origin = origin
    self.own = own
    self.generation = generation
    self.wasReading = wasReading
  }

  /// Whose changesets the author of the one being merged had not all seen, once that was asked.
  var unseen:
    (
      author: Int64, sequence: SequenceNumber,
      authors: [(record: AuthorRecord, seen: SequenceNumber)]
    )?

  /// Forgets rows that may have changed behind the transaction's back.
  func forget() { loadedRow = nil }
}

/// One row with its stamps, while operations on it are merged.
final class LoadedRow {
  let table: CellTable
  let id: Int64
  /// Of an object; of an element, null and 0.
  let key: PersistedValue
  let life: Life
  /// What owns an element, see ``Container/owner``; 0 for an object.
  let owner: Int64
  let isRemoved: Bool
  var state: RowState
  /// Slots that hold an embedded object, by ordinal.
  var filledSlots: Set<Int>
  /// What any-typed slots hold that hold a list or map, by ordinal.
  var nested: [Int: CollectionKind]

  init(
    table: CellTable, id: Int64, key: PersistedValue, life: Life, owner: Int64, isRemoved: Bool,
    state: RowState, filledSlots: Set<Int>, nested: [Int: CollectionKind]
  ) {
    self.table = table
    self.id = id
    self.key = key
    self.life = life
    self.owner = owner
    self.isRemoved = isRemoved
    self.state = state
    self.filledSlots = filledSlots
    self.nested = nested
  }
}
