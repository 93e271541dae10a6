package import AtollChanges
package import AtollVocabulary

/// One connection to a store file: reads, writes, and applies what peers wrote.
///
/// Confined to the thread that uses it; other threads and processes open the same file again.
package final class StoreFile {
  package let path: String
  package private(set) var storeID = StoreID(high: 0, low: 0)
  package private(set) var author = Author(
    replica: ReplicaID(high: 0, low: 0), incarnation: Incarnation(0))
  /// The one door: called after each commit made through this object, local and remote alike.
  package var onCommit: ((Commit) -> Void)?

  private init(path: String) { self.path = path }

  package static func open(
    _ path: String, options: StoreOptions = StoreOptions()
  ) throws(StorageError) -> StoreFile {
    _ = StoreFile(path: path)
    throw .noSuchFile(path: path)
  }

  package func close() {}

  // MARK: Schema

  /// Makes room for these classes; committed on its own, under the write lock, outside a write.
  package func adopt(_ classes: [ClassSchema]) throws(StorageError) -> [StoredClass] {
    throw unwritten
  }
  /// Ascending by id, those only peers know included.
  package var classes: [StoredClass] { get throws(StorageError) { throw unwritten } }
  /// The first class of this name; another key type makes another class of one name.
  package func storedClass(named name: String) throws(StorageError) -> StoredClass? {
    throw unwritten
  }
  package func storedClass(_ id: ClassID) throws(StorageError) -> StoredClass { throw unwritten }

  // MARK: Snapshots

  /// The last commit that reads see.
  package func commitNumber() throws(StorageError) -> CommitNumber { throw unwritten }
  /// Pins the present snapshot until ``endRead()`` or ``refresh()``.
  package func beginRead() throws(StorageError) { throw unwritten }
  package func endRead() throws(StorageError) { throw unwritten }
  /// Moves a pinned snapshot forward.
  package func refresh() throws(StorageError) { throw unwritten }

  // MARK: Reading

  package func row(of classID: ClassID, id: RowID) throws(StorageError) -> ObjectRow? {
    throw unwritten
  }
  package func row(of classID: ClassID, key: PersistedValue) throws(StorageError) -> ObjectRow? {
    throw unwritten
  }
  package func find(_ classID: ClassID, key: PersistedValue) throws(StorageError) -> RowID? {
    throw unwritten
  }
  package func count(_ query: StoreQuery) throws(StorageError) -> Int { throw unwritten }
  package func ids(_ query: StoreQuery) throws(StorageError) -> [RowID] { throw unwritten }
  package func rows(_ query: StoreQuery) throws(StorageError) -> RowCursor { throw unwritten }
  /// Visible elements in order. Empty if the way there leads through something that is not there.
  package func elements(
    of classID: ClassID, id: RowID, list: FieldPath
  ) throws(StorageError) -> [StoredElement] { throw unwritten }

  // MARK: Writing

  package var isWriting: Bool { false }
  package func beginWrite(timeout: Duration? = nil) throws(StorageError) { throw unwritten }
  package func create(
    _ classID: ClassID, key: PersistedValue?, fields: [NewField]
  ) throws(StorageError) -> RowID { throw unwritten }
  package func delete(_ classID: ClassID, id: RowID) throws(StorageError) { throw unwritten }
  package func assign(
    _ classID: ClassID, id: RowID, _ field: FieldPath, _ value: NewValue
  ) throws(StorageError) { throw unwritten }
  package func increment(
    _ classID: ClassID, id: RowID, _ field: FieldPath, by amount: Int64
  ) throws(StorageError) { throw unwritten }
  /// Inserts before the visible element at `index`, at the end if nil.
  package func listInsert(
    _ classID: ClassID, id: RowID, list: FieldPath, at index: Int?, _ value: NewValue
  ) throws(StorageError) -> ElementID { throw unwritten }
  package func listAssign(
    _ classID: ClassID, id: RowID, list: FieldPath, at index: Int, _ value: NewValue
  ) throws(StorageError) { throw unwritten }
  /// Moves an element so that it ends up at `destination`.
  package func listMove(
    _ classID: ClassID, id: RowID, list: FieldPath, from source: Int, to destination: Int
  ) throws(StorageError) { throw unwritten }
  package func listRemove(
    _ classID: ClassID, id: RowID, list: FieldPath, at index: Int
  ) throws(StorageError) { throw unwritten }
  package func listClear(
    _ classID: ClassID, id: RowID, list: FieldPath
  ) throws(StorageError) { throw unwritten }
  /// Nil if the transaction did nothing; then no changeset was made.
  package func commitWrite() throws(StorageError) -> Commit? { throw unwritten }
  package func rollback() {}

  // MARK: Replication

  package func appliedVector() throws(StorageError) -> VersionVector { throw unwritten }
  /// The last changeset of each author, ascending by author.
  package func heads() throws(StorageError) -> [ChangesetID] { throw unwritten }
  package func lastLogPosition() throws(StorageError) -> LogPosition { throw unwritten }
  /// The log after `position`, without what `vector` includes; at least one entry if there is one,
  /// else as many as fit `limitBytes`.
  package func entries(
    lackedBy vector: VersionVector, after position: LogPosition, limitBytes: Int
  ) throws(StorageError) -> LogBatch { throw unwritten }
  /// One outcome a changeset, in order. Several commits if the batch is long.
  package func apply(_ batch: [IncomingChangeset]) throws(StorageError) -> [ApplyOutcome] {
    throw unwritten
  }
  /// What commits after `number` changed, nil if their records were pruned: ask again.
  package func effects(after number: CommitNumber) throws(StorageError) -> [Commit]? {
    throw unwritten
  }
  /// Ascending by author.
  package func peerProgress() throws(StorageError) -> [PeerProgress] { throw unwritten }
  package func setPeerProgress(_ progress: PeerProgress) throws(StorageError) { throw unwritten }
  /// Takes over another store's id, objects kept.
  ///
  /// - Throws: `alreadyExchanged` if the log has changesets of another author.
  package func joinStore(_ id: StoreID) throws(StorageError) { throw unwritten }

  // MARK: Inspection

  /// Canonical JSON lines: equal on replicas that applied the same changesets.
  package func export(to write: (String) throws -> Void) throws { throw unwritten }
  /// SHA-256 over every object's cells in canonical form.
  package func digest() throws(StorageError) -> ChainHash { throw unwritten }
  /// What is wrong with the file, one sentence each; empty if nothing is.
  package func verify() throws(StorageError) -> [String] { throw unwritten }
  package func counts() throws(StorageError) -> [(class: StoredClass, objects: Int)] {
    throw unwritten
  }

  private var unwritten: StorageError { .noSuchFile(path: path) }
}
